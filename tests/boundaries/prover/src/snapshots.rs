//! A prover by the hash that a World names, written with no more than this role may reach.

use counterfoil_memory_verifier::{MemoryVerifier, ProofVerifier, ProveResult};
use counterfoil_types::{MemoryRef, VerificationMethod, VerificationProof, World};

/// Proves a World by the hash that it names. It shows no more than existence.
#[derive(Debug)]
pub struct Snapshots {
    method: VerificationMethod,
}

impl Snapshots {
    /// A prover and verifier of `method`.
    #[must_use]
    pub const fn new(method: VerificationMethod) -> Self {
        Self { method }
    }
}

impl ProofVerifier for Snapshots {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        *proof.method() == self.method && proof.proof().is_some()
    }
}

impl MemoryVerifier for Snapshots {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        if memory.world_id() != world.world_id() {
            return ProveResult::Invalid("the reference names another World".into());
        }
        let hash = Some(world.snapshot_hash().into());
        VerificationProof::new(self.method.clone(), hash).into()
    }
}
