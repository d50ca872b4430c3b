//! That what was recalled is what was proven: the content against the entry in the evidence (CR-16).

use counterfoil_capsule::Receipt;
use counterfoil_prover::{HashProver, MemoryVerifier, ProveError, ProveResult};
use counterfoil_types::json::Value;
use counterfoil_types::{BoxError, SelectedMemory, VerificationMethod, VerificationProof, World};
use counterfoil_verifier::HashVerifier;

use crate::ActError;

/// The member of a proof that holds the signed entry.
const ENTRY: &str = "entry";

/// Compares the content of `world`, hashed anew, with the entry that the evidence of `memory` is about.
///
/// A memory that is not `verified` claims nothing, and a proof without an entry (`existence`, or an
/// application's own method) says nothing about content: there is nothing to compare then.
///
/// # Errors
/// [`ActError::Unproven`] if the content is not the one of its own receipt,
/// [`ActError::OtherEntry`] if that receipt is about another entry than the evidence.
pub(crate) fn same_content(memory: &SelectedMemory, world: &World) -> Result<(), ActError> {
    compared(memory, world, || {
        match HashProver::new(HashVerifier).prove(memory.memory_ref(), world) {
            ProveResult::Valid(found) => Ok(entry(&found).map(str::to_owned)),
            ProveResult::Invalid(found) => Err(found),
        }
    })
}

/// As [`same_content`], for a World whose content was hashed when it was proven: compares the entry of its receipt.
pub(crate) fn same_entry(memory: &SelectedMemory, world: &World) -> Result<(), ActError> {
    compared(memory, world, || {
        let receipt = Receipt::of(world).map_err(ProveError::Receipt)?;
        let receipt = receipt.ok_or(ProveError::NoReceipt)?;
        Ok(Some(receipt.entry().to_text()))
    })
}

fn compared(
    memory: &SelectedMemory,
    world: &World,
    found: impl FnOnce() -> Result<Option<String>, BoxError>,
) -> Result<(), ActError> {
    let evidence = memory.evidence().filter(|_| memory.verified());
    let proof = evidence.map(|evidence| evidence.to_proof());
    let Some(claimed) = proof.as_ref().and_then(entry) else {
        return Ok(());
    };
    let world = world.world_id().clone();
    match found() {
        Ok(found) if found.as_deref() == Some(claimed) => Ok(()),
        Ok(_) => Err(ActError::OtherEntry { world }),
        Err(found) => Err(ActError::Unproven { world, found }),
    }
}

/// The entry that a proof by one of the built-in methods is about.
fn entry(proof: &VerificationProof) -> Option<&str> {
    let custom = matches!(proof.method(), VerificationMethod::Custom { .. });
    let data = proof.proof().filter(|_| !custom)?;
    data.get(ENTRY).and_then(Value::as_str)
}
