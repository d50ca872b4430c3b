//! Words of a query, without question words and other stop words.

use std::collections::BTreeSet;

use counterfoil_store::text_index::{MAX_TERM_BYTES, MAX_TERMS};

use crate::{SelectError, stop_words};

/// The words of `query` to look for, in lower case, each once, in their order.
///
/// Question words and other stop words are left out, unless nothing else is there: "Who are you?"
/// is searched unchanged. Of a long query the first 64 such words count; a run of letters
/// longer than 256 bytes is no word. Everything that is neither letter nor digit separates words,
/// so no query syntax survives.
///
/// # Errors
/// [`SelectError::NoWords`] when there is no letter and no digit.
pub fn content_words(query: &str) -> Result<Vec<String>, SelectError> {
    let naming = distinct(words(query).filter(|word| !stop_words::contains(word)));
    if !naming.is_empty() {
        return Ok(naming);
    }
    let all = distinct(words(query));
    if all.is_empty() {
        Err(SelectError::NoWords)
    } else {
        Ok(all)
    }
}

fn words(query: &str) -> impl Iterator<Item = String> {
    query
        .split(|c| !is_word_part(c))
        .filter(|word| word.contains(char::is_alphanumeric))
        .map(str::to_lowercase)
        .filter(|word| word.len() <= MAX_TERM_BYTES)
}

/// Letters, digits, and the combining accents that decomposed text has between them.
fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c)
}

fn distinct(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    words
        .filter(|word| seen.insert(word.clone()))
        .take(MAX_TERMS)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(query: &str) -> Vec<String> {
        content_words(query).unwrap()
    }

    #[test]
    fn question_words_are_left_out() {
        assert_eq!(
            of("When did Ada's sister paint the Sunrise?"),
            ["ada", "sister", "paint", "sunrise"]
        );
        assert_eq!(
            of("What happened in May 2023?"),
            ["happened", "may", "2023"]
        );
    }

    #[test]
    fn a_query_of_stop_words_alone_is_searched_as_it_stands() {
        assert_eq!(of("Who are you?"), ["who", "are", "you"]);
    }

    #[test]
    fn each_word_counts_once() {
        assert_eq!(of("paint PAINT Paint blue"), ["paint", "blue"]);
    }

    #[test]
    fn a_query_without_a_word_is_refused_with_what_to_do() {
        for query in ["?", "  ", "\0", "\"*\" ^-", "😀", "\u{301}"] {
            let error = content_words(query).unwrap_err();
            assert!(matches!(error, SelectError::NoWords), "{query:?}");
            assert!(error.to_string().contains("name a thing"));
        }
    }

    #[test]
    fn accents_keep_a_word_together() {
        assert_eq!(of("cafe\u{301}s élan"), ["cafe\u{301}s", "élan"]);
    }

    #[test]
    fn a_long_query_is_cut() {
        let long: String = (0..1_000).map(|n| format!("word{n} ")).collect();
        assert_eq!(of(&long).len(), MAX_TERMS);
        assert!(content_words(&"x".repeat(MAX_TERM_BYTES + 1)).is_err());
    }

    proptest! {
        #[test]
        fn a_word_holds_no_syntax_and_no_control(query in any::<String>()) {
            for word in content_words(&query).unwrap_or_default() {
                prop_assert!(word.chars().all(is_word_part), "{word:?}");
                prop_assert!((1..=MAX_TERM_BYTES).contains(&word.len()));
            }
        }
    }
}
