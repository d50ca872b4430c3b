//! A date that is exact to the year, the month or the day.

use core::fmt;

use counterfoil_types::calendar;
use jiff::ToSpan;
use jiff::civil::Date;

/// Date to the year, the month or the day; of the Gregorian calendar, years 1 to 9999.
///
/// `Display` writes it as ISO 8601 does: `2020`, `2020-03`, `2020-03-15`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartialDate {
    pub(crate) year: i16,
    pub(crate) month: Option<i8>,
    pub(crate) day: Option<i8>,
}

impl PartialDate {
    /// Reads `2020`, `2020-03` or `2020-03-15`.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, month, day) = calendar::partial_date(text)?;
        let number = |part: Option<i64>| part.map(i8::try_from).transpose().ok();
        Some(Self {
            year: i16::try_from(year).ok()?,
            month: number(month)?,
            day: number(day)?,
        })
    }

    /// The first day of the year or month, or the day.
    pub(crate) fn first_day(self) -> Option<Date> {
        Date::new(self.year, self.month.unwrap_or(1), self.day.unwrap_or(1)).ok()
    }

    /// The last day of the year or month, or the day.
    pub(crate) fn last_day(self) -> Option<Date> {
        let first = self.first_day()?;
        let after = match (self.month, self.day) {
            (None, _) => first.checked_add(1.years()),
            (_, None) => first.checked_add(1.months()),
            _ => return Some(first),
        };
        after.ok()?.yesterday().ok()
    }
}

impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        let mut parts = [self.month, self.day].into_iter().flatten();
        parts.try_for_each(|part| write!(f, "-{part:02}"))
    }
}
