//! `vouch` and `vouch_revocation`: who stands up for whom (docs/format/exchange.md §6; trust.md).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::DidKey;
use counterfoil_types::json::{Value, canonical, parse};
use serde::{Deserialize, Serialize};

use super::read::{Binding, LIMITS, Opened, examined_open, hash_of, open, signed, signed_only};
use super::wire::read;
use super::wire::vouch::{WireRevocation, WireVouch};
use super::{DocumentError, DocumentHash, DocumentKind, Domain, RequestId, Signature, Text};

const VOUCH: DocumentKind = DocumentKind::Vouch;
const REVOCATION: DocumentKind = DocumentKind::Revocation;

/// A vouch. To hold one says that its shape is right, and nothing of its proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Vouch {
    parts: VouchParts,
    bytes: String,
    hash: DocumentHash,
}

/// How much somebody is said to know of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Competence {
    /// Learning it.
    Learning,
    /// Able.
    Competent,
    /// More than that.
    Expert,
    /// Whom others ask.
    Authority,
}

/// How sure the voucher is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum VouchConfidence {
    /// 300,000 ppm.
    Low,
    /// 600,000 ppm.
    Medium,
    /// 1,000,000 ppm.
    High,
}

/// What a vouch says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VouchParts {
    /// Drawn by the voucher.
    pub id: RequestId,
    /// When, by the voucher's clock.
    pub created_at: Timestamp,
    /// Who vouches: a display name, and the key.
    pub voucher: (Text<128>, DidKey),
    /// For whom: a display name, and the key. A name alone is nobody (case 94).
    pub subject: (Text<128>, DidKey),
    /// For which capability of it.
    pub capability_id: Option<Text<1024>>,
    /// In which domain.
    pub domain: Domain,
    /// What, in words.
    pub statement: Text<1024>,
    /// How much the subject knows of it.
    pub level: Competence,
    /// How the voucher knows.
    pub context: Option<Text<1024>>,
    /// Exchanges that it rests on, at most 16.
    pub interaction_refs: Vec<Text<1024>>,
    /// How these went.
    pub outcome: Option<Text<1024>>,
    /// How sure the voucher is.
    pub confidence: VouchConfidence,
    /// Why.
    pub reason: Option<Text<1024>>,
    /// Until when it is to count; at most 365 days count.
    pub valid_until: Option<Timestamp>,
    /// Under which conditions, in words. Shown, not judged.
    pub conditions: Option<Text<1024>>,
}

/// Takes a vouch back.
#[derive(Debug, Clone, PartialEq)]
pub struct Revocation {
    parts: RevocationParts,
    bytes: String,
    hash: DocumentHash,
}

/// What a revocation says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevocationParts {
    /// Drawn by the voucher.
    pub id: RequestId,
    /// When, by the voucher's clock.
    pub created_at: Timestamp,
    /// Which vouch.
    pub vouch_id: RequestId,
    /// The hash of it.
    pub vouch_hash: DocumentHash,
    /// Who vouched: a display name, and the key.
    pub voucher: (Text<128>, DidKey),
    /// Why.
    pub reason: Option<Text<1024>>,
    /// Since when, by the voucher's word. Shown; what counts is when it was received (case 93).
    pub effective_from: Option<Timestamp>,
}

impl Vouch {
    /// Reads one that lies in another document.
    pub(super) fn from_value(value: &Value) -> Result<Self, DocumentError> {
        Self::parse(canonical(value)?.as_bytes())
    }

    /// The document.
    pub(super) fn to_value(&self) -> Result<Value, DocumentError> {
        Ok(parse(self.bytes.as_bytes(), LIMITS)?)
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`DocumentError`]. One without proof is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        let Opened { value, bytes, .. } = open(bytes, VOUCH)?;
        let parts = read::<WireVouch>(VOUCH, &value)?.into();
        signed_only(&value)?;
        let hash = hash_of(&bytes);
        Ok(Self { parts, bytes, hash })
    }

    /// Writes one and signs it; `voucher` becomes the key of `signer`.
    ///
    /// # Errors
    /// What [`parse`](Self::parse) says of it: lists that are too long.
    pub fn sign(mut parts: VouchParts, signer: &dyn Signer) -> Result<Self, DocumentError> {
        parts.voucher.1 = signer.key();
        let at = parts.created_at;
        Self::parse(signed(&WireVouch::from(parts), signer, Binding::open(), at)?.as_bytes())
    }

    /// What it says.
    #[must_use]
    pub const fn parts(&self) -> &VouchParts {
        &self.parts
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

    /// Checks the proof against the voucher's key. Costs a signature.
    #[must_use]
    pub fn signature(&self) -> Signature {
        examined_open(self.bytes(), self.parts.voucher.1)
    }
}

impl Revocation {
    /// Reads one.
    ///
    /// # Errors
    /// [`DocumentError`]. One without proof is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        let Opened { value, bytes, .. } = open(bytes, REVOCATION)?;
        let parts = read::<WireRevocation>(REVOCATION, &value)?.into();
        signed_only(&value)?;
        let hash = hash_of(&bytes);
        Ok(Self { parts, bytes, hash })
    }

    /// Writes one and signs it; `voucher` becomes the key of `signer`.
    ///
    /// # Errors
    /// What [`parse`](Self::parse) says of it: lists that are too long.
    pub fn sign(mut parts: RevocationParts, signer: &dyn Signer) -> Result<Self, DocumentError> {
        parts.voucher.1 = signer.key();
        let at = parts.created_at;
        Self::parse(signed(&WireRevocation::from(parts), signer, Binding::open(), at)?.as_bytes())
    }

    /// What it says.
    #[must_use]
    pub const fn parts(&self) -> &RevocationParts {
        &self.parts
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

    /// Checks the proof against the voucher's key. Costs a signature.
    #[must_use]
    pub fn signature(&self) -> Signature {
        examined_open(self.bytes(), self.parts.voucher.1)
    }
}
