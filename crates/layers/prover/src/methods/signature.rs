//! Method `signature`: the agent signed the entry. The key is named by fingerprint, not as an actor.

use counterfoil_capsule::World;
use counterfoil_types::{MemoryRef, VerificationMethod, VerificationProof};
use counterfoil_verifier::payload::SignaturePayload;
use counterfoil_verifier::{KeyFingerprint, ProofVerifier, SignatureVerifier};

use crate::examine::{Examined, examine};
use crate::memory_verifier::MemoryVerifier;
use crate::result::{ProveError, ProveResult};

/// Proves that an agent sealed a World. It says nothing about a log.
#[derive(Debug)]
pub struct SignatureProver {
    verifier: SignatureVerifier,
}

impl SignatureProver {
    /// The prover to this verifier.
    #[must_use]
    pub const fn new(verifier: SignatureVerifier) -> Self {
        Self { verifier }
    }
}

/// The signature is taken from the receipt: it was made when the World was sealed, so that to prove
/// again gives the same bytes and needs no key (CR-16).
fn proof(examined: &Examined<'_>) -> Result<VerificationProof, ProveError> {
    let receipt = &examined.receipt;
    let payload = SignaturePayload {
        entry: &receipt.entry().to_text(),
        key_id: KeyFingerprint::of(&receipt.agent()),
        signature: *receipt.signature(),
    };
    Ok(VerificationProof::new(
        VerificationMethod::Signature,
        Some(payload.to_value()),
    )?)
}

impl ProofVerifier for SignatureProver {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        self.verifier.verify_proof(proof)
    }
}

impl MemoryVerifier for SignatureProver {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        examine(memory, world)
            .and_then(|examined| proof(&examined))
            .into()
    }
}
