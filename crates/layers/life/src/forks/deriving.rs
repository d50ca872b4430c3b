//! Changes of the index by a resolution: the chain takes another way (capsules 4.5).

use counterfoil_capsule::keys::ForkResolution;
use counterfoil_capsule::{ChainId, RecordKind, Signed};
use counterfoil_store::StoreError;
use counterfoil_types::Blake3Hash;

use super::branches;
use crate::entries::{Sides, owner, places, present_header, slot, slot_at, tag, unchecked};
use crate::keys::key_chain;
use crate::port::rows::{AbandonedRow, ChainRow, ResolutionRow};
use crate::records::{Record, content_of};

/// Applies a resolution to the index: the chain ends before the fork unless
/// the kept branch is accepted, and the branch that goes is marked. A function of the ground, called in log order.
pub(crate) fn derive(sides: Sides<'_>, record: Record<'_>) -> Result<(), StoreError> {
    let Ok(resolution) = ForkResolution::parse(record.document) else {
        return Ok(());
    };
    let (chain, seq, keep) = (resolution.chain, resolution.seq, resolution.keep);
    if owner(sides, &chain)? != Some(resolution.agent)
        || !holds(sides, record, &resolution)?
        || decided_by_owner(sides, &chain, seq)?
    {
        return Ok(());
    }
    let record = record.index;
    sides.index.put(&ResolutionRow {
        chain,
        seq,
        keep,
        record,
    })?;
    match slot(sides, &chain, seq)? {
        Some(slot) if slot.hash == keep => Ok(()),
        _ => {
            abandon(sides, &chain, seq)?;
            take_back(sides, &chain, keep)
        }
    }
}

/// Tests whether the resolution counts here: the owner's does everywhere, an operator's at home.
fn holds(
    sides: Sides<'_>,
    record: Record<'_>,
    resolution: &Signed<ForkResolution>,
) -> Result<bool, StoreError> {
    match resolution.recovery {
        Some(_) => {
            // The commitment to the recovery key never changes, so later records of keys do not
            // matter.
            let keys = key_chain(Sides::both(sides.ground), &resolution.agent)?;
            Ok(keys.is_some_and(|keys| keys.history.accepts(resolution).is_ok()))
        }
        None => Ok(!record.received && Some(record.header.agent()) == resolution.operator),
    }
}

/// An operator's decision gives way to the owner's, and the owner's to none.
fn decided_by_owner(sides: Sides<'_>, chain: &ChainId, seq: u64) -> Result<bool, StoreError> {
    let Some(row) = sides.index.find::<ResolutionRow>(&[chain, &seq])? else {
        return Ok(false);
    };
    let stored = unchecked(sides.ground, row.record)?;
    let value = stored
        .and_then(|it| content_of(&it.header, it.payload.as_ref(), RecordKind::ForkResolution));
    let resolution = value.and_then(|value| ForkResolution::parse(&value).ok());
    Ok(resolution.is_some_and(|resolution| resolution.recovery.is_some()))
}

/// Marks what the chain holds from `seq` on, and takes it out of the chain.
fn abandon(sides: Sides<'_>, chain: &ChainId, seq: u64) -> Result<(), StoreError> {
    for place in places(sides.index, chain, seq)? {
        sides.index.add(&AbandonedRow {
            hash: slot_at(sides.ground, place.idx)?.hash,
            chain: *chain,
            idx: place.idx,
        })?;
        sides.index.remove::<ChainRow>(&[chain, &place.seq])?;
    }
    Ok(())
}

/// Puts a branch that was abandoned before back into the chain, as far as it goes.
fn take_back(sides: Sides<'_>, chain: &ChainId, keep: Blake3Hash) -> Result<(), StoreError> {
    let mut last = None;
    for idx in branches::abandoned(sides.index, chain)? {
        // What was abandoned and archived since would have to be restored first.
        let Ok(header) = present_header(sides.ground, idx) else {
            break;
        };
        if header.hash() != keep && (last.is_none() || header.previous() != last) {
            continue;
        }
        last = Some(header.hash());
        sides.index.remove::<AbandonedRow>(&[&header.hash()])?;
        let (chain, seq) = (*chain, header.seq());
        let tag = tag(header.hash());
        sides.index.add(&ChainRow {
            chain,
            seq,
            idx,
            tag,
        })?;
    }
    Ok(())
}
