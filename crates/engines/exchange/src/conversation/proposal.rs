//! Proposals for the meaning of a message in plain text. A proposal binds no agent until an agent confirms or signs it.

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_types::json::{Value, canonical};
use counterfoil_types::words;
use serde_json::json;

use super::answer::status_of;
use crate::documents::{
    Audience, DocumentError, Format, MemoryQuery, Party, Preferences, Request, RequestHeader,
    RequestId, RequestParts, Response, StatusCode, Text, object,
};

/// A possible meaning of a message. It binds no agent until an agent confirms or signs it.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageProposal {
    /// A document, with its proof if it has one.
    Request(Request),
    /// A document, with its proof if it has one.
    Response(Response),
    /// A question in words.
    Question {
        /// The reader that found it.
        source: ProposalSource,
        /// Name of the agent that is addressed.
        addressee: Option<String>,
        /// The question, with its domain by the vocabulary.
        query: MemoryQuery,
        /// Most memories in the answer.
        max_results: Option<u8>,
    },
    /// An answer in words.
    Answer {
        /// The reader that found it.
        source: ProposalSource,
        /// Name of the agent that is addressed.
        addressee: Option<String>,
        /// The sentence before the list.
        text: Text<4096>,
        /// The list, at most 100.
        results: Vec<ProposedResult>,
    },
}

words! {
    /// The reader that found a proposal.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum ProposalSource {
        /// A fenced JSON block: exactly that document.
        Document = "document",
        /// The text grammar.
        Grammar = "grammar",
        /// A template of a question or an answer.
        Template = "template",
        /// A language model: words, never a document. A host confirms the proposal, or it stays a draft; a model holds no key
        /// and signs nothing (MRP-51).
        Model = "model",
    }
}

/// One memory in words: unsigned testimony of the answering agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedResult {
    /// Relevance, 0 to 1; given in each list of the grammar.
    pub relevance: Option<f64>,
    /// The memory.
    pub claim: Text<65536>,
    /// Reason for its relevance, in answers by template.
    pub context: Option<Text<1024>>,
    /// `Source:` lines, at most 16.
    pub sources: Vec<Text<2048>>,
    /// `Vouch:` lines, at most 8.
    pub vouches: Vec<Text<1024>>,
    /// The `Id:` line.
    pub id: Option<Text<1024>>,
}

impl MessageProposal {
    /// The proposal of a JSON block. The receiver of the document checks its proof.
    pub(super) fn of_document(bytes: &[u8]) -> Option<Self> {
        let request = Request::parse(bytes).map(Self::Request);
        let response = || Response::parse(bytes).map(Self::Response);
        request.or_else(|_| response()).ok()
    }

    /// The reader that found it.
    pub const fn source(&self) -> ProposalSource {
        match self {
            Self::Request(_) | Self::Response(_) => ProposalSource::Document,
            Self::Question { source, .. } | Self::Answer { source, .. } => *source,
        }
    }
}

/// The parts of a question in words as the answering agent takes it: it asks for raw memories, from an agent of which only a
/// name is known.
pub fn question_parts(
    query: MemoryQuery,
    max_results: Option<u8>,
    header: RequestHeader,
    from: Text<128>,
) -> RequestParts {
    let usual = Preferences::default();
    RequestParts {
        header,
        requester: Party::named(from),
        audience: Audience::Everyone,
        query,
        preferences: Preferences {
            format: Format::Raw,
            max_results: max_results.unwrap_or(usual.max_results),
            ..usual
        },
    }
}

/// An answer in words as a draft of `from`, to the request `to`: unsigned testimony, bound by that id alone. Without memories it is
/// `declined` if `text` declines to answer, else `no_match`.
///
/// # Errors
/// [`DocumentError`]: the answer is longer than a document.
pub fn answer_draft(
    text: &Text<4096>,
    results: &[ProposedResult],
    to: &RequestId,
    from: &Text<128>,
    at: Timestamp,
) -> Result<Response, DocumentError> {
    let status = match results.is_empty() {
        true => status_of(text.as_str()),
        false => StatusCode::Success,
    };
    let memories = results.iter().map(ProposedResult::to_draft);
    let draft = json!({
        "type": "memory_response",
        "version": "0.1",
        "request_id": to.as_str(),
        "timestamp": at,
        "responder": { "agent_id": from.as_str() },
        "status": status.name(),
        "memories": memories.collect::<Vec<_>>(),
    });
    Response::parse(canonical(&draft)?.as_bytes())
}

impl ProposedResult {
    fn to_draft(&self) -> Value {
        let urls = self.sources.iter();
        let urls: Vec<Value> = urls.map(|url| json!({ "url": url.as_str() })).collect();
        let attestation = object([
            ("claim", Some(self.claim.as_str().into())),
            ("id", self.id.as_ref().map(|id| id.as_str().into())),
            ("evidence", (!urls.is_empty()).then(|| urls.into())),
        ]);
        let context = self.context.as_ref();
        object([
            ("attestation", Some(attestation)),
            ("relevance", self.relevance.map(Value::from)),
            ("context", context.map(|text| text.as_str().into())),
        ])
    }
}
