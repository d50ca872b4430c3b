//! Proposals for the meaning of a message in plain text. A proposal binds no agent until an agent confirms or signs it.

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_types::json::{Value, canonical};
use counterfoil_types::words;
use serde_json::json;

use crate::documents::{
    Audience, DocumentError, Domain, Format, MemoryQuery, Party, Preferences, Request,
    RequestHeader, RequestId, RequestParts, Response, Text, object,
};

/// A possible meaning of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageProposal {
    /// The reader that found it.
    pub source: ProposalSource,
    /// Name of the agent that is addressed.
    pub addressee: Option<String>,
    /// The meaning.
    pub body: ProposalBody,
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
        /// A language model: the proposal has to be confirmed.
        Model = "model",
    }
}

/// The meaning of a proposal.
#[derive(Debug, Clone, PartialEq)]
pub enum ProposalBody {
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
    /// Its domain, by the vocabulary.
    pub domain: Option<Domain>,
    /// Its keywords, at most 16.
    pub keywords: Vec<Text<64>>,
    /// Most memories in the answer.
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
        let body = Request::parse(bytes)
            .map(ProposalBody::Request)
            .or_else(|_| Response::parse(bytes).map(ProposalBody::Response))
            .ok()?;
        Some(Self {
            source: ProposalSource::Document,
            addressee: None,
            body,
        })
    }
}

/// A proposal of a language model: words, never a document (MRP-51). A host confirms it, or it stays a draft; a model holds
/// no key and signs nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelProposal(MessageProposal);

impl ModelProposal {
    /// Proposes a question.
    #[must_use]
    pub const fn question(addressee: Option<String>, question: ProposedRequest) -> Self {
        Self(MessageProposal {
            source: ProposalSource::Model,
            addressee,
            body: ProposalBody::Question(question),
        })
    }

    /// Proposes an answer.
    #[must_use]
    pub const fn answer(addressee: Option<String>, answer: ProposedResponse) -> Self {
        Self(MessageProposal {
            source: ProposalSource::Model,
            addressee,
            body: ProposalBody::Answer(answer),
        })
    }

    /// The proposed meaning, to be looked at before it is confirmed.
    #[must_use]
    pub const fn draft(&self) -> &ProposalBody {
        &self.0.body
    }

    /// Confirms the proposal. Its source stays [`ProposalSource::Model`].
    #[must_use]
    pub fn confirm(self) -> MessageProposal {
        self.0
    }
}

impl ProposedRequest {
    /// The question as the answering agent takes it: it asks for raw memories, from an agent of which only a name is known.
    #[must_use]
    pub fn request_parts(&self, header: RequestHeader, from: Text<128>) -> RequestParts {
        let usual = Preferences::default();
        RequestParts {
            header,
            requester: Party::named(from),
            audience: Audience::Everyone,
            query: self.query(),
            preferences: Preferences {
                format: Format::Raw,
                max_results: self.max_results.unwrap_or(usual.max_results),
                ..usual
            },
        }
    }

    /// The question alone.
    #[must_use]
    pub fn query(&self) -> MemoryQuery {
        MemoryQuery {
            domain: self.domain.clone(),
            keywords: self.keywords.clone(),
            ..MemoryQuery::new(self.natural.clone())
        }
    }
}

impl ProposedResponse {
    /// The answer as a draft of `from`, to the request `to`: unsigned testimony, bound by that id alone.
    ///
    /// # Errors
    /// [`DocumentError`]: the answer is longer than a document.
    pub fn to_draft(
        &self,
        to: &RequestId,
        from: &Text<128>,
        at: Timestamp,
    ) -> Result<Response, DocumentError> {
        let status = match self.results.is_empty() {
            true => "no_match",
            false => "success",
        };
        let memories = self.results.iter().map(ProposedResult::to_draft);
        let draft = json!({
            "type": "memory_response",
            "version": "0.1",
            "request_id": to.as_str(),
            "timestamp": at,
            "responder": { "agent_id": from.as_str() },
            "status": status,
            "memories": memories.collect::<Vec<_>>(),
        });
        Response::parse(canonical(&draft)?.as_bytes())
    }
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
