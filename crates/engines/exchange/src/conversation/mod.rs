//! The protocol in plain text: an interpreter without a model, and a renderer (MRP "Natural Language Mapping"; R18;
//! docs/format/transports.md §3).

mod answer;
mod everyday;
mod grammar;
mod layout;
mod proposal;
mod render;
mod template;
mod words;

#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;

use crate::documents::Domain;

pub use proposal::{MessageProposal, ProposalSource, ProposedResult, answer_draft, question_parts};
pub use render::{block, render_request, render_response};

/// Largest message that is read, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 64 << 10;
/// Most proposals of one message.
pub const MAX_PROPOSALS: usize = 8;
/// Most keywords of a request (docs/format/exchange.md §2).
const MAX_KEYWORDS: usize = 16;

/// Proposals for the meaning of a message, at most 8, found in this order: documents, the grammar, templates. None: the message
/// is no memory message, or has more than 64 KiB. Takes time linear in the message.
///
/// `vocabulary`: words in lower case, with a space between several, and the domains that they name.
pub fn interpret(message: &str, vocabulary: &[(String, Domain)]) -> Vec<MessageProposal> {
    if message.len() > MAX_MESSAGE_BYTES {
        return Vec::new();
    }
    let layout = layout::Layout::of(message);
    let blocks = layout.json.iter();
    let documents: Vec<_> = blocks
        .filter_map(|text| MessageProposal::of_document(text.trim().as_bytes()))
        .take(MAX_PROPOSALS)
        .collect();
    if !documents.is_empty() {
        return documents;
    }
    let stated = grammar::read(&layout);
    if !stated.is_empty() {
        return stated;
    }
    let asked = template::questions(&layout, vocabulary);
    if !asked.is_empty() {
        return asked;
    }
    answer::answer(&layout).into_iter().collect()
}
