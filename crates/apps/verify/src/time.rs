//! Points in time as people write them: an RFC 3339 date or time, or milliseconds since 1970.

use counterfoil_authority::types::UnixMillis;

/// A text that is not a point in time that we accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write it as 2026-01-31, as 2026-01-31T12:00:00Z, or as milliseconds since 1970")]
pub struct TimeError;

const MILLIS_PER_DAY: i64 = 86_400_000;

/// Reads `text` as an RFC 3339 `date-time` (section 5.6, with `T` and `Z` or a numeric offset), as an
/// RFC 3339 `full-date`, which is its first moment in UTC, or as a decimal number of milliseconds
/// since 1970. What is finer than a millisecond is cut off.
///
/// # Errors
/// [`TimeError`] for anything else, and for times before 1970-01-01T00:00:00.001Z.
pub fn parse(text: &str) -> Result<UnixMillis, TimeError> {
    let millis = unix_millis(text)
        .or_else(|| date_time(text))
        .or_else(|| full_date(text))
        .ok_or(TimeError)?;
    UnixMillis::new(millis).map_err(|_| TimeError)
}

fn unix_millis(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (digits && !text.starts_with('0')).then(|| text.parse().ok())?
}

fn full_date(text: &str) -> Option<u64> {
    let millis = days_since_1970(text)?.checked_mul(MILLIS_PER_DAY)?;
    u64::try_from(millis).ok()
}

fn date_time(text: &str) -> Option<u64> {
    let (date, rest) = text.split_at_checked(10)?;
    let (clock, rest) = rest.strip_prefix('T')?.split_at_checked(8)?;
    let (fraction, offset) = split_fraction(rest)?;
    let day = days_since_1970(date)?;
    let local = day
        .checked_mul(MILLIS_PER_DAY)?
        .checked_add(clock_millis(clock)?)?;
    u64::try_from(
        local
            .checked_add(fraction)?
            .checked_sub(offset_millis(offset)?)?,
    )
    .ok()
}

fn days_since_1970(date: &str) -> Option<i64> {
    let [year, month, day] = fields(date, '-', [4, 2, 2])?;
    if !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
        return None;
    }
    let before_year = |year: i64| {
        let past = year - 1;
        past * 365 + past / 4 - past / 100 + past / 400
    };
    let before_month: i64 = (1..month).map(|month| days_in_month(year, month)).sum();
    // Year 0 has no past; every time in it lies before 1970 anyway.
    (year > 0).then(|| before_year(year) - before_year(1970) + before_month + day - 1)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn clock_millis(clock: &str) -> Option<i64> {
    let [hours, minutes, seconds] = fields(clock, ':', [2, 2, 2])?;
    let valid = hours < 24 && minutes < 60 && seconds < 60;
    valid.then_some(((hours * 60 + minutes) * 60 + seconds) * 1000)
}

/// The fraction in milliseconds, and what follows it.
fn split_fraction(rest: &str) -> Option<(i64, &str)> {
    let Some(digits) = rest.strip_prefix('.') else {
        return Some((0, rest));
    };
    let end = digits.find(|digit: char| !digit.is_ascii_digit())?;
    let (digits, offset) = digits.split_at_checked(end)?;
    let millis: String = digits.chars().chain("000".chars()).take(3).collect();
    (1..=9)
        .contains(&end)
        .then(|| Some((millis.parse().ok()?, offset)))?
}

fn offset_millis(offset: &str) -> Option<i64> {
    if offset == "Z" {
        return Some(0);
    }
    let (sign, digits) = offset.split_at_checked(1)?;
    let [hours, minutes] = fields(digits, ':', [2, 2])?;
    let millis = (hours < 24 && minutes < 60).then_some((hours * 60 + minutes) * 60_000)?;
    match sign {
        "+" => Some(millis),
        "-" => Some(-millis),
        _ => None,
    }
}

/// Decimal fields of exactly these widths between separators.
fn fields<const N: usize>(text: &str, separator: char, widths: [usize; N]) -> Option<[i64; N]> {
    let mut numbers = [0; N];
    let mut parts = text.split(separator);
    for (number, width) in numbers.iter_mut().zip(widths) {
        let part = parts.next()?;
        let digits = part.len() == width && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = digits.then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(numbers)
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
        ] {
            assert_eq!(millis(text), Some(expected), "{text}");
        }
    }

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
            "20260101T000000Z",
            "1970-01-01",
            "1969-12-31",
            "2026-01-01T00:00:00",
            "2026-01-01 00:00:00Z",
            "2026-01-01t00:00:00Z",
            "2026-01-01T00:00:00z",
            "2026-1-01T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-01-32T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.1234567890Z",
            "2026-01-01T00:00:00+2:00",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00*00:00",
            "2026-01-01T00:00:00Z ",
            "1969-12-31T23:59:59Z",
            "0000-01-01T00:00:00Z",
            "٢٠٢٦-01-01T00:00:00Z",
            "+026-01-01T00:00:00Z",
        ] {
            assert_eq!(parse(text), Err(TimeError), "{text}");
        }
    }
}
