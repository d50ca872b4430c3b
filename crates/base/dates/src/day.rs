//! A day in words, so that a question about a day, a month or a year finds what was said then.

use counterfoil_types::UnixMillis;
use counterfoil_types::calendar::{Civil, DAY_US};

use crate::vocabulary::{MONTHS, WEEKDAYS};

/// Returns `monday 8 may 2023`, the UTC day of `at` (ms since 1970), as an index holds it.
pub fn in_words(at: UnixMillis) -> String {
    let micros = i64::try_from(at.value()).map_or(i64::MAX, |ms| ms.saturating_mul(1000));
    let Civil {
        year, month, day, ..
    } = Civil::of(micros);
    // 1 January 1970 was a Thursday.
    let weekday = usize::try_from((micros.div_euclid(DAY_US) + 3).rem_euclid(7));
    let weekday = weekday.ok().and_then(|at| WEEKDAYS.get(at));
    let weekday = weekday.copied().unwrap_or_default();
    format!("{weekday} {day} {} {year}", name_of(month))
}

/// The name of a month, 1 to 12.
pub(crate) fn name_of(month: i64) -> &'static str {
    let at = month.checked_sub(1).and_then(|at| usize::try_from(at).ok());
    let name = at.and_then(|at| MONTHS.get(at));
    name.copied().unwrap_or_default()
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
