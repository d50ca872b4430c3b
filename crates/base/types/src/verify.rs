//! Half of the specification's `MemoryVerifier` that needs no World (§6.2, CR-21).

use alloc::sync::Arc;

use crate::VerificationProof;

/// Verifies proofs, offline: the authority's half of `MemoryVerifier` (§6.2). There is no way from here to `prove`.
///
/// An implementation is a pure function of the proof and of what it was built with: no clock, no randomness, no IO (M-8).
pub trait ProofVerifier: Send + Sync {
    /// Returns true if the proof is valid, from the proof alone (M-8, CR-21). Never true for a method that it does not know.
    ///
    /// `true` does not say *which* memory it is valid for: a proof can be moved to another reference.
    ///
    /// Evidence is not a proof; the proof is extracted first (M-12, FP-17):
    ///
    /// ```
    /// # use counterfoil_types::{ProofVerifier, VerificationEvidence};
    /// fn check(verifier: &dyn ProofVerifier, evidence: &VerificationEvidence) -> bool {
    ///     verifier.verify_proof(&evidence.to_proof())
    /// }
    /// ```
    ///
    /// ```compile_fail,E0308
    /// # use counterfoil_types::{ProofVerifier, VerificationEvidence};
    /// fn check(verifier: &dyn ProofVerifier, evidence: &VerificationEvidence) -> bool {
    ///     verifier.verify_proof(evidence)
    /// }
    /// ```
    fn verify_proof(&self, proof: &VerificationProof) -> bool;
}

impl<V: ProofVerifier + ?Sized> ProofVerifier for Arc<V> {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        (**self).verify_proof(proof)
    }
}
