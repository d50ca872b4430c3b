//! From a message to what it may mean, without a model: documents, the grammar, templates, in this order.

use alloc::string::String;
use alloc::vec::Vec;

use super::layout::Layout;
use super::{Heard, Proposal, Proposed, answer, grammar, question};
use crate::documents::{Domain, Request, Response};

/// The most bytes of a message that is read.
pub const MAX_MESSAGE_BYTES: usize = 64 << 10;
/// The most proposals of one message.
pub const MAX_PROPOSALS: usize = 8;

/// Reads messages. A deterministic one is [`Vocabulary`].
pub trait Interpreter {
    /// What a message may mean, at most 8 proposals; none: it is no memory message.
    fn interpret(&self, message: &str) -> Vec<Proposal>;
}

/// Words that name domains: the interpreter's table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// A word in lower case, or several with a space between them, and the domain that they name.
    pub domains: Vec<(String, Domain)>,
}

impl Interpreter for Vocabulary {
    /// Takes time linear in the message. A message of more than 64 KiB is none.
    fn interpret(&self, message: &str) -> Vec<Proposal> {
        if message.len() > MAX_MESSAGE_BYTES {
            return Vec::new();
        }
        let layout = Layout::of(message);
        let documents: Vec<_> = layout
            .json
            .iter()
            .filter_map(|text| document(text))
            .take(MAX_PROPOSALS)
            .collect();
        if !documents.is_empty() {
            return documents;
        }
        let stated = grammar::read(&layout);
        if !stated.is_empty() {
            return stated;
        }
        let asked = question::read(&layout, self);
        if !asked.is_empty() {
            return asked;
        }
        answer::read(&layout).into_iter().collect()
    }
}

/// The document of a block; whether its proof holds is for whoever takes it.
fn document(text: &str) -> Option<Proposal> {
    let bytes = text.trim().as_bytes();
    let what = Request::parse(bytes)
        .map(Proposed::Request)
        .or_else(|_| Response::parse(bytes).map(Proposed::Response))
        .ok()?;
    Some(Proposal {
        heard: Heard::Document,
        addressee: None,
        what,
    })
}
