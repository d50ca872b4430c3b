//! Data Integrity proofs of documents: those of `counterfoil_verifier`, made by a [`Signer`] (capsules 4.2, C2, C12).

pub use counterfoil_verifier::integrity::{
    Binding, Created, KnownKeys, MAX_PROOFS, ProofError, Purpose, canonical_with_digest,
    verification_method, verify, verify_digest,
};

use counterfoil_types::json::Value;
use counterfoil_verifier::integrity;

use crate::key::Signer;
use crate::timestamp::Timestamp;

impl From<Timestamp> for Created {
    fn from(at: Timestamp) -> Self {
        Self::from_micros(at.micros())
    }
}

/// Gives back the document with one more proof, by the key that `signer` signs with.
///
/// # Errors
/// As [`counterfoil_verifier::integrity::sign`].
pub fn sign(
    document: Value,
    signer: &dyn Signer,
    created: impl Into<Created>,
    binding: &Binding,
) -> Result<Value, ProofError> {
    let signature = |message: &[u8]| signer.sign(message);
    integrity::sign(document, signer.key(), signature, created.into(), binding)
}

/// Makes the proof that [`sign`] adds to a document without `@context`, given the SHA-256 of its canonical form without
/// proofs.
///
/// # Errors
/// [`ProofError::Json`].
pub fn sign_digest(
    document: &[u8; 32],
    signer: &dyn Signer,
    created: impl Into<Created>,
    binding: &Binding,
) -> Result<Value, ProofError> {
    let signature = |message: &[u8]| signer.sign(message);
    integrity::sign_digest(document, signer.key(), signature, created.into(), binding)
}
