//! An answer by template: `Here's what I know: … Source: …` (MRP "Minimal Implementation").

use alloc::vec::Vec;

use super::layout::Layout;
use super::{Heard, Proposal, Proposed, ProposedResponse, ProposedResult};
use crate::documents::Text;

/// What a memory is announced with, in lower case.
const ANNOUNCED: [&str; 8] = [
    "here's what i know:",
    "here\u{2019}s what i know:",
    "here is what i know:",
    "this is what i know:",
    "what i know:",
    "what i remember:",
    "key insight:",
    "i remember:",
];
/// What a source is announced with, in lower case.
const SOURCES: [&str; 7] = [
    "source:",
    "here's my note:",
    "here\u{2019}s my note:",
    "here is my note:",
    "my note:",
    "link:",
    "see:",
];

/// The answer of a message: the first paragraph that announces one. It is as it stands there: nothing is put into other
/// words.
pub(super) fn read(layout: &Layout<'_>) -> Option<Proposal> {
    layout.paragraphs.iter().find_map(|paragraph| {
        let what = Proposed::Answer(answer(paragraph)?);
        Some(Proposal {
            heard: Heard::Template,
            addressee: None,
            what,
        })
    })
}

fn answer(paragraph: &str) -> Option<ProposedResponse> {
    let (before, cue, said) = cut(paragraph, &ANNOUNCED)?;
    let (claim, source, context) = match cut(said, &SOURCES) {
        Some((claim, _, after)) => {
            let (source, context) = first_word(after);
            (claim, source, context)
        }
        None => (said, None, ""),
    };
    let text = if before.trim().is_empty() {
        cue
    } else {
        before
    };
    let result = ProposedResult {
        relevance: None,
        claim: Text::new(claim.trim()).ok()?,
        context: Text::new(context.trim()).ok(),
        sources: source.into_iter().collect(),
        vouches: Vec::new(),
        id: None,
    };
    Some(ProposedResponse {
        text: Text::new(text.trim()).ok()?,
        results: Vec::from([result]),
    })
}

/// The text before the first of these at the beginning of a word, that itself, and the text after it.
fn cut<'a>(text: &'a str, cues: &[&str]) -> Option<(&'a str, &'a str, &'a str)> {
    let mut begins = true;
    for (at, letter) in text.char_indices() {
        let (before, rest) = text.split_at_checked(at)?;
        let cue = cues.iter().filter(|_| begins).find(|cue| is_at(rest, cue));
        if let Some((cue, after)) = cue.and_then(|cue| rest.split_at_checked(cue.len())) {
            return Some((before, cue, after));
        }
        begins = letter.is_whitespace();
    }
    None
}

/// Does a text begin with a cue, in letters of either case?
fn is_at(text: &str, cue: &str) -> bool {
    text.get(..cue.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(cue))
}

/// A source, without what ends its sentence, and the text after it.
fn first_word(text: &str) -> (Option<Text<2048>>, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let source = word.trim_end_matches(['.', ',', ';', '!', '?']);
    (Text::new(source).ok(), rest)
}
