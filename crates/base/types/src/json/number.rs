//! Numbers: which are safe to exchange (RFC 7493 §2.2), and how ECMAScript writes a double.

use alloc::format;
use alloc::string::String;

use serde_json::Number;

use super::Value;
use crate::limits::MAX_SAFE_INTEGER;

/// A number as a value, or nothing if other parsers would read another number.
pub(super) type SafeNumber = Option<Value>;

/// From here on ECMAScript writes an exponent, which no parser takes for an integer.
const FIRST_EXPONENT: f64 = 1e21;
/// 2^53: the first integer whose neighbour a double can't hold.
const FIRST_UNSAFE: f64 = 9_007_199_254_740_992.0;

pub(super) fn from_u64(integer: u64) -> SafeNumber {
    (integer <= MAX_SAFE_INTEGER).then(|| Value::Number(Number::from(integer)))
}

pub(super) fn from_i64(integer: i64) -> SafeNumber {
    (integer.unsigned_abs() <= MAX_SAFE_INTEGER).then(|| Value::Number(Number::from(integer)))
}

/// Doubles between 2^53 and 10^21 are written as integers, which then can't be read back.
pub(super) fn from_f64(double: f64) -> SafeNumber {
    let unsafe_integer = (FIRST_UNSAFE..FIRST_EXPONENT).contains(&double.abs());
    Number::from_f64(double)
        .filter(|_| !unsafe_integer)
        .map(Value::Number)
}

/// The integer that a value is in JavaScript: `1.0` and `1.7e12` are integers, `"1"` is not.
pub(crate) fn safe_integer(value: &Value) -> Option<i64> {
    let number = value.as_number()?;
    let integer = number.as_i64().or_else(|| integral(number.as_f64()?))?;
    (integer.unsigned_abs() <= MAX_SAFE_INTEGER).then_some(integer)
}

fn integral(double: f64) -> Option<i64> {
    if double.abs() >= FIRST_UNSAFE {
        return None;
    }
    // Below 2^53 the shortest decimal form of an integral double is its digits, without a point.
    format!("{double}").parse().ok()
}

/// ECMAScript `Number::toString` (RFC 8785 §3.2.2.3). Rust's own shortest form will not do: it
/// rounds a tie between two shortest candidates up where ECMAScript takes the even one.
///
/// `double` is finite, as every number in a JSON value is.
pub(super) fn push_ecmascript(out: &mut String, double: f64) {
    out.push_str(ryu_js::Buffer::new().format_finite(double));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of RFC 8785 appendix B, as bits of the double.
    #[test]
    fn the_samples_of_rfc_8785_are_written_alike() {
        for (bits, text) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            let mut written = String::new();
            push_ecmascript(&mut written, f64::from_bits(bits));
            assert_eq!(written, text, "{bits:x}");
        }
    }
}
