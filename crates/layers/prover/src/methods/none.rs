//! Method `none`: nothing is verified, so nothing is proven and nothing verifies.

use counterfoil_capsule::World;
use counterfoil_types::{MemoryRef, VerificationProof};
use counterfoil_verifier::{NoneVerifier, ProofVerifier};

use crate::memory_verifier::MemoryVerifier;
use crate::result::{ProveError, ProveResult};

/// For those who want memories without proofs: every result is invalid and carries none.
#[derive(Debug)]
pub struct NoneProver {
    verifier: NoneVerifier,
}

impl NoneProver {
    /// The prover to this verifier.
    #[must_use]
    pub const fn new(verifier: NoneVerifier) -> Self {
        Self { verifier }
    }
}

impl ProofVerifier for NoneProver {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        self.verifier.verify_proof(proof)
    }
}

impl MemoryVerifier for NoneProver {
    fn prove(&self, _: &MemoryRef, _: &World) -> ProveResult {
        ProveResult::Invalid(ProveError::NothingToProve)
    }
}
