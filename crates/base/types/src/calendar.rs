//! The proleptic Gregorian calendar and the texts of ISO 8601 and RFC 3339, in UTC and without leap seconds.
//!
//! Instants are microseconds since 1970-01-01T00:00:00Z; days are counted from 1970-01-01. For crates without a standard
//! library; where there is one, `jiff` reads what people write.

use core::fmt;

/// Microseconds of a day.
pub const DAY_US: i64 = 86_400_000_000;

const SECOND_US: i64 = 1_000_000;
const MINUTE_US: i64 = 60 * SECOND_US;
const HOUR_US: i64 = 60 * MINUTE_US;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;
/// Days of 400 years, after which the calendar repeats.
const ERA: i64 = 146_097;

/// Number of a day since 1970-01-01. Inside, years begin in March, so that a leap day is the last of its year
/// (H. Hinnant, "chrono-compatible low-level date algorithms").
pub const fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year = year.rem_euclid(400);
    let month = (month + 9) % 12;
    let day = (153 * month + 2) / 5 + day - 1;
    era * ERA + year * 365 + year / 4 - year / 100 + day - EPOCH
}

/// Days of a month, 28 to 31.
pub const fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Date and time of day of an instant.
///
/// `Display` writes `2026-02-10T12:00:00`; the fraction of a second and the `Z` are for the caller. Years outside 1 to
/// 9999 have a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// Year; 1 BC is year 0.
    pub year: i64,
    /// Month, 1 to 12.
    pub month: i64,
    /// Day of the month, 1 to 31.
    pub day: i64,
    /// Microseconds since midnight.
    pub of_day: i64,
}

impl Civil {
    /// Returns the date and time of day of an instant, in microseconds since 1970.
    pub const fn of(micros: i64) -> Self {
        let number = micros.div_euclid(DAY_US) + EPOCH;
        let era = number.div_euclid(ERA);
        let day = number.rem_euclid(ERA);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        Self {
            year: era * 400 + year + if month < 10 { 0 } else { 1 },
            month: if month < 10 { month + 3 } else { month - 9 },
            day: day - (153 * month + 2) / 5 + 1,
            of_day: micros.rem_euclid(DAY_US),
        }
    }

    /// Microseconds of the second, 0 to 999,999.
    pub const fn fraction(self) -> i64 {
        self.of_day % SECOND_US
    }
}

impl fmt::Display for Civil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hour, minute) = (self.of_day / HOUR_US, self.of_day / MINUTE_US % 60);
        let second = self.of_day / SECOND_US % 60;
        match self.year {
            year @ 1..=9999 => write!(f, "{year:04}")?,
            year => write!(f, "{year:+05}")?,
        }
        let (month, day) = (self.month, self.day);
        write!(f, "-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
    }
}

/// Reads `2020`, `2020-03` or `2020-03-15` in the years 0001 to 9999: year, month and day, so far as they are there.
pub fn partial_date(text: &str) -> Option<(i64, Option<i64>, Option<i64>)> {
    let mut rest = text.as_bytes();
    let year = number(&mut rest, 4).filter(|year| *year >= 1)?;
    if rest.is_empty() {
        return Some((year, None, None));
    }
    literal(&mut rest, b"-")?;
    let month = number(&mut rest, 2).filter(|month| (1..=12).contains(month))?;
    if rest.is_empty() {
        return Some((year, Some(month), None));
    }
    literal(&mut rest, b"-")?;
    let day = number(&mut rest, 2).filter(|day| (1..=days_of(year, month)).contains(day))?;
    rest.is_empty().then_some((year, Some(month), Some(day)))
}

/// Reads `2020-03-15` in the years 0001 to 9999 as the number of the day since 1970-01-01.
fn full_date(text: &str) -> Option<i64> {
    match partial_date(text)? {
        (year, Some(month), Some(day)) => Some(day_number(year, month, day)),
        _ => None,
    }
}

/// Reads an RFC 3339 date-time in the years 0001 to 9999 of its own offset, as microseconds since 1970.
///
/// `T` and `Z` may be lower case. Of one to nine digits of a second six count; the rest is cut off, towards the past.
/// Second 60 is refused.
pub fn instant(text: &str) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    let mut rest = rest.as_bytes();
    let date = full_date(date)?;
    literal(&mut rest, b"Tt")?;
    let time = time_of_day(&mut rest)?;
    let offset = offset(&mut rest)?;
    rest.is_empty().then_some(date * DAY_US + time - offset)
}

/// Reads the timestamp of a capsule header, exactly `YYYY-MM-DDTHH:MM:SS.ffffffZ` in the years 1970 to 9999
/// (`docs/format/capsule.md`), as microseconds since 1970.
pub fn timestamp(text: &str) -> Option<u64> {
    let stops = [(10, b'T'), (19, b'.'), (26, b'Z')];
    let bytes = text.as_bytes();
    if bytes.len() != 27 || stops.iter().any(|(at, stop)| bytes.get(*at) != Some(stop)) {
        return None;
    }
    u64::try_from(instant(text)?).ok()
}

fn time_of_day(rest: &mut &[u8]) -> Option<i64> {
    let hour = number(rest, 2).filter(|hour| *hour < 24)?;
    literal(rest, b":")?;
    let minute = number(rest, 2).filter(|minute| *minute < 60)?;
    literal(rest, b":")?;
    let second = number(rest, 2).filter(|second| *second < 60)?;
    let mut fraction = 0;
    if rest.first() == Some(&b'.') {
        literal(rest, b".")?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=9).contains(&digits) {
            return None;
        }
        for place in 0..digits.max(6) {
            let digit = if place < digits { number(rest, 1)? } else { 0 };
            if place < 6 {
                fraction = fraction * 10 + digit;
            }
        }
    }
    Some(hour * HOUR_US + minute * MINUTE_US + second * SECOND_US + fraction)
}

fn offset(rest: &mut &[u8]) -> Option<i64> {
    let sign = match literal(rest, b"Zz+-")? {
        b'+' => 1,
        b'-' => -1,
        _ => return Some(0),
    };
    let hours = number(rest, 2).filter(|hours| *hours < 24)?;
    literal(rest, b":")?;
    let minutes = number(rest, 2).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * HOUR_US + minutes * MINUTE_US))
}

/// Takes exactly so many digits.
fn number(rest: &mut &[u8], digits: usize) -> Option<i64> {
    let (taken, left) = rest.split_at_checked(digits)?;
    *rest = left;
    taken.iter().try_fold(0, |number, byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + i64::from(byte - b'0'))
    })
}

/// Takes one byte, which must be among those.
fn literal(rest: &mut &[u8], among: &[u8]) -> Option<u8> {
    let (first, left) = rest.split_first()?;
    *rest = left;
    among.contains(first).then_some(*first)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// Counts day by day over all years that can be written.
    #[test]
    fn every_day_has_its_number() {
        let mut number = day_number(1, 1, 1);
        assert_eq!(number, -719_162);
        for year in 1..=9999 {
            for month in 1..=12 {
                for day in 1..=days_of(year, month) {
                    assert_eq!(day_number(year, month, day), number);
                    let date = Civil::of(number * DAY_US + 1);
                    assert_eq!((date.year, date.month, date.day), (year, month, day));
                    number += 1;
                }
            }
        }
        assert_eq!(number, 2_932_897);
    }

    #[test]
    fn instants_are_read_and_written() {
        for (text, micros) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-02-10T00:00:00.123456Z", 1_770_681_600_123_456),
            ("2026-02-10t00:00:00.123456999z", 1_770_681_600_123_456),
            ("2026-01-01T02:30:00.5+02:30", 1_767_225_600_500_000),
            ("2025-12-31T23:00:00-01:00", 1_767_225_600_000_000),
            ("1969-12-31T23:59:59.000001Z", -999_999),
            ("0001-01-01T00:00:00+23:59", -62_135_683_140_000_000),
        ] {
            assert_eq!(instant(text), Some(micros), "{text}");
        }
        for (micros, written) in [
            (0, "1970-01-01T00:00:00"),
            (1_770_681_600_123_456, "2026-02-10T00:00:00"),
            (-999_999, "1969-12-31T23:59:59"),
            (-62_135_683_140_000_000, "+0000-12-31T00:01:00"),
        ] {
            assert_eq!(Civil::of(micros).to_string(), written);
        }
        assert_eq!(Civil::of(-1).fraction(), 999_999);
    }

    #[test]
    fn a_timestamp_has_one_spelling() {
        for (text, expected) in [
            ("1970-01-01T00:00:00.000000Z", Some(0)),
            ("2024-02-29T12:34:56.000001Z", Some(1_709_210_096_000_001)),
            ("9999-12-31T23:59:59.999999Z", Some(253_402_300_799_999_999)),
            ("1969-12-31T23:59:59.999999Z", None),
            ("2026-01-01T00:00:00.000000z", None),
            ("2026-01-01t00:00:00.000000Z", None),
            ("2026-01-01T00:00:00.0+01:00", None),
            ("2026-01-01T00:00:00.00000Z", None),
        ] {
            assert_eq!(timestamp(text), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-01-01 00:00:00Z",
            "2026-1-01T00:00:00Z",
            "20260101T000000Z",
            "0000-01-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-32T00:00:00Z",
            "2023-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.1234567890Z",
            "2026-01-01T00:00:00+2:00",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+00:60",
            "2026-01-01T00:00:00*00:00",
            "2026-01-01T00:00:00Z ",
            "+026-01-01T00:00:00Z",
            "٢٠٢٦-01-01T00:00:00Z",
        ] {
            assert_eq!(instant(text), None, "{text}");
        }
        for text in [
            "202",
            "2020-",
            "2020-3",
            "2020-02-30",
            "2020-03-15Z",
            "0000",
        ] {
            assert_eq!(partial_date(text), None, "{text}");
        }
        assert_eq!(partial_date("2020"), Some((2020, None, None)));
        assert_eq!(partial_date("2020-03"), Some((2020, Some(3), None)));
        assert_eq!(full_date("2020-03"), None);
        assert_eq!(full_date("1970-01-02"), Some(1));
    }
}
