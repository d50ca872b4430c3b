//! What a message in plain text may mean. A proposal is nobody's word until somebody confirms or signs it.

use alloc::string::String;
use alloc::vec::Vec;

use crate::documents::{Domain, Request, Response, Text};

/// What was found in a message, and in which way.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// In which way.
    pub heard: Heard,
    /// To whom it is said, by name.
    pub addressee: Option<String>,
    /// What.
    pub what: Proposed,
}

/// In which way a proposal was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Heard {
    /// A fenced JSON block: exactly that document.
    Document,
    /// The text grammar.
    Grammar,
    /// A template of a question.
    Template,
    /// A language model: has to be confirmed.
    Model,
}

/// What a message may mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Proposed {
    /// A document, with its proof if it has one.
    Request(Request),
    /// A document, with its proof if it has one.
    Response(Response),
    /// A question in words.
    Question(ProposedRequest),
    /// An answer in words.
    Answer(ProposedResponse),
}

/// A question in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedRequest {
    /// The question.
    pub natural: Text<4096>,
    /// Its domain, by the table.
    pub domain: Option<Domain>,
    /// Its words, at most 16.
    pub keywords: Vec<Text<64>>,
    /// At most so many memories.
    pub max_results: Option<u8>,
}

/// An answer in words.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedResponse {
    /// The sentence before the list.
    pub text: Text<4096>,
    /// The list, at most 100.
    pub results: Vec<ProposedResult>,
}

/// One memory in words. As it stands in an answer it is unsigned testimony.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedResult {
    /// How relevant, 0 to 1; the grammar's lists always say so.
    pub relevance: Option<f64>,
    /// What.
    pub claim: Text<65536>,
    /// Why it is relevant, where the answer says so by template.
    pub context: Option<Text<1024>>,
    /// `Source:` lines, at most 16.
    pub sources: Vec<Text<2048>>,
    /// `Vouch:` lines, at most 8.
    pub vouches: Vec<Text<1024>>,
    /// The `Id:` line.
    pub id: Option<Text<1024>>,
}
