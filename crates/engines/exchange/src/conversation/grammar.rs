//! The text grammar (docs/format/transports.md §3): `@agent memory_request: …` and `@agent memory_response: …`.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::iter::Peekable;
use core::str::Lines;

use super::interpret::MAX_PROPOSALS;
use super::layout::Layout;
use super::words::MAX_KEYWORDS;
use super::{Heard, Proposal, Proposed, ProposedRequest, ProposedResponse, ProposedResult};
use crate::checks::is_suspicious;
use crate::documents::Text;

/// What opens a question, after the name.
pub(super) const REQUEST: &str = "memory_request:";
/// What opens an answer, after the name.
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
/// The most characters of a decimal.
const MAX_DECIMAL: usize = 24;

/// What a message says in the grammar. What begins so and goes on wrongly says nothing: it is not guessed at.
pub(super) fn read(layout: &Layout<'_>) -> Vec<Proposal> {
    let mut found = Vec::new();
    for paragraph in &layout.paragraphs {
        let mut lines = paragraph.lines().peekable();
        while let Some(line) = lines.next() {
            let Some((agent, said)) = heading(line) else {
                continue;
            };
            let what = match said {
                Said::Request(question) => request(question, &mut lines).map(Proposed::Question),
                Said::Response(text) => response(text, &mut lines).map(Proposed::Answer),
            };
            let addressee = Some(agent.to_string());
            found.extend(what.map(|what| Proposal {
                heard: Heard::Grammar,
                addressee,
                what,
            }));
            if found.len() >= MAX_PROPOSALS {
                return found;
            }
        }
    }
    found
}

enum Said<'a> {
    Request(&'a str),
    Response(&'a str),
}

/// `@agent memory_request: …`, from the first character of a line on.
fn heading(line: &str) -> Option<(&str, Said<'_>)> {
    let (agent, said) = line.strip_prefix('@')?.split_once(' ')?;
    let request = value(said, REQUEST).map(Said::Request);
    let said = request.or_else(|| value(said, RESPONSE).map(Said::Response))?;
    is_name(agent).then_some((agent, said))
}

/// Is this a name as it may stand after `@`: 1 to 128 bytes without spaces or hidden characters?
fn is_name(agent: &str) -> bool {
    (1..=128).contains(&agent.len())
        && !agent.contains(char::is_whitespace)
        && !is_suspicious(agent)
}

/// What stands after a name and a space.
fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    Some(line.strip_prefix(name)?.strip_prefix(' ')?.trim())
}

/// The value of the next line, if it has this name.
fn next_value<'a>(lines: &mut Peekable<Lines<'a>>, name: &str) -> Option<&'a str> {
    let found = value(lines.peek()?, name)?;
    lines.next();
    Some(found)
}

fn request(question: &str, lines: &mut Peekable<Lines<'_>>) -> Option<ProposedRequest> {
    let natural = Text::new(question).ok()?;
    let domain = match next_value(lines, DOMAIN) {
        Some(domain) => Some(domain.parse().ok()?),
        None => None,
    };
    let keywords = match next_value(lines, KEYWORDS) {
        Some(words) => keywords(words)?,
        None => Vec::new(),
    };
    let max_results = match next_value(lines, MAX) {
        Some(max) => Some(max_results(max)?),
        None => None,
    };
    Some(ProposedRequest {
        natural,
        domain,
        keywords,
        max_results,
    })
}

/// Words with commas between them.
fn keywords(words: &str) -> Option<Vec<Text<64>>> {
    let mut found = Vec::new();
    for word in words.split(',') {
        if found.len() >= MAX_KEYWORDS {
            return None;
        }
        found.push(Text::new(word.trim()).ok()?);
    }
    Some(found)
}

fn max_results(digits: &str) -> Option<u8> {
    let is_plain =
        (1..=3).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    let max = is_plain.then(|| digits.parse::<u8>().ok()).flatten()?;
    (1..=100).contains(&max).then_some(max)
}

fn response(text: &str, lines: &mut Peekable<Lines<'_>>) -> Option<ProposedResponse> {
    let text = Text::new(text).ok()?;
    let mut results = Vec::new();
    while let Some(said) = lines.peek().and_then(|line| numbered(line, results.len())) {
        lines.next();
        if results.len() >= MAX_RESULTS {
            return None;
        }
        results.push(result(said, lines)?);
    }
    Some(ProposedResponse { text, results })
}

/// What stands in the list after the number that is due.
fn numbered(line: &str, before: usize) -> Option<&str> {
    let (number, said) = line.split_once(". ")?;
    let due = before.saturating_add(1).to_string();
    (number == due).then(|| said.trim())
}

/// A memory of the list: its relevance, what is said, and the lines below it.
fn result(said: &str, lines: &mut Peekable<Lines<'_>>) -> Option<ProposedResult> {
    let (relevance, claim) = match said.strip_prefix('[') {
        Some(bracket) => {
            let (number, claim) = bracket.split_once("] ")?;
            (Some(decimal(number)?), claim.trim())
        }
        None => (None, said),
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

/// A number from 0 to 1 in plain digits.
fn decimal(text: &str) -> Option<f64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_plain =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let fits = text.len() <= MAX_DECIMAL && is_plain(whole) && is_plain(fraction);
    let number: f64 = fits.then(|| text.parse().ok()).flatten()?;
    (0.0..=1.0).contains(&number).then_some(number)
}
