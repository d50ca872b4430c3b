//! A verification method of one's own (MR-04), written with no more than this role may reach.

use counterfoil_types::{VerificationMethod, VerificationProof};
use counterfoil_verifier::ProofVerifier;

/// Accepts every proof of its method: it shows no more than existence.
#[derive(Debug)]
pub struct Known {
    method: VerificationMethod,
}

impl Known {
    /// A verifier for `method`.
    #[must_use]
    pub const fn new(method: VerificationMethod) -> Self {
        Self { method }
    }
}

impl ProofVerifier for Known {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        *proof.method() == self.method
    }
}
