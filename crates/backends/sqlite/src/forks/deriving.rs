//! Changes of derived state by a resolution: the chain takes another way (capsules 4.5).

use counterfoil_capsule::keys::ForkResolution;
use counterfoil_capsule::{ChainId, RecordKind, Signed};
use counterfoil_store::StoreError;
use counterfoil_types::Blake3Hash;
use rusqlite::params;

use super::branches;
use crate::derivation::{Record, Sealed, Sides};
use crate::keys::key_chain;
use crate::records::content_of;
use crate::statement::Statements;
use crate::{lookup, rows};

/// Applies a resolution to derived state: the chain ends before the fork unless
/// the kept branch is accepted, and the branch that goes is marked. A function of the ground, called in log order.
pub(crate) fn derive(sides: Sides<'_>, record: Record<'_>) -> Result<(), StoreError> {
    let Ok(resolution) = ForkResolution::parse(record.document) else {
        return Ok(());
    };
    let (chain, seq, keep) = (&resolution.chain, &resolution.seq, &resolution.keep);
    let owner = lookup::owner(sides, chain)?;
    if owner != Some(resolution.agent) || !holds(sides, record, &resolution)? {
        return Ok(());
    }
    if decided_by_owner(sides, chain, *seq)? {
        return Ok(());
    }
    sides.derived.change(
        "INSERT INTO resolution (chain, seq, keep, record) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (chain, seq) DO UPDATE SET keep = excluded.keep, record = excluded.record",
        params![chain.as_bytes(), seq, keep.as_bytes(), record.index],
    )?;
    match lookup::slot_in(sides, chain, *seq)? {
        Some(slot) if slot.hash == *keep => Ok(()),
        _ => {
            abandon(sides, chain, *seq)?;
            take_back(sides, chain, *keep)
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
            let keys = key_chain(sides.ground, &resolution.agent)?;
            Ok(keys.is_some_and(|keys| keys.history.accepts(resolution).is_ok()))
        }
        None => Ok(
            record.sealed == Sealed::Local && Some(record.header.agent()) == resolution.operator
        ),
    }
}

/// An operator's decision gives way to the owner's, and the owner's to none.
fn decided_by_owner(sides: Sides<'_>, chain: &ChainId, seq: u64) -> Result<bool, StoreError> {
    let record: Option<u64> = sides.derived.find(
        "SELECT record FROM resolution WHERE chain = ?1 AND seq = ?2",
        params![chain.as_bytes(), seq],
    )?;
    let Some(record) = record else {
        return Ok(false);
    };
    let stored = rows::capsule(sides.ground, record)?;
    let value = stored
        .and_then(|it| content_of(&it.header, it.payload.as_ref(), RecordKind::ForkResolution));
    let resolution = value.and_then(|value| ForkResolution::parse(&value).ok());
    Ok(resolution.is_some_and(|resolution| resolution.recovery.is_some()))
}

/// Marks what the chain holds from `seq` on, and takes it out of the chain.
fn abandon(sides: Sides<'_>, chain: &ChainId, seq: u64) -> Result<(), StoreError> {
    let rows: Vec<(u64, u64)> = sides.derived.list(
        "SELECT seq, idx FROM chain WHERE chain = ?1 AND seq >= ?2",
        params![chain.as_bytes(), seq],
    )?;
    for (seq, index) in rows {
        let Some(slot) = lookup::slot_in(sides, chain, seq)? else {
            continue;
        };
        sides.derived.change(
            "INSERT INTO abandoned (hash, chain, idx) VALUES (?1, ?2, ?3)
                 ON CONFLICT (hash) DO NOTHING",
            params![slot.hash.as_bytes(), chain.as_bytes(), index],
        )?;
        sides.derived.run(
            "DELETE FROM chain WHERE chain = ?1 AND seq = ?2",
            params![chain.as_bytes(), seq],
        )?;
    }
    Ok(())
}

/// Puts a branch that was abandoned before back into the chain, as far as it goes.
fn take_back(sides: Sides<'_>, chain: &ChainId, keep: Blake3Hash) -> Result<(), StoreError> {
    let mut last = None;
    for index in branches::abandoned(sides.derived, chain)? {
        // What was abandoned and archived since would have to be restored first.
        let Ok(header) = rows::present_header(sides.ground, index) else {
            break;
        };
        if header.hash() != keep && (last.is_none() || header.previous() != last) {
            continue;
        }
        last = Some(header.hash());
        sides.derived.change(
            "DELETE FROM abandoned WHERE hash = ?1",
            [header.hash().as_bytes()],
        )?;
        sides.derived.run(
            "INSERT INTO chain (chain, seq, idx) VALUES (?1, ?2, ?3)",
            params![chain.as_bytes(), header.seq(), index],
        )?;
    }
    Ok(())
}
