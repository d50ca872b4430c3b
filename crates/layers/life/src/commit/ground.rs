//! The ground of a log in an engine that many nodes share (docs/format/ground.md): what a backend of it has to do, and how a
//! node is brought forward by it and adds to it.

use std::collections::BTreeMap;

use counterfoil_store::log::root;
use counterfoil_store::{Entropy, StoreError};
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::dangerous::checkpoint_signed_by;
use counterfoil_verifier::note::VerifierKey;
use serde_json::json;

use super::apply::{Applying, followed};
use super::sealed::emptied;
use super::ship::{Changes, forget_shipped, last_change};
use super::{BESIDE, Change, Destination, GroundKeys, refused};
use crate::entries::Scan;
use crate::port::rows::{ENTRY, FollowedRow, ShipRow, StubRow};
use crate::port::{Row, Txn, Value};

/// Name of the ground among the destinations of a store. No folder has it, as those are named by their whole paths.
pub(super) const GROUND: &str = "ground";

/// Most entries, or rows, that are read at once.
const PAGE: usize = 1024;

/// Head of a log in its ground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundHead {
    /// Number of the last commit, from 1.
    pub number: u64,
    /// Random name of that commit, 32 hexadecimal digits.
    pub id: String,
    /// Number of entries.
    pub size: u64,
    /// Root of the log.
    pub root: Sha256Hash,
    /// Signed checkpoint of the log.
    pub checkpoint: String,
}

/// State of a row beside the log, or of an entry that changed after it was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundRow {
    /// Number of the commit that wrote it last, and its place in there.
    pub at: (u64, u64),
    /// Name of its table; `entry` for an entry.
    pub part: String,
    /// Its key: a canonical JSON array.
    pub key: String,
    /// True for a row that is gone.
    pub gone: bool,
    /// The line of a sealed commit (docs/format/commit.md).
    pub line: String,
}

/// One commit, as it goes into the ground: all of it, or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundCommit {
    /// The head that it follows; `None` for the first one.
    pub before: Option<GroundHead>,
    /// The head with it.
    pub after: GroundHead,
    /// Entries at the end of the log, each its log index and line, in their order.
    pub entries: Vec<(u64, String)>,
    /// Rows, and entries that changed, which replace those with their keys.
    pub rows: Vec<GroundRow>,
    /// Slots and their wrapped keys, which are new.
    pub keys: Vec<(String, Vec<u8>)>,
    /// Slots whose keys are destroyed, with those below them.
    pub destroyed: Vec<String>,
}

/// Node of a log: a copy of it on one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundNode {
    /// Its name.
    pub name: String,
    /// True once nothing is left on it of what was erased.
    pub has_confirmed: bool,
    /// Time of its last sign, in microseconds since 1970.
    pub at: u64,
}

/// Slot and wrapped key; `None` where it was destroyed.
pub type WrappedKey = (String, Option<Vec<u8>>);

/// What became of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is in the ground, as durable as its settings say.
    Committed,
    /// Nothing of it is in the ground: the head was another one.
    Moved,
    /// Nobody knows: to be settled before anything else is written.
    Unknown,
}

/// Ground of one log. Implemented by a backend; its functions block, and are called on the thread that writes.
pub trait Ground: Send + Sync {
    /// Begins a transaction that holds the head of the log until it ends: one node writes at a time.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the engine cannot be reached, or another node holds the head for too long.
    fn lock(&self) -> Result<Box<dyn GroundTxn + '_>, StoreError>;

    /// Begins a transaction that reads one state.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the engine cannot be reached.
    fn read(&self) -> Result<Box<dyn GroundTxn + '_>, StoreError>;

    /// Finds out, while it holds the head, whether the commit `number` is the one named `id`, and makes what it finds durable
    /// by a commit of its own.
    ///
    /// # Errors
    /// [`StoreError::OutcomeUnknown`] when it cannot be found out now.
    fn settle(&self, number: u64, id: &str) -> Result<bool, StoreError>;

    /// Notes that nothing is left on this node of what was erased up to the commit `number`.
    ///
    /// # Errors
    /// When it cannot be written.
    fn confirm(&self, number: u64) -> Result<(), StoreError>;

    /// Returns the places that may give what was erased: the engine itself, and the nodes but this one. One without an obstacle
    /// gives it no more.
    ///
    /// # Errors
    /// When they cannot be read.
    fn copies(&self) -> Result<Vec<Destination>, StoreError>;

    /// Returns the nodes of the log.
    ///
    /// # Errors
    /// When they cannot be read.
    fn nodes(&self) -> Result<Vec<GroundNode>, StoreError>;
}

/// Transaction in a ground. Dropped, it changes nothing.
pub trait GroundTxn {
    /// Returns the head; `None` while the ground has no such log.
    fn head(&self) -> Option<&GroundHead>;

    /// Tests whether something was erased that this node has not confirmed.
    fn is_erasure_due(&self) -> bool;

    /// Returns the name of a commit; `None` where there is none of that number.
    ///
    /// # Errors
    /// When it cannot be read.
    fn id_of(&mut self, number: u64) -> Result<Option<String>, StoreError>;

    /// Returns log index and line of up to `count` entries from `from` on, in their order.
    ///
    /// # Errors
    /// When they cannot be read.
    fn entries(&mut self, from: u64, count: usize) -> Result<Vec<(u64, String)>, StoreError>;

    /// Returns up to `count` rows behind the place `after`, in the order in which they were written; of one table, where it is
    /// named.
    ///
    /// # Errors
    /// When they cannot be read.
    fn rows(
        &mut self,
        part: Option<&str>,
        after: (u64, u64),
        count: usize,
    ) -> Result<Vec<GroundRow>, StoreError>;

    /// Returns those of `slots` that there are, and perhaps others of the same rows.
    ///
    /// # Errors
    /// When they cannot be read.
    fn keys(&mut self, slots: &[String]) -> Result<Vec<WrappedKey>, StoreError>;

    /// Writes entries at the end of the log, with their keys. Until the commit of this transaction nobody sees them.
    ///
    /// # Errors
    /// When they cannot be written.
    fn add(
        &mut self,
        entries: &[(u64, String)],
        keys: &[(String, Vec<u8>)],
    ) -> Result<(), StoreError>;

    /// Writes a commit and ends the transaction.
    ///
    /// # Errors
    /// When the engine refuses it: nothing of it is there then.
    fn commit(self: Box<Self>, commit: &GroundCommit) -> Result<Outcome, StoreError>;
}

/// Brings ground and index of a node forward to the head of its log. Returns false when they are there. Its transaction is to be kept as
/// a whole, or not at all.
///
/// # Errors
/// [`StoreError::GuardMismatch`] when the ground is behind what this node has seen, or another history;
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

/// The error for a ground that does not continue what this node holds.
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

/// Returns what the ground lacks of the state of `unit`, whose head is `checkpoint`, as a commit behind the head of `ground`; `None`
/// when it lacks nothing. Notes in the transaction of the unit that the ground has it.
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
