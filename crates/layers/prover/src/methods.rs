//! One prover for each method of the specification (§5.1.2).

use alloc::string::String;

use counterfoil_capsule::{Receipt, World};
use counterfoil_memory_verifier::{MemoryVerifier, ProofVerifier, ProveResult};
use counterfoil_types::json::Value;
use counterfoil_types::{MemoryRef, VerificationMethod, VerificationProof};
use counterfoil_verifier::payload::{
    DisclosurePayload, EntrySignature, hash_payload, merkle_payload, signature_payload,
};
use counterfoil_verifier::{
    Examiner, ExistenceVerifier, HashVerifier, KeyFingerprint, MerkleVerifier, NoneVerifier,
    SignatureVerifier,
};

use crate::error::ProveError;
use crate::examine::{Examined, examine};

/// Proves by the method of its verifier.
#[derive(Debug)]
pub struct Prover<V> {
    verifier: V,
    pointer: Option<String>,
}

/// Method `none`: for those who want memories without proofs. Nothing is proven and nothing verifies.
pub type NoneProver = Prover<NoneVerifier>;

/// Method `existence`: states that the World was in the store, by the prover's word; the proof itself is absent. It still
/// refuses a World that is not the one of its receipt: the existence of tampered content must not be stated.
pub type ExistenceProver = Prover<ExistenceVerifier>;

/// Method `hash`: states that the content hashes to its entry. Nothing anchors that to anyone.
pub type HashProver = Prover<HashVerifier>;

/// Method `signature`: proves that an agent sealed a World. It says nothing about a log. The key is named by fingerprint,
/// not as an actor.
pub type SignatureProver = Prover<SignatureVerifier>;

/// Method `merkle`: proves that a World was recorded in a log under a signed checkpoint (Appendix E, proof.md 2), and, if
/// asked, the content of one of its fields.
pub type MerkleProver = Prover<MerkleVerifier>;

impl<V> Prover<V> {
    /// The prover to this verifier. A proof names the content by addresses alone.
    pub const fn new(verifier: V) -> Self {
        Self {
            verifier,
            pointer: None,
        }
    }
}

impl MerkleProver {
    /// Discloses the field at `pointer` (RFC 6901, within the World: `/data/text`) in each proof.
    /// A holder of such a proof can read that field and no other.
    #[must_use]
    pub fn disclosing(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }
}

impl<V: Examiner> ProofVerifier for Prover<V> {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        self.verifier.verifies(proof)
    }
}

impl MemoryVerifier for NoneProver {
    fn prove(&self, _: &MemoryRef, _: &World) -> ProveResult {
        ProveResult::Invalid(ProveError::NothingToProve.into())
    }
}

impl MemoryVerifier for ExistenceProver {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        proven(VerificationMethod::Existence, memory, world, |_| Ok(None))
    }
}

impl MemoryVerifier for HashProver {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        proven(VerificationMethod::Hash, memory, world, |examined| {
            Ok(Some(hash_payload(&examined.receipt.entry().to_text())))
        })
    }
}

impl MemoryVerifier for SignatureProver {
    /// The signature is taken from the receipt: it was made when the World was sealed, so that to prove again gives the
    /// same bytes and needs no key (CR-16).
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        proven(VerificationMethod::Signature, memory, world, |examined| {
            let receipt = &examined.receipt;
            let signature = signature_of(receipt);
            Ok(Some(signature_payload(
                &receipt.entry().to_text(),
                &signature,
            )))
        })
    }
}

impl MemoryVerifier for MerkleProver {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        proven(VerificationMethod::Merkle, memory, world, |examined| {
            let shown = self.pointer.as_ref();
            let shown = shown
                .map(|pointer| examined.disclose(pointer))
                .transpose()?;
            Ok(Some(merkle(examined, shown)?))
        })
    }
}

fn proven(
    method: VerificationMethod,
    memory: &MemoryRef,
    world: &World,
    data: impl FnOnce(&Examined<'_>) -> Result<Option<Value>, ProveError>,
) -> ProveResult {
    let proof = || -> Result<_, ProveError> {
        let data = data(&examine(memory, world)?)?;
        Ok(VerificationProof::new(method, data)?)
    };
    proof().into()
}

/// The proof of method `merkle`, with Appendix E's `pathProof` of a disclosed field: from the field's leaf to the field
/// root, and the content of the leaf.
pub(crate) fn merkle(
    examined: &Examined<'_>,
    disclosure: Option<DisclosurePayload>,
) -> Result<Value, ProveError> {
    let receipt = &examined.receipt;
    let log = receipt.tlog_proof().ok_or(ProveError::NotInLog)?;
    let consistency = receipt.consistency();
    let payload = merkle_payload(receipt.entry(), log, disclosure.as_ref(), consistency);
    Ok(payload)
}

/// The signature that the agent made when the World was sealed.
pub(crate) fn signature_of(receipt: &Receipt) -> EntrySignature {
    EntrySignature {
        key_id: KeyFingerprint::of(&receipt.agent()),
        value: *receipt.signature(),
    }
}
