//! Questions and answers by template: `what do you know about …`, `Here's what I know: … Source: …` (MRP "Minimal
//! Implementation").

use alloc::string::String;
use alloc::vec::Vec;

use super::layout::Layout;
use super::words::{Word, prefix_length, sentences, subject, words};
use super::{MAX_PROPOSALS, MessageProposal, ProposalSource, ProposedResult};
use crate::documents::{Domain, MemoryQuery, Text};

/// Beginnings of questions, longer ones before shorter ones. `*` is one to six words.
const QUESTIONS: [&str; 34] = [
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
/// A template begins at one of so many words of a sentence.
const MAX_BEFORE: usize = 6;
/// Most words of a name.
const MAX_NAME: usize = 3;
/// Words before a name, or in place of one.
const GREETINGS: &str = "hey hi hello dear good morning afternoon evening there yo ok okay so well and also thanks hmm \
    greetings now oh again";
/// Announcements of a memory, in lower case.
const ANNOUNCEMENTS: [&str; 8] = [
    "here's what i know:",
    "here\u{2019}s what i know:",
    "here is what i know:",
    "this is what i know:",
    "what i know:",
    "what i remember:",
    "key insight:",
    "i remember:",
];
/// Announcements of a source, in lower case.
const SOURCES: [&str; 7] = [
    "source:",
    "here's my note:",
    "here\u{2019}s my note:",
    "here is my note:",
    "my note:",
    "link:",
    "see:",
];

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
    let (first, last) = (0..MAX_BEFORE).find_map(|at| {
        let rest = words.get(at..)?;
        let length = QUESTIONS
            .iter()
            .find_map(|template| prefix_length(rest, template))?;
        Some((rest.first()?, rest.get(length.checked_sub(1)?)?))
    })?;
    let addressee = addressee(sentence.get(..first.from)?)?;
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

/// The answer of a message: the first paragraph that announces one, word for word.
pub(super) fn answer(layout: &Layout<'_>) -> Option<MessageProposal> {
    layout.paragraphs.iter().find_map(|paragraph| {
        let (before, cue, memory) = cut(paragraph, &ANNOUNCEMENTS)?;
        let (claim, source, context) = match cut(memory, &SOURCES) {
            Some((claim, _, after)) => {
                let after = after.trim_start();
                let end = after.find(char::is_whitespace).unwrap_or(after.len());
                let (word, context) = after.split_at_checked(end).unwrap_or((after, ""));
                let source = word.trim_end_matches(['.', ',', ';', '!', '?']);
                (claim, Text::new(source).ok(), context)
            }
            None => (memory, None, ""),
        };
        let text = match before.trim() {
            "" => cue.trim(),
            before => before,
        };
        let result = ProposedResult {
            relevance: None,
            claim: Text::new(claim.trim()).ok()?,
            context: Text::new(context.trim()).ok(),
            sources: source.into_iter().collect(),
            vouches: Vec::new(),
            id: None,
        };
        Some(MessageProposal::Answer {
            source: ProposalSource::Template,
            addressee: None,
            text: Text::new(text).ok()?,
            results: Vec::from([result]),
        })
    })
}

/// The text before the first cue at the beginning of a word, the cue in letters of either case, and the text after it.
fn cut<'a>(text: &'a str, cues: &[&str]) -> Option<(&'a str, &'a str, &'a str)> {
    let mut begins = true;
    for (at, letter) in text.char_indices() {
        let (before, rest) = text.split_at_checked(at)?;
        let found = cues.iter().filter(|_| begins).find_map(|cue| {
            let (head, after) = rest.split_at_checked(cue.len())?;
            head.eq_ignore_ascii_case(cue).then_some((head, after))
        });
        if let Some((cue, after)) = found {
            return Some((before, cue, after));
        }
        begins = letter.is_whitespace();
    }
    None
}
