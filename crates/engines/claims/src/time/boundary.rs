//! A place in valid time with its granularity: `2020`, `2020-03`, `2020-03-15`, or RFC 3339.

use alloc::format;
use alloc::string::ToString;
use core::fmt;

use counterfoil_types::calendar::{self, Civil, DAY_US};
use counterfoil_types::text_form;

use super::Micros;
use crate::ClaimError;

/// Precision of a boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Granularity {
    /// To the microsecond.
    Instant,
    /// To the day, UTC.
    Day,
    /// To the month.
    Month,
    /// To the year.
    Year,
}

/// A date or an instant. It covers `[begin, end)`; an instant covers nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Boundary {
    begin: Micros,
    end: Micros,
    granularity: Granularity,
}

const NO_DATE: ClaimError = ClaimError::Date {
    must: "not a date: write 2020, 2020-03, 2020-03-15 or 2020-03-15T12:00:00Z, years 0001 to 9999",
};

impl Boundary {
    /// Reads a date, or an instant as RFC 3339 writes it: with `Z` or an offset, and up to nine digits of a second, of
    /// which six count; the rest is cut off, towards the past. There are no leap seconds: second 60 is refused.
    ///
    /// # Errors
    /// [`ClaimError::Date`] for everything else, for days that the calendar does not have, and where UTC would leave the
    /// years 0001 to 9999.
    pub fn parse(text: &str) -> Result<Self, ClaimError> {
        let first = |year, month| calendar::day_number(year, month, 1);
        let (begin, end, granularity) = match calendar::partial_date(text) {
            None => return instant(text).map(Self::instant).ok_or(NO_DATE),
            Some((year, None, _)) => (first(year, 1), first(year + 1, 1), Granularity::Year),
            Some((year, Some(month), None)) => {
                let begin = first(year, month);
                (
                    begin,
                    begin + calendar::days_of(year, month),
                    Granularity::Month,
                )
            }
            Some((year, Some(month), Some(day))) => {
                let begin = calendar::day_number(year, month, day);
                (begin, begin + 1, Granularity::Day)
            }
        };
        Ok(Self {
            begin: begin * DAY_US,
            end: end * DAY_US,
            granularity,
        })
    }

    /// An instant.
    pub const fn instant(at: Micros) -> Self {
        Self {
            begin: at,
            end: at,
            granularity: Granularity::Instant,
        }
    }

    /// First instant of the period.
    pub const fn begin(&self) -> Micros {
        self.begin
    }

    /// The first instant after it.
    pub const fn end(&self) -> Micros {
        self.end
    }

    /// Returns whether it is an instant, not a date.
    pub fn is_instant(&self) -> bool {
        self.granularity == Granularity::Instant
    }

    pub(crate) const fn granularity(&self) -> Granularity {
        self.granularity
    }
}

/// Instants whose year in UTC is 0001 to 9999.
fn instant(text: &str) -> Option<Micros> {
    let begin = calendar::day_number(1, 1, 1) * DAY_US;
    let end = calendar::day_number(10_000, 1, 1) * DAY_US;
    calendar::instant(text).filter(|at| (begin..end).contains(at))
}

text_form! {
    Boundary: "a date in its shortest form, an instant in UTC",
        = |text| Boundary::parse(text).ok().filter(|boundary| boundary.to_string() == text);
}

/// Writes the shortest form; an instant as RFC 3339 in UTC. Instants outside of the years 0001 to 9999,
/// which no text gives, have a year with a sign.
impl fmt::Display for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = Civil::of(self.begin);
        let text = civil.to_string();
        let date = text.split_once('T').map_or(text.as_str(), |(date, _)| date);
        let behind_day = match self.granularity {
            Granularity::Year => 6,
            Granularity::Month => 3,
            Granularity::Day => 0,
            Granularity::Instant => {
                f.write_str(&text)?;
                if civil.fraction() != 0 {
                    let fraction = format!("{:06}", civil.fraction());
                    write!(f, ".{}", fraction.trim_end_matches('0'))?;
                }
                return f.write_str("Z");
            }
        };
        let end = date.len().saturating_sub(behind_day);
        f.write_str(date.get(..end).unwrap_or(date))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use proptest::prelude::*;

    use super::{Boundary, Granularity};

    fn boundary(text: &str) -> Boundary {
        Boundary::parse(text).unwrap_or_else(|_| panic!("{text} is a date"))
    }

    /// CLM-4: begins and ends by another implementation of the calendar: `date -u -d ... +%s`.
    #[test]
    fn a_date_covers_what_the_calendar_says() {
        for (text, begin, end) in [
            ("1970", 0, 31_536_000),
            ("1970-01", 0, 2_678_400),
            ("1970-01-01", 0, 86_400),
            ("1969-12-31", -86_400, 0),
            ("2020", 1_577_836_800, 1_609_459_200),
            ("2020-02", 1_580_515_200, 1_583_020_800),
            ("2020-02-29", 1_582_934_400, 1_583_020_800),
            ("1900-02", -2_206_310_400, -2_203_891_200),
            ("2000-02-29", 951_782_400, 951_868_800),
            ("0001", -62_135_596_800, -62_104_060_800),
            ("9999-12-31", 253_402_214_400, 253_402_300_800),
            ("2024-12", 1_733_011_200, 1_735_689_600),
        ] {
            let read = boundary(text);
            assert_eq!(
                (read.begin(), read.end()),
                (begin * 1_000_000, end * 1_000_000),
                "{text}"
            );
        }
    }

    #[test]
    fn an_instant_has_an_offset_and_microseconds() {
        for (text, micros, written) in [
            ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"),
            (
                "2020-03-15T12:00:00Z",
                1_584_273_600_000_000,
                "2020-03-15T12:00:00Z",
            ),
            (
                "2020-03-15t12:00:00z",
                1_584_273_600_000_000,
                "2020-03-15T12:00:00Z",
            ),
            (
                "2020-03-15T12:00:00+02:00",
                1_584_266_400_000_000,
                "2020-03-15T10:00:00Z",
            ),
            (
                "2020-01-01T00:30:00+01:00",
                1_577_835_000_000_000,
                "2019-12-31T23:30:00Z",
            ),
            (
                "2020-01-01T00:00:00-00:00",
                1_577_836_800_000_000,
                "2020-01-01T00:00:00Z",
            ),
            (
                "2020-01-01T00:00:00.5Z",
                1_577_836_800_500_000,
                "2020-01-01T00:00:00.5Z",
            ),
            (
                "2020-01-01T00:00:00.000001Z",
                1_577_836_800_000_001,
                "2020-01-01T00:00:00.000001Z",
            ),
            (
                "2020-01-01T00:00:00.123456789Z",
                1_577_836_800_123_456,
                "2020-01-01T00:00:00.123456Z",
            ),
            (
                "1969-12-31T23:59:59.9999999Z",
                -1,
                "1969-12-31T23:59:59.999999Z",
            ),
        ] {
            let read = boundary(text);
            assert_eq!((read.begin(), read.end()), (micros, micros), "{text}");
            assert_eq!(read.granularity(), Granularity::Instant);
            assert_eq!(read.to_string(), written);
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "2",
            "202",
            "20200",
            "0000",
            "+2020",
            "-2020",
            " 2020",
            "2020 ",
            "2020-",
            "2020-1",
            "2020-13",
            "2020-00",
            "2020-03-00",
            "2020-03-32",
            "2021-02-29",
            "1900-02-29",
            "2020-04-31",
            "2020-3-15",
            "2020/03/15",
            "2020-03-15T",
            "2020-03-15T12:00Z",
            "2020-03-15T12:00:00",
            "2020-03-15 12:00:00Z",
            "2020-03-15T24:00:00Z",
            "2020-03-15T12:60:00Z",
            "2020-03-15T12:00:60Z",
            "2020-03-15T12:00:00.Z",
            "2020-03-15T12:00:00.1234567890Z",
            "2020-03-15T12:00:00+0200",
            "2020-03-15T12:00:00+24:00",
            "2020-03-15T12:00:00+02:60",
            "2020-03-15T12:00:00+02",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "２０２０",
            "2020-03-15T12:00:00Z ",
            "now",
        ] {
            assert!(Boundary::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_instant_is_shown_whatever_it_is() {
        for (at, written) in [
            (i64::MIN, "-290308-12-21T19:59:05.224192Z"),
            (i64::MAX, "+294247-01-10T04:00:54.775807Z"),
            (-62_135_596_800_000_001, "+0000-12-31T23:59:59.999999Z"),
        ] {
            assert_eq!(Boundary::instant(at).to_string(), written);
        }
    }

    proptest! {
        /// Years 0001 to 9999 in microseconds.
        #[test]
        fn an_instant_is_read_as_it_is_written(at in -62_135_596_800_000_000_i64..253_402_300_800_000_000) {
            let instant = Boundary::instant(at);
            prop_assert_eq!(Boundary::parse(&instant.to_string()), Ok(instant));
        }

        #[test]
        fn dates_follow_one_another_without_a_gap(year in 1_u16..9999, month in 1_u8..12) {
            let this = boundary(&alloc::format!("{year:04}-{month:02}"));
            let next = boundary(&alloc::format!("{year:04}-{:02}", month + 1));
            prop_assert_eq!(this.end(), next.begin());
            let this = boundary(&alloc::format!("{year:04}"));
            let next = boundary(&alloc::format!("{:04}", year + 1));
            prop_assert_eq!(this.end(), next.begin());
            prop_assert_eq!(this.to_string(), alloc::format!("{:04}", year));
        }

        #[test]
        fn any_text_is_read_as_it_is_written_or_refused(text in "[0-9TZ:.+-]{0,32}") {
            if let Ok(read) = Boundary::parse(&text) {
                prop_assert_eq!(Boundary::parse(&read.to_string()), Ok(read));
            }
        }
    }
}
