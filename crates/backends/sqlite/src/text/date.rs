//! A time in words, so that a question about a day, a month or a year finds its turns.

use counterfoil_types::UnixMillis;
use counterfoil_types::calendar::Civil;

const MS_PER_DAY: u64 = 86_400_000;
/// Names of the days of the week, from that of 1 January 1970 on.
const WEEKDAYS: [&str; 7] = [
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// `monday 8 may 2023`: the UTC day of `at` (ms since 1970).
pub(super) fn in_words(at: UnixMillis) -> String {
    let micros = i64::try_from(at.value()).map_or(i64::MAX, |ms| ms.saturating_mul(1000));
    let Civil {
        year, month, day, ..
    } = Civil::of(micros);
    let name = |names: &[&'static str], number: Option<usize>| {
        number.and_then(|number| names.get(number).copied())
    };
    let weekday = usize::try_from(at.value() / MS_PER_DAY % 7).ok();
    let weekday = name(&WEEKDAYS, weekday).unwrap_or_default();
    let month = name(&MONTHS, usize::try_from(month - 1).ok()).unwrap_or_default();
    format!("{weekday} {day} {month} {year}")
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
