//! `memory_request`: what somebody wants to know (docs/format/exchange.md §2).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::DidKey;
use counterfoil_types::json::canonical;
use serde::{Deserialize, Serialize};

use super::asked::{Asked, asked_hash};
use super::read::{Binding, open, signed, written};
use super::wire::request::WireRequest;
use super::{
    DocumentError, DocumentKind, Domain, Form, MAX_LIFE_US, Nonce, Party, RequestHash, RequestId,
    Signature, Text, draft,
};

const KIND: DocumentKind = DocumentKind::Request;

/// A request as it was sent or received. To hold one says that its shape is right, and nothing of its proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    parts: RequestParts,
    form: Form,
    bytes: String,
    hash: RequestHash,
}

/// What a request says.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestParts {
    /// Name, nonce and times.
    pub header: RequestHeader,
    /// Who asks.
    pub requester: Party,
    /// Who is asked.
    pub audience: Audience,
    /// What is asked.
    pub query: Query,
    /// How it is to be answered.
    pub preferences: Preferences,
}

/// Name, nonce and times of a request, or of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHeader {
    /// Drawn by the requester.
    pub request_id: RequestId,
    /// Drawn by the requester; drafts have none.
    pub nonce: Option<Nonce>,
    /// When it was written, by the requester's clock.
    pub timestamp: Timestamp,
    /// Nobody waits for an answer after this; at most 300 s after `timestamp`.
    pub expires: Timestamp,
}

/// Whom a document is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// One agent.
    One(DidKey),
    /// Whoever reads it, `"*"`. Drafts name nobody and are read as this.
    Everyone,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The question in words.
    pub natural: Text<4096>,
    /// Of which domain.
    pub domain: Option<Domain>,
    /// Words to look for, at most 16.
    pub keywords: Vec<Text<64>>,
    /// When what is asked about happened.
    pub time_range: Option<TimeWindow>,
    /// What the requester will hold answers to.
    pub filters: Filters,
}

/// A span of time; open where it has no end. `from` is before `until`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeWindow {
    /// From here on, inclusive.
    pub from: Option<Timestamp>,
    /// Until here, exclusive.
    pub until: Option<Timestamp>,
}

/// What the requester will hold answers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filters {
    /// The least trust level, 0 to 3.
    pub min_trust_level: Option<u8>,
    /// Only memories with evidence that can be checked.
    pub require_evidence: bool,
    /// Only memories of agents that are vouched for.
    pub require_vouches: bool,
}

/// In which form memories are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Signed attestations.
    #[default]
    Attestation,
    /// What was remembered, without attestation.
    Raw,
    /// The beginning of it.
    Summary,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Attestation, Self::Raw, Self::Summary];
}

/// How a request is to be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preferences {
    /// In which form.
    pub format: Format,
    /// With receipts and evidence.
    pub include_evidence: bool,
    /// With vouches for who attests.
    pub include_vouches: bool,
    /// At most so many memories, 1 to 100.
    pub max_results: u8,
    /// Where an earlier answer ended.
    pub cursor: Option<Text<1024>>,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            format: Format::default(),
            include_evidence: true,
            include_vouches: false,
            max_results: 5,
            cursor: None,
        }
    }
}

impl TimeWindow {
    /// It begins before it ends.
    pub(super) fn coherent(&self) -> Result<(), DocumentError> {
        match (self.from, self.until) {
            (Some(from), Some(until)) if from >= until => Err(DocumentError::Incoherent(
                "query.time_range begins where it ends or later; let from be before until",
            )),
            _ => Ok(()),
        }
    }
}

impl RequestHeader {
    /// It expires when it is written or later, and not later than 300 s after that (R5).
    pub(super) fn coherent(&self) -> Result<(), DocumentError> {
        let wait = self.expires.micros().checked_sub(self.timestamp.micros());
        match wait {
            Some(wait) if wait <= MAX_LIFE_US => Ok(()),
            _ => Err(DocumentError::Incoherent(
                "header.expires must be 0 to 300 s after header.timestamp",
            )),
        }
    }
}

impl RequestParts {
    const fn asked(&self) -> Asked<'_> {
        Asked {
            header: &self.header,
            requester: &self.requester,
            audience: &self.audience,
        }
    }
}

impl Request {
    /// Reads one, in version `"1"` or as a draft.
    ///
    /// `Ok` guarantees its shape, and that signed bytes are canonical. It does not look at the proof.
    ///
    /// # Errors
    /// [`DocumentError`], the first thing that is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        let opened = open(bytes, KIND)?;
        let parts: RequestParts =
            opened.parts(|wire: WireRequest| wire.try_into(), draft::request)?;
        opened.is_by(&parts.requester, "/requester/public_key")?;
        let hash = asked_hash(&opened)?;
        Ok(Self {
            parts,
            form: opened.form,
            bytes: opened.bytes,
            hash,
        })
    }

    /// Writes one and signs it: `requester.public_key` becomes the key of `signer`.
    ///
    /// # Errors
    /// What [`parse`](Self::parse) says of it: parts that contradict each other, lists that are too long.
    pub fn sign(mut parts: RequestParts, signer: &dyn Signer) -> Result<Self, DocumentError> {
        parts.requester.public_key = Some(signer.key());
        let (at, binding) = (parts.header.timestamp, parts.asked().proved());
        Self::parse(signed(&WireRequest::try_from(parts)?, signer, binding, at)?.as_bytes())
    }

    /// Writes one without proof: whoever sends it is nobody.
    ///
    /// # Errors
    /// As [`sign`](Self::sign).
    pub fn anonymous(mut parts: RequestParts) -> Result<Self, DocumentError> {
        parts.requester.public_key = None;
        Self::parse(canonical(&written(&WireRequest::try_from(parts)?)?)?.as_bytes())
    }

    /// What it says.
    #[must_use]
    pub const fn parts(&self) -> &RequestParts {
        &self.parts
    }

    /// The form it came in.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// Its bytes, as they came or as they are sent.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_bytes()
    }

    /// What its answers refer to.
    #[must_use]
    pub const fn hash(&self) -> RequestHash {
        self.hash
    }

    /// Whom the answer is for (R1).
    pub(super) fn asker(&self) -> Audience {
        self.parts.asked().asker(self.form)
    }

    /// What the proof of an answer must be for.
    pub(super) fn answered(&self) -> Binding {
        self.parts.asked().answered(self.form)
    }

    /// Checks the proof against `public_key`, audience and nonce of the request itself. Costs a signature.
    #[must_use]
    pub fn signature(&self) -> Signature {
        self.parts.asked().signature(self.bytes(), self.form)
    }
}
