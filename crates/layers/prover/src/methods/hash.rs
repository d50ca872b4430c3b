//! Method `hash`: the content is the one in its entry. Integrity by the prover's word, no history.

use counterfoil_capsule::World;
use counterfoil_types::{MemoryRef, VerificationMethod, VerificationProof};
use counterfoil_verifier::payload::hash_payload;
use counterfoil_verifier::{HashVerifier, ProofVerifier};

use crate::examine::{Examined, examine};
use crate::memory_verifier::MemoryVerifier;
use crate::result::{ProveError, ProveResult};

/// States that the content hashes to its entry. Nothing anchors that to anyone.
#[derive(Debug)]
pub struct HashProver {
    verifier: HashVerifier,
}

impl HashProver {
    /// The prover to this verifier.
    #[must_use]
    pub const fn new(verifier: HashVerifier) -> Self {
        Self { verifier }
    }
}

fn proof(examined: &Examined<'_>) -> Result<VerificationProof, ProveError> {
    let data = hash_payload(&examined.receipt.entry().to_text());
    let method = VerificationMethod::Hash;
    Ok(VerificationProof::new(method, Some(data))?)
}

impl ProofVerifier for HashProver {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        self.verifier.verify_proof(proof)
    }
}

impl MemoryVerifier for HashProver {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        examine(memory, world)
            .and_then(|examined| proof(&examined))
            .into()
    }
}
