//! Answers in words: `Here's what I know: … Source: …`, `as far as I know, …`, `I don't know anything about that` (MRP "Minimal
//! Implementation"). The words of a memory stay as they are.

use alloc::vec::Vec;

use super::layout::Layout;
use super::words::{Word, keyword_count, prefix_length, sentences, words};
use super::{MessageProposal, ProposalSource, ProposedResult};
use crate::documents::{StatusCode, Text};

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
/// Beginnings of a statement that is an answer.
const STATEMENTS: [&str; 20] = [
    "as far as i know",
    "as far as i remember",
    "as far as i can tell",
    "to my knowledge",
    "if i remember correctly",
    "if i recall correctly",
    "from what i know",
    "from what i remember",
    "from my notes",
    "my notes say that",
    "my notes say",
    "i remember that",
    "i recall that",
    "i know that",
    "i noted that",
    "i was told that",
    "i believe that",
    "i believe",
    "i think that",
    "i think",
];
/// Words that answer a question, with a comma or the like after them.
const REPLIES: [&str; 7] = ["yes", "yeah", "yep", "no", "nope", "sure", "of course"];
/// Words of a statement to the reader, or about the moment, which is no memory.
const PERSONAL: &str = "you your you're you'll me i'll let's lets we'll";
/// First words of a statement that is no memory.
const NOT_OF_A_FACT: &str = "i so i'd i've i'm not we should";
/// Ways to say that nothing is known.
const UNKNOWN: [&str; 14] = [
    "i don't know",
    "i do not know",
    "i don't remember",
    "i do not remember",
    "i can't remember",
    "i know nothing",
    "i have no idea",
    "i have no memory",
    "i have no notes",
    "i have nothing on",
    "i have nothing about",
    "no idea",
    "not that i know",
    "never heard of",
];
/// Ways to decline to answer.
const DECLINED: [&str; 14] = [
    "i'd rather not say",
    "i'd rather not tell",
    "i would rather not say",
    "i'd prefer not to say",
    "i do not want to say",
    "i don't want to say",
    "i can't share",
    "i cannot share",
    "i can't tell you",
    "i cannot tell you",
    "i can't talk about",
    "i won't say",
    "i'm not allowed to say",
    "i'm not allowed to share",
];
/// Words before a link that a statement points to.
const POINTERS: [&str; 7] = [
    "see",
    "see also",
    "cf",
    "from",
    "via",
    "source",
    "according to",
];
/// Most words after a statement of ignorance or a refusal.
const MAX_AFTER: usize = 6;

/// The answer of a message: the first paragraph that has one.
pub(super) fn answer(layout: &Layout<'_>) -> Option<MessageProposal> {
    let mut paragraphs = layout.paragraphs.iter();
    paragraphs.find_map(|paragraph| {
        let paragraph = paragraph.trim();
        announced(paragraph)
            .or_else(|| nothing(paragraph))
            .or_else(|| stated(paragraph))
    })
}

/// The status that an answer without memories has by its words.
pub(super) fn status_of(text: &str) -> StatusCode {
    let words: Vec<Word> = words(text).collect();
    match beginning(&words, &DECLINED) {
        Some(_) => StatusCode::Declined,
        None => StatusCode::NoMatch,
    }
}

fn proposal(text: &str, results: Vec<ProposedResult>) -> Option<MessageProposal> {
    Some(MessageProposal::Answer {
        source: ProposalSource::Template,
        addressee: None,
        text: Text::new(text).ok()?,
        results,
    })
}

fn result(claim: &str, source: Option<&str>, context: &str) -> Option<ProposedResult> {
    Some(ProposedResult {
        relevance: None,
        claim: Text::new(claim.trim()).ok()?,
        context: Text::new(context.trim()).ok(),
        sources: source
            .and_then(|url| Text::new(url).ok())
            .into_iter()
            .collect(),
        vouches: Vec::new(),
        id: None,
    })
}

/// Number of words of the template that they begin with, after an apology.
fn beginning(words: &[Word], templates: &[&str]) -> Option<usize> {
    let apology = ["sorry but", "sorry", "unfortunately", "hmm"].iter();
    let skipped = apology.filter_map(|it| prefix_length(words, it)).max();
    let rest = words.get(skipped.unwrap_or_default()..)?;
    let mut templates = templates.iter();
    let length = templates.find_map(|template| prefix_length(rest, template))?;
    Some(skipped.unwrap_or_default().saturating_add(length))
}

fn is_in(list: &str, word: &Word) -> bool {
    list.split_ascii_whitespace().any(|it| it == word.text)
}

/// A paragraph that only states ignorance or declines.
fn nothing(paragraph: &str) -> Option<MessageProposal> {
    let words: Vec<Word> = words(paragraph).collect();
    let length = beginning(&words, &UNKNOWN).or_else(|| beginning(&words, &DECLINED))?;
    let after = words.get(length..)?;
    // `I don't know about you, but …`, `no idea what to cook`.
    let is_other = after.iter().any(|word| is_in("you i we to", word));
    let ends = after.len() <= MAX_AFTER && sentences(paragraph).count() == 1;
    (ends && !is_other && !paragraph.ends_with('?')).then(|| proposal(paragraph, Vec::new()))?
}

/// A statement with a beginning of an answer, or with a link that it points to.
fn stated(paragraph: &str) -> Option<MessageProposal> {
    let (text, source) = without_link(paragraph);
    let words: Vec<Word> = words(text).collect();
    let set_off = |length: &usize| {
        let last = words.get(length.checked_sub(1)?)?;
        let rest = text.get(last.until..)?;
        rest.starts_with([',', ':', '!', '.', ';']).then_some(())
    };
    let of = |templates: &[&str]| {
        let mut templates = templates.iter();
        templates.find_map(|template| prefix_length(&words, template))
    };
    let replied = of(&REPLIES).filter(|length| set_off(length).is_some());
    let length = match of(&STATEMENTS).or(replied) {
        Some(length) => length,
        None => source.is_some().then_some(0)?,
    };
    let facts = words.get(length..)?;
    let first = facts.first()?;
    let is_personal = facts.iter().any(|word| is_in(PERSONAL, word));
    // A statement that points to a source may be about its writer.
    let is_of_moment = source.is_none() && replied.is_none() && is_in(NOT_OF_A_FACT, first);
    let is_of_writer = replied.is_some() && is_in("i i'll i'd i'm i've", first);
    let has_enough = facts.len() > 2 && keyword_count(facts) > 1;
    let of_writer = of(&["from my notes", "my notes say", "my notes say that"]).is_some();
    let refused = is_personal || ((is_of_moment || is_of_writer) && !of_writer);
    if refused || !has_enough || text.trim_end().ends_with('?') {
        return None;
    }
    let claim = text.get(first.from..)?;
    proposal(paragraph, Vec::from([result(claim, source, "")?]))
}

/// A text without the link that it points to: `…, see URL`, `… (URL)`, `… Source: URL`, `According to URL, …`. A link elsewhere in it
/// is a part of the text.
fn without_link(text: &str) -> (&str, Option<&str>) {
    let none = (text, None);
    let Some(at) = text.find("https://").or_else(|| text.find("http://")) else {
        return none;
    };
    let Some((before, link)) = text.split_at_checked(at) else {
        return none;
    };
    let end = link.find(|letter: char| letter.is_whitespace() || matches!(letter, ')' | ']' | '>'));
    let (link, after) = link
        .split_at_checked(end.unwrap_or(link.len()))
        .unwrap_or((link, ""));
    let url = link.trim_end_matches(['.', ',', ';', '!', '?', ':']);
    let after = after.trim_start_matches([')', ']', '>']);
    let opened = before.trim_end();
    let bracket = opened.strip_suffix(['(', '[', '<']);
    let words: Vec<Word> = words(opened).collect();
    let pointer = (1..=2).rev().find_map(|count| {
        let from = words.len().checked_sub(count)?;
        let last = words.get(from..)?;
        let mut pointers = POINTERS.iter();
        let is_one = pointers.any(|it| prefix_length(last, it) == Some(count));
        is_one.then_some(last.first()?.from)
    });
    let is_over = after.trim().trim_matches(['.', '!']).is_empty();
    match (bracket, pointer) {
        (_, Some(0)) if !is_over => (after.trim_start(), Some(url)),
        (_, Some(from)) if is_over && from > 0 => {
            let claim = text.get(..from).unwrap_or_default();
            (
                claim
                    .trim_end()
                    .trim_end_matches([',', ';', '(', '-', '\u{2013}', '\u{2014}']),
                Some(url),
            )
        }
        (Some(claim), _) if is_over => (claim.trim_end(), Some(url)),
        _ => none,
    }
}

/// A paragraph that announces a memory, or names its source.
fn announced(paragraph: &str) -> Option<MessageProposal> {
    let (before, cue, memory) = cut(paragraph, &ANNOUNCEMENTS)?;
    let (claim, source, context) = match cut(memory, &SOURCES) {
        Some((claim, _, after)) => {
            let after = after.trim_start();
            let end = after.find(char::is_whitespace).unwrap_or(after.len());
            let (word, context) = after.split_at_checked(end).unwrap_or((after, ""));
            let source = word.trim_end_matches(['.', ',', ';', '!', '?']);
            (claim, Some(source), context)
        }
        None => (memory, None, ""),
    };
    let text = match before.trim() {
        "" => cue.trim(),
        before => before,
    };
    let result = result(claim, source, context)?;
    proposal(text, Vec::from([result]))
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
