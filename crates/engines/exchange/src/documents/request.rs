//! `memory_request`: a question (docs/format/exchange.md §2).

use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_capsule::integrity::{Binding, Purpose};
use counterfoil_types::document::Text;
use counterfoil_types::json::{Value, canonical};
use counterfoil_types::{DidKey, Sha256Hash, words};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::document::{ExchangeDocument, Parts, Reader, hashed, plain};
use super::member::{Items, MaybeNumber, Number, Required, Span, check_order, is_usual};
use super::proof::bound;
use super::{
    Audience, DocumentError, DocumentKind, Domain, MAX_LIFE_US, Nonce, Party, RequestHash,
    RequestId, draft,
};

/// Prefix of the text that is hashed.
const REQUEST: &str = "counterfoil/exchange/v1 request\n";

/// A request as it was sent or received.
pub type Request = ExchangeDocument<RequestParts>;

/// Members of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Request"))]
#[serde(deny_unknown_fields)]
pub struct RequestParts {
    /// Id, nonce and times.
    pub header: RequestHeader,
    /// The agent that asks.
    pub requester: Party,
    /// The agent that is asked.
    pub audience: Audience,
    /// The question.
    pub query: MemoryQuery,
    /// Wishes for the form of the answer.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub preferences: Preferences,
}

/// Id, nonce and times of a request, or of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RequestHeader {
    /// Id drawn by the requester.
    pub request_id: RequestId,
    /// Nonce drawn by the requester; absent in drafts.
    #[serde(with = "Required::<Nonce>")]
    pub nonce: Option<Nonce>,
    /// Time of writing, by the requester's clock.
    pub timestamp: Timestamp,
    /// End of the wait for an answer, at most 300 s after `timestamp`.
    pub expires: Timestamp,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Query"))]
#[serde(deny_unknown_fields)]
pub struct MemoryQuery {
    /// The question in words.
    pub natural: Text<4096>,
    /// Domain of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    /// Keywords, at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<Text<64>, 1, 16>")]
    pub keywords: Vec<Text<64>>,
    /// Time of the events that the question is about.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "Window")]
    pub time_range: Option<Span>,
    /// Demands on the memories of an answer.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub filters: Filters,
}

/// A span of time, open where it has no end. `from` is before `until`.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Window {
    /// Begin, inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Timestamp>,
    /// End, exclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Timestamp>,
}

impl Window {
    fn serialize<S: Serializer>(range: &Option<Span>, to: S) -> Result<S::Ok, S::Error> {
        let window = range.map(|(from, until)| Self { from, until });
        Serialize::serialize(&window, to)
    }

    fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Span>, D::Error> {
        let window: Option<Self> = Deserialize::deserialize(from)?;
        Ok(window.map(|window| (window.from, window.until)))
    }
}

/// Demands on the memories of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Filters {
    /// Minimum trust level, 0 to 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "MaybeNumber::<0, 3>")]
    pub min_trust_level: Option<u8>,
    /// Only memories with evidence that can be checked.
    #[serde(default)]
    pub require_evidence: bool,
    /// Only memories of agents that other agents vouch for.
    #[serde(default)]
    pub require_vouches: bool,
}

words! {
    /// Form of the memories in an answer.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Format {
        /// Signed attestations.
        #[default]
        Attestation = "attestation",
        /// Claims without attestation.
        Raw = "raw",
        /// The beginnings of claims.
        Summary = "summary",
    }
}

/// Wishes for the form of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Preferences {
    /// Form of the memories.
    pub format: Format,
    /// Include receipts and evidence.
    pub include_evidence: bool,
    /// Include vouches for the attesting agents.
    pub include_vouches: bool,
    /// Include referrals to other agents. Written where it is true alone: responders of earlier versions refuse it.
    #[serde(skip_serializing_if = "is_usual")]
    pub include_referrals: bool,
    /// Most memories of the answer, 1 to 100.
    #[serde(with = "Number::<1, 100>")]
    pub max_results: u8,
    /// Cursor of an earlier answer, to go on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Text<1024>>,
    /// Ids of attestations by the asked agent that the requester keeps, at most 16: the answer names those that were taken back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<Text<1024>, 1, 16>")]
    pub held: Vec<Text<1024>>,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            format: Format::Attestation,
            include_evidence: true,
            include_vouches: false,
            include_referrals: false,
            max_results: 5,
            cursor: None,
            held: Vec::new(),
        }
    }
}

impl MemoryQuery {
    /// A question without domain, keywords, time and demands.
    pub fn new(natural: Text<4096>) -> Self {
        Self {
            natural,
            domain: None,
            keywords: Vec::new(),
            time_range: None,
            filters: Filters::default(),
        }
    }
}

impl RequestHeader {
    /// Checks that it has a nonce, and expires 0 to 300 s after it was written (R5).
    pub(super) fn coherent(&self) -> Result<(), DocumentError> {
        if self.nonce.is_none() {
            return Err(DocumentError::Incoherent(
                "a request that is written needs a nonce; draw one",
            ));
        }
        let wait = self.expires.micros().checked_sub(self.timestamp.micros());
        match wait {
            Some(wait) if wait <= MAX_LIFE_US => Ok(()),
            _ => Err(DocumentError::Incoherent(
                "header.expires must be 0 to 300 s after header.timestamp",
            )),
        }
    }
}

/// Audience of the answer to a question (R1). A draft, which has no nonce, is answered to everyone.
pub(super) const fn asker(header: &RequestHeader, requester: &Party) -> Audience {
    match (header.nonce, requester.public_key) {
        (Some(_), Some(key)) => Audience::One(key),
        _ => Audience::Everyone,
    }
}

/// Binding of the proof of the answer to a question.
pub(super) fn answered(header: &RequestHeader, requester: &Party) -> Binding {
    let audience = asker(header, requester);
    bound(Purpose::Assertion, &audience, header.nonce.as_ref())
}

/// The digest of a request or a verification without its proof.
pub(super) fn request_digest(document: &Value) -> Result<Sha256Hash, DocumentError> {
    let mut unsigned = document.clone();
    if let Some(members) = unsigned.as_object_mut() {
        members.remove("proof");
    }
    Ok(hashed(REQUEST, &canonical(&unsigned)?))
}

impl Parts for RequestParts {
    type Hash = RequestHash;
    type Answers = ();

    const KIND: DocumentKind = DocumentKind::Request;
    const KEY: &'static str = "/requester/public_key";
    const READ: Reader<Self> = plain;
    const DRAFT: Option<Reader<Self>> = Some(draft::request);

    fn key(&self) -> Option<DidKey> {
        self.requester.public_key
    }

    fn coherent(&self) -> Result<(), DocumentError> {
        self.header.coherent()?;
        self.query.time_range.map_or(Ok(()), check_order)
    }

    fn digest(document: &Value, _: &str) -> Result<Sha256Hash, DocumentError> {
        request_digest(document)
    }

    fn dated(&self) -> Option<Timestamp> {
        Some(self.header.timestamp)
    }

    fn asks(&self) -> Option<(Audience, Option<Nonce>)> {
        Some((self.audience, self.header.nonce))
    }
}

impl Request {
    /// Writes a request without proof, of an anonymous agent.
    ///
    /// # Errors
    /// As [`sign`](Self::sign).
    pub fn anonymous(mut parts: RequestParts) -> Result<Self, DocumentError> {
        parts.requester.public_key = None;
        Self::unsigned(&parts)
    }

    /// Audience of the answer (R1).
    pub(super) const fn asker(&self) -> Audience {
        asker(&self.parts().header, &self.parts().requester)
    }

    /// Binding of the proof of an answer.
    pub(super) fn answered(&self) -> Binding {
        let parts = self.parts();
        answered(&parts.header, &parts.requester)
    }
}
