//! Sign bits of vectors, in blocks: a row is the log index of a World, its time, and one bit for each dimension.

/// Rows of a block.
pub(super) const BLOCK_ROWS: usize = 512;

/// Rows of one block.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Log index of each row.
    pub(super) indexes: Vec<u64>,
    /// `createdAt` of each row, in ms.
    pub(super) created: Vec<i64>,
    /// Sign bits of each row, in [`words`] of its dimensions.
    pub(super) signs: Vec<u64>,
}

/// Number of 64-bit words with one bit for each dimension.
pub(super) const fn words(dimensions: usize) -> usize {
    dimensions.div_ceil(64)
}

/// Returns one bit for each dimension, which is set where the vector is greater than the centre; the first in the lowest bit.
pub(super) fn signs(vector: impl Iterator<Item = f32>, centre: &[f32]) -> Vec<u64> {
    let mut signs = vec![0; words(centre.len())];
    for (at, (number, centre)) in vector.zip(centre).enumerate() {
        if let Some(word) = signs.get_mut(at / 64) {
            *word |= u64::from(number > *centre) << (at % 64);
        }
    }
    signs
}

/// A question as the rows are compared with it.
pub(super) struct SignQuestion {
    /// Its own sign bits.
    pub(super) signs: Vec<u64>,
    /// For each byte of a row the weights of its 256 values: differences from the centre, added where a bit is set and taken
    /// away where it is not.
    weights: Vec<[f32; 256]>,
}

impl SignQuestion {
    pub(super) fn new(vector: &[f32], centre: &[f32]) -> Self {
        let differences: Vec<f32> = vector
            .iter()
            .zip(centre)
            .map(|(it, mean)| it - mean)
            .collect();
        let weights = |eight: &[f32]| {
            let mut sums = [0.0; 256];
            for (value, sum) in (0..=u8::MAX).zip(&mut sums) {
                for (bit, difference) in eight.iter().enumerate() {
                    *sum += if value >> bit & 1 == 1 {
                        *difference
                    } else {
                        -difference
                    };
                }
            }
            sums
        };
        Self {
            signs: signs(vector.iter().copied(), centre),
            weights: differences.chunks(8).map(weights).collect(),
        }
    }

    /// Returns the product of the question with a row of which only the signs are known: larger is nearer.
    pub(super) fn weight(&self, row: &[u64]) -> f32 {
        let bytes = row.iter().flat_map(|word| word.to_le_bytes());
        let weights = bytes.zip(&self.weights);
        weights
            .map(|(byte, weights)| weights.get(usize::from(byte)).copied().unwrap_or_default())
            .sum()
    }
}

impl Block {
    /// Reads the bytes of a block; `None` if they are none.
    pub(super) fn parse(bytes: &[u8], dimensions: usize) -> Option<Self> {
        let words = words(dimensions);
        let (numbers, []) = bytes.as_chunks::<8>() else {
            return None;
        };
        let rows = numbers.len() / (words + 2);
        if rows * (words + 2) != numbers.len() || rows > BLOCK_ROWS {
            return None;
        }
        let (indexes, rest) = numbers.split_at_checked(rows)?;
        let (created, signs) = rest.split_at_checked(rows)?;
        let numbers = |bytes: &[[u8; 8]]| bytes.iter().copied().map(u64::from_le_bytes).collect();
        Some(Self {
            indexes: numbers(indexes),
            created: created.iter().copied().map(i64::from_le_bytes).collect(),
            signs: numbers(signs),
        })
    }

    /// Returns the bytes: all indexes, all times, all sign bits, in 8 bytes each, little-endian.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let indexes = self.indexes.iter().map(|it| it.to_le_bytes());
        let created = self.created.iter().map(|it| it.to_le_bytes());
        let signs = self.signs.iter().map(|it| it.to_le_bytes());
        indexes.chain(created).chain(signs).flatten().collect()
    }

    /// Adds a row.
    pub(super) fn push(&mut self, index: u64, created: i64, signs: &[u64]) {
        self.indexes.push(index);
        self.created.push(created);
        self.signs.extend_from_slice(signs);
    }

    /// Tests whether there is no room for a further row.
    pub(super) fn is_full(&self) -> bool {
        self.indexes.len() >= BLOCK_ROWS
    }

    /// Adds the Hamming distance of each row from `to`, in their order.
    pub(super) fn distances(&self, to: &[u64], found: &mut Vec<u16>) {
        // The usual widths are known to the compiler.
        match to.len() {
            1 => distances_of::<1>(&self.signs, to, found),
            4 => distances_of::<4>(&self.signs, to, found),
            6 => distances_of::<6>(&self.signs, to, found),
            8 => distances_of::<8>(&self.signs, to, found),
            12 => distances_of::<12>(&self.signs, to, found),
            16 => distances_of::<16>(&self.signs, to, found),
            words => {
                let rows = self.signs.chunks_exact(words.max(1));
                found.extend(rows.map(|row| distance(row, to)));
            }
        }
    }
}

fn distances_of<const WORDS: usize>(signs: &[u64], to: &[u64], found: &mut Vec<u16>) {
    if let Some(to) = to.first_chunk::<WORDS>() {
        let rows = signs.as_chunks::<WORDS>().0;
        found.extend(rows.iter().map(|row| distance(row, to)));
    }
}

fn distance(one: &[u64], other: &[u64]) -> u16 {
    let pairs = one.iter().zip(other);
    let bits: u32 = pairs.map(|(one, other)| (one ^ other).count_ones()).sum();
    u16::try_from(bits).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_back_and_other_bytes_are_none() {
        for dimensions in [1, 64, 65, 384] {
            let mut block = Block::default();
            for row in 0..3_u64 {
                block.push(row * 7, -5, &vec![row; words(dimensions)]);
            }
            let bytes = block.to_bytes();
            assert_eq!(Block::parse(&bytes, dimensions), Some(block));
            assert_eq!(Block::parse(&bytes[1..], dimensions), None);
            assert_eq!(Block::parse(&bytes[8..], dimensions), None);
            let too_many = vec![0; (BLOCK_ROWS + 1) * 8 * (words(dimensions) + 2)];
            assert_eq!(Block::parse(&too_many, dimensions), None);
        }
    }

    #[test]
    fn a_weight_is_the_product_with_the_signs() {
        let question: Vec<f32> = (0..70_u16).map(|at| f32::from(at * 7 % 11) - 5.0).collect();
        let row: Vec<f32> = (0..70_u8).map(|at| f32::from(at % 5) - 2.0).collect();
        let centre = vec![0.5; 70];
        let products = question.iter().zip(&row).map(|(one, other)| {
            let difference = one - 0.5;
            if *other > 0.5 {
                difference
            } else {
                -difference
            }
        });
        let found =
            SignQuestion::new(&question, &centre).weight(&signs(row.iter().copied(), &centre));
        assert!((found - products.sum::<f32>()).abs() < 1e-3, "{found}");
    }

    #[test]
    fn bits_are_counted_whatever_the_width() {
        for dimensions in [1_u16, 63, 64, 200, 256, 384, 512, 768, 1024, 4096] {
            let centre = vec![0.0; dimensions.into()];
            let numbers = (0..dimensions).map(|at| f32::from(at % 3) - 1.0);
            let mut block = Block::default();
            block.push(1, 2, &signs(numbers, &centre));
            block.push(3, 4, &vec![0; words(dimensions.into())]);
            let mut found = Vec::new();
            let to = signs(std::iter::repeat(1.0), &centre);
            block.distances(&to, &mut found);
            assert_eq!(found, [dimensions - dimensions / 3, dimensions]);
        }
    }
}
