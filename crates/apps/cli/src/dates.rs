//! Dates as people write them: a year, a month, a day or an instant (docs/format/claims.md 1).

use counterfoil_claims::time::{Boundary, Micros};

/// A date with its granularity.
pub(crate) fn boundary(text: &str) -> Result<Boundary, String> {
    Boundary::parse(text).map_err(|error| error.to_string())
}

/// The first moment of a date, microseconds since 1970.
pub(crate) fn instant(text: &str) -> Result<Micros, String> {
    boundary(text).map(|boundary| boundary.begin())
}

/// The first moment of a date at which something can have been recorded.
pub(crate) fn recorded(text: &str) -> Result<u64, String> {
    u64::try_from(instant(text)?)
        .map_err(|_| "nothing was recorded before 1970: write a later date".to_owned())
}

/// Reads a duration as people write it, in milliseconds: a number and `s`, `m`, `h`, `d`, `w` or
/// `y` (365 days).
pub(crate) fn duration_ms(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is no duration; write a number and a unit: 12h, 30d, 8w, 2y");
    let at = text.len().saturating_sub(1);
    let (number, unit) = text.split_at_checked(at).ok_or_else(wrong)?;
    let unit_s: u64 = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        "y" => 365 * 86_400,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number
        .checked_mul(unit_s)
        .and_then(|seconds| seconds.checked_mul(1000))
        .ok_or_else(wrong)
}
