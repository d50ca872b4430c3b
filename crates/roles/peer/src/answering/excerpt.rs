//! The parts of a memory that match a question: the words that found it, and the sentences of a summary.

use std::collections::HashSet;

use counterfoil_claims::Line;
use counterfoil_selector::content_words;

/// Most bytes of a summary, before the marks of omissions.
pub(super) const SUMMARY_BYTES: usize = 280;
/// Most sentences that are compared.
const MOST_SENTENCES: usize = 1000;
/// Most words that a reason names.
const MOST_NAMED: usize = 8;
/// Length of words, in bytes, up to which no other form is looked for.
const SHORTEST_STEM: usize = 3;
/// Mark of an omission.
const LEFT_OUT: &str = "\u{2026}";

/// Returns the sentences of a text that have the most of the words, in their order and within [`SUMMARY_BYTES`]; its beginning if
/// none has any. A sentence that is longer is cut around its first such word.
pub(super) fn summary(text: &str, words: &[String]) -> String {
    let asked: HashSet<&str> = words.iter().map(String::as_str).collect();
    let found = |sentence: &str| {
        let own = content_words(sentence).unwrap_or_default();
        own.iter()
            .filter(|word| asked.contains(word.as_str()))
            .count()
    };
    let sentences: Vec<&str> = sentences(text).take(MOST_SENTENCES).collect();
    let mut ranked: Vec<(usize, usize)> =
        sentences.iter().map(|it| found(it)).enumerate().collect();
    ranked.sort_by_key(|(at, score)| (std::cmp::Reverse(*score), *at));
    let (mut chosen, mut left) = (Vec::new(), SUMMARY_BYTES);
    for (at, score) in ranked {
        let Some(sentence) = sentences.get(at).filter(|_| score > 0) else {
            break;
        };
        if sentence.len() <= left {
            left -= sentence.len().saturating_add(LEFT_OUT.len()).min(left);
            chosen.push(at);
        } else if chosen.is_empty() {
            return around(sentence, &asked);
        }
    }
    if chosen.is_empty() {
        let begin = text.get(..text.floor_char_boundary(SUMMARY_BYTES));
        return format!("{}{LEFT_OUT}", begin.unwrap_or_default());
    }
    chosen.sort_unstable();
    let mut parts = Vec::new();
    let mut due = 0;
    for at in chosen {
        if at > due {
            parts.push(LEFT_OUT);
        }
        parts.extend(sentences.get(at));
        due = at.saturating_add(1);
    }
    if due < sentences.len() {
        parts.push(LEFT_OUT);
    }
    parts.join(" ")
}

/// Cuts a sentence to [`SUMMARY_BYTES`] around its first word that was asked for.
fn around(sentence: &str, asked: &HashSet<&str>) -> String {
    let mut at = 0_usize;
    let first = sentence
        .split_inclusive(char::is_whitespace)
        .find_map(|part| {
            let from = at;
            at = at.saturating_add(part.len());
            let own = content_words(part).unwrap_or_default();
            own.iter()
                .any(|word| asked.contains(word.as_str()))
                .then_some(from)
        });
    let first = first.unwrap_or_default();
    let from = match first < SUMMARY_BYTES / 2 {
        true => 0,
        false => sentence.floor_char_boundary(first - SUMMARY_BYTES / 4),
    };
    let until = sentence.floor_char_boundary(from.saturating_add(SUMMARY_BYTES));
    let part = sentence.get(from..until).unwrap_or_default().trim();
    let before = if from > 0 { LEFT_OUT } else { "" };
    let after = if until < sentence.len() { LEFT_OUT } else { "" };
    format!("{before}{part}{after}")
}

/// Splits a text into sentences, each with the mark that ends it: a line, or `.`, `?` or `!` before a space.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut has_ended = false;
        let end = rest.find(|letter: char| {
            let ends = letter == '\n' || (has_ended && letter.is_whitespace());
            has_ended = matches!(letter, '.' | '?' | '!')
                || (has_ended && matches!(letter, '"' | ')' | '\u{201d}' | '\u{2019}'));
            ends
        });
        let (sentence, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = after.trim_start();
        Some(sentence.trim_end())
    })
}

/// Names the parts of a claim that have words of the question: its subject, its predicate, its value.
pub(super) fn structured<'w>(
    line: &Line,
    words: impl Iterator<Item = &'w String> + Clone,
) -> Option<String> {
    let has = |text: &str| {
        let own = content_words(text).unwrap_or_default();
        // The index finds `lives` by `live`, too.
        let is_of = |own: &String, word: &String| {
            own == word || (word.len() > SHORTEST_STEM && own.starts_with(word.as_str()))
        };
        words
            .clone()
            .any(|word| own.iter().any(|own| is_of(own, word)))
    };
    let parts = [
        ("subject", line.subject.as_str()),
        ("predicate", line.predicate.as_str()),
    ];
    let parts = parts.into_iter().filter(|(_, text)| has(text));
    let parts: Vec<&str> = parts.map(|(name, _)| name).collect();
    let words = matched(words.clone())?;
    Some(match parts.as_slice() {
        [] => format!("has {words}"),
        parts => format!("matches by {}: {words}", parts.join(" and ")),
    })
}

/// Names the words of the question that are in a memory, for its context.
pub(super) fn matched<'w>(words: impl Iterator<Item = &'w String>) -> Option<String> {
    let words: Vec<&String> = words.collect();
    let named = words
        .iter()
        .take(MOST_NAMED)
        .map(|word| format!("\"{word}\""));
    let named: Vec<String> = named.collect();
    let more = words.len().saturating_sub(MOST_NAMED);
    match (named.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(named.join(", ")),
        (false, more) => Some(format!("{} and {more} more", named.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, question: &str) -> String {
        summary(text, &content_words(question).unwrap())
    }

    #[test]
    fn the_best_sentences_are_taken_in_their_order() {
        let filler =
            "Nothing of interest happened on that day at the mill, as on most days. ".repeat(5);
        let text = format!(
            "The harbour was quiet. {filler}Rye is ground on Mondays. {filler}The rye comes from Tom. {filler}"
        );
        let short = of(&text, "Who brings the rye on Mondays?");
        assert_eq!(
            short,
            "\u{2026} Rye is ground on Mondays. \u{2026} The rye comes from Tom. \u{2026}"
        );
        let begin = of(&text, "lighthouse");
        assert!(begin.starts_with("The harbour was quiet.") && begin.ends_with('\u{2026}'));
    }

    #[test]
    fn a_long_sentence_is_cut_around_the_word() {
        let text = format!("{}rye {}", "wheat ".repeat(200), "oats ".repeat(200));
        let short = of(&text, "rye");
        assert!(short.contains(" rye oats"), "{short}");
        assert!(short.len() <= SUMMARY_BYTES + 2 * LEFT_OUT.len());
        let letters = "\u{e4}".repeat(4000) + " rye";
        assert!(of(&letters, "rye").ends_with("rye"));
        assert!(of(&"\u{e4}".repeat(4000), "rye").len() <= SUMMARY_BYTES + LEFT_OUT.len());
    }

    #[test]
    fn matched_words_are_named_up_to_a_limit() {
        let words: Vec<String> = (0..10).map(|number| format!("w{number}")).collect();
        assert_eq!(matched(words.iter().take(0)), None);
        assert_eq!(matched(words.iter().take(2)).unwrap(), "\"w0\", \"w1\"");
        assert!(
            matched(words.iter())
                .unwrap()
                .ends_with("\"w7\" and 2 more")
        );
    }
}
