//! Exact dates in sentences: `in March 2021`, `since 2019`, `from 2018 to 2021`, `yesterday`.

use counterfoil_claims::time::Boundary;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::token::{Kind, Token};
use super::vocabulary::MONTHS;

/// Confidence of a date in the text.
const EXPLICIT: f64 = 0.95;
/// Confidence of a date relative to the time of the text, which depends on clocks and time zones.
const RELATIVE: f64 = 0.8;
/// Range in which a bare number is a year.
const YEARS: core::ops::RangeInclusive<i16> = 1900..=2100;

/// Date with its confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dated {
    pub(super) boundary: Boundary,
    pub(super) confidence: f64,
}

/// Date of a clause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum When {
    /// `in May 2020`, `on 5 May 2020`, `yesterday`.
    At(Dated),
    /// `since May 2020`.
    Since(Dated),
    /// `until May 2020`.
    Until(Dated),
    /// `from 2018 to 2021`.
    Between(Dated, Dated),
    /// `for five years`: a beginning that is not exact.
    For,
}

/// Reader of dates relative to the time of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dates {
    today: Option<Date>,
}

impl Dates {
    /// Returns a reader for a text of this time, in microseconds since 1970.
    pub(super) fn said_at(said_at_us: i64) -> Self {
        let at = Timestamp::from_microsecond(said_at_us).ok();
        Self {
            today: at.map(|at| at.to_zoned(TimeZone::UTC).date()),
        }
    }

    /// Reads the date of a clause at the beginning of the tokens, and returns the number of its tokens.
    pub(super) fn when(self, tokens: &[Token<'_>]) -> Option<(When, usize)> {
        let (first, rest) = tokens.split_first()?;
        let date = |tokens| self.date(tokens);
        match first.lower.as_str() {
            "in" | "on" => date(rest).map(|(at, used)| (When::At(at), used + 1)),
            "since" => date(rest).map(|(from, used)| (When::Since(from), used + 1)),
            "until" | "till" => date(rest).map(|(until, used)| (When::Until(until), used + 1)),
            "from" | "between" => self.between(rest),
            // `five years`, `a while now` or `a long time`.
            "for" => {
                let units = [
                    "years", "year", "months", "weeks", "decades", "decade", "while", "time",
                    "ages",
                ];
                let at = rest.iter().take(5).position(|token| token.is_any(&units))?;
                let is_plain = rest.iter().take(at).all(|token| token.kind == Kind::Word);
                is_plain.then_some((When::For, at + 2))
            }
            _ => self.relative(tokens).map(|(at, used)| (When::At(at), used)),
        }
    }

    fn between(self, tokens: &[Token<'_>]) -> Option<(When, usize)> {
        let (from, used) = self.date(tokens)?;
        let joint = tokens.get(used)?;
        if !joint.is_any(&["to", "until", "till", "and", "through"]) && joint.text != "–" {
            return None;
        }
        let (until, more) = self.date(tokens.get(used + 1..)?)?;
        Some((When::Between(from, until), used + more + 2))
    }

    /// Reads a date that is exact to the year at least.
    pub(super) fn date(self, tokens: &[Token<'_>]) -> Option<(Dated, usize)> {
        self.relative(tokens).or_else(|| {
            let (text, used) = calendar(tokens)?;
            Some((dated(&text, EXPLICIT)?, used))
        })
    }

    fn relative(self, tokens: &[Token<'_>]) -> Option<(Dated, usize)> {
        let today = self.today?;
        let first = tokens.first()?;
        if first.is_any(&["yesterday", "today"]) {
            let days = i64::from(first.is("yesterday"));
            let day = today.checked_sub(days.days()).ok()?;
            return Some((dated(&day.to_string(), RELATIVE)?, 1));
        }
        let back = match first.lower.as_str() {
            "last" => 1,
            "this" => 0,
            _ => return None,
        };
        let text = match tokens.get(1)?.lower.as_str() {
            "year" => format!("{:04}", today.year().checked_sub(back)?),
            "month" => {
                let day = today.checked_sub(i64::from(back).months()).ok()?;
                format!("{:04}-{:02}", day.year(), day.month())
            }
            _ => return None,
        };
        Some((dated(&text, RELATIVE)?, 2))
    }
}

fn dated(text: &str, confidence: f64) -> Option<Dated> {
    let boundary = Boundary::parse(text).ok()?;
    Some(Dated {
        boundary,
        confidence,
    })
}

/// Reads a calendar date in ISO 8601 form, and returns the number of its tokens.
pub(super) fn calendar(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let token = |at: usize| tokens.get(at).filter(|token| token.kind == Kind::Word);
    // `2021-03-04` or `2021-03`, if it is in the calendar.
    let text = token(0)?.text;
    let iso = match text.len() {
        7 => format!("{text}-01").parse::<Date>().ok(),
        10 => text.parse::<Date>().ok(),
        _ => None,
    };
    if iso.is_some_and(|date| YEARS.contains(&date.year())) {
        return Some((text.to_owned(), 1));
    }
    if let Some(year) = year(token(0)) {
        return Some((format!("{year:04}"), 1));
    }
    let the = usize::from(token(0)?.is("the"));
    if let Some(day) = day(token(the)) {
        let of = usize::from(token(the + 1)?.is("of"));
        let month = month(token(the + 1 + of))?;
        let (year, used) = year_after(tokens, the + 2 + of)?;
        return Some((ymd(year, month, day)?, used));
    }
    let month = month(token(the))?;
    let after = usize::from(token(the + 1).is_some_and(|token| token.is("of")));
    if let Some(year) = year(token(the + 1 + after)) {
        return Some((format!("{year:04}-{month:02}"), the + 2 + after));
    }
    let day = day(token(the + 1))?;
    let (year, used) = year_after(tokens, the + 2)?;
    Some((ymd(year, month, day)?, used))
}

/// Reads a day without a year as `MM-DD`, and returns the number of its tokens.
pub(super) fn day_of_year(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let the = usize::from(tokens.first()?.is("the"));
    let (first, second) = (tokens.get(the), tokens.get(the + 1));
    if let (Some(month), Some(day)) = (month(first), day(second)) {
        ymd(2000, month, day)?;
        return Some((format!("{month:02}-{day:02}"), the + 2));
    }
    let day = day(first)?;
    let of = usize::from(second?.is("of"));
    let month = month(tokens.get(the + 1 + of))?;
    ymd(2000, month, day)?;
    Some((format!("{month:02}-{day:02}"), the + 2 + of))
}

/// Reads a year, with or without a comma before it.
fn year_after(tokens: &[Token<'_>], at: usize) -> Option<(i16, usize)> {
    let comma = usize::from(tokens.get(at)?.text == ",");
    Some((year(tokens.get(at + comma))?, at + comma + 1))
}

fn ymd(year: i16, month: i8, day: i8) -> Option<String> {
    let date = Date::new(year, month, day).ok()?;
    Some(date.to_string())
}

fn year(token: Option<&Token<'_>>) -> Option<i16> {
    let text = token?.text;
    let year: i16 = (text.len() == 4).then(|| text.parse().ok())??;
    YEARS.contains(&year).then_some(year)
}

fn day(token: Option<&Token<'_>>) -> Option<i8> {
    let lower = token?.lower.as_str();
    let digits = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|end| lower.strip_suffix(end))
        .unwrap_or(lower);
    let day: i8 = (digits.len() <= 2).then(|| digits.parse().ok())??;
    (1..=31).contains(&day).then_some(day)
}

/// Reads a month, which has a capital letter; so `may` is not one.
fn month(token: Option<&Token<'_>>) -> Option<i8> {
    let token = token.filter(|token| token.is_capitalised())?;
    let short = token.lower.len() == 3 || token.lower == "sept";
    let at = MONTHS.iter().position(|name| {
        *name == token.lower || (short && token.lower.get(..3) == name.get(..3))
    })?;
    i8::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::token::sentences;

    fn read(text: &str) -> Option<(String, usize)> {
        let sentence = sentences(text).pop()?;
        calendar(&sentence.tokens)
    }

    #[test]
    fn each_spelling_of_a_date_is_read() {
        for (text, date) in [
            ("2019", "2019"),
            ("March 2021", "2021-03"),
            ("March of 2021", "2021-03"),
            ("Mar 2021", "2021-03"),
            ("5 May 2023", "2023-05-05"),
            ("the 5th of May 2023", "2023-05-05"),
            ("May 5, 2023", "2023-05-05"),
            ("May 21st 2023", "2023-05-21"),
            ("2021-03", "2021-03"),
            ("2021-03-04", "2021-03-04"),
        ] {
            assert_eq!(
                read(text).map(|found| found.0).as_deref(),
                Some(date),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_exact_or_not_in_the_calendar_is_no_date() {
        for text in [
            "May",
            "may 2020",
            "31 June 2020",
            "5 May",
            "1200",
            "12345",
            "a few years",
            "2021-13",
            "summer",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_birthday_needs_no_year() {
        let day = |text| day_of_year(&sentences(text)[0].tokens).map(|found| found.0);
        assert_eq!(day("the 5th of May").as_deref(), Some("05-05"));
        assert_eq!(day("February 29").as_deref(), Some("02-29"));
        assert_eq!(day("February 30"), None);
    }
}
