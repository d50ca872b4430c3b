//! Times that a question names, and the phrases by which texts name them.

use core::fmt;

use counterfoil_types::UnixMillis;
use jiff::ToSpan;
use jiff::civil::Date;

use crate::day::name_of;
use crate::partial::PartialDate;
use crate::reader::{Dated, Dates, When, day_of_year, season_of_year};
use crate::token::{Kind, Token, sentences};
use crate::vocabulary::{MONTHS, WEEKDAYS};

/// The most times of one question that are read.
const MAX_TIMES: usize = 8;
/// The most days that are named one by one; a time with more is widened to its months.
const MAX_DAYS: usize = 7;
/// The most years, months and days of a time; the rest is cut.
const MAX_PIECES: usize = 100;
/// Words that lead to a time.
const LEADS: [&str; 6] = ["in", "on", "at", "since", "from", "between"];

/// A time that a question names. `Display` writes its first and last date: `2026-04-27 to 2026-05-03`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTime {
    /// The words that name it, in lower case.
    pub words: Vec<String>,
    first: PartialDate,
    last: PartialDate,
}

/// Returns the times that a question names, in their order: at most 8. Of a day or month without a year the last one is meant.
///
/// `asked_at` is the time that `yesterday` and `last week` are relative to. Letter case does not count, but for months and days
/// of the week that are cut short.
pub fn named_times(question: &str, asked_at: UnixMillis) -> Vec<NamedTime> {
    let asked_us = i64::try_from(asked_at.value()).map_or(i64::MAX, |ms| ms.saturating_mul(1000));
    let dates = Dates::said_at(asked_us);
    let question = capitalised(question);
    let mut times = Vec::new();
    for sentence in sentences(&question) {
        let mut ahead = sentence.tokens.as_slice();
        while let [_, after @ ..] = ahead
            && times.len() < MAX_TIMES
        {
            let Some((first, last, used)) = time(dates, ahead) else {
                ahead = after;
                continue;
            };
            let (named, rest) = ahead.split_at_checked(used).unwrap_or((ahead, &[]));
            let named = named.iter().filter(|token| token.kind == Kind::Word);
            let words = named.map(|token| token.lower.clone());
            times.push(NamedTime {
                words: words
                    .skip_while(|word| LEADS.contains(&word.as_str()))
                    .collect(),
                first,
                last,
            });
            ahead = rest;
        }
    }
    times
}

/// The time at the beginning of some words: its first and last date, and the number of its words.
fn time(dates: Dates, tokens: &[Token<'_>]) -> Option<(PartialDate, PartialDate, usize)> {
    let whole = |(at, used): (Dated, usize)| (at.first, at.last, used);
    // "For five years" is no time, and who is asked for "from April" may be April.
    let is_since = tokens.first().is_some_and(|first| first.is("since"));
    let of_clause = dates.when(tokens).and_then(|(when, used)| match when {
        When::At(at) => Some((at.first, at.last, used)),
        When::Between(from, until) => Some((from.first, until.last, used)),
        When::Since(from) if is_since => Some((from.first, dates.today()?, used)),
        When::Since(_) | When::Until(_) | When::For => None,
    });
    let of_clause = of_clause.or_else(|| season_of_year(tokens).map(whole));
    let of_clause = of_clause.or_else(|| dates.date(tokens).map(whole));
    of_clause.or_else(|| {
        day_of_year(tokens)?;
        dates.near(tokens, false).map(whole)
    })
}

/// The question with capital letters where months and days of the week begin.
fn capitalised(question: &str) -> String {
    let mut text = String::with_capacity(question.len());
    for part in question.split_inclusive(|letter: char| !letter.is_alphanumeric()) {
        let word = part.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        let is = |name: &&str| word.eq_ignore_ascii_case(name);
        match MONTHS.iter().chain(&WEEKDAYS).any(is) {
            true => {
                let mut letters = part.chars();
                text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
                text.push_str(letters.as_str());
            }
            false => text.push_str(part),
        }
    }
    text
}

impl NamedTime {
    /// Returns the phrases by which a text, or the words of a day, names a part of this time. They hold letters, digits and spaces.
    ///
    /// A time is made of whole years and months, and of days beside these: with more than 7 days it is widened
    /// to its months.
    pub fn phrases(&self) -> Vec<String> {
        let (Some(first), Some(last)) = (self.first.first_day(), self.last.last_day()) else {
            return Vec::new();
        };
        let mut pieces = pieces(first, last);
        let days = pieces.iter().filter(|piece| piece.day.is_some());
        if days.count() > MAX_DAYS {
            pieces = self::pieces(first.first_of_month(), last.last_of_month());
        }
        let texts = pieces.into_iter().flat_map(PartialDate::spellings);
        texts.collect()
    }
}

/// Whole years, whole months, and the days that are left of the time from one day to another.
fn pieces(first: Date, last: Date) -> Vec<PartialDate> {
    let (mut pieces, mut begin) = (Vec::new(), first);
    while begin <= last && pieces.len() < MAX_PIECES {
        let whole = PartialDate::beginning_on(begin);
        let fits = whole
            .into_iter()
            .find(|it| it.last_day().is_some_and(|end| end <= last));
        let Some((piece, end)) = fits.and_then(|piece| Some((piece, piece.last_day()?))) else {
            break;
        };
        pieces.push(piece);
        match end.checked_add(1.days()) {
            Ok(next) => begin = next,
            Err(_) => break,
        }
    }
    pieces
}

impl PartialDate {
    /// The year, month and day that begin on a day, the longest first.
    fn beginning_on(day: Date) -> Vec<Self> {
        let text = day.to_string();
        let lengths: &[usize] = match (day.month(), day.day()) {
            (1, 1) => &[4, 7, 10],
            (_, 1) => &[7, 10],
            _ => &[10],
        };
        let parts = lengths.iter().filter_map(|length| text.get(..*length));
        parts.filter_map(Self::parse).collect()
    }

    fn spellings(self) -> Vec<String> {
        let numbers = self.to_string().replace('-', " ");
        let year = self.year;
        let month = self.month.map(|month| name_of(i64::from(month)));
        match (month, self.day) {
            (None, _) => vec![numbers],
            (Some(month), None) => vec![format!("{month} {year}"), numbers],
            (Some(month), Some(day)) => vec![
                format!("{day} {month} {year}"),
                format!("{month} {day} {year}"),
                numbers,
            ],
        }
    }
}

impl fmt::Display for NamedTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => self.first.fmt(f),
            false => write!(f, "{} to {}", self.first, self.last),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Asked on Wednesday 6 May 2026.
    const ASKED_AT_MS: u64 = 1_778_068_800_000;

    fn of(question: &str) -> Vec<String> {
        let times = named_times(question, UnixMillis::new(ASKED_AT_MS).unwrap());
        let shown = |time: &NamedTime| format!("{} = {time}", time.words.join(" "));
        times.iter().map(shown).collect()
    }

    #[test]
    fn a_time_is_read_relative_to_that_of_asking() {
        for (question, time) in [
            ("what did we say on 3 May 2023?", "3 may 2023 = 2023-05-03"),
            (
                "What happened on may 3rd, 2023",
                "may 3rd 2023 = 2023-05-03",
            ),
            ("the meeting of 12 March", "12 march = 2026-03-12"),
            ("What happened on 14 May?", "14 may = 2025-05-14"),
            ("what did I plant in april", "april = 2026-04"),
            ("In 2019, who came?", "2019 = 2019"),
            (
                "what did I do last week?",
                "last week = 2026-04-27 to 2026-05-03",
            ),
            ("and yesterday", "yesterday = 2026-05-05"),
            ("two weeks ago", "two weeks ago = 2026-04-20 to 2026-04-26"),
            (
                "where were we in summer 2022",
                "summer 2022 = 2022-06 to 2022-08",
            ),
            ("the winter of 2022", "winter of 2022 = 2022-12 to 2023-02"),
            ("who called since march", "march = 2026-03 to 2026-05-06"),
            (
                "what broke between March 2025 and June 2025",
                "march 2025 and june 2025 = 2025-03 to 2025-06",
            ),
            ("what did Ida say last friday", "last friday = 2026-05-01"),
        ] {
            assert_eq!(of(question), [time], "{question}");
        }
        assert_eq!(of("yesterday or on 3 May 2023").len(), 2);
    }

    #[test]
    fn what_names_no_time_is_none() {
        for question in [
            "what may I eat",
            "what did I get from April?",
            "who has lived here for five years?",
            "three kites",
            "May I?",
            "",
        ] {
            assert_eq!(of(question), [""; 0], "{question}");
        }
    }

    #[test]
    fn a_time_has_the_phrases_of_its_years_months_and_days() {
        let of = |question| {
            let times = named_times(question, UnixMillis::new(ASKED_AT_MS).unwrap());
            times
                .iter()
                .flat_map(NamedTime::phrases)
                .collect::<Vec<_>>()
        };
        assert_eq!(of("3 May 2023"), ["3 may 2023", "may 3 2023", "2023 05 03"]);
        assert_eq!(of("last year"), ["2025"]);
        assert_eq!(
            of("since 30 March 2026"),
            [
                "march 2026",
                "2026 03",
                "april 2026",
                "2026 04",
                "may 2026",
                "2026 05",
            ],
            "eight days are two months"
        );
        let days = of("since 30 April 2026");
        assert_eq!(days.len(), 3 * 7);
        assert_eq!(days[0], "30 april 2026");
        assert_eq!(days[20], "2026 05 06");
        let years = of("since 2 May 2023");
        assert_eq!(
            (years[0].as_str(), years.last().unwrap().as_str()),
            ("may 2023", "2026 05")
        );
        assert_eq!(years.iter().filter(|text| text.len() == 4).count(), 2);
        assert!(of("since 2 May 1950").contains(&"2025".to_owned()));
        assert_eq!(of("between 2019 and 2017"), [""; 0]);
    }

    /// The words of a day hold a phrase of every time that it is in.
    #[test]
    fn a_day_is_found_by_its_times() {
        let at = UnixMillis::new(ASKED_AT_MS - 2 * 86_400_000).unwrap();
        let words = format!(" {} ", crate::in_words(at));
        for question in [
            "4 May 2026",
            "on Monday",
            "in May",
            "this year",
            "2 days ago",
            "since April",
        ] {
            let times = named_times(question, UnixMillis::new(ASKED_AT_MS).unwrap());
            let mut phrases = times.iter().flat_map(NamedTime::phrases);
            let found = phrases.any(|phrase| words.contains(&format!(" {phrase} ")));
            assert!(found, "{question}");
        }
    }

    proptest! {
        #[test]
        fn any_question_at_any_time_has_few_phrases(question in "\\PC{0,40}|((in|since|last|on|between|and|3|may|2023|week|9999|,) ){1,20}", at in 0..9_007_199_254_740_991u64) {
            for time in named_times(&question, UnixMillis::new(at).unwrap()) {
                prop_assert!(time.phrases().len() <= 2 * MAX_PIECES + MAX_DAYS);
            }
        }
    }
}
