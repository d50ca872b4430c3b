//! Questions by template: `what do you know about …` (MRP "Minimal Implementation").

use alloc::string::String;
use alloc::vec::Vec;

use super::everyday;
use super::layout::Layout;
use super::words::{Word, prefix_length, sentences, subject, words};
use super::{MAX_PROPOSALS, MessageProposal, ProposalSource};
use crate::documents::{Domain, MemoryQuery, Text};

/// Beginnings of questions, longer ones before shorter ones. `*` is one to six words.
const QUESTIONS: [&str; 40] = [
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
    "what have you got on",
    "what have you got about",
    "what do you have on",
    "what do you have about",
    "do you have * on",
    "do you have anything for",
    "do you know anything about",
    "do you know something about",
    "do you know about",
    "do you remember",
    "do you recall",
    "have you got memories of",
    "do you have * about",
    "have you * about",
];
/// A template begins at one of so many words of a sentence.
const MAX_BEFORE: usize = 6;
/// Most words of a name.
const MAX_NAME: usize = 3;
/// Words before a name, or in place of one.
const GREETINGS: &str = "hey hi hello dear good morning afternoon evening there yo ok okay so well and also thanks hmm \
    greetings now oh again sorry to bother you but excuse me quick question just curious btw";
/// The questions of a message.
pub(super) fn questions(
    layout: &Layout<'_>,
    vocabulary: &[(String, Domain)],
) -> Vec<MessageProposal> {
    let sentences = layout
        .paragraphs
        .iter()
        .flat_map(|paragraph| sentences(paragraph));
    sentences
        .filter_map(|sentence| question(sentence, vocabulary))
        .take(MAX_PROPOSALS)
        .collect()
}

fn question(sentence: &str, vocabulary: &[(String, Domain)]) -> Option<MessageProposal> {
    let words: Vec<Word> = words(sentence).collect();
    let end = sentence.trim_end_matches(['"', '\'', ')', ']', '\u{201d}', '\u{2019}', '*', '_']);
    let is_asked = end.ends_with('?');
    let (first, last, addressee) = (0..=MAX_BEFORE).find_map(|at| {
        let rest = words.get(at..)?;
        let before = sentence.get(..rest.first()?.from)?;
        let about = QUESTIONS
            .iter()
            .find_map(|template| prefix_length(rest, template));
        let length = about.or_else(|| {
            let opening = everyday::opening(rest, is_asked)?;
            is_call(before).then_some(opening)
        })?;
        Some((
            rest.first()?,
            rest.get(length.checked_sub(1)?)?,
            addressee(before)?,
        ))
    })?;
    let about = sentence.get(last.until..)?;
    // A question about nothing is no question to a memory.
    self::words(about).next()?;
    let natural = Text::new(sentence.get(first.from..)?).ok()?;
    let (domain, keywords) = subject(about, vocabulary);
    Some(MessageProposal::Question {
        source: ProposalSource::Template,
        addressee,
        query: MemoryQuery {
            domain,
            keywords,
            ..MemoryQuery::new(natural)
        },
        max_results: None,
    })
}

/// Returns true for nothing, a greeting or a name, at which an everyday question may begin: a name of lower-case words is the begin
/// of another sentence.
fn is_call(before: &str) -> bool {
    let mut parts = before.split_whitespace();
    parts.all(|part| {
        let word = part.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '@');
        let is_name = word.starts_with(|letter: char| letter == '@' || letter.is_uppercase());
        let lower = word.to_lowercase();
        let is_pronoun = ["i", "he", "she", "they", "we", "it", "you"].contains(&lower.as_str());
        let is_greeting = GREETINGS.split_whitespace().any(|it| it == lower);
        word.is_empty() || is_greeting || (is_name && !is_pronoun)
    })
}

/// The name in the words before a question. The outer `None`: these are neither a greeting nor a name, and the question is
/// to another agent.
#[expect(
    clippy::option_option,
    reason = "no question, a question without a name, a question with a name"
)]
fn addressee(before: &str) -> Option<Option<String>> {
    let before = before.trim();
    let body = before.trim_end_matches([',', ':', '!', '-', '\u{2014}', '\u{2013}']);
    let is_set_off = body.len() < before.len();
    let mut greeted = false;
    let mut name = Vec::new();
    for part in body.split_whitespace() {
        let part = part.trim_matches([',', '!', '"', '*', '(', '\u{201c}']);
        let word = part.to_lowercase();
        if GREETINGS.split_whitespace().any(|it| it == word) {
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
