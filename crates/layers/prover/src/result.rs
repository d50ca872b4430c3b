//! `ProveResult` (specification §5.2.1): a proof if valid, and an error if not, never both.

use alloc::string::{String, ToString};

use counterfoil_capsule::CapsuleError;
use counterfoil_types::document::object;
use counterfoil_types::{Sha256Hash, ShapeError, VerificationProof, WorldId};
use serde::{Serialize, Serializer};

/// Result of `prove`. On the wire `{"valid":true,"proof":…}` or `{"valid":false,"error":"…"}`.
///
/// The specification lets a failed result carry a "partial" proof; this one cannot, so that no
/// failed proof is ever wrapped into evidence.
#[derive(Debug, Clone, PartialEq)]
pub enum ProveResult {
    /// The World is what its receipt says; this proves it to others.
    Valid(VerificationProof),
    /// It is not, or nothing can be said.
    Invalid(ProveError),
}

impl ProveResult {
    /// Returns true if there is a proof.
    pub const fn valid(&self) -> bool {
        matches!(self, Self::Valid(_))
    }

    /// The proof, if there is one.
    pub const fn proof(&self) -> Option<&VerificationProof> {
        match self {
            Self::Valid(proof) => Some(proof),
            Self::Invalid(_) => None,
        }
    }

    /// The error, if there is no proof.
    pub const fn error(&self) -> Option<&ProveError> {
        match self {
            Self::Valid(_) => None,
            Self::Invalid(error) => Some(error),
        }
    }

    /// Takes the proof out, if there is one.
    pub fn into_proof(self) -> Option<VerificationProof> {
        match self {
            Self::Valid(proof) => Some(proof),
            Self::Invalid(_) => None,
        }
    }
}

impl From<Result<VerificationProof, ProveError>> for ProveResult {
    fn from(result: Result<VerificationProof, ProveError>) -> Self {
        match result {
            Ok(proof) => Self::Valid(proof),
            Err(error) => Self::Invalid(error),
        }
    }
}

impl Serialize for ProveResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let error = self.error().map(ToString::to_string);
        let result = object().with("valid", self.valid());
        result
            .with_some("proof", self.proof())
            .with_some("error", error)
            .serialize(serializer)
    }
}

/// A World that cannot be proven.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// The caller gave a World that the reference does not name.
    #[error("the reference names {expected} and the World is {found}; fetch the World again")]
    OtherWorld {
        /// World of the reference.
        expected: WorldId,
        /// The given World.
        found: WorldId,
    },
    /// The World carries no receipt: it comes from no store, or from one that keeps none.
    #[error("the World carries no receipt; fetch it from the store that sealed it")]
    NoReceipt,
    /// The receipt is not one.
    #[error("the receipt cannot be read: {0}")]
    Receipt(#[source] CapsuleError),
    /// The content has no canonical form, or is too large to have been sealed.
    #[error("the content cannot be hashed: {0}")]
    Content(#[source] CapsuleError),
    /// The receipt is that of another World.
    #[error("the receipt is that of {found}; fetch the World again, and audit the store")]
    EntryOfOther {
        /// World of the receipt.
        found: WorldId,
    },
    /// The content is not the one that was sealed.
    #[error("the content is not the one that was sealed; audit the store")]
    ContentChanged,
    /// The field tree is not the one that was sealed.
    #[error("the fields give the root {computed} and the entry says {expected}; audit the store")]
    FieldsChanged {
        /// Root of the content that was given.
        computed: Sha256Hash,
        /// Root in the entry.
        expected: Sha256Hash,
    },
    /// The header is not the one that was sealed.
    #[error("the header is not the one that was sealed; audit the store")]
    HeaderChanged,
    /// The receipt has no place in a log.
    #[error("the receipt has no log proof; fetch the World again once the log has a checkpoint")]
    NotInLog,
    /// There is no such field to disclose.
    #[error("the World has no field {pointer:?}; name a value, as /data/text, not a container")]
    NoSuchField {
        /// The JSON pointer.
        pointer: String,
    },
    /// The method `none` proves nothing.
    #[error("the method none proves nothing; choose existence, hash, signature or merkle")]
    NothingToProve,
    /// A verifier of the application's own does not prove the World (MR-04).
    #[error("{detail}")]
    Application {
        /// Message of the application.
        detail: String,
    },
    /// The proof would not be one by the specification's rules.
    #[error("the proof is refused: {0}")]
    Proof(#[from] ShapeError),
}
