//! Puts the receipt beside a World: what lets `prove` work without a store (proof.md 1).

use counterfoil_capsule::{LogEntry, Receipt, World};
use counterfoil_verifier::Consistency;
use counterfoil_verifier::tlog_proof::TlogProof;

use crate::capsule_log::StoredCapsule;
use crate::log::{NodeReader, consistency, inclusion};
use crate::{StoreError, StoreLocation};

/// The state of the log that a receipt is made for.
#[derive(Debug, Clone, Copy)]
pub struct ReceiptAt<'a> {
    /// The size of the log.
    pub size: u64,
    /// The signed checkpoint at that size.
    pub checkpoint: &'a str,
    /// The size from which an authority asks for a consistency proof, if any.
    pub floor: Option<u64>,
}

/// The World of a stored capsule with its receipt in `metadata.receipt`.
///
/// The content is parsed, not verified: that is for `prove` and for an audit.
///
/// # Errors
/// [`StoreError::Corrupt`] when the content is not a World; otherwise when a node cannot be read.
pub fn world_with_receipt(
    stored: StoredCapsule,
    nodes: &dyn NodeReader,
    at: ReceiptAt<'_>,
) -> Result<World, StoreError> {
    let place = StoreLocation::entry("body", stored.index);
    let corrupt = |detail: &dyn core::fmt::Display| StoreError::corrupt(place.clone(), detail);
    let payload = stored
        .payload
        .ok_or_else(|| corrupt(&"the content is absent"))?;
    let world = World::from_json(payload.text.as_bytes()).map_err(|error| corrupt(&error))?;
    let LogEntry::World(entry) = stored.entry else {
        return Err(corrupt(&"the entry is a record's"));
    };
    let mut receipt = Receipt::new(entry, stored.key, stored.signature, payload.salt)
        .with_tlog_proof(TlogProof {
            index: stored.index,
            hashes: inclusion(nodes, stored.index, at.size)?,
            checkpoint: at.checkpoint.to_owned(),
        });
    if let Some(consistency) = from_floor(nodes, at)? {
        receipt = receipt.with_consistency(consistency);
    }
    Ok(world.with_receipt(&receipt))
}

fn from_floor(
    nodes: &dyn NodeReader,
    at: ReceiptAt<'_>,
) -> Result<Option<Consistency>, StoreError> {
    match at.floor {
        Some(from) if from > 0 && from < at.size => Ok(Some(Consistency {
            from,
            hashes: consistency(nodes, from, at.size)?,
        })),
        _ => Ok(None),
    }
}
