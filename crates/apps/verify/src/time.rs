//! Points in time as people write them: an RFC 3339 date or time, or milliseconds since 1970.

use counterfoil_authority::types::{UnixMillis, calendar};

/// Advice on a text that is no point in time.
const ADVICE: &str =
    "write it as 2026, 2026-01, 2026-01-31, as 2026-01-31T12:00:00Z, or as milliseconds since 1970";
const YEAR_DIGITS: usize = 4;
const MILLIS_PER_DAY: u64 = 86_400_000;

/// Reads `text` as an RFC 3339 `date-time` (section 5.6, with `T` and `Z` or a numeric offset), as a year, a month or an RFC 3339
/// `full-date`, which is its first moment in UTC, or as a decimal number of milliseconds since 1970. Four digits are a year.
/// Fractions of a millisecond are cut off.
///
/// # Errors
/// Advice for anything else, and for times before 1970-01-01T00:00:00.001Z.
pub fn parse(text: &str) -> Result<UnixMillis, &'static str> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    let digits = digits && text.len() != YEAR_DIGITS;
    let millis = || digits.then(|| text.parse().ok())?;
    let instant = || {
        let upper_case = !text.contains(['t', 'z']);
        let micros = upper_case.then(|| calendar::instant(text)).flatten()?;
        u64::try_from(micros).ok().map(|micros| micros / 1000)
    };
    let date = || {
        let (year, month, day) = calendar::partial_date(text)?;
        let day = calendar::day_number(year, month.unwrap_or(1), day.unwrap_or(1));
        u64::try_from(day).ok()?.checked_mul(MILLIS_PER_DAY)
    };
    let millis = millis().or_else(instant).or_else(date).ok_or(ADVICE)?;
    UnixMillis::new(millis).map_err(|_| ADVICE)
}

/// A time in RFC 3339, in UTC.
pub(crate) fn shown(time: UnixMillis) -> String {
    let micros = i64::try_from(time.value()).map_or(i64::MAX, |millis| millis.saturating_mul(1000));
    let civil = calendar::Civil::of(micros);
    match civil.year {
        ..10_000 => format!("{civil}Z"),
        _ => format!("{} ms since 1970", time.value()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> Option<u64> {
        parse(text).ok().map(UnixMillis::value)
    }

    #[test]
    fn every_notation_names_the_same_time() {
        for (text, expected) in [
            ("1767225600000", 1_767_225_600_000),
            ("2026-01-01T00:00:00Z", 1_767_225_600_000),
            ("2026-01-01T00:00:00.5Z", 1_767_225_600_500),
            ("2026-01-01T00:00:00.123456789Z", 1_767_225_600_123),
            ("2026-01-01T02:30:00+02:30", 1_767_225_600_000),
            ("2025-12-31T23:00:00-01:00", 1_767_225_600_000),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000),
            ("2000-02-29T12:34:56Z", 951_827_696_000),
            ("1970-01-01T00:00:00.001Z", 1),
            ("2026-01-01", 1_767_225_600_000),
            ("2024-02-29", 1_709_164_800_000),
            ("1970-01-02", 86_400_000),
            ("2026", 1_767_225_600_000),
            ("2026-01", 1_767_225_600_000),
            ("999", 999),
            ("10000", 10_000),
        ] {
            assert_eq!(millis(text), Some(expected), "{text}");
        }
    }

    /// The spellings of an instant that are none are tested beside the calendar.
    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "0",
            "01",
            "+1",
            " 1",
            "1 ",
            "1.0",
            "1e3",
            "now",
            "-1",
            "9007199254740992",
            "2026-01-01Z",
            "2026-01-01 ",
            "2026-02-29",
            "2026-1-1",
            "1970-01-01",
            "1969-12-31",
            "1969",
            "2026-13",
            "2026-01-01t00:00:00Z",
            "2026-01-01T00:00:00z",
            "1969-12-31T23:59:59Z",
        ] {
            assert_eq!(parse(text), Err(ADVICE), "{text}");
        }
    }
}
