//! A time in words, so that a question about a day, a month or a year finds its turns.

use counterfoil_types::UnixMillis;
use counterfoil_types::calendar::Civil;

const MS_PER_DAY: u64 = 86_400_000;

/// `monday 8 may 2023`: the UTC day of `at` (ms since 1970).
pub(super) fn in_words(at: UnixMillis) -> String {
    let micros = i64::try_from(at.value()).map_or(i64::MAX, |ms| ms.saturating_mul(1000));
    let Civil {
        year, month, day, ..
    } = Civil::of(micros);
    let weekday = weekday(at.value() / MS_PER_DAY);
    format!("{weekday} {day} {} {year}", month_name(month))
}

fn weekday(days: u64) -> &'static str {
    match days % 7 {
        0 => "thursday",
        1 => "friday",
        2 => "saturday",
        3 => "sunday",
        4 => "monday",
        5 => "tuesday",
        _ => "wednesday",
    }
}

fn month_name(month: i64) -> &'static str {
    match month {
        1 => "january",
        2 => "february",
        3 => "march",
        4 => "april",
        5 => "may",
        6 => "june",
        7 => "july",
        8 => "august",
        9 => "september",
        10 => "october",
        11 => "november",
        _ => "december",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_named_as_the_calendar_names_them() {
        let cases = [
            (1, "thursday 1 january 1970"),
            (951_782_400_000, "tuesday 29 february 2000"),
            (951_868_800_000, "wednesday 1 march 2000"),
            (1_683_554_160_000, "monday 8 may 2023"),
            (4_107_542_399_999, "sunday 28 february 2100"),
            (4_107_542_400_000, "monday 1 march 2100"),
        ];
        for (ms, words) in cases {
            assert_eq!(in_words(UnixMillis::new(ms).unwrap()), words);
        }
    }
}
