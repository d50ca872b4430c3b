//! The timestamp of a header: exactly `YYYY-MM-DDTHH:MM:SS.ffffffZ`, years 1970 to 9999 (`docs/format/capsule.md`).

const MONTHS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// Microseconds since 1970; `None` for any other spelling and for days that the calendar does not have.
#[must_use]
pub fn micros(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    let stops = [
        (4, b'-'),
        (7, b'-'),
        (10, b'T'),
        (13, b':'),
        (16, b':'),
        (19, b'.'),
        (26, b'Z'),
    ];
    if bytes.len() != 27 || stops.iter().any(|(at, stop)| bytes.get(*at) != Some(stop)) {
        return None;
    }
    let number = |from: usize, to: usize| digits(bytes.get(from..to)?);
    let [hour, minute, second] = [number(11, 13)?, number(14, 16)?, number(17, 19)?];
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_since_1970(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
    Some(seconds * 1_000_000 + number(20, 26)?)
}

/// Each of at most six digits.
fn digits(text: &[u8]) -> Option<u64> {
    text.iter().try_fold(0_u64, |number, byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + u64::from(byte - b'0'))
    })
}

fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    let leap = u64::from(is_leap(year));
    let before = usize::try_from(month.checked_sub(1)?).ok()?;
    let of_month = MONTHS.get(before)? + if month == 2 { leap } else { 0 };
    if year < 1970 || day == 0 || day > of_month {
        return None;
    }
    let leap_day = if month > 2 { leap } else { 0 };
    let months: u64 = MONTHS.iter().take(before).sum();
    Some((year - 1970) * 365 + leap_days_before(year) + months + leap_day + day - 1)
}

/// Between 1970 and the begin of a year from 1970 on.
const fn leap_days_before(year: u64) -> u64 {
    let past = year - 1;
    past / 4 - past / 100 + past / 400 - 477
}

const fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_spelling_is_read_and_no_other() {
        for (text, expected) in [
            ("1970-01-01T00:00:00.000000Z", Some(0)),
            ("2026-02-10T00:00:00.123456Z", Some(1_770_681_600_123_456)),
            ("2024-02-29T12:34:56.000001Z", Some(1_709_210_096_000_001)),
            ("9999-12-31T23:59:59.999999Z", Some(253_402_300_799_999_999)),
            ("2023-02-29T00:00:00.000000Z", None),
            ("1969-12-31T23:59:59.999999Z", None),
            ("2026-13-01T00:00:00.000000Z", None),
            ("2026-00-01T00:00:00.000000Z", None),
            ("2026-01-00T00:00:00.000000Z", None),
            ("2026-01-01T24:00:00.000000Z", None),
            ("2026-01-01T00:60:00.000000Z", None),
            ("2026-01-01T00:00:60.000000Z", None),
            ("2026-01-01 00:00:00.000000Z", None),
            ("2026-01-01T00:00:00.00000Z", None),
            ("2026-01-01T00:00:00.000000z", None),
            ("+026-01-01T00:00:00.000000Z", None),
        ] {
            assert_eq!(micros(text), expected, "{text}");
        }
    }
}
