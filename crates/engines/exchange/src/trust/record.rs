//! A document about others, as it was received: signed, dated, never changed (docs/format/trust.md, "Records").

use alloc::string::String;

use counterfoil_capsule::integrity::IntegrityError;
use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::json::{self, JsonError, Limits, Value};
use counterfoil_types::{DidKey, Sha256Hash};
use sha2::{Digest, Sha256};

use super::{LocalRecord, MAX_RECORD_BYTES, wire};
use crate::documents::{DocumentError, DocumentHash, DocumentKind, Revocation, Signature, Vouch};

/// Those of any document (docs/format/exchange.md §1), but for the bytes.
const LIMITS: Limits = Limits {
    bytes: MAX_RECORD_BYTES,
    depth: 64,
    nodes: 100_000,
};

/// A document about others, and when it was received. Its proof held when this was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    body: RecordBody,
    /// Of this agent's own; what others sent holds its bytes itself.
    own: String,
    hash: DocumentHash,
    received_us: u64,
}

/// Whose document it is.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordBody {
    /// Somebody vouches.
    Vouch(Vouch),
    /// Somebody takes a vouch back.
    Revocation(Revocation),
    /// This agent decided or saw something.
    Local(LocalRecord),
}

/// Why a document is no record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// It is not such a document.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// Its proof does not hold.
    #[error("the proof of this {0} does not hold; ask for the document again")]
    Proof(&'static str),
    /// It was signed by another agent than this one.
    #[error("this record is signed by {found}, and the records of this store by {expected}")]
    Foreign {
        /// Whose store.
        expected: DidKey,
        /// Who signed.
        found: DidKey,
    },
    /// Neither a vouch nor a revocation nor one of this agent's own records.
    #[error("this is a {found:?}; send vouches and vouch_revocations")]
    Type {
        /// The beginning of what stands there.
        found: String,
    },
    /// A version that is not read here.
    #[error("version {found:?} of a {kind} is not read here; write \"1\"")]
    Version {
        /// Of what.
        kind: &'static str,
        /// The beginning of what stands there.
        found: String,
    },
    /// A member that is not what it must be, or is missing.
    #[error("{member} of a {kind} must be {must}")]
    Member {
        /// Of what.
        kind: &'static str,
        /// Which.
        member: &'static str,
        /// What it must be.
        must: &'static str,
    },
    /// A member that the format does not have.
    #[error("{member:?} is not a member of a {kind}; remove it")]
    Unknown {
        /// Of what.
        kind: &'static str,
        /// The beginning of its name.
        member: String,
    },
}

impl From<JsonError> for RecordError {
    fn from(error: JsonError) -> Self {
        Self::Document(error.into())
    }
}

impl From<IntegrityError> for RecordError {
    fn from(error: IntegrityError) -> Self {
        Self::Document(error.into())
    }
}

impl Record {
    /// Reads a document about others as it was sent or kept, checks its proof, and dates it. Costs a signature.
    ///
    /// `own`: the keys by which this agent's own records may be signed, the present one first. With none, only what
    /// others say is read.
    ///
    /// # Errors
    /// [`RecordError`]: more than [`MAX_RECORD_BYTES`], another type, a member that is none, a proof that does not hold,
    /// the own record of another.
    pub fn receive(bytes: &[u8], own: &[DidKey], received_us: u64) -> Result<Self, RecordError> {
        let value = json::parse(bytes, LIMITS)?;
        let kind = value
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if kind == DocumentKind::Vouch.as_str() {
            let vouch = Vouch::parse(bytes)?;
            held(
                vouch.signature(),
                vouch.parts().voucher.1,
                DocumentKind::Vouch,
            )?;
            return Ok(Self::of(
                RecordBody::Vouch(vouch),
                String::new(),
                received_us,
            ));
        }
        if kind == DocumentKind::Revocation.as_str() {
            let revocation = Revocation::parse(bytes)?;
            let by = revocation.parts().voucher.1;
            held(revocation.signature(), by, DocumentKind::Revocation)?;
            return Ok(Self::of(
                RecordBody::Revocation(revocation),
                String::new(),
                received_us,
            ));
        }
        let canonical = json::canonical(&value)?;
        json::same_bytes(&canonical, bytes)?;
        let local = wire::read(&value, own)?;
        Ok(Self::of(RecordBody::Local(local), canonical, received_us))
    }

    /// Writes and signs what this agent has decided or seen. It is received when it is written.
    ///
    /// # Errors
    /// [`RecordError::Member`] for more addresses or domains than there may be.
    pub fn local(
        record: LocalRecord,
        at: Timestamp,
        signer: &dyn Signer,
    ) -> Result<Self, RecordError> {
        let bytes = json::canonical(&wire::write(&record, at, signer)?)?;
        Ok(Self::of(RecordBody::Local(record), bytes, at.micros()))
    }

    pub(super) fn of(body: RecordBody, own: String, received_us: u64) -> Self {
        let hash = match &body {
            RecordBody::Vouch(vouch) => vouch.hash(),
            RecordBody::Revocation(revocation) => revocation.hash(),
            RecordBody::Local(_) => {
                let digest = Sha256::digest(own.as_bytes()).into();
                DocumentHash::from_digest(Sha256Hash::from_bytes(digest))
            }
        };
        Self {
            body,
            own,
            hash,
            received_us,
        }
    }

    /// What it says.
    #[must_use]
    pub const fn body(&self) -> &RecordBody {
        &self.body
    }

    /// The document.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.body {
            RecordBody::Vouch(vouch) => vouch.bytes(),
            RecordBody::Revocation(revocation) => revocation.bytes(),
            RecordBody::Local(_) => self.own.as_bytes(),
        }
    }

    /// SHA-256 of it: one document is one record.
    #[must_use]
    pub const fn hash(&self) -> DocumentHash {
        self.hash
    }

    /// When it was received, microseconds since 1970.
    #[must_use]
    pub const fn received_us(&self) -> u64 {
        self.received_us
    }
}

fn held(signature: Signature, by: DidKey, kind: DocumentKind) -> Result<(), RecordError> {
    if signature == Signature::Holds(by) {
        return Ok(());
    }
    Err(RecordError::Proof(kind.as_str()))
}
