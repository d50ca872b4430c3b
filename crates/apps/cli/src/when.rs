//! Times as people type and read them. All are presented time, in UTC where nothing else is said.

use counterfoil_sqlite::SystemClock;
use counterfoil_store::Clock;
use counterfoil_types::UnixMillis;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// The present time in milliseconds.
///
/// # Errors
/// The clock stands before 1970.
pub(crate) fn now() -> Result<UnixMillis, crate::Failure> {
    UnixMillis::new(SystemClock.now_micros() / 1000)
        .map_err(|_| crate::Failure::place("the clock stands before 1970", "set it"))
}

/// Reads `2025-03-01`, `2025-03-01T10:15:00Z`, or milliseconds since 1970. A date is its first
/// moment in UTC.
///
/// # Errors
/// None of these, or before 1970: a sentence that says so.
pub(crate) fn parse(text: &str) -> Result<UnixMillis, String> {
    let refused =
        || format!("{text:?} is no time; write 2025-03-01, 2025-03-01T10:15:00Z or milliseconds");
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let millis = if all_digits {
        text.parse().ok()
    } else {
        date(text).or_else(|| instant(text))
    };
    millis
        .and_then(|millis| UnixMillis::new(millis).ok())
        .ok_or_else(refused)
}

/// Reads an RFC 3339 date-time with its offset, in milliseconds since 1970.
pub(crate) fn instant(text: &str) -> Option<u64> {
    text.parse::<Timestamp>().ok().and_then(millis)
}

/// Reads a date-time without offset as UTC, by a `strptime` pattern.
pub(crate) fn utc_by_pattern(pattern: &str, text: &str) -> Option<u64> {
    utc(DateTime::strptime(pattern, text).ok()?)
}

fn date(text: &str) -> Option<u64> {
    let ten = text.len() == 10;
    utc(text
        .parse::<Date>()
        .ok()
        .filter(|_| ten)?
        .to_datetime(jiff::civil::Time::midnight()))
}

fn utc(local: DateTime) -> Option<u64> {
    millis(local.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

fn millis(at: Timestamp) -> Option<u64> {
    u64::try_from(at.as_millisecond()).ok()
}

/// `2025-03-01 10:15`, in UTC.
pub(crate) fn to_minute(at: UnixMillis) -> String {
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
    fn dates_instants_and_milliseconds_are_read() {
        for (text, millis) in [
            ("2025-03-01", 1_740_787_200_000),
            ("2025-03-01T00:00:00Z", 1_740_787_200_000),
            ("2025-03-01T01:00:00+01:00", 1_740_787_200_000),
            ("1740787200000", 1_740_787_200_000),
        ] {
            assert_eq!(parse(text).map(UnixMillis::value), Ok(millis), "{text}");
        }
    }

    #[test]
    fn other_spellings_and_times_before_1970_are_refused() {
        for text in [
            "",
            "yesterday",
            "2025-13-01",
            "2025-03-01T10:15:00",
            "1969-12-31",
            "0",
            "-5",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_is_shown_to_the_minute() {
        assert_eq!(
            to_minute(UnixMillis::new(1_740_824_100_000).unwrap()),
            "2025-03-01 10:15"
        );
    }
}
