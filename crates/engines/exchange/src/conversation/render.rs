//! From a document to plain text that the interpreter reads back.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Display, Write as _};

use super::grammar::{self, DOMAIN, ID, KEYWORDS, MAX, REQUEST, RESPONSE, SOURCE, VOUCH};
use super::layout::Layout;
use super::{MAX_MESSAGE_BYTES, MessageProposal, ProposalSource, ProposedResult};
use crate::documents::{Preferences, Request, Response, StatusCode, Text};

/// Writes a document as a fenced block, which is read back byte for byte. `None`: it is longer than a message.
pub fn block(document: &[u8]) -> Option<String> {
    let text = core::str::from_utf8(document).ok()?;
    let message = format!("```json\n{text}\n```\n");
    (message.len() <= MAX_MESSAGE_BYTES).then_some(message)
}

/// Writes a question as text, to the agent called `to`. `None`: the text form lacks a member of it; send the JSON block.
///
/// Name, nonce, times and proof are left out: a reader of the text has an unsigned question.
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
    if *preferences != plain {
        return None;
    }
    let mut text = format!("@{to} {REQUEST} {}\n", query.natural);
    if let Some(domain) = &query.domain {
        line(&mut text, DOMAIN, domain);
    }
    if !query.keywords.is_empty() {
        let words: Vec<&str> = query.keywords.iter().map(Text::as_str).collect();
        line(&mut text, KEYWORDS, words.join(", "));
    }
    if let Some(max) = max_results {
        line(&mut text, MAX, max);
    }
    let meant = MessageProposal::Question {
        source: ProposalSource::Grammar,
        addressee: Some(to.into()),
        query: query.clone(),
        max_results,
    };
    read_back(text, meant)
}

/// Writes an answer as text. `None`: the text form lacks a member of it.
///
/// The text has content, relevance, URLs, id and vouchers of each memory, and no proofs, receipts or dates: a reader of the
/// text has unsigned testimony.
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
    render_answer(to, text.ok()?, results)
}

/// Writes an answer in the grammar. `None`: the grammar would not give it back.
pub(super) fn render_answer(
    to: &str,
    sentence: Text<4096>,
    results: Vec<ProposedResult>,
) -> Option<String> {
    let mut text = format!("@{to} {RESPONSE} {sentence}\n");
    for (number, result) in (1_usize..).zip(&results) {
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
    let meant = MessageProposal::Answer {
        source: ProposalSource::Grammar,
        addressee: Some(to.into()),
        text: sentence,
        results,
    };
    read_back(text, meant)
}

fn line(text: &mut String, name: &str, value: impl Display) {
    // To write into a text cannot fail.
    let _ = writeln!(text, "{name} {value}");
}

/// The text, if the grammar reads exactly this back.
fn read_back(text: String, meant: MessageProposal) -> Option<String> {
    let fits = text.len() <= MAX_MESSAGE_BYTES;
    (fits && grammar::read(&Layout::of(&text)) == [meant]).then_some(text)
}
