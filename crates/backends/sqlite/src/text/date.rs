//! A time in words, so that a question about a day, a month or a year finds its turns.

use counterfoil_types::UnixMillis;

const MS_PER_DAY: u64 = 86_400_000;
/// Days from 0000-03-01 to 1970-01-01 in the proleptic Gregorian calendar.
const DAYS_BEFORE_EPOCH: u64 = 719_468;
const DAYS_PER_ERA: u64 = 146_097;

/// `monday 8 may 2023`: the UTC day of `at` (ms since 1970).
pub(super) fn in_words(at: UnixMillis) -> String {
    let days = at.value() / MS_PER_DAY;
    let (year, month, day) = civil(days);
    format!("{} {day} {} {year}", weekday(days), month_name(month))
}

/// Year, month (1-12) and day (1-31) of a count of days since 1970-01-01: Hinnant's
/// `civil_from_days`, in which a year begins with March so that the leap day is its last.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + DAYS_BEFORE_EPOCH;
    let (era, day_of_era) = (shifted / DAYS_PER_ERA, shifted % DAYS_PER_ERA);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
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

fn month_name(month: u64) -> &'static str {
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

    #[test]
    fn consecutive_days_follow_each_other() {
        let mut last = civil(0);
        for days in 1..200_000 {
            let now = civil(days);
            let next_day = now.0 == last.0 && now.1 == last.1 && now.2 == last.2 + 1;
            let next_month = now.2 == 1 && last.2 >= 28;
            assert!(next_day || next_month, "{last:?} then {now:?}");
            last = now;
        }
        assert_eq!(last, (2517, 7, 31));
    }
}
