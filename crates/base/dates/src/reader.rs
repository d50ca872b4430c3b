//! Exact dates in sentences: `in March 2021`, `since 2019`, `from 2018 to 2021`, `yesterday`.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::partial::PartialDate;
use crate::token::{Kind, Token};
use crate::vocabulary::{MONTHS, NUMBERS, ORDINALS, SEASONS, SOME_TIME, WEEKDAYS};

/// Confidence of a date in the text.
const EXPLICIT: f64 = 0.95;
/// Confidence of a date relative to the time of the text, which depends on clocks and time zones.
const RELATIVE: f64 = 0.8;
/// Endings of ordinal numbers.
const NTH: [&str; 4] = ["st", "nd", "rd", "th"];
/// Range in which a bare number is a year.
const YEARS: core::ops::RangeInclusive<i16> = 1900..=2100;

/// Date with its confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dated {
    /// The date, or the first one of a range.
    pub first: PartialDate,
    /// Last date of a range: the Sunday of a week. Otherwise as `first`.
    pub last: PartialDate,
    /// Confidence, from 0 to 1: less for a date relative to the time of the text.
    pub confidence: f64,
}

/// Date of a clause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum When {
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
pub struct Dates {
    today: Option<Date>,
    /// True where a day or month without a year is the next one, not the last.
    ahead: bool,
}

impl Dates {
    /// Returns a reader for a text of this time, in microseconds since 1970.
    pub fn said_at(said_at_us: i64) -> Self {
        let at = Timestamp::from_microsecond(said_at_us).ok();
        Self {
            today: at.map(|at| at.to_zoned(TimeZone::UTC).date()),
            ahead: false,
        }
    }

    /// The day of the text's time; `None` if that is not in the calendar.
    pub(crate) fn today(self) -> Option<PartialDate> {
        PartialDate::parse(&self.today?.to_string())
    }

    /// Sets the direction of a day or month without a year.
    pub const fn ahead(self, ahead: bool) -> Self {
        Self { ahead, ..self }
    }

    /// Reads the date of a clause at the beginning of the tokens, and returns the number of its tokens.
    pub fn when(self, tokens: &[Token<'_>]) -> Option<(When, usize)> {
        let (first, rest) = tokens.split_first()?;
        let date = |tokens| self.date(tokens);
        match first.lower.as_str() {
            "in" | "on" => {
                let near = self.near(rest, self.ahead);
                let at = date(rest).or(near);
                at.map(|(at, used)| (When::At(at), used + 1))
            }
            // `at the end of April`: its last day.
            "at" => {
                let (at, used) = self.end_of(rest, self.ahead)?;
                Some((When::At(at), used + 1))
            }
            "since" => {
                let from = date(rest).or_else(|| self.near(rest, false));
                let from = from.map(|(from, used)| (When::Since(from), used + 1));
                // "Since I was a child": a beginning that is not exact.
                let vague = rest.first()?.is_any(SOME_TIME);
                from.or_else(|| vague.then_some((When::For, 1)))
            }
            "until" | "till" => {
                let until = date(rest).or_else(|| self.near(rest, true));
                let until = until.or_else(|| self.end_of(rest, true));
                until.map(|(until, used)| (When::Until(until), used + 1))
            }
            "from" => self.between(rest).or_else(|| {
                let (from, used) = date(rest).or_else(|| self.near(rest, true))?;
                Some((When::Since(from), used + 1))
            }),
            "between" => self.between(rest),
            // `five years`, `a while now` or `a long time`.
            "for" => {
                let units = [
                    "years", "year", "months", "weeks", "decades", "decade", "while", "time",
                    "ages",
                ];
                let at = rest.iter().take(5).position(|token| token.is_any(&units))?;
                // "For the first time" says nothing of how long.
                let is_plain = rest
                    .iter()
                    .take(at)
                    .all(|token| token.kind == Kind::Word && !token.is("first"));
                let from = self.ago(rest).filter(|(_, used)| *used == at + 1);
                let when = from.map_or(When::For, |(from, _)| When::Since(from));
                is_plain.then_some((when, at + 2))
            }
            _ => self.relative(tokens).map(|(at, used)| (When::At(at), used)),
        }
    }

    /// Reads `the end of April`: its last day.
    fn end_of(self, tokens: &[Token<'_>], ahead: bool) -> Option<(Dated, usize)> {
        let words = ["the", "end", "of"].iter().zip(tokens);
        (words.filter(|(word, token)| token.is(word)).count() == 3).then_some(())?;
        let rest = tokens.get(3..)?;
        let (at, used) = self.date(rest).or_else(|| self.near(rest, ahead))?;
        let last = at.first.last_day()?;
        // Said in May, "the end of May" is that of this May.
        let near = last
            .checked_sub(1_i64.years())
            .ok()
            .filter(|near| ahead && Some(*near) >= self.today);
        let last = near.unwrap_or(last).to_string();
        Some((dated(&last, at.confidence)?, used + 3))
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
    pub fn date(self, tokens: &[Token<'_>]) -> Option<(Dated, usize)> {
        self.relative(tokens).or_else(|| {
            let (text, used) = calendar(tokens)?;
            Some((dated(&text, EXPLICIT)?, used))
        })
    }

    /// Reads a date relative to the time of the text.
    pub fn relative(self, tokens: &[Token<'_>]) -> Option<(Dated, usize)> {
        let today = self.today?;
        let first = tokens.first()?;
        let back = match first.lower.as_str() {
            "today" | "tonight" => return Some((dated(&today.to_string(), RELATIVE)?, 1)),
            "yesterday" | "tomorrow" => {
                let days = if first.is("tomorrow") { 1 } else { -1 };
                let day = today.checked_add(days.days()).ok()?;
                return Some((dated(&day.to_string(), RELATIVE)?, 1));
            }
            "last" => -1,
            "this" => 0,
            "next" => 1,
            _ => {
                let (ago, used) = self.ago(tokens).or_else(|| self.few(tokens))?;
                let is_ago = tokens.get(used)?.is("ago");
                return is_ago.then_some((ago, used + 1));
            }
        };
        let unit = tokens.get(1)?;
        let at = match unit.lower.as_str() {
            "morning" | "evening" | "night" | "afternoon" if back <= 0 => {
                let day = today.checked_add(i64::from(back).days()).ok()?;
                dated(&day.to_string(), RELATIVE)?
            }
            "weekend" if back == 0 && !self.ahead => return None,
            "week" | "weekend" | "month" | "year" => self.unit(&unit.lower, i64::from(back))?,
            _ if back == 0 => return None,
            season if SEASONS.contains(&season) => self.season(season, back > 0)?,
            _ => {
                let (at, used) = self.near(tokens.get(1..)?, back > 0)?;
                // "Next May" may be the one after the next.
                return (back < 0 || weekday(Some(unit)).is_some()).then_some((at, used + 1));
            }
        };
        Some((at, 2))
    }

    /// The months of a season of the north, of the last that is over, or of the next that has not begun.
    fn season(self, season: &str, ahead: bool) -> Option<Dated> {
        let today = self.today?;
        let fits = |months: &(Date, Date)| match ahead {
            true => months.0 > today,
            false => months.1 < today,
        };
        let years = if ahead { [0, 1, 2] } else { [0, -1, -2] };
        let mut years = years
            .into_iter()
            .filter_map(|more| today.year().checked_add(more));
        let (first, last) = years.find_map(|year| months(season, year).filter(fits))?;
        from_month_to_month(first, last)
    }

    /// Reads `three weeks`, and returns the period that lies so far back.
    fn ago(self, tokens: &[Token<'_>]) -> Option<(Dated, usize)> {
        let first = tokens.first()?;
        let number = match first.lower.as_str() {
            "a" | "an" => 1,
            word => match NUMBERS.iter().position(|number| *number == word) {
                Some(number) => i64::try_from(number).ok()?,
                None => first.text.parse().ok().filter(|number| *number <= 100)?,
            },
        };
        let unit = tokens.get(1)?.lower.trim_end_matches('s');
        let at = self.unit(unit, number.checked_neg()?)?;
        Some((at, 2))
    }

    /// Reads `a few years`, which are two to five, and `a couple of years`, which are two or three.
    fn few(self, tokens: &[Token<'_>]) -> Option<(Dated, usize)> {
        tokens.first()?.is("a").then_some(())?;
        let first = match tokens.get(1)?.lower.as_str() {
            "few" => -5,
            "couple" => -3,
            _ => return None,
        };
        let at = 2 + usize::from(tokens.get(2)?.is("of"));
        let unit = tokens.get(at)?.lower.trim_end_matches('s');
        let (first, last) = (self.unit(unit, first)?, self.unit(unit, -2)?);
        let last = last.last;
        Some((Dated { last, ..first }, at + 1))
    }

    /// The day, week, weekend, month or year that lies `count` of them ahead.
    fn unit(self, unit: &str, count: i64) -> Option<Dated> {
        let today = self.today?;
        match unit {
            "day" => dated(&today.checked_add(count.days()).ok()?.to_string(), RELATIVE),
            "week" | "weekend" => {
                let since = i64::from(today.weekday().to_monday_zero_offset());
                let monday = today.checked_sub(since.days()).ok()?;
                let monday = monday.checked_add(count.weeks()).ok()?;
                let first = if unit == "week" { 0_i64 } else { 5 };
                let first = monday.checked_add(first.days()).ok()?;
                days(first, monday.checked_add(6.days()).ok()?)
            }
            "month" => {
                let day = today.checked_add(count.months()).ok()?;
                let month = format!("{:04}-{:02}", day.year(), day.month());
                dated(&month, RELATIVE)
            }
            "year" => {
                let day = today.checked_add(count.years()).ok()?;
                dated(&format!("{:04}", day.year()), RELATIVE)
            }
            _ => None,
        }
    }

    /// Reads a day of the week, a month or a day of a month: the last one, or the next.
    pub(crate) fn near(self, tokens: &[Token<'_>], ahead: bool) -> Option<(Dated, usize)> {
        let today = self.today?;
        if let Some(weekday) = weekday(tokens.first()) {
            let nth = if ahead { 1 } else { -1 };
            let day = today.nth_weekday(nth, weekday).ok()?;
            return Some((dated(&day.to_string(), RELATIVE)?, 1));
        }
        let in_year = |date: &dyn Fn(i16) -> Option<Date>| {
            let now = date(today.year())?;
            match (ahead, now < today) {
                (true, true) => date(today.year().checked_add(1)?),
                (false, _) if now > today => date(today.year().checked_sub(1)?),
                _ => Some(now),
            }
        };
        if let Some((text, used)) = day_of_year(tokens) {
            let parse = |year: i16| format!("{year:04}-{text}").parse::<Date>().ok();
            return Some((dated(&in_year(&parse)?.to_string(), RELATIVE)?, used));
        }
        if let Some(day) = day(tokens.get(1)).filter(|_| nth_day(tokens)) {
            // "The 15th": of this month, or of the one beside it.
            let beside = today
                .checked_add(if ahead { 1_i64 } else { -1 }.months())
                .ok()?;
            let of = |date: Date| Date::new(date.year(), date.month(), day).ok();
            let found = of(today).filter(|at| if ahead { *at >= today } else { *at <= today });
            return Some((
                dated(&found.or_else(|| of(beside))?.to_string(), RELATIVE)?,
                2,
            ));
        }
        let month = month(tokens.first())?;
        let first = |year: i16| Date::new(year, month, 1).ok();
        let found = in_year(&first)?;
        let text = format!("{:04}-{month:02}", found.year());
        Some((dated(&text, RELATIVE)?, 1))
    }
}

/// The first and last day of a season of the north that begins in a year.
fn months(season: &str, year: i16) -> Option<(Date, Date)> {
    let first = match season {
        "spring" => 3,
        "summer" => 6,
        "winter" => 12,
        _ => 9,
    };
    let first = Date::new(year, first, 1).ok()?;
    let after = first.checked_add(3.months()).ok()?;
    Some((first, after.yesterday().ok()?))
}

fn from_month_to_month(first: Date, last: Date) -> Option<Dated> {
    let month = |date: Date| format!("{:04}-{:02}", date.year(), date.month());
    Some(Dated {
        last: PartialDate::parse(&month(last))?,
        ..dated(&month(first), RELATIVE)?
    })
}

/// Reads a season of a year, which a winter begins in, and returns the number of its tokens.
pub(crate) fn season_of_year(tokens: &[Token<'_>]) -> Option<(Dated, usize)> {
    let season = tokens.first().filter(|token| token.is_any(&SEASONS))?;
    let of = usize::from(tokens.get(1)?.is("of"));
    let (first, last) = months(&season.lower, year(tokens.get(1 + of))?)?;
    Some((from_month_to_month(first, last)?, 2 + of))
}

/// Reads a day of the week, which has a capital letter.
fn weekday(token: Option<&Token<'_>>) -> Option<Weekday> {
    let token = token.filter(|token| token.is_capitalised() && token.lower.len() > 2)?;
    let at = WEEKDAYS.iter().position(|name| {
        let short = [3, 4].contains(&token.lower.len()) && name.starts_with(&token.lower);
        *name == token.lower || short
    })?;
    Weekday::from_monday_zero_offset(i8::try_from(at).ok()?).ok()
}

fn dated(text: &str, confidence: f64) -> Option<Dated> {
    let date = PartialDate::parse(text)?;
    Some(Dated {
        first: date,
        last: date,
        confidence,
    })
}

/// Days from one to another, of a week or a weekend.
fn days(first: Date, last: Date) -> Option<Dated> {
    let last = PartialDate::parse(&last.to_string())?;
    Some(Dated {
        last,
        ..dated(&first.to_string(), RELATIVE)?
    })
}

/// Reads a calendar date in ISO 8601 form, and returns the number of its tokens.
pub fn calendar(tokens: &[Token<'_>]) -> Option<(String, usize)> {
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
pub fn day_of_year(tokens: &[Token<'_>]) -> Option<(String, usize)> {
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

/// Returns true for `the 15th`.
fn nth_day(tokens: &[Token<'_>]) -> bool {
    let nth = |token: &Token<'_>| NTH.iter().any(|end| token.lower.ends_with(end));
    tokens.first().is_some_and(|the| the.is("the")) && tokens.get(1).is_some_and(nth)
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
    if let Some(at) = ORDINALS.iter().position(|ordinal| *ordinal == lower) {
        return i8::try_from(at + 1).ok();
    }
    let digits = NTH
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
    use crate::token::sentences;

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
