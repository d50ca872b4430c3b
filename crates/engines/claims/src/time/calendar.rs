//! The proleptic Gregorian calendar, by hand: the engine has no standard library to ask.

/// Microseconds of a day.
pub(super) const DAY_US: i64 = 86_400_000_000;

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;
/// Days of 400 years, after which the calendar repeats.
const ERA: i64 = 146_097;

/// The number of a day since 1970-01-01. Years begin in March, so that a leap day is the last of its year.
pub(super) const fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year = year.rem_euclid(400);
    let month = (month + 9) % 12;
    let day = (153 * month + 2) / 5 + day - 1;
    era * ERA + year * 365 + year / 4 - year / 100 + day - EPOCH
}

/// Year, month and day of the day with that number.
pub(super) const fn date(number: i64) -> (i64, i64, i64) {
    let number = number + EPOCH;
    let era = number.div_euclid(ERA);
    let day = number.rem_euclid(ERA);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year;
    let year = if month <= 2 { year + 1 } else { year };
    (year, month, day)
}

/// How many days a month has.
pub(super) const fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::{date, day_number, days_of};

    /// Counted day by day over all years that can be written.
    #[test]
    fn every_day_has_its_number() {
        let mut number = day_number(1, 1, 1);
        assert_eq!(number, -719_162);
        for year in 1..=9999 {
            for month in 1..=12 {
                for day in 1..=days_of(year, month) {
                    assert_eq!(day_number(year, month, day), number);
                    assert_eq!(date(number), (year, month, day));
                    number += 1;
                }
            }
        }
        assert_eq!(number, 2_932_897);
    }
}
