//! Times and durations in the messages of a report, as people read them.

use alloc::format;
use alloc::string::String;

use counterfoil_trace::types::UnixMillis;

const MILLIS_PER_DAY: u64 = 86_400_000;
/// The last day of the year 9999, in days since 1970; RFC 3339 can't write a later one.
const LAST_DAY: u64 = 2_932_896;

/// `2026-01-31T12:00:00Z`, with a fraction only where there is one; always in UTC (RFC 3339 §5.6).
pub(crate) fn rfc3339(time: UnixMillis) -> String {
    let (day, millis) = (time.value() / MILLIS_PER_DAY, time.value() % MILLIS_PER_DAY);
    if day > LAST_DAY {
        return format!("{} ms since 1970", time.value());
    }
    let (year, month, day) = civil(day);
    let seconds = millis / 1000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = match millis % 1000 {
        0 => String::new(),
        rest => format!(".{rest:03}"),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// `3 d 4 h`, `2 min 5 s`, `1.5 s` or `20 ms`: the two largest units that are not zero.
pub(crate) fn duration(millis: u64) -> String {
    let (seconds, rest) = (millis / 1000, millis % 1000);
    let two = |more: u64, unit: &str, less: u64, smaller: &str| match less {
        0 => format!("{more} {unit}"),
        _ => format!("{more} {unit} {less} {smaller}"),
    };
    match seconds {
        0 => format!("{millis} ms"),
        1..60 if rest == 0 => format!("{seconds} s"),
        1..60 => format!(
            "{}.{} s",
            seconds,
            format!("{rest:03}").trim_end_matches('0')
        ),
        60..3600 => two(seconds / 60, "min", seconds % 60, "s"),
        3600..86_400 => two(seconds / 3600, "h", seconds / 60 % 60, "min"),
        _ => two(seconds / 86_400, "d", seconds / 3600 % 24, "h"),
    }
}

/// Year, month and day in the Gregorian calendar of a day counted from 1970-01-01.
///
/// Years are counted from March, so that a leap day is the last day of its year.
const fn civil(days_since_1970: u64) -> (u64, u64, u64) {
    let days = days_since_1970 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let year = year + 400 * era;
    if month < 10 {
        (year, month + 3, day_of_month)
    } else {
        (year + 1, month - 9, day_of_month)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_rfc_3339() {
        for (millis, shown) in [
            (1, "1970-01-01T00:00:00.001Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (1_767_225_600_000, "2026-01-01T00:00:00Z"),
            (1_800_000_000_050, "2027-01-15T08:00:00.050Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
            (253_402_300_799_000, "9999-12-31T23:59:59Z"),
            (253_402_300_800_000, "253402300800000 ms since 1970"),
        ] {
            assert_eq!(rfc3339(UnixMillis::new(millis).unwrap()), shown);
        }
    }

    #[test]
    fn a_duration_has_at_most_two_units() {
        for (millis, shown) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1000, "1 s"),
            (1050, "1.05 s"),
            (59_999, "59.999 s"),
            (60_000, "1 min"),
            (125_999, "2 min 5 s"),
            (3_600_000, "1 h"),
            (90_000_000, "1 d 1 h"),
            (86_400_000, "1 d"),
        ] {
            assert_eq!(duration(millis), shown);
        }
    }
}
