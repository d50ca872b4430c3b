//! Words of a sentence: which of them to look for, and which name a domain.

use alloc::string::String;
use alloc::vec::Vec;

use super::Vocabulary;
use crate::documents::{Domain, Text};

/// The most keywords of a request (docs/format/exchange.md §2).
pub(super) const MAX_KEYWORDS: usize = 16;

/// Words that say nothing of what is asked.
const STOP_WORDS: [&str; 115] = [
    "a",
    "about",
    "after",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "but",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "each",
    "else",
    "ever",
    "for",
    "from",
    "had",
    "has",
    "have",
    "he",
    "her",
    "here",
    "him",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "know",
    "like",
    "may",
    "me",
    "might",
    "more",
    "most",
    "much",
    "my",
    "no",
    "not",
    "now",
    "of",
    "off",
    "on",
    "one",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "please",
    "recall",
    "remember",
    "same",
    "say",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "something",
    "such",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "too",
    "under",
    "up",
    "us",
    "very",
    "was",
    "we",
    "well",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "whom",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
];

/// The words of a text in lower case, with where each begins and ends.
pub(super) struct Word {
    pub(super) text: String,
    pub(super) from: usize,
    pub(super) until: usize,
}

/// Letters and digits; inside of a word also `-`, `_` and apostrophes.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    let mut rest = text.char_indices().peekable();
    core::iter::from_fn(move || {
        let (from, first) = rest.find(|(_, letter)| letter.is_alphanumeric())?;
        let mut until = from.saturating_add(first.len_utf8());
        while let Some((at, letter)) =
            rest.next_if(|(_, letter)| letter.is_alphanumeric() || is_inner(*letter))
        {
            if letter.is_alphanumeric() {
                until = at.saturating_add(letter.len_utf8());
            }
        }
        let word = text
            .get(from..until)?
            .replace('\u{2019}', "'")
            .to_lowercase();
        Some(Word {
            text: word,
            from,
            until,
        })
    })
}

const fn is_inner(letter: char) -> bool {
    matches!(letter, '-' | '_' | '\'' | '\u{2019}')
}

/// What of a text is looked for: its domain, and its words without those that name it and those that say nothing; each
/// once, in their order.
pub(super) fn subject(text: &str, vocabulary: &Vocabulary) -> (Option<Domain>, Vec<Text<64>>) {
    let words: Vec<String> = words(text).map(|word| word.text).collect();
    let (mut domain, mut keywords): (Option<&Domain>, Vec<Text<64>>) = (None, Vec::new());
    let mut rest = words.as_slice();
    while let Some((first, after)) = rest.split_first() {
        if let Some((named, length)) = vocabulary.named(rest, domain) {
            domain = Some(named);
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        rest = after;
        let keyword = Text::new(first.as_str())
            .ok()
            .filter(|_| !STOP_WORDS.contains(&first.as_str()));
        let fresh =
            keyword.filter(|keyword| keywords.len() < MAX_KEYWORDS && !keywords.contains(keyword));
        keywords.extend(fresh);
    }
    (domain.cloned(), keywords)
}

impl Vocabulary {
    /// The domain that the next words name, and how many they are: the longest entry. Once a domain is found, others
    /// are words like any.
    fn named(&self, words: &[String], found: Option<&Domain>) -> Option<(&Domain, usize)> {
        let allowed = self
            .domains
            .iter()
            .filter(|(_, domain)| found.is_none_or(|found| found == domain));
        let lengths = allowed.filter_map(|(entry, domain)| Some((domain, begins(words, entry)?)));
        lengths.max_by_key(|(_, length)| *length)
    }
}

/// How many words an entry has, if these begin with it.
fn begins(words: &[String], entry: &str) -> Option<usize> {
    let mut length = 0_usize;
    for part in entry.split_ascii_whitespace() {
        if words.get(length)? != part {
            return None;
        }
        length = length.saturating_add(1);
    }
    (length > 0).then_some(length)
}

#[cfg(test)]
mod stop_words {
    use super::*;

    #[test]
    fn stop_words_are_sorted_and_each_stands_once() {
        assert!(STOP_WORDS.is_sorted_by(|a, b| a < b));
    }
}
