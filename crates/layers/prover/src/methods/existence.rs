//! Method `existence`: the World was in the store. The proof itself is absent.

use counterfoil_capsule::World;
use counterfoil_types::{MemoryRef, VerificationMethod, VerificationProof};
use counterfoil_verifier::{ExistenceVerifier, ProofVerifier};

use crate::examine::examine;
use crate::memory_verifier::MemoryVerifier;
use crate::result::ProveResult;

/// States that the World exists, by the prover's word. It still refuses a World that is not the
/// one of its receipt: the existence of tampered content must not be stated.
#[derive(Debug)]
pub struct ExistenceProver {
    verifier: ExistenceVerifier,
}

impl ExistenceProver {
    /// The prover to this verifier.
    #[must_use]
    pub const fn new(verifier: ExistenceVerifier) -> Self {
        Self { verifier }
    }
}

impl ProofVerifier for ExistenceProver {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        self.verifier.verify_proof(proof)
    }
}

impl MemoryVerifier for ExistenceProver {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        let proof = || Ok(VerificationProof::new(VerificationMethod::Existence, None)?);
        examine(memory, world).and_then(|_| proof()).into()
    }
}
