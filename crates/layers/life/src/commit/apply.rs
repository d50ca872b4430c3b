//! Applies a commit: entries and rows of the ground, then the index by the same function as a rebuild.

use counterfoil_capsule::{CapsuleDocument, SaltedBody, Surroundings};
use counterfoil_store::append::NewCapsule;
use counterfoil_store::log::{Frontier, root};
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::{DidKey, Sha256Hash};
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::dangerous::checkpoint_signed_by;
use counterfoil_verifier::note::VerifierKey;

use super::{Change, Commit, CommitHead, REQUEST_SEEN, refused};
use crate::bodies::keep_whole;
use crate::entries::{Scan, Sides, in_chain, key_of, present_header};
use crate::port::rows::{
    AbandonedRow, ChainRow, ENTRY, FollowedRow, HeldRow, JournalRow, StubRow, UnopenedRow,
};
use crate::port::{BodyRow, Row, Table, Txn, Value};
use crate::records::is_received;
use crate::{contents, index, journal, map};

/// Returns stream and number of the last file that a store has applied; `None` for a store that follows no other.
///
/// # Errors
/// When it cannot be read.
pub fn followed(txn: &dyn Txn) -> Result<Option<(String, u64)>, StoreError> {
    let row: Option<FollowedRow> = txn.find(&[&0_u64])?;
    Ok(row.map(|row| (row.stream, row.number)))
}

/// Returns the number of entries of which a content cannot be opened, as its key was destroyed, and that no redaction names yet.
///
/// # Errors
/// When they cannot be read.
pub fn unopened(txn: &dyn Txn) -> Result<u64, StoreError> {
    Ok(txn.measure(&contents::unopened(), "number")?.0)
}

/// Returns the agent of the first entry that was sealed in the store itself.
///
/// # Errors
/// When it cannot be read.
pub fn own_agent(txn: &dyn Txn) -> Result<Option<DidKey>, StoreError> {
    let mut own = None;
    txn.each_header(&mut |index, _| {
        if !is_received(txn, index)? {
            own = Some(present_header(txn, index)?.agent());
        }
        Ok(own.is_none())
    })?;
    Ok(own)
}

/// Applies all parts of one commit to ground and index, and returns the size of the log then. Its transaction is to be
/// kept as a whole, or not at all. A commit that was applied before changes nothing.
///
/// # Errors
/// [`StoreError::Commit`] for a gap, a fork, and anything that is not as its checkpoint and hashes say; when it cannot be
/// read or written.
pub fn apply(
    txn: &dyn Txn,
    parts: impl Iterator<Item = Result<Commit, StoreError>>,
) -> Result<u64, StoreError> {
    let (size, checkpoint) = txn.head()?;
    let mut applying = Applying::new(txn, size)?;
    let mut first: Option<(CommitHead, Checkpoint)> = None;
    let (mut number, mut ended) = (0, false);
    for (part, commit) in (0..).zip(parts) {
        let Commit { head, changes } = commit?;
        let (first, _) = match &mut first {
            Some(first) => first,
            none => match begin(txn, &head, (size, &checkpoint))? {
                Some(to) => none.insert((head.clone(), to)),
                None => return Ok(size),
            },
        };
        let expected = CommitHead {
            at: head.at,
            last: head.last,
            number: first.number.saturating_add(part),
            part,
            ..first.clone()
        };
        if ended || head != expected {
            return Err(refused("its parts are not of one commit"));
        }
        (number, ended) = (head.number, head.last);
        changes
            .into_iter()
            .try_for_each(|change| applying.change(change))?;
    }
    let (Some((head, to)), true) = (first, ended) else {
        return Err(refused("its last part is missing"));
    };
    applying.end(&checkpoint, (&head.checkpoint, &to))?;
    txn.put(&FollowedRow {
        id: 0,
        stream: head.stream,
        number,
    })?;
    Ok(to.size())
}

/// Compares the first part with the store. Returns the log that the commit leads to; `None` when it was applied before.
fn begin(
    txn: &dyn Txn,
    head: &CommitHead,
    (size, checkpoint): (u64, &str),
) -> Result<Option<Checkpoint>, StoreError> {
    if let Some((stream, number)) = followed(txn)? {
        if stream != head.stream {
            return Err(refused(
                "it is of another folder than the store follows: name that one",
            ));
        }
        if head.number <= number {
            return Ok(None);
        }
    }
    let key = txn.verifier_key()?;
    if key != head.key {
        let other = format_args!("it is of the log {}, and the store of {key}", head.key);
        return Err(refused(other));
    }
    let key: VerifierKey = key.parse().map_err(refused)?;
    let to = checkpoint_signed_by(&key, &head.checkpoint)
        .ok_or_else(|| refused("its checkpoint is not signed by the log's key"))?;
    let (from, expected) = head.from;
    let beside = |what: &str| {
        refused(format_args!(
            "{what}. It follows {from} entries and ends with the checkpoint\n{}The store holds\n{checkpoint}",
            head.checkpoint
        ))
    };
    if from > size {
        return Err(beside("entries before it are missing"));
    }
    let forked = to.size() < size || root(txn, from)? != expected;
    match head.part {
        _ if forked => Err(beside("its log is another one than the store's")),
        0 => Ok(Some(to)),
        _ => Err(refused("its first part is missing")),
    }
}

/// One commit on its way into the ground.
pub(super) struct Applying<'t> {
    txn: &'t dyn Txn,
    frontier: Frontier,
    /// Size of the log before.
    start: u64,
    /// Entries that were there before and changed.
    changed: Vec<u64>,
    /// Rows that go once the index is derived: the trace of some lies there.
    gone: Vec<(&'static Table, Vec<Value>)>,
}

impl<'t> Applying<'t> {
    /// Begins a commit to the log of `start` entries.
    pub(super) fn new(txn: &'t dyn Txn, start: u64) -> Result<Self, StoreError> {
        Ok(Self {
            txn,
            frontier: Frontier::load(txn, start)?,
            start,
            changed: Vec::new(),
            gone: Vec::new(),
        })
    }

    /// Ends the commit: moves the head from the checkpoint `before`, and derives the index. The log then has to be that of
    /// the signed checkpoint `to`.
    pub(super) fn end(
        self,
        before: &str,
        (note, to): (&str, &Checkpoint),
    ) -> Result<(), StoreError> {
        let (txn, size, start) = (self.txn, self.frontier.size(), self.start);
        if (size, self.frontier.root()) != (to.size(), to.root()) {
            return Err(refused("its entries do not make the log of its checkpoint"));
        }
        if size > start {
            txn.move_head((start, before), (size, note))?;
        }
        self.finish()?;
        let map = map::extend(Sides::both(txn), size)?;
        match to.map_root() {
            Some(bound) if bound != map => Err(refused(
                "its checkpoint binds another map than its entries make",
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn change(&mut self, change: Change) -> Result<(), StoreError> {
        match change {
            Change::Entry {
                index,
                document,
                follows,
                is_lost,
            } => {
                self.entry(index, &document, follows)?;
                self.mark(index, is_lost)
            }
            Change::Stub { index, leaf } if index == self.frontier.size() => {
                let hashes = self.frontier.append(leaf);
                self.txn.append_stub(index, &hashes)
            }
            Change::Stub { index, leaf } => self.same_leaf(index, leaf),
            Change::Row {
                table,
                row,
                is_lost,
            } => {
                if let (true, Some(Value::Integer(number))) = (is_lost, row.first()) {
                    self.unopened(table.name, u64::try_from(*number).unwrap_or_default())?;
                }
                self.row(table, row)
            }
            Change::Gone(table, key) if table.name == StubRow::TABLE.name => {
                self.txn.delete(table, &key).map(drop)
            }
            Change::Gone(table, key) => {
                self.gone.push((table, key));
                Ok(())
            }
        }
    }

    fn same_leaf(&self, index: u64, leaf: Sha256Hash) -> Result<(), StoreError> {
        if index >= self.frontier.size() {
            return Err(refused(format_args!("entry {index} is out of its order")));
        }
        match self.txn.node(0, index)? == leaf {
            true => Ok(()),
            false => Err(refused(format_args!("entry {index} is another one here"))),
        }
    }

    fn entry(
        &mut self,
        index: u64,
        document: &CapsuleDocument,
        follows: Option<[u8; 32]>,
    ) -> Result<(), StoreError> {
        let mut stored = StoredCapsule::received(document, document.header().agent())?;
        stored.index = index;
        let leaf = stored.entry.leaf_hash();
        if index == self.frontier.size() {
            // The text is made from the chain.
            let text = String::new();
            let made = follows.map(|salt| SaltedBody { text, salt });
            stored.payload = made.or(stored.payload);
            return self.txn.append(&NewCapsule {
                stored: &stored,
                follows: follows.is_some(),
                packed: None,
                received: None,
                hashes: &self.frontier.append(leaf),
            });
        }
        self.same_leaf(index, leaf)?;
        let (payload, delta) = (stored.payload, stored.delta);
        let salt = payload.as_ref().map(|body| body.salt).or(follows);
        let body = BodyRow {
            payload: payload
                .filter(|_| follows.is_none())
                .map(|body| body.text.into_bytes()),
            salt: salt.map(Vec::from),
            delta_salt: delta.as_ref().map(|body| body.salt.to_vec()),
            delta: delta.map(|body| body.text.into_bytes()),
        };
        let is_back = self.txn.header(index)?.is_none();
        if is_back {
            let (root, count) = document.fields();
            let header = document.header().canonical();
            let entry = (header, &stored.signature, &root, count);
            self.txn.set_entry(index, Some(entry))?;
        }
        let before = self.txn.body(index)?.unwrap_or_default();
        if is_back || before != body {
            // The version after it may follow from a content that goes, and a key may be gone before the commit that says so.
            let header = document.header();
            let next = in_chain(self.txn, &header.chain(), header.seq() + 1)?;
            if let (Some(next), true, None) = (next, before.salt.is_some(), &body.salt) {
                keep_whole(self.txn, next)?;
            }
            self.txn.set_body(index, &body)?;
            self.changed.push(index);
        }
        Ok(())
    }

    /// Marks an entry of which a key was destroyed, until a later commit has its state.
    fn mark(&mut self, index: u64, is_lost: bool) -> Result<(), StoreError> {
        if is_lost {
            return self.unopened(ENTRY, index);
        }
        if self.txn.remove::<UnopenedRow>(&[&ENTRY, &index])? {
            self.changed.push(index);
        }
        Ok(())
    }

    fn unopened(&self, part: &str, number: u64) -> Result<(), StoreError> {
        let part = part.to_owned();
        self.txn.add(&UnopenedRow { part, number }).map(drop)
    }

    fn row(&mut self, table: &'static Table, row: Vec<Value>) -> Result<(), StoreError> {
        let key = row.get(..table.key).unwrap_or_default();
        let before = self.txn.row(table, key)?;
        if before.as_ref() == Some(&row) {
            return Ok(());
        }
        let replaced = before.is_some();
        if table.name == StubRow::TABLE.name {
            let stub = StubRow::read(row).ok_or_else(|| refused("a stub is none"))?;
            if replaced {
                // Came back, and was archived again.
                let held_by_row = Some(("", &[0; 64], &Sha256Hash::from_bytes([0; 32]), 1));
                self.txn.set_entry(stub.idx, held_by_row)?;
                self.txn.remove::<StubRow>(&[&stub.idx])?;
            }
            self.changed.push(stub.idx);
            self.txn.remove::<UnopenedRow>(&[&ENTRY, &stub.idx])?;
            return stub.take_place(self.txn);
        }
        if replaced && table.name != REQUEST_SEEN.name {
            return self.txn.update(table, &row).map(drop);
        }
        if table.name == JournalRow::TABLE.name {
            self.link(&row)?;
        }
        self.txn.delete(table, key)?;
        // An answer or report that is gone was there first: a table takes it as a text, and only then without one.
        let (column, blank) = match table.name {
            "exchange_answer" => (3, Value::Blob(Vec::new())),
            "exchange_item" => (6, Value::Text(String::new())),
            _ => return self.txn.insert(table, &row).map(drop),
        };
        let mut first = row.clone();
        if let Some(gone) = first.get_mut(column).filter(|text| **text == Value::Null) {
            *gone = blank;
            self.txn.insert(table, &first)?;
            return self.txn.update(table, &row).map(drop);
        }
        self.txn.insert(table, &row).map(drop)
    }

    /// Checks that a new row of the journal links the row that it names, which came before it.
    fn link(&self, row: &[Value]) -> Result<(), StoreError> {
        let row = JournalRow::read(row.to_vec());
        let row = row.ok_or_else(|| refused("a row of the journal is none"))?;
        let (_, before) = journal::head(self.txn)?;
        match journal::difference(self.txn, &row, before)? {
            None => Ok(()),
            Some(why) => {
                let (number, part) = (row.number, row.part);
                Err(refused(format_args!(
                    "row {number} of the journal, of {part}: {why}"
                )))
            }
        }
    }

    /// Derives the index, takes the rows away that are gone, and checks the capsules that are new.
    fn finish(mut self) -> Result<(), StoreError> {
        let (txn, size) = (self.txn, self.frontier.size());
        match self.changed.iter().any(|index| *index < self.start) {
            true => index::derive_again(txn, size)?,
            false => index::derive(Sides::both(txn), self.start..size)?,
        }
        for (table, key) in &self.gone {
            match table.name == HeldRow::TABLE.name {
                true => take_held(txn, key)?,
                false => drop(txn.delete(table, key)?),
            }
        }
        self.changed.retain(|index| *index < self.start);
        let mut scan = Scan::default();
        self.changed.sort_unstable();
        self.changed.dedup();
        for index in self.changed.into_iter().chain(self.start..size) {
            let stored = match scan.present(txn, index) {
                Err(StoreError::Archived { .. }) => continue,
                stored => stored?,
            };
            let found = stored.document().check_all(&Surroundings {
                key: Some(key_of(txn, &stored.header)?),
                ..Surroundings::default()
            });
            if let Some(verdict) = found.iter().find(|verdict| verdict.is_invalid()) {
                return Err(refused(format_args!("entry {index}: {verdict}")));
            }
        }
        Ok(())
    }
}

/// Removes a document that is not held any more. It leaves a trace: where its capsule was accepted, and a resolution in the
/// same commit took it out of its chain, its place in there is lent to it meanwhile.
fn take_held(txn: &dyn Txn, key: &[Value]) -> Result<(), StoreError> {
    let held = txn.row(HeldRow::TABLE, key)?.and_then(HeldRow::read);
    let capsule = held.as_ref().and_then(|held| held.capsule);
    let abandoned = capsule.map(|hash| txn.find::<AbandonedRow>(&[&hash]));
    let place = match (abandoned.transpose()?.flatten(), held.and_then(|it| it.seq)) {
        (Some(AbandonedRow { chain, idx, .. }), Some(seq)) => Some(ChainRow {
            chain,
            seq,
            idx,
            tag: None,
        }),
        _ => None,
    };
    let lent = match &place {
        Some(place) => txn.add(place)?,
        None => false,
    };
    txn.delete(HeldRow::TABLE, key)?;
    match place {
        Some(place) if lent => txn
            .remove::<ChainRow>(&[&place.chain, &place.seq])
            .map(drop),
        _ => Ok(()),
    }
}
