//! The text grammar (docs/format/transports.md §3): `@agent memory_request: …` and `@agent memory_response: …`.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::iter::Peekable;
use core::str::Lines;

use super::layout::Layout;
use super::{MAX_KEYWORDS, MAX_PROPOSALS, MessageProposal, ProposalSource, ProposedResult};
use crate::checks::is_suspicious;
use crate::documents::{MemoryQuery, Text};

/// Opens a question, after the name.
pub(super) const REQUEST: &str = "memory_request:";
/// Opens an answer, after the name.
pub(super) const RESPONSE: &str = "memory_response:";
/// The lines below a memory.
pub(super) const SOURCE: &str = "Source:";
pub(super) const VOUCH: &str = "Vouch:";
pub(super) const ID: &str = "Id:";
/// The lines below a question.
pub(super) const DOMAIN: &str = "domain:";
pub(super) const KEYWORDS: &str = "keywords:";
pub(super) const MAX: &str = "max:";

const MAX_RESULTS: usize = 100;
const MAX_SOURCES: usize = 16;
const MAX_VOUCHES: usize = 8;
/// Most characters of a decimal.
const MAX_DECIMAL: usize = 24;

/// Proposals of a message that uses the grammar. A part that begins in the grammar and breaks it gives no proposal: nothing
/// is guessed.
pub(super) fn read(layout: &Layout<'_>) -> Vec<MessageProposal> {
    let mut found = Vec::new();
    for paragraph in &layout.paragraphs {
        let mut lines = paragraph.lines().peekable();
        while let Some(line) = lines.next() {
            let Some((agent, text)) = line.strip_prefix('@').and_then(|it| it.split_once(' '))
            else {
                continue;
            };
            if !(1..=128).contains(&agent.len())
                || agent.contains(char::is_whitespace)
                || is_suspicious(agent)
            {
                continue;
            }
            if let Some(question) = value(text, REQUEST) {
                found.extend(request(agent, question, &mut lines));
            } else if let Some(text) = value(text, RESPONSE) {
                found.extend(response(agent, text, &mut lines));
            }
            if found.len() >= MAX_PROPOSALS {
                return found;
            }
        }
    }
    found
}

/// The text after a name and a space.
fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    Some(line.strip_prefix(name)?.strip_prefix(' ')?.trim())
}

/// The value of the next line, if it has this name.
fn next_value<'a>(lines: &mut Peekable<Lines<'a>>, name: &str) -> Option<&'a str> {
    let found = value(lines.peek()?, name)?;
    lines.next();
    Some(found)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

fn request(
    agent: &str,
    question: &str,
    lines: &mut Peekable<Lines<'_>>,
) -> Option<MessageProposal> {
    let natural = Text::new(question).ok()?;
    let domain = match next_value(lines, DOMAIN) {
        Some(domain) => Some(domain.parse().ok()?),
        None => None,
    };
    let mut keywords = Vec::new();
    if let Some(words) = next_value(lines, KEYWORDS) {
        for word in words.split(',') {
            if keywords.len() >= MAX_KEYWORDS {
                return None;
            }
            keywords.push(Text::new(word.trim()).ok()?);
        }
    }
    let max_results = match next_value(lines, MAX) {
        Some(max) if max.len() <= 3 && is_digits(max) => {
            Some(max.parse().ok().filter(|max| (1..=100).contains(max))?)
        }
        Some(_) => return None,
        None => None,
    };
    Some(MessageProposal::Question {
        source: ProposalSource::Grammar,
        addressee: Some(agent.into()),
        query: MemoryQuery {
            domain,
            keywords,
            ..MemoryQuery::new(natural)
        },
        max_results,
    })
}

fn response(agent: &str, text: &str, lines: &mut Peekable<Lines<'_>>) -> Option<MessageProposal> {
    let text = Text::new(text).ok()?;
    let mut results = Vec::new();
    // The list is numbered from 1; another number ends it.
    while let Some((_, memory)) = lines.peek().and_then(|line| {
        let due = results.len().saturating_add(1).to_string();
        line.split_once(". ").filter(|(number, _)| *number == due)
    }) {
        lines.next();
        if results.len() >= MAX_RESULTS {
            return None;
        }
        results.push(result(memory.trim(), lines)?);
    }
    Some(MessageProposal::Answer {
        source: ProposalSource::Grammar,
        addressee: Some(agent.into()),
        text,
        results,
    })
}

/// A memory of the list: its relevance, its text, and the lines below it.
fn result(memory: &str, lines: &mut Peekable<Lines<'_>>) -> Option<ProposedResult> {
    let (relevance, claim) = match memory.strip_prefix('[') {
        Some(bracket) => {
            let (number, claim) = bracket.split_once("] ")?;
            let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
            let fits = number.len() <= MAX_DECIMAL && is_digits(whole) && is_digits(fraction);
            let number: f64 = fits.then(|| number.parse().ok()).flatten()?;
            ((0.0..=1.0).contains(&number)).then_some((Some(number), claim.trim()))?
        }
        None => (None, memory),
    };
    let claim = Text::new(claim).ok()?;
    let (mut sources, mut vouches, mut id) = (Vec::new(), Vec::new(), None);
    while let Some(line) = lines.peek() {
        if let Some(source) = value(line, SOURCE) {
            sources.push(Text::new(source).ok()?);
        } else if let Some(vouch) = value(line, VOUCH) {
            vouches.push(Text::new(vouch).ok()?);
        } else if let Some(named) = value(line, ID) {
            if id.replace(Text::new(named).ok()?).is_some() {
                return None;
            }
        } else {
            break;
        }
        if sources.len() > MAX_SOURCES || vouches.len() > MAX_VOUCHES {
            return None;
        }
        lines.next();
    }
    Some(ProposedResult {
        relevance,
        claim,
        context: None,
        sources,
        vouches,
        id,
    })
}
