//! Times as sources write them and people read them: presented time, in UTC where nothing else is
//! said.

use counterfoil_sqlite::System;
use counterfoil_store::Clock;
use counterfoil_types::UnixMillis;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The present time in milliseconds.
///
/// # Errors
/// The clock is before 1970.
pub fn now() -> Result<UnixMillis, crate::error::Error> {
    UnixMillis::new(System.now_micros() / 1000)
        .map_err(|_| crate::error::Error::place("the clock stands before 1970", "set it"))
}

/// The present time as documents of keys write it.
///
/// # Errors
/// The clock is after the year 9999.
pub fn stamp() -> Result<counterfoil_capsule::Timestamp, crate::error::Error> {
    counterfoil_capsule::Timestamp::from_micros(System.now_micros())
        .map_err(|error| crate::error::Error::place(error, "set the clock"))
}

/// Reads a duration as people write it, in milliseconds: a number and `s`, `m`, `h`, `d`, `w` or
/// `y` (365 days).
///
/// # Errors
/// What to write instead.
pub fn duration_ms(text: &str) -> Result<u64, String> {
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

/// Reads an RFC 3339 date-time with its offset, in milliseconds since 1970.
pub fn instant(text: &str) -> Option<u64> {
    text.parse::<Timestamp>().ok().and_then(millis)
}

/// Reads a date-time without offset as UTC, by a `strptime` pattern.
pub fn utc_by_pattern(pattern: &str, text: &str) -> Option<u64> {
    utc(DateTime::strptime(pattern, text).ok()?)
}

fn utc(local: DateTime) -> Option<u64> {
    millis(local.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

fn millis(at: Timestamp) -> Option<u64> {
    u64::try_from(at.as_millisecond()).ok()
}

/// `2025-03-01 10:15`, in UTC.
pub fn to_minute(at: UnixMillis) -> String {
    i64::try_from(at.value())
        .ok()
        .and_then(|millis| Timestamp::from_millisecond(millis).ok())
        .map_or_else(
            || at.value().to_string(),
            |at| at.strftime("%Y-%m-%d %H:%M").to_string(),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_to_the_minute() {
        assert_eq!(
            to_minute(UnixMillis::new(1_740_824_100_000).unwrap()),
            "2025-03-01 10:15"
        );
    }
}
