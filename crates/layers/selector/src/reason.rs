//! Why a memory was selected, for a person to read (CR-07, FP-01, FP-07).

use counterfoil_store::text_index::TermPlace;
use counterfoil_types::{Reason, ShapeError};

/// The longest reason, in bytes.
const MAX_BYTES: usize = 400;

/// `says "sunrise", "paint"; dated "may"; nearby: "melanie"`.
///
/// The words are the query's, not the memory's, so nothing that a memory says gets into a reason;
/// control characters are left out all the same, and the whole is cut to 400 bytes.
pub(crate) fn reason(words: &[String], places: &[Option<TermPlace>]) -> Result<Reason, ShapeError> {
    let found = |wanted: &[TermPlace]| {
        let holds = |place: &Option<TermPlace>| place.is_some_and(|place| wanted.contains(&place));
        let words = words.iter().zip(places).filter(|(_, place)| holds(place));
        words
            .map(|(word, _)| quoted(word))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let parts = [
        ("says ", found(&[TermPlace::Turn])),
        ("dated ", found(&[TermPlace::Date])),
        ("nearby: ", found(&[TermPlace::Near1, TermPlace::Near2])),
    ];
    let told: Vec<String> = parts
        .into_iter()
        .filter(|(_, words)| !words.is_empty())
        .map(|(how, words)| format!("{how}{words}"))
        .collect();
    if told.is_empty() {
        return Reason::new("ranked by the index");
    }
    Reason::new(cut(&told.join("; ")))
}

fn quoted(word: &str) -> String {
    let plain: String = word
        .chars()
        .filter(|c| !c.is_control() && *c != '"')
        .collect();
    format!("\"{plain}\"")
}

fn cut(text: &str) -> String {
    if text.len() <= MAX_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_BYTES - '…'.len_utf8());
    format!("{}…", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(words: &[&str], places: &[Option<TermPlace>]) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        reason(&words, places).unwrap().to_string()
    }

    #[test]
    fn it_says_which_word_was_found_where() {
        let places = [
            Some(TermPlace::Near2),
            Some(TermPlace::Turn),
            Some(TermPlace::Date),
            None,
            Some(TermPlace::Turn),
        ];
        assert_eq!(
            told(&["ada", "paint", "may", "lost", "sunrise"], &places),
            r#"says "paint", "sunrise"; dated "may"; nearby: "ada""#
        );
    }

    /// CR-07, FP-07
    #[test]
    fn it_is_never_empty() {
        assert_eq!(told(&["ada"], &[None]), "ranked by the index");
        assert_eq!(told(&[], &[]), "ranked by the index");
    }

    proptest! {
        #[test]
        fn it_is_short_and_plain(words in proptest::collection::vec(any::<String>(), 1..80)) {
            let places = vec![Some(TermPlace::Turn); words.len()];
            let text = reason(&words, &places).unwrap().to_string();
            prop_assert!(text.len() <= MAX_BYTES);
            prop_assert!(!text.contains(char::is_control));
        }
    }
}
