//! Words and filters of a query, without question words and other function words.

use counterfoil_dates::named_times;
use counterfoil_store::text_index::{
    MAX_READ_TEXTS, MAX_TERM_BYTES, MAX_TERMS, Reading, TextQuery,
};
use counterfoil_types::UnixMillis;
use counterfoil_words::Question;

use crate::SelectError;

/// Returns the words of a text to look for, in lower case, each once, in their order.
///
/// Function words of its language are left out, unless nothing else is there: "Who are you?" is searched unchanged. Of a long
/// query the first 64 words count; a run of letters longer than 256 bytes is no word. Everything that is neither letter nor
/// digit separates words, so no query syntax survives.
///
/// # Errors
/// [`SelectError::NoWords`] if there is no letter and no digit.
pub fn content_words(text: &str) -> Result<Vec<String>, SelectError> {
    limited(Question::plain(text).words)
}

/// Returns the query for the words of a text in its languages, without any syntax.
///
/// # Errors
/// [`SelectError::NoWords`] if there is no letter and no digit.
pub fn plain_query(text: &str) -> Result<TextQuery, SelectError> {
    let question = Question::plain(text);
    let mut query = TextQuery::new(limited(question.words)?)?;
    query.languages = question.languages;
    Ok(query)
}

/// Returns the text query that `query` asks: its [`content_words`] without the excluded ones, the texts in double quotes as
/// phrases (but in a sentence that ends with a question mark), words with a minus before them as excluded, and its languages.
///
/// # Errors
/// [`SelectError::NoWords`] if there are none but excluded words, [`SelectError::Store`] if more than 64 texts are quoted
/// or excluded, or one of more than 256 bytes.
pub fn text_query(query: &str) -> Result<TextQuery, SelectError> {
    let Question {
        words,
        phrases,
        excluded,
        languages,
    } = Question::parse(query);
    let mut query = TextQuery::new(limited(words)?)?.filtered(phrases, excluded)?;
    query.languages = languages;
    Ok(query)
}

/// Adds the times that `text` names, relative to the time of asking. What its terms do not say themselves, as of `last week` or
/// of a day without a year, is a reading of the last word: its dates are looked for as well. Other dates are
/// [`dates`](TextQuery::dates) of the query.
#[must_use]
pub fn with_times(mut query: TextQuery, text: &str, asked_at: UnixMillis) -> TextQuery {
    let mut readings = Vec::new();
    let excluded = query.excluded().iter();
    let excluded: Vec<String> = excluded.flat_map(|text| words_of(text)).collect();
    for time in named_times(text, asked_at) {
        if excluded.iter().any(|word| time.words.contains(word)) {
            continue;
        }
        let position = |word: &String| query.terms().iter().position(|term| term == word);
        let Some(term) = time.words.iter().rev().find_map(position) else {
            continue;
        };
        let is_asked = |word: &str| query.terms().iter().any(|term| term == word);
        let texts = time.phrases();
        if texts.iter().any(|text| text.split(' ').all(is_asked)) {
            let room = MAX_READ_TEXTS.saturating_sub(query.dates.len());
            query.dates.extend(texts.into_iter().take(room));
        } else {
            readings.push(Reading {
                term,
                words: time.words.join(" "),
                name: time.to_string(),
                texts,
            });
        }
    }
    query.read_as(readings)
}

fn limited(words: Vec<String>) -> Result<Vec<String>, SelectError> {
    let words = words.into_iter();
    let words = words.filter(|word| word.len() <= MAX_TERM_BYTES);
    let words: Vec<String> = words.take(MAX_TERMS).collect();
    match words.is_empty() {
        true => Err(SelectError::NoWords),
        false => Ok(words),
    }
}

/// The words of a text, in lower case.
pub(crate) fn words_of(text: &str) -> impl Iterator<Item = String> {
    // Decomposed text has combining accents between its letters.
    let is_accent = |c: char| ('\u{300}'..='\u{36f}').contains(&c);
    text.split(move |c: char| !c.is_alphanumeric() && !is_accent(c))
        .filter(|word| word.contains(char::is_alphanumeric))
        .map(str::to_lowercase)
        .filter(|word| word.len() <= MAX_TERM_BYTES)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_query_without_a_word_is_refused_with_what_to_do() {
        for query in [
            "?",
            "  ",
            "\0",
            "\"*\" ^-",
            "😀",
            "\u{301}",
            "-red -\"blue kite\"",
        ] {
            let error = text_query(query).unwrap_err();
            assert!(matches!(error, SelectError::NoWords), "{query:?}");
            assert!(error.to_string().contains("name a thing"));
        }
    }

    #[test]
    fn a_long_query_is_cut() {
        let long: String = (0..1_000).map(|n| format!("word{n} ")).collect();
        assert_eq!(content_words(&long).unwrap().len(), MAX_TERMS);
        assert!(content_words(&"x".repeat(MAX_TERM_BYTES + 1)).is_err());
    }

    #[test]
    fn filters_have_limits() {
        let quoted = format!("kite \"{}\"", "x".repeat(MAX_TERM_BYTES + 1));
        let excluded: String = (0..=MAX_TERMS).map(|n| format!(" -word{n}")).collect();
        for query in [quoted, format!("kite{excluded}")] {
            assert!(matches!(text_query(&query), Err(SelectError::Store(_))));
        }
    }

    #[test]
    fn quoted_and_excluded_texts_are_filters() {
        let query = text_query("the one who saw the \"red kite\" -harbour").unwrap();
        assert_eq!(query.terms(), ["one", "saw", "red", "kite"]);
        assert_eq!(query.phrases(), ["red kite"]);
        assert_eq!(query.excluded(), ["harbour"]);
    }

    #[test]
    fn a_time_is_a_reading_of_its_last_word_or_a_date() {
        let asked_at = UnixMillis::new(1_778_068_800_000).unwrap();
        let read = |question: &str| {
            let query = with_times(text_query(question).unwrap(), question, asked_at);
            let shown = |it: &Reading| {
                let term = &query.terms()[it.term];
                format!("{term}: {}: {}: {}", it.words, it.name, it.texts.join(", "))
            };
            let readings = query.readings().iter().map(shown);
            let dates = query.dates.join(", ");
            readings.chain([dates]).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(
            read("What did we say on 3 May 2023?"),
            "3 may 2023, may 3 2023, 2023 05 03"
        );
        assert_eq!(
            read("what was yesterday, and in May?"),
            "yesterday: yesterday: 2026-05-05: 5 may 2026, may 5 2026, 2026 05 05; \
             may: may: 2026-05: may 2026, 2026 05; "
        );
        assert_eq!(read("last -year of the kite"), "");
        assert_eq!(read("who has a kite"), "");
        let years = (2001..2020).map(|year| format!("{year} "));
        let months = format!(
            "between January 2001 and May 2003 {}",
            years.collect::<String>()
        );
        assert!(read(&months).split(", ").count() <= MAX_READ_TEXTS);
    }

    proptest! {
        #[test]
        fn words_are_of_bounded_length_and_number(query in any::<String>()) {
            let words = content_words(&query).unwrap_or_default();
            prop_assert!(words.len() <= MAX_TERMS);
            prop_assert!(words.iter().all(|word| (1..=MAX_TERM_BYTES).contains(&word.len())));
        }
    }
}
