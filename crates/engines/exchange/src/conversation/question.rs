//! Questions by template: `what do you know about …`, `do you remember …`, with whoever is spoken to before it.

use alloc::string::String;
use alloc::vec::Vec;

use super::interpret::MAX_PROPOSALS;
use super::layout::Layout;
use super::sentences::sentences;
use super::words::{Word, subject, words};
use super::{Heard, Proposal, Proposed, ProposedRequest, Vocabulary};
use crate::documents::Text;

/// What a question begins with; a longer one stands before a shorter one. `*` is one to six words.
const TEMPLATES: [&str; 34] = [
    "can you please tell me what you know about",
    "could you please tell me what you know about",
    "please tell me what you know about",
    "please tell me what you remember about",
    "can you tell me what you know about",
    "could you tell me what you know about",
    "would you tell me what you know about",
    "can you tell me about",
    "could you tell me about",
    "please tell me about",
    "tell me what you know about",
    "tell me what you know of",
    "tell me what you remember about",
    "tell me what you remember of",
    "tell me everything you know about",
    "tell me what you know",
    "tell me about",
    "what do you know about",
    "what do you know of",
    "what do you remember about",
    "what do you remember of",
    "what do you recall about",
    "what can you tell me about",
    "what have you learned about",
    "what have you heard about",
    "what have you read about",
    "do you know anything about",
    "do you know something about",
    "do you know about",
    "do you remember",
    "do you recall",
    "have you got memories of",
    "do you have * about",
    "have you * about",
];
/// The most words that `*` stands for.
const MAX_GAP: usize = 6;
/// A template begins at one of so many words of a sentence.
const MAX_BEFORE: usize = 6;
/// The most words of a name.
const MAX_NAME: usize = 3;
/// What is said before a name, or in place of one.
const GREETINGS: [&str; 22] = [
    "hey",
    "hi",
    "hello",
    "dear",
    "good",
    "morning",
    "afternoon",
    "evening",
    "there",
    "yo",
    "ok",
    "okay",
    "so",
    "well",
    "and",
    "also",
    "thanks",
    "hmm",
    "greetings",
    "now",
    "oh",
    "again",
];

/// The questions of a message.
pub(super) fn read(layout: &Layout<'_>, vocabulary: &Vocabulary) -> Vec<Proposal> {
    let said = layout
        .paragraphs
        .iter()
        .flat_map(|paragraph| sentences(paragraph));
    said.filter_map(|sentence| question(sentence, vocabulary))
        .take(MAX_PROPOSALS)
        .collect()
}

fn question(sentence: &str, vocabulary: &Vocabulary) -> Option<Proposal> {
    let words: Vec<Word> = words(sentence).collect();
    let (first, last) = (0..MAX_BEFORE).find_map(|at| {
        let rest = words.get(at..)?;
        let length = TEMPLATES
            .iter()
            .find_map(|template| begins(rest, template))?;
        Some((rest.first()?, rest.get(length.checked_sub(1)?)?))
    })?;
    let addressee = spoken_to(sentence.get(..first.from)?)?;
    let about = sentence.get(last.until..)?;
    // Somebody who asks about nothing is asked back by a person; here it is no question.
    super::words::words(about).next()?;
    let natural = Text::new(sentence.get(first.from..)?).ok()?;
    let (domain, keywords) = subject(about, vocabulary);
    let what = Proposed::Question(ProposedRequest {
        natural,
        domain,
        keywords,
        max_results: None,
    });
    Some(Proposal {
        heard: Heard::Template,
        addressee,
        what,
    })
}

/// How many words a template takes, if these begin with it.
fn begins(words: &[Word], template: &str) -> Option<usize> {
    let mut taken = 0_usize;
    let mut parts = template.split(' ');
    while let Some(part) = parts.next() {
        if part == "*" {
            let next = parts.next()?;
            let from = taken.saturating_add(1);
            let gap = words
                .get(from..)?
                .iter()
                .take(MAX_GAP)
                .position(|word| word.text == next)?;
            taken = from.saturating_add(gap);
        } else if words.get(taken)?.text != part {
            return None;
        }
        taken = taken.saturating_add(1);
    }
    Some(taken)
}

/// Who is spoken to in what stands before a question. The outer `None`: it is neither a greeting nor a name, and the
/// question is not one to us.
#[expect(
    clippy::option_option,
    reason = "no question, a question to nobody by name, a question to somebody"
)]
fn spoken_to(before: &str) -> Option<Option<String>> {
    let before = before.trim();
    let body = before.trim_end_matches([',', ':', '!', '-', '\u{2014}', '\u{2013}']);
    let is_set_off = body.len() < before.len();
    let mut greeted = false;
    let mut name = Vec::new();
    for part in body.split_whitespace() {
        let part = part.trim_matches([',', '!', '"', '*', '(', '\u{201c}']);
        if GREETINGS.contains(&part.to_lowercase().as_str()) {
            greeted = true;
        } else if !part.is_empty() {
            name.push(part);
        }
        if name.len() > MAX_NAME {
            return None;
        }
    }
    let is_called =
        is_set_off || matches!(name.as_slice(), [one] if greeted || one.starts_with('@'));
    let is_memory_message = name.iter().any(|part| part.starts_with("memory_"));
    if name.is_empty() {
        return Some(None);
    }
    let name = name.join(" ");
    (is_called && !is_memory_message).then(|| Some(name.trim_start_matches('@').into()))
}
