//! From a document to plain text that the interpreter reads back.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::grammar::{DOMAIN, ID, KEYWORDS, MAX, REQUEST, RESPONSE, SOURCE, VOUCH};
use super::interpret::MAX_MESSAGE_BYTES;
use super::layout::Layout;
use super::{
    Heard, Proposal, Proposed, ProposedRequest, ProposedResponse, ProposedResult, grammar,
};
use crate::documents::{Filters, Preferences, Request, Response, ResultParts, StatusCode, Text};

/// A document as a fenced block, which is read back byte for byte.
#[must_use]
pub fn block(document: &[u8]) -> Option<String> {
    let text = core::str::from_utf8(document).ok()?;
    let message = format!("```json\n{text}\n```\n");
    (message.len() <= MAX_MESSAGE_BYTES).then_some(message)
}

/// A question as text, for whoever is called `to`. `None`: it holds more than text can say; send the JSON block.
///
/// Name, nonce, times and proof are not said: whoever reads the text hears an unsigned question.
#[must_use]
pub fn render_request(to: &str, request: &Request) -> Option<String> {
    let parts = request.parts();
    let (query, preferences) = (&parts.query, &parts.preferences);
    let plain = Preferences {
        max_results: preferences.max_results,
        ..Preferences::default()
    };
    if query.time_range.is_some() || query.filters != Filters::default() || *preferences != plain {
        return None;
    }
    let asks_for = preferences.max_results;
    let question = ProposedRequest {
        natural: query.natural.clone(),
        domain: query.domain.clone(),
        keywords: query.keywords.clone(),
        max_results: (asks_for != Preferences::default().max_results).then_some(asks_for),
    };
    question.render(to)
}

/// An answer as text. `None`: it holds more than text can say.
///
/// What is said of each memory is its content, relevance, URLs and id, and who vouches. Proofs, receipts and dates are not:
/// whoever reads the text hears unsigned testimony.
#[must_use]
pub fn render_response(to: &str, response: &Response) -> Option<String> {
    let parts = response.parts();
    let text = match (&parts.status.message, parts.status.code) {
        (Some(message), _) => Text::new(message.as_str()),
        (None, StatusCode::Success | StatusCode::Partial) => Text::new("This is what I know."),
        (None, StatusCode::NoMatch) => Text::new("I know nothing of it that I may tell."),
        (None, StatusCode::Declined) => Text::new("I do not want to say."),
        (None, StatusCode::Error) => Text::new("I cannot answer now; ask again later."),
    };
    let results = parts.results.iter().map(said).collect::<Option<Vec<_>>>()?;
    ProposedResponse {
        text: text.ok()?,
        results,
    }
    .render(to)
}

/// What text says of a memory. Circumstances would be lost, and with them what is meant.
fn said(result: &ResultParts) -> Option<ProposedResult> {
    let attestation = result.attestation.parts();
    if attestation.claim.context.is_some() {
        return None;
    }
    let vouches = result.vouches.iter().map(|vouch| {
        let (name, key) = &vouch.parts().voucher;
        Text::new(format!("{name} ({key})")).ok()
    });
    Some(ProposedResult {
        relevance: result.relevance,
        claim: attestation.claim.content.clone(),
        context: None,
        sources: attestation
            .evidence
            .iter()
            .map(|evidence| evidence.url.clone())
            .collect(),
        vouches: vouches.collect::<Option<_>>()?,
        id: Some(result.memory_id.clone()),
    })
}

impl ProposedRequest {
    /// The question in the grammar. `None`: the grammar cannot say it, or would say something else.
    #[must_use]
    pub fn render(&self, to: &str) -> Option<String> {
        let mut text = format!("@{to} {REQUEST} {}\n", self.natural);
        if let Some(domain) = &self.domain {
            line(&mut text, DOMAIN, domain.as_str());
        }
        if !self.keywords.is_empty() {
            let words: Vec<&str> = self.keywords.iter().map(Text::as_str).collect();
            line(&mut text, KEYWORDS, &words.join(", "));
        }
        if let Some(max) = self.max_results {
            line(&mut text, MAX, &max.to_string());
        }
        read_back(text, to, Proposed::Question(self.clone()))
    }
}

impl ProposedResponse {
    /// The answer in the grammar. `None`: the grammar cannot say it, or would say something else.
    #[must_use]
    pub fn render(&self, to: &str) -> Option<String> {
        let mut text = format!("@{to} {RESPONSE} {}\n", self.text);
        for (before, result) in self.results.iter().enumerate() {
            let relevance = result
                .relevance
                .map(|relevance| format!("[{relevance}] "))
                .unwrap_or_default();
            line(
                &mut text,
                &format!("{}.", before.saturating_add(1)),
                &format!("{relevance}{}", result.claim),
            );
            for source in &result.sources {
                line(&mut text, SOURCE, source.as_str());
            }
            for vouch in &result.vouches {
                line(&mut text, VOUCH, vouch.as_str());
            }
            if let Some(id) = &result.id {
                line(&mut text, ID, id.as_str());
            }
        }
        read_back(text, to, Proposed::Answer(self.clone()))
    }
}

fn line(text: &mut String, name: &str, value: &str) {
    // To write into a text cannot fail.
    let _ = writeln!(text, "{name} {value}");
}

/// The text, if whoever reads it hears this and nothing else.
fn read_back(text: String, to: &str, what: Proposed) -> Option<String> {
    if text.len() > MAX_MESSAGE_BYTES {
        return None;
    }
    let meant = Proposal {
        heard: Heard::Grammar,
        addressee: Some(to.into()),
        what,
    };
    let heard = grammar::read(&Layout::of(&text));
    (heard == [meant]).then_some(text)
}
