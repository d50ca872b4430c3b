//! Opening a capsule: header and content together with the proof that is about them (`docs/format/belief.md` §1).

use counterfoil_capsule::World;
use counterfoil_types::{MemoryRef, VerificationMethod, VerificationProof};
use counterfoil_verifier::digest::header_hash;
use counterfoil_verifier::opened::OpenedCapsule;

use crate::error::ProveError;
use crate::examine::examine;
use crate::methods::{merkle, signature_of};

/// Opens the capsule of `world` for a reader of all of it. `header` is its canonical header.
///
/// `Ok` guarantees that content, field tree and header are those of the entry: recomputed, not read (M-8, CR-16). Whether
/// the entry is signed, and in a log that somebody trusts, is for
/// [`OpenedCapsule::open`](counterfoil_verifier::opened::OpenedCapsule::open).
///
/// # Errors
/// [`ProveError`], as [`prove`](crate::MemoryVerifier::prove) has them; [`ProveError::NotInLog`] without a place in the log.
pub fn open(memory: &MemoryRef, world: &World, header: &str) -> Result<OpenedCapsule, ProveError> {
    let examined = examine(memory, world)?;
    let receipt = &examined.receipt;
    let proof = merkle(&examined, None)?;
    if header_hash(header.as_bytes()) != receipt.entry().capsule {
        return Err(ProveError::HeaderChanged);
    }
    Ok(OpenedCapsule {
        header: header.into(),
        content: world
            .content()
            .map_err(|error| ProveError::Content(error.into()))?,
        salt: *receipt.salt(),
        signature: signature_of(receipt),
        proof: VerificationProof::new(VerificationMethod::Merkle, Some(proof))?,
    })
}
