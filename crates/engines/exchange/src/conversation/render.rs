//! From a document to plain text that the interpreter reads back.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Display, Write as _};

use super::grammar::{self, DOMAIN, ID, KEYWORDS, MAX, REQUEST, RESPONSE, SOURCE, VOUCH};
use super::layout::Layout;
use super::{
    MAX_MESSAGE_BYTES, MessageProposal, ProposalBody, ProposalSource, ProposedRequest,
    ProposedResponse, ProposedResult,
};
use crate::documents::{Filters, Preferences, Request, Response, StatusCode, Text};

/// Writes a document as a fenced block, which is read back byte for byte. `None`: it is longer than a message.
#[must_use]
pub fn block(document: &[u8]) -> Option<String> {
    let text = core::str::from_utf8(document).ok()?;
    let message = format!("```json\n{text}\n```\n");
    (message.len() <= MAX_MESSAGE_BYTES).then_some(message)
}

/// Writes a question as text, to the agent called `to`. `None`: the text form lacks a member of it; send the JSON block.
///
/// Name, nonce, times and proof are left out: a reader of the text has an unsigned question.
#[must_use]
pub fn render_request(to: &str, request: &Request) -> Option<String> {
    let parts = request.parts();
    let (query, preferences) = (&parts.query, &parts.preferences);
    let usual = Preferences::default();
    let max_results =
        (preferences.max_results != usual.max_results).then_some(preferences.max_results);
    let plain = Preferences {
        max_results: preferences.max_results,
        ..usual
    };
    if query.time_range.is_some() || query.filters != Filters::default() || *preferences != plain {
        return None;
    }
    let question = ProposedRequest {
        natural: query.natural.clone(),
        domain: query.domain.clone(),
        keywords: query.keywords.clone(),
        max_results,
    };
    question.render(to)
}

/// Writes an answer as text. `None`: the text form lacks a member of it.
///
/// The text has content, relevance, URLs, id and vouchers of each memory, and no proofs, receipts or dates: a reader of the
/// text has unsigned testimony.
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
    let mut results = Vec::new();
    for result in &parts.results {
        let attestation = result.attestation.parts();
        // Without its circumstances a claim has another meaning.
        if attestation.claim.context.is_some() {
            return None;
        }
        let vouches = result.vouches.iter().map(|vouch| {
            let voucher = &vouch.parts().voucher;
            Text::new(format!("{} ({})", voucher.agent_id, voucher.public_key)).ok()
        });
        let urls = attestation.evidence.iter();
        results.push(ProposedResult {
            relevance: result.relevance,
            claim: attestation.claim.content.clone(),
            context: None,
            sources: urls.map(|evidence| evidence.url.clone()).collect(),
            vouches: vouches.collect::<Option<_>>()?,
            id: Some(result.memory_id.clone()),
        });
    }
    let answer = ProposedResponse {
        text: text.ok()?,
        results,
    };
    answer.render(to)
}

impl ProposedRequest {
    /// Writes the question in the grammar. `None`: the grammar would not give it back.
    #[must_use]
    pub fn render(&self, to: &str) -> Option<String> {
        let mut text = format!("@{to} {REQUEST} {}\n", self.natural);
        if let Some(domain) = &self.domain {
            line(&mut text, DOMAIN, domain);
        }
        if !self.keywords.is_empty() {
            let words: Vec<&str> = self.keywords.iter().map(Text::as_str).collect();
            line(&mut text, KEYWORDS, words.join(", "));
        }
        if let Some(max) = self.max_results {
            line(&mut text, MAX, max);
        }
        read_back(text, to, ProposalBody::Question(self.clone()))
    }
}

impl ProposedResponse {
    /// Writes the answer in the grammar. `None`: the grammar would not give it back.
    #[must_use]
    pub fn render(&self, to: &str) -> Option<String> {
        let mut text = format!("@{to} {RESPONSE} {}\n", self.text);
        for (number, result) in (1_usize..).zip(&self.results) {
            let number = format!("{number}.");
            match result.relevance {
                Some(relevance) => {
                    let claim = format!("[{relevance}] {}", result.claim);
                    line(&mut text, &number, claim);
                }
                None => line(&mut text, &number, &result.claim),
            }
            for source in &result.sources {
                line(&mut text, SOURCE, source);
            }
            for vouch in &result.vouches {
                line(&mut text, VOUCH, vouch);
            }
            if let Some(id) = &result.id {
                line(&mut text, ID, id);
            }
        }
        read_back(text, to, ProposalBody::Answer(self.clone()))
    }
}

fn line(text: &mut String, name: &str, value: impl Display) {
    // To write into a text cannot fail.
    let _ = writeln!(text, "{name} {value}");
}

/// The text, if the grammar reads exactly this back.
fn read_back(text: String, to: &str, body: ProposalBody) -> Option<String> {
    if text.len() > MAX_MESSAGE_BYTES {
        return None;
    }
    let meant = MessageProposal {
        source: ProposalSource::Grammar,
        addressee: Some(to.into()),
        body,
    };
    (grammar::read(&Layout::of(&text)) == [meant]).then_some(text)
}
