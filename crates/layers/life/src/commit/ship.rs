//! Makes commits out of the present state: entries that are new, and the rows whose keys the outbox holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;

use counterfoil_capsule::CapsuleDocument;
use counterfoil_store::StoreError;
use counterfoil_store::log::root;
use counterfoil_verifier::checkpoint::Checkpoint;

use super::apply::row_of;
use super::files::{Parts, Shipped, head_in, numbers};
use super::{BESIDE, Change, CommitHead, ENTRY, FORMAT, refused};
use crate::backend::Backend;
use crate::entries::Scan;
use crate::files::{io_error, make_folder};
use crate::port::rows::{OutboxRow, ShipRow, StubRow};
use crate::port::{Row, Select, Table, Txn, Value};

/// Writes what has changed since the last time as a commit into `folder`, everything the first time. To repeat it after
/// an interruption writes the changes again, under further numbers.
///
/// # Errors
/// [`StoreError::Commit`] for a folder with files of another store, or without the last file that was written; when the
/// store cannot be written, or the folder.
pub async fn ship<B: Backend>(store: &B, folder: &Path) -> Result<Shipped, StoreError> {
    make_folder(folder)?;
    let make = || -> std::io::Result<_> {
        let folder = fs::canonicalize(folder)?;
        let lock = File::create(folder.join("lock"))?;
        lock.lock()?;
        Ok((folder, lock))
    };
    let (folder, lock) = make().map_err(|error| io_error("locking the folder", folder, &error))?;
    let Some(destination) = folder.to_str().map(str::to_owned) else {
        return Err(refused("the name of the folder is no UTF-8"));
    };
    let row = register(store, destination, numbers(&folder)?.is_empty()).await?;
    let now = store.now_micros();
    let (moved, shipped) = store.read(move |txn| write(txn, &folder, row, now)).await?;
    if let Some(moved) = moved {
        store.write(move |unit| note(unit.txn(), &moved)).await?;
    }
    drop(lock);
    Ok(shipped)
}

/// Returns the destinations, each with the size of the log that was shipped to it.
///
/// # Errors
/// When they cannot be read.
pub fn shipped_to(txn: &dyn Txn) -> Result<Vec<(String, u64)>, StoreError> {
    txn.column(Select::of::<ShipRow>(), &["destination", "size"])
}

/// Returns the row of a destination. From the first time on the outbox takes in what changes.
async fn register<B: Backend>(
    store: &B,
    destination: String,
    is_empty: bool,
) -> Result<ShipRow, StoreError> {
    let name = destination.clone();
    if let Some(row) = store.read(move |txn| txn.find::<ShipRow>(&[&name])).await? {
        return Ok(row);
    }
    if !is_empty {
        return Err(refused(
            "the folder holds commits that this store has not shipped there: name an empty one",
        ));
    }
    store
        .write(move |unit| {
            let mut drawn = [0; 16];
            unit.entropy().fill(&mut drawn)?;
            let row = ShipRow {
                destination,
                stream: hex::encode(drawn),
                number: 0,
                size: 0,
                change: last_change(unit.txn())?,
            };
            unit.txn().add(&row)?;
            Ok(row)
        })
        .await
}

fn last_change(txn: &dyn Txn) -> Result<u64, StoreError> {
    let last = Select::of::<OutboxRow>().reversed().first(1);
    let last: Vec<u64> = txn.column(last, &["number"])?;
    Ok(last.first().copied().unwrap_or(0))
}

/// Writes the files of one commit. Returns the position of the destination then, where it has moved.
fn write(
    txn: &dyn Txn,
    folder: &Path,
    row: ShipRow,
    now: u64,
) -> Result<(Option<ShipRow>, Shipped), StoreError> {
    let (size, checkpoint) = txn.head()?;
    let written = numbers(folder)?.last().copied().unwrap_or(0);
    if written < row.number {
        return Err(refused(format_args!(
            "the folder lacks file {} that was shipped there: name an empty one",
            row.number
        )));
    }
    if written > 0 {
        let last = head_in(folder, written)?;
        let to = Checkpoint::from_note(&last.checkpoint).map_err(refused)?;
        if last.stream != row.stream || to.size() > size || root(txn, to.size())? != to.root() {
            return Err(refused(
                "the folder holds commits of another store, or of a later state of this one: name an empty one",
            ));
        }
    }
    let head = CommitHead {
        at: now,
        checkpoint,
        format: FORMAT.to_owned(),
        from: (row.size, root(txn, row.size)?),
        key: txn.verifier_key()?,
        last: true,
        number: written + 1,
        part: 0,
        stream: row.stream.clone(),
    };
    let mut changes = Changes {
        txn,
        scan: Scan::default(),
        parts: Parts::new(folder, head, size),
    };
    let change = changes.since(&row, size)?;
    let Changes { mut parts, .. } = changes;
    if parts.report.changes == 0 {
        parts.report.number = written;
        return Ok((None, parts.report));
    }
    parts.finish(true)?;
    let moved = ShipRow {
        number: parts.report.number,
        size,
        change,
        ..row
    };
    Ok((Some(moved), parts.report))
}

/// Notes the position of a destination, and forgets the changes that all have.
fn note(txn: &dyn Txn, moved: &ShipRow) -> Result<(), StoreError> {
    txn.put(moved)?;
    let changes: Vec<u64> = txn.column(Select::of::<ShipRow>(), &["change"])?;
    let all_have = changes.into_iter().min().unwrap_or(0);
    let numbers: Vec<u64> = txn.column(Select::of::<OutboxRow>(), &["number"])?;
    let mut done = numbers.iter().take_while(|number| **number <= all_have);
    done.try_for_each(|number| txn.remove::<OutboxRow>(&[number]).map(drop))
}

/// Reads states out of the ground and writes them down.
struct Changes<'t> {
    txn: &'t dyn Txn,
    scan: Scan,
    parts: Parts<'t>,
}

impl Changes<'_> {
    /// Writes all rows of a table down.
    fn rows(&mut self, table: &'static Table) -> Result<(), StoreError> {
        let select = Select {
            table,
            columns: table.columns,
            equal: Vec::new(),
            from: None,
            reverse: false,
            limit: None,
        };
        self.txn.select(&select, &mut |row| {
            self.parts.add(&Change::Row(table, row)).map(|()| true)
        })
    }

    /// Writes down all that the files up to `row` lack, and all rows the first time. Returns the number of the last change
    /// that is in it.
    fn since(&mut self, row: &ShipRow, size: u64) -> Result<u64, StoreError> {
        let mut entries = BTreeSet::new();
        let mut rows: BTreeMap<String, BTreeSet<Vec<Value>>> = BTreeMap::new();
        let select = Select::of::<OutboxRow>().from("number", row.change + 1);
        let mut last = row.change;
        self.txn.each(&select, |change: OutboxRow| {
            last = change.number;
            match (change.part.as_str(), &change.first) {
                (ENTRY, Value::Integer(index)) => {
                    let index = u64::try_from(*index).ok();
                    entries.extend(index.filter(|index| *index < row.size));
                }
                _ => {
                    let key = vec![change.first, change.second, change.third];
                    rows.entry(change.part).or_default().insert(key);
                }
            }
            Ok(true)
        })?;
        (row.size..size).try_for_each(|index| self.entry(index))?;
        let mut gone = Vec::new();
        for table in BESIDE {
            let is_first = row.number == 0;
            if is_first {
                self.rows(table)?;
            }
            for mut key in rows.remove(table.name).unwrap_or_default() {
                key.truncate(table.key);
                match row_of(self.txn, table, &key)? {
                    None => gone.push(Change::Gone(table, key)),
                    Some(_) if is_first => {}
                    Some(row) => self.parts.add(&Change::Row(table, row))?,
                }
            }
            // An entry becomes a stub once its row is there.
            if table.name == StubRow::TABLE.name {
                let entries = std::mem::take(&mut entries);
                entries.into_iter().try_for_each(|it| self.entry(it))?;
            }
        }
        gone.iter().try_for_each(|change| self.parts.add(change))?;
        Ok(last)
    }

    fn entry(&mut self, index: u64) -> Result<(), StoreError> {
        let stub: Option<StubRow> = self.txn.find(&[&index])?;
        if stub.is_some() {
            let leaf = self.txn.node(0, index)?;
            return self.parts.add(&Change::Stub { index, leaf });
        }
        let body = self.txn.body(index)?.unwrap_or_default();
        let stored = self.scan.present(self.txn, index)?;
        // A content that is not kept whole was made from its chain just now.
        let follows = stored.payload.as_ref().filter(|_| body.payload.is_none());
        let follows = follows.map(|payload| payload.salt);
        let payload = stored.payload.filter(|_| follows.is_none());
        let document = CapsuleDocument::new(
            stored.header,
            stored.signature,
            (stored.entry.field_root, stored.entry.field_count),
            payload,
            stored.delta,
        );
        self.parts.add(&Change::Entry {
            index,
            document: Box::new(document),
            follows,
        })
    }
}
