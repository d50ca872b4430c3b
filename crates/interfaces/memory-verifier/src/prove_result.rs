//! `ProveResult` (specification §5.2.1): a proof if valid, and an error if not, never both.

use alloc::string::ToString;

use counterfoil_types::document::object;
use counterfoil_types::{BoxError, VerificationProof};
use serde::{Serialize, Serializer};

/// Result of `prove`. On the wire `{"valid":true,"proof":…}` or `{"valid":false,"error":"…"}`.
///
/// The specification lets a failed result carry a "partial" proof; this one cannot, so that no
/// failed proof is ever wrapped into evidence.
#[derive(Debug)]
pub enum ProveResult {
    /// The World is the one of the reference; this proves it to others.
    Valid(VerificationProof),
    /// It is not, or nothing can be said.
    Invalid(BoxError),
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
    pub const fn error(&self) -> Option<&BoxError> {
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

impl<E: Into<BoxError>> From<Result<VerificationProof, E>> for ProveResult {
    fn from(result: Result<VerificationProof, E>) -> Self {
        match result {
            Ok(proof) => Self::Valid(proof),
            Err(error) => Self::Invalid(error.into()),
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
