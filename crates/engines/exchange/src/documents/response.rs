//! `memory_response`: what somebody answers (docs/format/exchange.md §3).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_capsule::integrity::KnownKeys;
use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::MAX_SAFE_INTEGER;
use counterfoil_verifier::opened::OpenedCapsule;

use serde::{Deserialize, Serialize};

use super::read::{Seal, examined_seal, hash_of, open, signed};
use super::wire::response::WireResponse;
use super::{
    Attestation, Audience, DocumentError, DocumentHash, DocumentKind, Form, Party, Request,
    RequestHash, RequestId, Signature, Text, Vouch, draft,
};

const KIND: DocumentKind = DocumentKind::Response;

/// A response as it was sent or received. To hold one says that its shape is right, and nothing of its proofs.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    parts: ResponseParts,
    form: Form,
    bytes: String,
    hash: DocumentHash,
    seal: Option<Seal>,
}

/// What a response says.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseParts {
    /// Names and time.
    pub header: ResponseHeader,
    /// The hash of the request; drafts have none.
    pub in_response_to: Option<RequestHash>,
    /// Who asked.
    pub audience: Audience,
    /// Who answers.
    pub responder: Party,
    /// How it went.
    pub status: Status,
    /// The memories; none unless the status is `success` or `partial`.
    pub results: Vec<ResultParts>,
    /// How many there are.
    pub meta: Meta,
}

/// Names and time of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseHeader {
    /// That of the request.
    pub request_id: RequestId,
    /// Drawn by the responder; drafts have none.
    pub response_id: Option<RequestId>,
    /// When it was written, by the responder's clock.
    pub timestamp: Timestamp,
}

/// How a request went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StatusCode {
    /// Answered in full.
    Success,
    /// Answered in part; the message says why.
    Partial,
    /// Nothing that the requester may have.
    NoMatch,
    /// The responder does not want to say.
    Declined,
    /// The responder could not.
    Error,
}

impl StatusCode {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Success,
        Self::Partial,
        Self::NoMatch,
        Self::Declined,
        Self::Error,
    ];
}

/// How a request went, and what is said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// How.
    pub code: StatusCode,
    /// In words.
    pub message: Option<Text<1024>>,
    /// The word of a problem, with [`StatusCode::Error`].
    pub problem: Option<Text<64>>,
}

/// One memory of a response.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultParts {
    /// The responder's name for it.
    pub memory_id: Text<1024>,
    /// What it says.
    pub attestation: Attestation,
    /// How relevant it is by the responder's word, 0 to 1.
    pub relevance: Option<f64>,
    /// Why it is, by the responder's word.
    pub context: Option<Text<1024>>,
    /// The capsule of it, opened under its inclusion proof.
    pub receipt: Option<OpenedCapsule>,
    /// Vouches for who attests, at most 8.
    pub vouches: Vec<Vouch>,
}

/// How many memories there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Meta {
    /// How many matched, where the responder says so.
    pub total_matches: Option<u64>,
    /// How long it took, in milliseconds, by the responder's word.
    pub processing_time_ms: Option<u64>,
    /// Where this answer ends, with [`StatusCode::Partial`].
    pub cursor: Option<Text<1024>>,
}

impl ResponseParts {
    /// Status, memories and counts say the same (R20, R22).
    pub(super) fn coherent(&self, form: Form, returned: Option<u64>) -> Result<(), DocumentError> {
        let wrong = |must| Err(DocumentError::Incoherent(must));
        let count = u64::try_from(self.results.len()).unwrap_or(u64::MAX);
        if returned.is_some_and(|returned| returned != count) {
            return wrong("meta.returned must be how many results there are");
        }
        if self
            .meta
            .total_matches
            .is_some_and(|total| total < count || total > MAX_SAFE_INTEGER)
        {
            return wrong("meta.total_matches must be at least meta.returned");
        }
        let code = self.status.code;
        if count > 0 && !matches!(code, StatusCode::Success | StatusCode::Partial) {
            return wrong("results must be empty unless the status is success or partial");
        }
        if form == Form::One && code == StatusCode::Partial && self.status.message.is_none() {
            return wrong("status.message must say why the answer is partial");
        }
        if self.meta.cursor.is_some() && code != StatusCode::Partial {
            return wrong("meta.cursor stands in a partial answer alone");
        }
        if self.status.problem.is_some() && code != StatusCode::Error {
            return wrong("status.problem stands in an error alone");
        }
        Ok(())
    }
}

impl Response {
    /// Reads one, in version `"1"` or as a draft. `meta.returned` is compared and not kept.
    ///
    /// # Errors
    /// [`DocumentError`], the first thing that is wrong: one bad memory makes the whole response bad.
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        let opened = open(bytes, KIND)?;
        let parts: ResponseParts =
            opened.parts(|wire: WireResponse| wire.try_into(), draft::response)?;
        opened.is_by(&parts.responder, "/responder/public_key")?;
        Ok(Self {
            parts,
            form: opened.form,
            hash: hash_of(&opened.bytes),
            bytes: opened.bytes,
            seal: opened.seal,
        })
    }

    /// Writes the signed answer to `request`; ids, hash, audience, domain and challenge follow from it.
    ///
    /// # Errors
    /// What [`parse`](Self::parse) says of it: parts that contradict each other or the request, a document of more than
    /// 1 MiB.
    pub fn sign(
        mut parts: ResponseParts,
        request: &Request,
        signer: &dyn Signer,
    ) -> Result<Self, DocumentError> {
        parts.responder.public_key = Some(signer.key());
        parts.header.request_id = request.parts().header.request_id.clone();
        parts.in_response_to = Some(request.hash());
        parts.audience = request.asker();
        let (at, binding) = (parts.header.timestamp, request.answered());
        let response =
            Self::parse(signed(&WireResponse::try_from(parts)?, signer, binding, at)?.as_bytes())?;
        response.fits(request)?;
        Ok(response)
    }

    /// Compares how many memories there are with how many were asked for (R15, R22).
    ///
    /// # Errors
    /// [`DocumentError::Incoherent`] when there are more.
    pub fn fits(&self, request: &Request) -> Result<(), DocumentError> {
        if self.parts.results.len() > usize::from(request.parts().preferences.max_results) {
            return Err(DocumentError::Incoherent(
                "there are more results than preferences.max_results asks for",
            ));
        }
        Ok(())
    }

    /// What it says.
    #[must_use]
    pub const fn parts(&self) -> &ResponseParts {
        &self.parts
    }

    /// The form it came in.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_bytes()
    }

    /// The hash of its bytes.
    #[must_use]
    pub const fn hash(&self) -> DocumentHash {
        self.hash
    }

    /// Checks the proof against the document's own `public_key`, with domain and challenge as an answer to `request` has
    /// them (R1). Costs a signature.
    #[must_use]
    pub fn signature_for(&self, request: &Request) -> Signature {
        self.signature_with(request, &mut KnownKeys::default())
    }

    /// The same, where several documents are checked.
    pub(crate) fn signature_with(&self, request: &Request, known: &mut KnownKeys) -> Signature {
        if self.form == Form::Draft {
            return Signature::NotLookedAt;
        }
        let key = self.parts.responder.public_key;
        examined_seal(self.seal.as_ref(), key, &request.answered(), known)
    }
}
