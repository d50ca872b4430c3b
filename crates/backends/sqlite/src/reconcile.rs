//! Brings back the entries that a restored backup lacks, until the log is the one that was signed
//! last (capsules 4.5 (3), C18). Nothing is signed anew: the checkpoint beside the keys is.

use std::ops::Range;

use counterfoil_capsule::{CapsuleDocument, Surroundings};
use counterfoil_store::log::{Frontier, NodeReader};
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::DidKey;
use rusqlite::{Connection, Transaction};

use crate::batch::move_head;
use crate::bodies::{keep_whole, take_all, take_delta};
use crate::error::from_sqlite;
use crate::exchange;
use crate::keys::key_chain;
use crate::ledger::Rows;
use crate::lookup;
use crate::options::Options;
use crate::rows::{self, LogHead, LogRows};
use crate::statement::Statements;
use crate::{connection, origin, rebuild};

/// Adds the missing entries of the store at `options` from an export of its whole log. All of them
/// or none: the result is exactly the log whose checkpoint lies beside the keys, and the store may
/// be written again. `agent` is the store's own: what others signed is marked as received.
///
/// Returns the log indices that were added, and the number of bodies that were erased again because they had been
/// erased after the backup.
///
/// # Errors
/// [`StoreError::Reconcile`] when the lines are of another log, damaged, or end too early;
/// [`StoreError::GuardMismatch`] when there is no checkpoint to reach.
pub fn reconcile(
    options: &Options,
    agent: DidKey,
    lines: impl Iterator<Item = std::io::Result<Vec<u8>>>,
) -> Result<(Range<u64>, u64), StoreError> {
    let (signer, guard) = origin::signer_of(options)?;
    let mut connection = connection::writer(options)?;
    origin::require(&connection, &signer)?;
    let (goal, note) = guard.signed()?;
    let transaction = connection.begin()?;
    let head = rows::log_head(&transaction)?;
    if head.size >= goal.size() {
        guard.check(&LogRows(&transaction), head.size)?;
        return Ok((head.size..head.size, 0));
    }
    let mut merge = Reconciliation {
        frontier: Frontier::load(&LogRows(&transaction), head.size)?,
        transaction: &transaction,
        agent,
        erased: Vec::new(),
    };
    let mut number = 0;
    for line in lines {
        if number == goal.size() {
            break;
        }
        let line = line.map_err(|error| refused(number, &error))?;
        let document =
            CapsuleDocument::judge(&line).map_err(|verdict| refused(number, &verdict))?;
        match number < head.size {
            true => merge.compare(number, &document)?,
            false => merge.append(number, &document)?,
        }
        number += 1;
    }
    let Reconciliation {
        frontier, erased, ..
    } = merge;
    if number < goal.size() {
        return Err(StoreError::Reconcile {
            detail: format!(
                "the export ends after {number} entries and {} were signed",
                goal.size()
            ),
        });
    }
    if frontier.root() != goal.root() {
        return Err(StoreError::Reconcile {
            detail: "the export is of another history than the one that was signed".to_owned(),
        });
    }
    take_away_again(&transaction, &erased)?;
    rebuild::again(&transaction)?;
    let moved = LogHead {
        size: goal.size(),
        checkpoint: note,
    };
    move_head(&transaction, &head, &moved)?;
    transaction.commit().map_err(from_sqlite)?;
    let erased = u64::try_from(erased.len()).unwrap_or(u64::MAX);
    Ok((head.size..goal.size(), erased))
}

struct Reconciliation<'t> {
    transaction: &'t Transaction<'t>,
    frontier: Frontier,
    agent: DidKey,
    /// Entries whose body is here and not in the export.
    erased: Vec<u64>,
}

impl Reconciliation<'_> {
    /// Requires an entry that is here to be the same as in the export.
    fn compare(&mut self, index: u64, document: &CapsuleDocument) -> Result<(), StoreError> {
        let leaf = document
            .entry()
            .map(|entry| entry.leaf_hash())
            .map_err(|error| refused(index, &error))?;
        if LogRows(self.transaction).node(0, index)? != leaf {
            return Err(refused(
                index,
                &"it is another entry than the database holds",
            ));
        }
        let kept = "SELECT 1 FROM body WHERE idx = ?1 AND salt IS NOT NULL";
        if document.payload().is_none() && self.transaction.has(kept, [index])? {
            self.erased.push(index);
        }
        Ok(())
    }

    /// The root says which entries there are; signature and bodies stand beside it, and are checked here.
    fn append(&mut self, index: u64, document: &CapsuleDocument) -> Result<(), StoreError> {
        let header = document.header();
        let keys = key_chain(self.transaction, &header.agent())?;
        let around = Surroundings {
            key: keys.and_then(|keys| keys.history.key_at(header.key_number())),
            ..Surroundings::default()
        };
        let found = document.check_all(&around);
        if let Some(verdict) = found.iter().find(|verdict| verdict.is_invalid()) {
            return Err(refused(index, verdict));
        }
        let recorded = rows::last_recorded(self.transaction, &header.agent())?;
        // What this store sealed is later than all that it had sealed for the agent.
        let own = header.agent() == self.agent && recorded < Some(header.timestamp());
        let origin = (!own).then(|| ("reconcile", header.timestamp().micros()));
        let capsule = StoredCapsule::received(document, header.agent())?;
        let mut rows = Rows::new(self.transaction);
        self.frontier.receive(&mut rows, origin, &mut [capsule])?;
        rows.finish()
    }
}

/// Erases again what had been erased after the backup; successors are made whole.
fn take_away_again(connection: &Connection, erased: &[u64]) -> Result<(), StoreError> {
    for &index in erased.iter().rev() {
        let header = rows::present_header(connection, index)?;
        let after = lookup::slot(connection, &header.chain(), header.seq() + 1)?;
        if let Some(next) = after.filter(|slot| slot.header.is_some()) {
            keep_whole(connection, next.index)?;
            take_delta(connection, next.index)?;
        }
        take_all(connection, index)?;
        if let Some(world) = header.world() {
            exchange::take_away(connection, world)?;
        }
    }
    Ok(())
}

fn refused(index: u64, why: &dyn std::fmt::Display) -> StoreError {
    StoreError::Reconcile {
        detail: format!("line {} of the export is refused: {why}", index + 1),
    }
}
