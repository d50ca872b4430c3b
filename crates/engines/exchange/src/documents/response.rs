//! `memory_response`: an answer (docs/format/exchange.md §3).

use alloc::format;
use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_capsule::integrity::KnownKeys;
use counterfoil_types::document::Text;
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, MAX_SAFE_INTEGER, VerificationMethod, words};
use counterfoil_verifier::opened::OpenedCapsule;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::document::{ExchangeDocument, Parts, Reader, members};
use super::member::{Items, MaybeNumber, Number, Required, Share};
use super::{
    Attestation, Audience, DocumentError, DocumentHash, DocumentKind, Party, Referral, Request,
    RequestHash, RequestId, Signature, Vouch, draft,
};

/// A response as it was sent or received.
pub type Response = ExchangeDocument<ResponseParts>;

/// Members of a response.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, bound(deserialize = "R: DeserializeOwned"))]
pub struct ResponseParts<R = ResultParts> {
    /// Ids and time.
    pub header: ResponseHeader,
    /// Hash of the request; absent in drafts.
    #[serde(with = "Required::<RequestHash>")]
    pub in_response_to: Option<RequestHash>,
    /// The agent that asked.
    pub audience: Audience,
    /// The agent that answers.
    pub responder: Party,
    /// Result of the request.
    pub status: Status,
    /// The memories, at most 100; none unless the status is `success` or `partial`.
    #[serde(with = "Items::<R, 0, 100>")]
    pub results: Vec<R>,
    /// Counts.
    pub meta: Meta,
    /// Other agents that may know of the topic, at most 4, where the request includes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<Referral, 1, 4>")]
    pub referrals: Vec<Referral>,
}

/// Ids and time of a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ResponseHeader {
    /// Id of the request.
    pub request_id: RequestId,
    /// Id drawn by the responder; absent in drafts.
    #[serde(with = "Required::<RequestId>")]
    pub response_id: Option<RequestId>,
    /// Time of writing, by the responder's clock.
    pub timestamp: Timestamp,
}

words! {
    /// Result of a request.
    #[derive(PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum StatusCode {
        /// Answered in full.
        Success = "success",
        /// Answered in part; the message says why.
        Partial = "partial",
        /// The responder has no memory that the requester may have.
        NoMatch = "no_match",
        /// The responder declines to answer.
        Declined = "declined",
        /// The responder failed.
        Error = "error",
    }
}

/// Result of a request, with its explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// The result.
    pub code: StatusCode,
    /// Explanation in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Text<1024>>,
    /// The word of a problem, with [`StatusCode::Error`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Text<64>>,
}

impl Status {
    /// A result without explanation.
    pub const fn of(code: StatusCode) -> Self {
        Self {
            code,
            message: None,
            problem: None,
        }
    }
}

/// One memory of a response, with the documents of an answer that was read, or their texts.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultParts<A = Attestation, R = OpenedCapsule, V = Vec<Vouch>> {
    /// Name that the responder gives the memory.
    pub memory_id: Text<1024>,
    /// The memory.
    pub attestation: A,
    /// Relevance as the responder states it, 0 to 1.
    pub relevance: Option<f64>,
    /// Reason for the relevance as the responder states it.
    pub context: Option<Text<1024>>,
    /// The capsule of the memory, opened under its inclusion proof.
    pub receipt: Option<R>,
    /// Vouches for the attesting agent, at most 8.
    pub vouches: V,
}

/// One memory of a response in JSON. The documents inside of it are read by themselves.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Result"))]
#[serde(deny_unknown_fields)]
pub(super) struct ResultJson {
    memory_id: Text<1024>,
    #[cfg_attr(feature = "schema", schemars(with = "Attestation"))]
    attestation: Value,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "Share")]
    relevance: Option<f64>,
    context: Option<Text<1024>>,
    #[cfg_attr(feature = "schema", schemars(with = "Option<super::forms::Receipt>"))]
    receipt: Option<Value>,
    #[cfg_attr(feature = "schema", schemars(with = "Items::<Vouch, 1, 8>"))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<Value, 1, 8>")]
    vouches: Vec<Value>,
}

/// Counts of a response.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// Number of memories in the response; set when it is signed.
    #[serde(with = "Number::<0, 100>")]
    pub returned: u64,
    /// Number of memories that matched, if the responder states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "MaybeNumber::<0, MAX_SAFE_INTEGER>")]
    pub total_matches: Option<u64>,
    /// Time to answer as the responder states it, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "MaybeNumber::<0, MAX_SAFE_INTEGER>")]
    pub processing_time_ms: Option<u64>,
    /// Cursor to the rest of the answer, with [`StatusCode::Partial`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Text<1024>>,
    /// Memories that the requester keeps and the responder has taken back, at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<Retraction, 1, 16>")]
    pub retractions: Vec<Retraction>,
}

/// Notice of the responder that a memory of its own never held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Retraction {
    /// Id of the attestation.
    pub id: Text<1024>,
    /// Act by which it was taken back.
    pub act: RetractionAct,
    /// Time of the act, by the responder's clock.
    pub at: Timestamp,
    /// Reason in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text<512>>,
}

words! {
    /// Act by which an agent takes its own memory back.
    #[derive(PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum RetractionAct {
        /// It was retracted or denied.
        Retracted = "retracted",
        /// Another value is in its place, for its whole time.
        Corrected = "corrected",
    }
}

fn read(document: &Value) -> Result<ResponseParts, DocumentError> {
    let parts: ResponseParts<ResultJson> = members(document, DocumentKind::Response)?;
    let results = parts.results.into_iter().enumerate().map(|(at, result)| {
        result
            .open()
            .map_err(|error| error.under(&format!("/results/{at}")))
    });
    Ok(ResponseParts {
        header: parts.header,
        in_response_to: parts.in_response_to,
        audience: parts.audience,
        responder: parts.responder,
        status: parts.status,
        results: results.collect::<Result<_, _>>()?,
        meta: parts.meta,
        referrals: parts.referrals,
    })
}

impl ResultJson {
    fn open(self) -> Result<ResultParts, DocumentError> {
        let vouches = self.vouches.iter().enumerate().map(|(at, vouch)| {
            Vouch::from_value(vouch).map_err(|error| error.under(&format!("/vouches/{at}")))
        });
        let receipt = self.receipt.map(|value| {
            let wrong = |must| DocumentError::at("/receipt", must);
            let receipt = OpenedCapsule::from_value(&value)
                .map_err(|error| wrong(format!("an opened capsule: {error}")))?;
            match receipt.proof.method() {
                VerificationMethod::Merkle => Ok(receipt),
                _ => Err(wrong("an opened capsule under an inclusion proof".into())),
            }
        });
        Ok(ResultParts {
            attestation: Attestation::from_value(&self.attestation)
                .map_err(|error| error.under("/attestation"))?,
            memory_id: self.memory_id,
            relevance: self.relevance,
            context: self.context,
            receipt: receipt.transpose()?,
            vouches: vouches.collect::<Result<_, _>>()?,
        })
    }
}

impl Parts for ResponseParts {
    type Hash = DocumentHash;
    type Answers = Request;

    const KIND: DocumentKind = DocumentKind::Response;
    const KEY: &'static str = "/responder/public_key";
    const READ: Reader<Self> = read;
    const DRAFT: Option<Reader<Self>> = Some(draft::response);

    fn key(&self) -> Option<DidKey> {
        self.responder.public_key
    }

    fn dated(&self) -> Option<Timestamp> {
        Some(self.header.timestamp)
    }

    /// Checks that status, memories and counts agree (R20, R22).
    fn coherent(&self) -> Result<(), DocumentError> {
        let count = count_of(&self.results);
        let code = self.status.code;
        let is_draft = self.in_response_to.is_none();
        let wrongs = [
            (
                self.meta.returned != count,
                "meta.returned must be how many results there are",
            ),
            (
                self.meta
                    .total_matches
                    .is_some_and(|total| total < count || total > MAX_SAFE_INTEGER),
                "meta.total_matches must be at least meta.returned",
            ),
            (
                count > 0 && !matches!(code, StatusCode::Success | StatusCode::Partial),
                "results must be empty unless the status is success or partial",
            ),
            (
                !is_draft && code == StatusCode::Partial && self.status.message.is_none(),
                "status.message must say why the answer is partial",
            ),
            (
                self.meta.cursor.is_some() && code != StatusCode::Partial,
                "meta.cursor stands in a partial answer alone",
            ),
            (
                self.status.problem.is_some() && code != StatusCode::Error,
                "status.problem stands in an error alone",
            ),
        ];
        match wrongs.into_iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, must)) => Err(DocumentError::Incoherent(must)),
            None => Ok(()),
        }
    }
}

/// Number of memories, as `meta.returned` has it.
pub(super) fn count_of<R>(results: &[R]) -> u64 {
    u64::try_from(results.len()).unwrap_or(u64::MAX)
}

pub(super) fn fits<R>(results: &[R], request: &Request) -> Result<(), DocumentError> {
    match results.len() > usize::from(request.parts().preferences.max_results) {
        false => Ok(()),
        true => Err(DocumentError::Incoherent(
            "there are more results than preferences.max_results asks for",
        )),
    }
}

impl Response {
    /// Compares the number of memories with the most that the request asks for (R15, R22).
    ///
    /// # Errors
    /// [`DocumentError::Incoherent`] if there are more.
    pub fn fits(&self, request: &Request) -> Result<(), DocumentError> {
        fits(&self.parts().results, request)
    }

    /// Checks the proof against the document's own `public_key`, with domain and challenge of an answer to `request` (R1).
    /// Costs a signature.
    pub fn signature_for(&self, request: &Request) -> Signature {
        self.signature_with(request, &mut KnownKeys::default())
    }

    /// As [`signature_for`](Self::signature_for), where several documents are checked.
    pub(crate) fn signature_with(&self, request: &Request, known: &mut KnownKeys) -> Signature {
        self.check(&request.answered(), known)
    }
}
