//! Puts the receipt beside a World: what lets `prove` work without a store (proof.md 1).

use counterfoil_capsule::{Receipt, World};
use counterfoil_verifier::Consistency;
use counterfoil_verifier::tlog_proof::TlogProof;

use crate::capsule_log::StoredCapsule;
use crate::log::{NodeReader, consistency, inclusion};
use crate::{StoreError, StoreLocation};

/// The World of a stored capsule with its receipt in `metadata.receipt`: for the log at `size` with this signed
/// checkpoint, with a consistency proof from the size `floor`, if any.
///
/// The content is parsed, not verified: that is for `prove` and for an audit.
///
/// # Errors
/// [`StoreError::Corrupt`] when the content is not a World; otherwise when a node cannot be read.
pub fn world_with_receipt(
    stored: StoredCapsule,
    nodes: &dyn NodeReader,
    (size, checkpoint): (u64, &str),
    floor: Option<u64>,
) -> Result<World, StoreError> {
    let place = StoreLocation::entry("body", stored.index);
    let corrupt = |detail: &dyn core::fmt::Display| StoreError::corrupt(place.clone(), detail);
    let payload = stored
        .payload
        .ok_or_else(|| corrupt(&"the content is absent"))?;
    let world = World::from_json(payload.text.as_bytes()).map_err(|error| corrupt(&error))?;
    let entry = stored.entry.as_world();
    let entry = entry.ok_or_else(|| corrupt(&"the entry is a record's"))?;
    let mut receipt = Receipt::new(entry, stored.key, stored.signature, payload.salt)
        .with_tlog_proof(TlogProof {
            index: stored.index,
            hashes: inclusion(nodes, stored.index, size)?,
            checkpoint: checkpoint.to_owned(),
        });
    if let Some(from) = floor.filter(|from| (1..size).contains(from)) {
        let hashes = consistency(nodes, from, size)?;
        receipt = receipt.with_consistency(Consistency { from, hashes });
    }
    Ok(receipt.beside(world))
}
