//! A node of a shared ground (docs/format/ground.md): how it is brought forward, and how it adds to its log.

use std::collections::BTreeMap;

use counterfoil_store::log::root;
use counterfoil_store::{Entropy, StoreError};
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::dangerous::checkpoint_signed_by;
use counterfoil_verifier::note::VerifierKey;
use serde_json::json;

use super::apply::{Applying, followed};
use super::sealed::emptied;
use super::ship::{Changes, forget_shipped, last_change};
use super::{BESIDE, Change, GroundKeys, refused};
use crate::entries::Scan;
use crate::ground::{GROUND, GroundCommit, GroundHead, GroundRow, GroundTxn};
use crate::port::rows::{ENTRY, FollowedRow, ShipRow, StubRow};
use crate::port::{Row, Txn, Value};

/// Most entries, or rows, that are read at once.
const PAGE: usize = 1024;

/// Brings ground and index of a node forward to the head of its log. Returns false when they are there. Its transaction is to be
/// kept as a whole, or not at all.
///
/// # Errors
/// [`StoreError::GuardMismatch`] when the ground is behind this node, or has another history;
/// [`StoreError::Commit`] for anything that is not as its checkpoint and hashes say; when it cannot be read or written.
pub fn forward(
    txn: &dyn Txn,
    ground: &mut dyn GroundTxn,
    keys: &GroundKeys<'_>,
) -> Result<bool, StoreError> {
    let (size, checkpoint) = txn.head()?;
    let position = followed(txn)?;
    let Some(head) = ground.head().cloned() else {
        return match position {
            None => Ok(false),
            Some(_) => Err(another("holds no entry of it", "", &checkpoint)),
        };
    };
    let number = match &position {
        Some((id, number)) if *number == head.number && *id == head.id => return Ok(false),
        Some((_, number)) if *number > head.number => {
            let found = format!(
                "has gone back: it ends with commit {}, and this node has seen commit {number}",
                head.number
            );
            return Err(another(&found, &head.checkpoint, &checkpoint));
        }
        Some((id, number)) if ground.id_of(*number)?.as_ref() != Some(id) => {
            let found = format!("holds another commit {number} than this node has seen");
            return Err(another(&found, &head.checkpoint, &checkpoint));
        }
        Some((_, number)) => *number,
        None if size > 0 => {
            return Err(another(
                "holds the log, and this store was not made from it",
                &head.checkpoint,
                &checkpoint,
            ));
        }
        None => 0,
    };
    let key: VerifierKey = txn.verifier_key()?.parse().map_err(refused)?;
    let to = checkpoint_signed_by(&key, &head.checkpoint)
        .ok_or_else(|| refused("the checkpoint of the ground is not signed by the log's key"))?;
    if to.size() < size || (to.size(), to.root()) != (head.size, head.root) {
        return Err(another(
            "has a head that does not continue the log",
            &head.checkpoint,
            &checkpoint,
        ));
    }
    if to.size() == size && to.root() != root(txn, size)? {
        return Err(another(
            "has another history of the same size",
            &head.checkpoint,
            &checkpoint,
        ));
    }
    let mut pull = Pull {
        ground,
        keys,
        applying: Applying::new(txn, size)?,
    };
    pull.entries(size, head.size)?;
    pull.rows(number)?;
    pull.applying.end(&checkpoint, (&head.checkpoint, &to))?;
    keys.forget();
    note(txn, &head)?;
    Ok(true)
}

/// Ends the following of a ground: the store is one of its own again.
///
/// # Errors
/// When it cannot be written.
pub fn leave(txn: &dyn Txn) -> Result<(), StoreError> {
    txn.remove::<FollowedRow>(&[&0_u64])?;
    txn.remove::<ShipRow>(&[&GROUND.to_owned()])?;
    forget_shipped(txn)
}

/// The error for a ground that does not continue this node's log.
fn another(found: &str, theirs: &str, ours: &str) -> StoreError {
    let said = |note: &str| match Checkpoint::from_note(note) {
        Ok(checkpoint) => format!("{} entries, root {}", checkpoint.size(), checkpoint.root()),
        Err(_) => "none".to_owned(),
    };
    StoreError::GuardMismatch {
        detail: format!(
            "the shared ground {found}; its checkpoint: {}; this node's: {}. Nothing is written until a person decides which \
             history counts: see docs/guide/reach.md",
            said(theirs),
            said(ours)
        ),
    }
}

/// Notes how far the store is: all that is in it is in the ground.
fn note(txn: &dyn Txn, head: &GroundHead) -> Result<(), StoreError> {
    let known: Option<ShipRow> = txn.find(&[&GROUND.to_owned()])?;
    txn.put(&ShipRow {
        destination: GROUND.to_owned(),
        stream: head.id.clone(),
        number: head.number,
        size: head.size,
        change: last_change(txn)?,
        keys: None,
        since: known.map_or(0, |row| row.since),
    })?;
    txn.put(&FollowedRow {
        id: 0,
        stream: head.id.clone(),
        number: head.number,
    })?;
    forget_shipped(txn)
}

/// Reads changes out of the ground and applies them.
struct Pull<'p, 't> {
    ground: &'p mut dyn GroundTxn,
    keys: &'p GroundKeys<'p>,
    applying: Applying<'t>,
}

impl Pull<'_, '_> {
    fn apply<'l>(
        &mut self,
        lines: impl Iterator<Item = &'l str> + Clone,
    ) -> Result<(), StoreError> {
        let keys = self.keys;
        let changes = keys.prepared(self.ground, || {
            let changes = lines
                .clone()
                .map(|line| Change::parse(line.as_bytes(), Some(keys)));
            changes.collect::<Result<Vec<_>, _>>()
        })?;
        keys.forget();
        let mut changes = changes.into_iter().flatten();
        changes.try_for_each(|change| self.applying.change(change))
    }

    fn entries(&mut self, from: u64, size: u64) -> Result<(), StoreError> {
        let mut next = from;
        while next < size {
            let page = self.ground.entries(next, PAGE)?;
            for (expected, (index, _)) in (next..).zip(&page) {
                if *index != expected || expected >= size {
                    return Err(refused(format_args!(
                        "entry {expected} is missing in the ground"
                    )));
                }
            }
            let Some((last, _)) = page.last() else {
                return Err(refused(format_args!(
                    "entry {next} is missing in the ground"
                )));
            };
            next = last + 1;
            self.apply(page.iter().map(|(_, line)| line.as_str()))?;
        }
        Ok(())
    }

    /// Applies the rows that were written after the commit `number`: in the order of their tables, those that are gone at the
    /// end.
    fn rows(&mut self, number: u64) -> Result<(), StoreError> {
        let first = (number, u64::MAX);
        let page = self.ground.rows(None, first, PAGE)?;
        if page.len() < PAGE {
            let mut by_part: BTreeMap<usize, Vec<&GroundRow>> = BTreeMap::new();
            for row in &page {
                let place = parts().position(|part| part == row.part);
                let place =
                    place.ok_or_else(|| refused("the ground holds a row of an unknown table"))?;
                by_part.entry(place).or_default().push(row);
            }
            let rows = by_part.values().flatten();
            let (gone, there): (Vec<_>, Vec<_>) = rows.copied().partition(|row| row.gone);
            return self.apply(there.into_iter().chain(gone).map(|row| row.line.as_str()));
        }
        for gone in [false, true] {
            for part in parts() {
                let mut after = first;
                loop {
                    let page = self.ground.rows(Some(part), after, PAGE)?;
                    let Some(last) = page.last() else { break };
                    after = last.at;
                    let rows = page.iter().filter(|row| row.gone == gone);
                    self.apply(rows.map(|row| row.line.as_str()))?;
                }
            }
        }
        Ok(())
    }
}

/// Names of the parts of a ground beside new entries, in the order in which they are applied: an entry becomes a stub once its
/// row is there.
fn parts() -> impl Iterator<Item = &'static str> {
    let stub = StubRow::TABLE.name;
    let others = BESIDE
        .into_iter()
        .map(|table| table.name)
        .filter(move |name| *name != stub);
    [stub, ENTRY].into_iter().chain(others)
}

/// Returns the changes of the store that the ground lacks, as a commit behind its head; `None` when it lacks nothing. Notes
/// in the transaction that the ground has them.
///
/// # Errors
/// When the store cannot be read or written, or no key can be made.
pub fn pending(
    txn: &dyn Txn,
    entropy: &dyn Entropy,
    ground: &mut dyn GroundTxn,
    keys: &GroundKeys<'_>,
) -> Result<Option<GroundCommit>, StoreError> {
    let before = ground.head().cloned();
    let known: Option<ShipRow> = txn.find(&[&GROUND.to_owned()])?;
    let row = known.unwrap_or_else(|| ShipRow {
        destination: GROUND.to_owned(),
        stream: String::new(),
        number: 0,
        size: 0,
        change: 0,
        keys: None,
        since: 0,
    });
    let (size, checkpoint) = txn.head()?;
    let (mut entries, mut changed) = (Vec::new(), Vec::new());
    let mut gathered = Changes {
        txn,
        scan: Scan::default(),
        is_sealed: true,
        add: &mut |change| {
            match change {
                Change::Entry { index, .. } | Change::Stub { index, .. } if *index >= row.size => {
                    entries.push((*index, change.to_line(Some(keys))?));
                }
                other => changed.push(other.clone()),
            }
            if entries.len() < PAGE {
                return Ok(());
            }
            ground.add(&entries, &keys.take_made())?;
            entries.clear();
            Ok(())
        },
    };
    gathered.since(&row, size)?;
    if size == row.size && changed.is_empty() {
        return Ok(None);
    }
    let mut drawn = [0; 16];
    entropy.fill(&mut drawn)?;
    let after = GroundHead {
        number: before.as_ref().map_or(0, |head| head.number) + 1,
        id: hex::encode(drawn),
        size,
        root: root(txn, size)?,
        checkpoint,
    };
    let mut commit = GroundCommit {
        before,
        destroyed: emptied(txn, &row)?,
        entries,
        rows: Vec::new(),
        keys: Vec::new(),
        after,
    };
    let lines = keys.prepared(ground, || {
        let lines = changed.iter().map(|change| change.to_line(Some(keys)));
        lines.collect::<Result<Vec<_>, _>>()
    })?;
    for ((change, line), place) in changed.iter().zip(lines).zip(0..) {
        let (part, key, gone) = place_of(change)?;
        commit.rows.push(GroundRow {
            at: (commit.after.number, place),
            part: part.to_owned(),
            key,
            gone,
            line,
        });
    }
    commit.keys = keys.take_made();
    note(txn, &commit.after)?;
    Ok(Some(commit))
}

/// Returns table and key of a change, and true for a row that is gone.
fn place_of(change: &Change) -> Result<(&'static str, String, bool), StoreError> {
    let key = |values: &[Value]| -> Result<String, StoreError> {
        let cells: Vec<_> = values.iter().map(Value::to_json).collect();
        serde_json::to_string(&cells).map_err(refused)
    };
    Ok(match change {
        Change::Entry { index, .. } | Change::Stub { index, .. } => {
            (ENTRY, json!([index]).to_string(), false)
        }
        Change::Row { table, row, .. } => {
            let of_row = row.get(..table.key).unwrap_or_default();
            (table.name, key(of_row)?, false)
        }
        Change::Gone(table, of_row) => (table.name, key(of_row)?, true),
    })
}
