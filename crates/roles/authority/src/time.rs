//! Times and durations in the messages of a report, as people read them.

use alloc::format;
use alloc::string::String;

use counterfoil_trace::types::UnixMillis;
use counterfoil_trace::types::calendar::Civil;

/// Writes `2026-01-31T12:00:00Z`, with a fraction only where there is one; always in UTC (RFC 3339 §5.6).
///
/// RFC 3339 ends with the year 9999: a later time is a number of milliseconds.
pub(crate) fn rfc3339(time: UnixMillis) -> String {
    let millis = time.value();
    let micros = i64::try_from(millis).map_or(i64::MAX, |millis| millis.saturating_mul(1000));
    let civil = Civil::of(micros);
    match millis % 1000 {
        _ if civil.year > 9999 => format!("{millis} ms since 1970"),
        0 => format!("{civil}Z"),
        rest => format!("{civil}.{rest:03}Z"),
    }
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
            (7_620_000, "2 h 7 min"),
            (90_000_000, "1 d 1 h"),
            (86_400_000, "1 d"),
        ] {
            assert_eq!(duration(millis), shown);
        }
    }
}
