//! A prover by the hash that a World names, written with no more than this role may reach.

use counterfoil_capsule::World;
use counterfoil_prover::{MemoryVerifier, ProveError, ProveResult};
use counterfoil_types::{MemoryRef, VerificationMethod, VerificationProof};
use counterfoil_verifier::ProofVerifier;

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
            return ProveResult::Invalid(ProveError::NothingToProve);
        }
        let hash = Some(world.snapshot_hash().into());
        let proof = VerificationProof::new(self.method.clone(), hash);
        proof.map_err(ProveError::from).into()
    }
}
