//! Sentences and words of a message: keywords, and names of domains.

use alloc::string::String;
use alloc::vec::Vec;

use super::MAX_KEYWORDS;
use crate::documents::{Domain, Text};
use crate::stop_words::is_stop_word;

/// Most words that `*` matches in a template.
const MAX_GAP: usize = 6;

/// A word of a text in lower case, with its begin and end in bytes.
pub(super) struct Word {
    pub(super) text: String,
    pub(super) from: usize,
    pub(super) until: usize,
}

/// Splits a paragraph into its sentences, without the space around them. A sentence ends with `.`, `?` or `!`, closing
/// quotes and brackets included, before a space.
pub(super) fn sentences(paragraph: &str) -> impl Iterator<Item = &str> {
    let mut rest = paragraph.trim_start();
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut has_ended = false;
        let ends = |(at, letter): (usize, char)| match letter {
            '.' | '?' | '!' => {
                has_ended = true;
                None
            }
            '"' | '\'' | ')' | ']' | '\u{201d}' | '\u{2019}' | '*' | '_' => None,
            _ if has_ended && letter.is_whitespace() => Some(at),
            _ => {
                has_ended = false;
                None
            }
        };
        let end = rest.char_indices().find_map(ends).unwrap_or(rest.len());
        let (sentence, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        rest = after.trim_start();
        Some(sentence.trim_end())
    })
}

/// Splits a text into words: letters and digits, inside of a word also `-`, `_` and apostrophes.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    let mut rest = text.char_indices().peekable();
    core::iter::from_fn(move || {
        let (from, first) = rest.find(|(_, letter)| letter.is_alphanumeric())?;
        let mut until = from.saturating_add(first.len_utf8());
        while let Some((at, letter)) = rest.next_if(|(_, letter)| {
            letter.is_alphanumeric() || matches!(letter, '-' | '_' | '\'' | '\u{2019}')
        }) {
            if letter.is_alphanumeric() {
                until = at.saturating_add(letter.len_utf8());
            }
        }
        let word = text.get(from..until)?;
        Some(Word {
            text: word.replace('\u{2019}', "'").to_lowercase(),
            from,
            until,
        })
    })
}

/// Number of words that a template matches at their beginning. `*` matches one to six words.
pub(super) fn prefix_length(words: &[Word], template: &str) -> Option<usize> {
    let mut taken = 0_usize;
    let mut parts = template.split_ascii_whitespace();
    while let Some(part) = parts.next() {
        if part == "*" {
            let next = parts.next()?;
            let from = taken.saturating_add(1);
            let mut gap = words.get(from..)?.iter().take(MAX_GAP);
            taken = from.saturating_add(gap.position(|word| word.text == next)?);
        } else if words.get(taken)?.text != part {
            return None;
        }
        taken = taken.saturating_add(1);
    }
    (taken > 0).then_some(taken)
}

/// Returns the number of words that are no stop words.
pub(super) fn keyword_count(words: &[Word]) -> usize {
    words
        .iter()
        .filter(|word| !is_stop_word(&word.text))
        .count()
}

/// Domain and keywords of a text: the words that neither name the domain nor are stop words, each once, in their order.
pub(super) fn subject(
    text: &str,
    vocabulary: &[(String, Domain)],
) -> (Option<Domain>, Vec<Text<64>>) {
    let words: Vec<Word> = words(text).collect();
    let (mut domain, mut keywords): (Option<&Domain>, Vec<Text<64>>) = (None, Vec::new());
    let mut rest = words.as_slice();
    while let Some((first, after)) = rest.split_first() {
        // The longest entry names the domain. Once one is found, the names of others are words like any.
        let lengths = vocabulary.iter().filter_map(|(entry, named)| {
            let parts: Vec<&str> = entry.split_ascii_whitespace().collect();
            let begins = !parts.is_empty()
                && parts.len() <= rest.len()
                && parts
                    .iter()
                    .zip(rest)
                    .all(|(part, word)| *part == word.text);
            let allowed = domain.is_none_or(|found| found == named);
            (begins && allowed).then_some((named, parts.len()))
        });
        if let Some((named, length)) = lengths.max_by_key(|(_, length)| *length) {
            domain = Some(named);
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        rest = after;
        let keyword = Text::new(first.text.as_str())
            .ok()
            .filter(|_| !is_stop_word(&first.text));
        keywords.extend(
            keyword.filter(|keyword| keywords.len() < MAX_KEYWORDS && !keywords.contains(keyword)),
        );
    }
    (domain.cloned(), keywords)
}
