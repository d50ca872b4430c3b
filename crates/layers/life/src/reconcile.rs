//! Brings back the entries that a restored backup lacks, until the log is the one that was signed
//! last (capsules 4.5 (3), C18). Nothing is signed anew: the checkpoint beside the keys is.

use std::ops::Range;

use counterfoil_capsule::{CapsuleDocument, Surroundings};
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::DidKey;

use crate::contents::is_erased;
use crate::entries::{Sides, last_recorded, present_header};
use crate::keys::key_chain;
use crate::port::rows::FollowedRow;
use crate::{Guard, Unit, erase, journal, stubs};

/// Adds the missing entries of the store behind `unit` from an export of its whole log. All of them
/// or none: the result is exactly the log whose checkpoint `guard` holds, and the store may
/// be written again; it follows no other one any more. `agent` is the store's own: capsules that others signed are marked as received.
///
/// Rows beside the log that the backup lacks are lost with it: the journal goes on from the rows that are there, and says so.
///
/// Returns the log indices that were added, and the number of bodies that were erased again because they had been
/// erased after the backup. The head is moved; the transaction is left to the caller to commit.
///
/// # Errors
/// [`StoreError::Reconcile`] when the lines are of another log, damaged, or end too early;
/// [`StoreError::GuardMismatch`] when there is no checkpoint to reach. After one nothing may be kept.
pub fn reconcile(
    unit: &mut Unit<'_>,
    guard: &Guard,
    agent: DidKey,
    lines: impl Iterator<Item = std::io::Result<Vec<u8>>>,
) -> Result<(Range<u64>, u64), StoreError> {
    let (goal, note) = guard.signed()?;
    let (size, checkpoint) = unit.txn().head()?;
    if size >= goal.size() {
        guard.check(unit.txn(), (size, &checkpoint))?;
        unit.txn().remove::<FollowedRow>(&[&0_u64])?;
        journal::note_reconciled(unit.txn(), size)?;
        return Ok((size..size, 0));
    }
    // Entries whose body is here and not in the export.
    let mut erased = Vec::new();
    let mut number = 0;
    for line in lines {
        if number == goal.size() {
            break;
        }
        let line = line.map_err(|error| refused(number, &error))?;
        let document =
            CapsuleDocument::judge(&line).map_err(|verdict| refused(number, &verdict))?;
        if number >= size {
            append(unit, agent, number, &document)?;
        } else if is_erased_since(unit, number, &document)? {
            erased.push(number);
        }
        number += 1;
    }
    if number < goal.size() {
        return Err(StoreError::Reconcile {
            detail: format!(
                "the export ends after {number} entries and {} were signed",
                goal.size()
            ),
        });
    }
    if unit.root() != goal.root() {
        return Err(StoreError::Reconcile {
            detail: "the export is of another history than the one that was signed".to_owned(),
        });
    }
    // The newest first: what follows an erased version need not be made whole.
    for &index in erased.iter().rev() {
        let header = present_header(unit.txn(), index)?;
        erase::take_bodies(unit.txn(), index, &header)?;
    }
    unit.derive_again()?;
    let moved = (goal.size(), note.as_str());
    unit.txn().move_head((size, &checkpoint), moved)?;
    unit.txn().remove::<FollowedRow>(&[&0_u64])?;
    journal::note_reconciled(unit.txn(), goal.size())?;
    let erased = u64::try_from(erased.len()).unwrap_or(u64::MAX);
    Ok((size..goal.size(), erased))
}

/// Requires an entry that is here to be the same as in the export. Returns true if it was erased in the export alone.
fn is_erased_since(
    unit: &Unit<'_>,
    index: u64,
    document: &CapsuleDocument,
) -> Result<bool, StoreError> {
    let entry = document.entry().map_err(|error| refused(index, &error))?;
    if unit.txn().node(0, index)? != entry.leaf_hash() {
        let other = "it is another entry than the database holds";
        return Err(refused(index, &other));
    }
    // The content may be unreadable already: its row, and what lies beside it, go all the same.
    let is_open = document.payload().is_none() && !is_erased(unit.txn(), index)?;
    Ok(is_open && stubs::read(unit.txn(), index)?.is_none())
}

/// Appends a line. The root covers the entry; signature and bodies lie beside it, and are checked here.
fn append(
    unit: &mut Unit<'_>,
    agent: DidKey,
    index: u64,
    document: &CapsuleDocument,
) -> Result<(), StoreError> {
    let header = document.header();
    let keys = key_chain(Sides::both(unit.txn()), &header.agent())?;
    let around = Surroundings {
        key: keys.and_then(|keys| keys.history.key_at(header.key_number())),
        ..Surroundings::default()
    };
    let found = document.check_all(&around);
    if let Some(verdict) = found.iter().find(|verdict| verdict.is_invalid()) {
        return Err(refused(index, verdict));
    }
    let recorded = last_recorded(unit.txn(), &header.agent())?.map(|last| last.timestamp);
    // A capsule that this store sealed is later than all that it had sealed for the agent.
    let own = header.agent() == agent && recorded < Some(header.timestamp());
    let origin = (!own).then(|| ("reconcile", header.recorded().micros()));
    let capsule = StoredCapsule::received(document, header.agent())?;
    unit.take_in(origin, &mut [capsule]).map(drop)
}

fn refused(index: u64, why: &dyn std::fmt::Display) -> StoreError {
    StoreError::Reconcile {
        detail: format!("line {} of the export is refused: {why}", index + 1),
    }
}
