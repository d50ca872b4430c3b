//! Vectors in half precision (IEEE 754 binary16, little-endian), and cosines with them.

/// 2 to the power of -112 and of 112: the difference of the exponents' biases.
const TO_HALF: f32 = f32::from_bits(0x0780_0000);
const FROM_HALF: f32 = f32::from_bits(0x7780_0000);
/// Largest finite half.
const MAX_HALF: u32 = 0x7bff;
/// Sums that are added up side by side.
const LANES: usize = 8;

/// Returns the vector of unit length as bytes; `None` for one that is not finite or all zeros.
pub(super) fn halves(vector: &[f32]) -> Option<Vec<u8>> {
    let square: f64 = vector.iter().map(|it| f64::from(*it).powi(2)).sum();
    if !square.is_finite() || square <= 0.0 {
        return None;
    }
    let length = square.sqrt();
    let unit = vector.iter().map(|it| f64::from(*it) / length);
    Some(unit.flat_map(|it| half(it).to_le_bytes()).collect())
}

/// Returns the numbers of a row.
pub(super) fn numbers(halves: &[u8]) -> impl Iterator<Item = f32> + '_ {
    halves.as_chunks().0.iter().map(|bytes| single(*bytes))
}

/// Returns the cosine of the angle between a vector and a row; 0 for a row of zeros.
pub(super) fn cosine(vector: &[f32], halves: &[u8]) -> f64 {
    let (rows, rest) = halves.as_chunks::<2>().0.as_chunks::<LANES>();
    let (vectors, vector_rest) = vector.as_chunks::<LANES>();
    let mut sums = [[0.0_f32; LANES]; 2];
    let [dots, squares] = &mut sums;
    for (vector, row) in vectors.iter().zip(rows) {
        for (((dot, square), one), bytes) in
            dots.iter_mut().zip(squares.iter_mut()).zip(vector).zip(row)
        {
            let other = single(*bytes);
            *dot += one * other;
            *square += other * other;
        }
    }
    for (one, bytes) in vector_rest.iter().zip(rest) {
        let other = single(*bytes);
        let ([dot, ..], [square, ..]) = (&mut *dots, &mut *squares);
        *dot += one * other;
        *square += other * other;
    }
    let own: f64 = vector.iter().map(|it| f64::from(*it).powi(2)).sum();
    let [dot, square] = sums.map(|sums| sums.into_iter().map(f64::from).sum::<f64>());
    let length = (own * square).sqrt();
    if length > 0.0 { dot / length } else { 0.0 }
}

/// Rounds to the nearest half, to an even one in the middle.
fn half(number: f64) -> u16 {
    let bits = (rounded(number) * TO_HALF).to_bits();
    let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    let nearest = (magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13;
    u16::try_from(sign | nearest.min(MAX_HALF)).unwrap_or_default()
}

/// Rounds to the nearest number of half the size.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "there is no other conversion, and it rounds to the nearest"
)]
pub(super) const fn rounded(number: f64) -> f32 {
    number as f32
}

fn single(bytes: [u8; 2]) -> f32 {
    let bits = u32::from(u16::from_le_bytes(bytes));
    f32::from_bits((bits & 0x8000) << 16 | (bits & 0x7fff) << 13) * FROM_HALF
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_half_comes_back_and_others_go_to_the_nearest() {
        for bits in (0..=0x7bff_u16).chain(0x8000..=0xfbff) {
            let number = single(bits.to_le_bytes());
            assert_eq!(half(number.into()), bits, "{number}");
        }
        for (number, expected) in [
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65_504.0, 0x7bff),
            (1e9, 0x7bff),
            (0.1, 0x2e66),
            (2_f64.powi(-24), 1),
            // In the middle of two: the even one.
            (1.0 + 2_f64.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2_f64.powi(-11), 0x3c02),
        ] {
            assert_eq!(half(number), expected, "{number}");
        }
    }

    #[test]
    fn a_cosine_is_that_of_the_vectors() {
        let one: Vec<f32> = (0..19_u8).map(|at| f32::from(at) - 7.0).collect();
        let other: Vec<f32> = (0..19_u8).map(|at| f32::from(at * 13 % 19) - 5.0).collect();
        let dot = |one: &[f32], other: &[f32]| -> f64 {
            let products = one.iter().zip(other);
            products.map(|(one, other)| f64::from(one * other)).sum()
        };
        let exact = dot(&one, &other) / (dot(&one, &one) * dot(&other, &other)).sqrt();
        let found = cosine(&one, &halves(&other).unwrap());
        assert!((found - exact).abs() < 1e-3, "{found} {exact}");
        assert!((cosine(&one, &halves(&one).unwrap()) - 1.0).abs() < 1e-6);
        assert!(halves(&[0.0; 4]).is_none() && halves(&[f32::NAN, 1.0]).is_none());
        assert!(halves(&[f32::INFINITY]).is_none());
    }
}
