//! Method `merkle`: the entry is in a log under a signed checkpoint (Appendix E, proof.md 2).

use alloc::string::String;

use counterfoil_capsule::World;
use counterfoil_types::{MemoryRef, VerificationMethod, VerificationProof};
use counterfoil_verifier::payload::MerklePayload;
use counterfoil_verifier::{MerkleVerifier, ProofVerifier};

use crate::examine::{Examined, examine};
use crate::memory_verifier::MemoryVerifier;
use crate::result::{ProveError, ProveResult};

/// Proves that a World was recorded in a log, and, if asked, what one of its fields says.
#[derive(Debug)]
pub struct MerkleProver {
    verifier: MerkleVerifier,
    pointer: Option<String>,
}

impl MerkleProver {
    /// Proves the World as a whole: the proof names its content by addresses alone.
    #[must_use]
    pub const fn new(verifier: MerkleVerifier) -> Self {
        Self {
            verifier,
            pointer: None,
        }
    }

    /// Discloses the field at `pointer` (RFC 6901, within the World: `/data/text`) in each proof.
    /// A holder of such a proof can read that field and no other.
    #[must_use]
    pub fn disclosing(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    fn proof(&self, examined: &Examined<'_>) -> Result<VerificationProof, ProveError> {
        let receipt = &examined.receipt;
        let log = receipt.tlog_proof().ok_or(ProveError::NotInLog)?;
        let shown = self
            .pointer
            .as_ref()
            .map(|pointer| examined.disclose(pointer))
            .transpose()?;
        let payload = MerklePayload {
            computed_root: examined.fields.root(),
            expected_root: receipt.entry().field_root,
            entry: &receipt.entry().to_text(),
            tlog_proof: &log.to_text(),
            disclosure: shown,
            consistency: receipt.consistency().cloned(),
        };
        let method = VerificationMethod::Merkle;
        Ok(VerificationProof::new(method, Some(payload.to_value()))?)
    }
}

impl ProofVerifier for MerkleProver {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        self.verifier.verify_proof(proof)
    }
}

impl MemoryVerifier for MerkleProver {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        examine(memory, world)
            .and_then(|examined| self.proof(&examined))
            .into()
    }
}
