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

use crate::disclosure::Disclosure;
use crate::error::ProveError;
use crate::examine::{Examined, examine};

/// Proves by the method of its verifier.
#[derive(Debug)]
pub struct Prover<V> {
    verifier: V,
    words: Disclosure,
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
/// asked, discloses fields of its content.
pub type MerkleProver = Prover<MerkleVerifier>;

impl<V> Prover<V> {
    /// The prover to this verifier. A proof names the content by addresses alone.
    pub const fn new(verifier: V) -> Self {
        Self {
            verifier,
            words: Disclosure::NONE,
        }
    }

    /// Discloses the fields at and below these JSON pointers (RFC 6901, within the World: `/data/text`) in each proof of
    /// method `merkle`, `signature` or `hash`; `""` is the whole content. A holder of such a proof can read these fields and
    /// no others. A World without such a field is proven without it.
    ///
    /// Of a content above 64 KiB, and of one that does not fit into a proof, `""` discloses the fields that
    /// [`matching`](Self::matching) names alone, and no more than fit.
    #[must_use]
    pub fn disclosing(mut self, pointers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.words.asked = pointers.into_iter().map(Into::into).collect();
        self
    }

    /// Keeps the fields at and below these JSON pointers back, whatever is to be disclosed.
    #[must_use]
    pub fn withholding(mut self, pointers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.words.withheld = pointers.into_iter().map(Into::into).collect();
        self
    }

    /// Names the words in lower case whose fields are disclosed of a content above 64 KiB.
    #[must_use]
    pub fn matching(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.words.words = words.into_iter().map(Into::into).collect();
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
            let disclosed = self.words.of(examined);
            let entry = examined.receipt.entry().to_text();
            Ok(Some(hash_payload(&entry, disclosed.as_ref())))
        })
    }
}

impl MemoryVerifier for SignatureProver {
    /// The signature is taken from the receipt: it was made when the World was sealed, so that to prove again gives the
    /// same bytes and needs no key (CR-16).
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        proven(VerificationMethod::Signature, memory, world, |examined| {
            let (receipt, disclosed) = (&examined.receipt, self.words.of(examined));
            let (entry, signature) = (receipt.entry().to_text(), signature_of(receipt));
            Ok(Some(signature_payload(
                &entry,
                &signature,
                disclosed.as_ref(),
            )))
        })
    }
}

impl MemoryVerifier for MerkleProver {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        proven(VerificationMethod::Merkle, memory, world, |examined| {
            Ok(Some(merkle(examined, self.words.of(examined))?))
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

/// The proof of method `merkle`, with the disclosed fields.
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
