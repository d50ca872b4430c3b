//! That what was recalled is what was proven: the content against the entry in the evidence (CR-16).

use counterfoil_capsule::World;
use counterfoil_prover::{HashProver, MemoryVerifier, ProveResult};
use counterfoil_types::json::Value;
use counterfoil_types::{SelectedMemory, VerificationMethod, VerificationProof};
use counterfoil_verifier::HashVerifier;

use crate::ActError;

/// The member of a proof that holds the signed entry.
const ENTRY: &str = "entry";

/// Compares the content of `world` with the entry that the evidence of `memory` is about.
///
/// A memory that is not `verified` claims nothing, and a proof without an entry (`existence`, or an
/// application's own method) says nothing about content: there is nothing to compare then.
///
/// # Errors
/// [`ActError::Unproven`] if the content is not the one of its own receipt,
/// [`ActError::OtherEntry`] if that receipt is about another entry than the evidence.
pub(crate) fn same_content(memory: &SelectedMemory, world: &World) -> Result<(), ActError> {
    let evidence = memory.evidence().filter(|_| memory.verified());
    let Some(claimed) = evidence.map(|evidence| evidence.to_proof()) else {
        return Ok(());
    };
    let Some(claimed) = entry(&claimed) else {
        return Ok(());
    };
    match HashProver::new(HashVerifier).prove(memory.memory_ref(), world) {
        ProveResult::Valid(found) if entry(&found) == Some(claimed) => Ok(()),
        ProveResult::Valid(_) => Err(ActError::OtherEntry {
            world: world.world_id().clone(),
        }),
        ProveResult::Invalid(found) => Err(ActError::Unproven {
            world: world.world_id().clone(),
            found,
        }),
    }
}

/// The entry that a proof by one of the built-in methods is about.
fn entry(proof: &VerificationProof) -> Option<&str> {
    let custom = matches!(proof.method(), VerificationMethod::Custom(_));
    let data = proof.proof().filter(|_| !custom)?;
    data.get(ENTRY).and_then(Value::as_str)
}
