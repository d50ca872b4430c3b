//! Makes commits out of the present state: entries that are new, and the rows whose keys the outbox holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;

use counterfoil_capsule::CapsuleDocument;
use counterfoil_store::StoreError;
use counterfoil_store::log::root;
use counterfoil_verifier::checkpoint::Checkpoint;

use super::files::{Parts, Shipped, head_in, numbers};
use super::sealed::emptied;
use super::{BESIDE, Change, CommitHead, FORMAT, SEALED_FORMAT, refused};
use crate::Unit;
use crate::backend::Backend;
use crate::entries::Scan;
use crate::files::{io_error, make_folder};
use crate::port::rows::{ENTRY, OutboxRow, ShipRow, StubRow};
use crate::port::{Row, Select, Table, Txn, Value};
use crate::sealing::ContentKeys;

/// Writes what has changed since the last time as a commit into `folder`, everything the first time. To repeat it after
/// an interruption writes the changes again, under further numbers. With a folder for keys, named the first time or later where
/// it has moved, contents are sealed, and keys of what is gone are destroyed before anything is written.
///
/// # Errors
/// [`StoreError::Commit`] for a folder with files of another store, or without the last file that was written, and for keys
/// beside plain files; [`StoreError::Sealed`] for keys that are not those of the folder; when the store cannot be written, or
/// a folder.
pub async fn ship<B: Backend>(
    store: &B,
    folder: &Path,
    keys_to: Option<&Path>,
) -> Result<Shipped, StoreError> {
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
    let (row, keys) = match find(store, destination.clone()).await? {
        Some(row) => known(store, row, keys_to).await?,
        None if numbers(&folder)?.is_empty() => {
            register(store, &folder, destination, keys_to).await?
        }
        None => {
            return Err(refused(
                "the folder holds commits that this store has not shipped there: name an empty one",
            ));
        }
    };
    let now = store.now_micros();
    let write = move |txn: &dyn Txn| write(txn, &folder, (row, keys.as_deref()), now);
    let (moved, shipped) = store.read(write).await?;
    if let Some(moved) = moved {
        let note = move |unit: &mut Unit<'_>| {
            unit.txn().put(&moved)?;
            forget_shipped(unit.txn())
        };
        store.write(note).await?;
    }
    drop(lock);
    Ok(shipped)
}

/// Ends a destination, also one whose folder is gone: nothing is noted for it any more, and no certificate names it. Its files
/// and keys stay as they are. Returns its folder, and the folder of its keys where it is sealed.
///
/// # Errors
/// [`StoreError::Commit`] for a folder that the store does not ship to; when the store cannot be written.
pub async fn end(
    store: &impl Backend,
    folder: &Path,
) -> Result<(String, Option<String>), StoreError> {
    let found = fs::canonicalize(folder).or_else(|_| std::path::absolute(folder));
    let found = found.map_err(|error| io_error("finding the folder", folder, &error))?;
    let remove = move |unit: &mut Unit<'_>| {
        let row: Option<ShipRow> = unit.txn().find(&[&found.to_string_lossy().into_owned()])?;
        let row = row.ok_or_else(|| {
            refused("the store does not ship to this folder: name it by its whole path")
        })?;
        unit.txn().remove::<ShipRow>(&[&row.destination])?;
        forget_shipped(unit.txn())?;
        Ok((row.destination, row.keys))
    };
    store.write(remove).await
}

/// Position of a destination, and its keys where it is sealed.
type Position = (ShipRow, Option<Box<dyn ContentKeys>>);

async fn find<B: Backend>(store: &B, destination: String) -> Result<Option<ShipRow>, StoreError> {
    store.read(move |txn| txn.find(&[&destination])).await
}

/// Returns a destination that was shipped to before. The folder of its keys may have moved.
async fn known<B: Backend>(
    store: &B,
    mut row: ShipRow,
    keys_to: Option<&Path>,
) -> Result<Position, StoreError> {
    let Some(folder) = &mut row.keys else {
        return match keys_to {
            None => Ok((row, None)),
            Some(_) => Err(refused(
                "the folder holds commits that are not sealed: name an empty one, and remove this one",
            )),
        };
    };
    if let Some(moved) = keys_to {
        *folder = absolute(moved)?;
    }
    let log = store.read(|txn| txn.verifier_key()).await?;
    let keys = keys_of(store, &row, &log)?;
    Ok((row, keys))
}

/// Opens the keys of a destination; `None` where it is not sealed.
pub(super) fn keys_of(
    store: &impl Backend,
    row: &ShipRow,
    log: &str,
) -> Result<Option<Box<dyn ContentKeys>>, StoreError> {
    let Some(folder) = &row.keys else {
        return Ok(None);
    };
    let keys = store.content_keys(Path::new(folder), log)?;
    match keys.key(&slot_of_stream(&row.stream))? {
        Some(_) => Ok(Some(keys)),
        None => Err(StoreError::Sealed {
            subject: folder.clone(),
            obstacle: "it holds the keys of another folder of commits: name the one that this folder began with",
        }),
    }
}

/// Slot of a key that seals nothing: the keys of a stream have one.
fn slot_of_stream(stream: &str) -> String {
    format!("stream/{stream}")
}

fn absolute(folder: &Path) -> Result<String, StoreError> {
    let found = fs::canonicalize(folder);
    let found = found.map_err(|error| io_error("finding the folder of keys", folder, &error))?;
    let name = found.to_str().map(str::to_owned);
    name.ok_or_else(|| refused("the name of the folder is no UTF-8"))
}

/// Adds a destination. From then on the outbox takes in what changes.
async fn register<B: Backend>(
    store: &B,
    folder: &Path,
    destination: String,
    keys_to: Option<&Path>,
) -> Result<Position, StoreError> {
    let log = store.read(|txn| txn.verifier_key()).await?;
    let (mut keys, mut place) = (None, None);
    if let Some(keys_to) = keys_to {
        make_folder(keys_to)?;
        let found = absolute(keys_to)?;
        if Path::new(&found).starts_with(folder) {
            return Err(refused(
                "the keys are to lie apart from the folder that they seal: name another place for them",
            ));
        }
        keys = Some(store.make_content_keys(keys_to, &log)?);
        place = Some(found);
    }
    let begin = move |unit: &mut Unit<'_>| {
        let mut drawn = [0; 16];
        unit.entropy().fill(&mut drawn)?;
        let row = ShipRow {
            destination,
            stream: hex::encode(drawn),
            number: 0,
            size: 0,
            change: last_change(unit.txn())?,
            keys: place,
            since: unit.size(),
        };
        if let Some(keys) = &keys {
            keys.make(&slot_of_stream(&row.stream))?;
            keys.sync()?;
        }
        unit.txn().add(&row)?;
        Ok((row, keys))
    };
    store.write(begin).await
}

pub(super) fn last_change(txn: &dyn Txn) -> Result<u64, StoreError> {
    let last = Select::of::<OutboxRow>().reversed().first(1);
    let last: Vec<u64> = txn.column(last, &["number"])?;
    Ok(last.first().copied().unwrap_or(0))
}

/// Writes the files of one commit. Returns the position of the destination then, where it has moved.
fn write(
    txn: &dyn Txn,
    folder: &Path,
    (row, keys): (ShipRow, Option<&dyn ContentKeys>),
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
        format: keys.map_or(FORMAT, |_| SEALED_FORMAT).to_owned(),
        from: (row.size, root(txn, row.size)?),
        key: txn.verifier_key()?,
        last: true,
        number: written + 1,
        part: 0,
        stream: row.stream.clone(),
    };
    let mut parts = Parts::new(folder, keys, head, size);
    parts.report.keys.clone_from(&row.keys);
    if let Some(keys) = keys {
        parts.report.destroyed = keys.destroy(&emptied(txn, &row)?)?;
    }
    let mut changes = Changes {
        txn,
        scan: Scan::default(),
        is_sealed: keys.is_some(),
        add: &mut |change| parts.add(change),
    };
    let change = changes.since(&row, size)?;
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

/// Forgets the changes that all destinations have.
pub(super) fn forget_shipped(txn: &dyn Txn) -> Result<(), StoreError> {
    let changes: Vec<u64> = txn.column(Select::of::<ShipRow>(), &["change"])?;
    let all_have = changes.into_iter().min().unwrap_or(u64::MAX);
    let numbers: Vec<u64> = txn.column(Select::of::<OutboxRow>(), &["number"])?;
    let mut done = numbers.iter().take_while(|number| **number <= all_have);
    done.try_for_each(|number| txn.remove::<OutboxRow>(&[number]).map(drop))
}

const fn change(table: &'static Table, row: Vec<Value>) -> Change {
    Change::Row {
        table,
        row,
        is_lost: false,
    }
}

/// Reads states out of the ground and hands them over.
pub(super) struct Changes<'t> {
    pub(super) txn: &'t dyn Txn,
    pub(super) scan: Scan,
    pub(super) is_sealed: bool,
    pub(super) add: &'t mut dyn FnMut(&Change) -> Result<(), StoreError>,
}

impl Changes<'_> {
    /// Hands over all rows of a table.
    fn rows(&mut self, table: &'static Table) -> Result<(), StoreError> {
        self.txn.select(&Select::all(table), &mut |row| {
            (self.add)(&change(table, row)).map(|()| true)
        })
    }

    /// Hands over all that a destination lacks since `row`, and all rows the first time. Returns the number of the last change
    /// that is in it.
    pub(super) fn since(&mut self, row: &ShipRow, size: u64) -> Result<u64, StoreError> {
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
                match self.txn.row(table, &key)? {
                    None => gone.push(Change::Gone(table, key)),
                    Some(_) if is_first => {}
                    Some(row) => (self.add)(&change(table, row))?,
                }
            }
            // An entry becomes a stub once its row is there.
            if table.name == StubRow::TABLE.name {
                let entries = std::mem::take(&mut entries);
                entries.into_iter().try_for_each(|it| self.entry(it))?;
            }
        }
        gone.iter().try_for_each(|change| (self.add)(change))?;
        Ok(last)
    }

    fn entry(&mut self, index: u64) -> Result<(), StoreError> {
        let stub: Option<StubRow> = self.txn.find(&[&index])?;
        if stub.is_some() {
            let leaf = self.txn.node(0, index)?;
            return (self.add)(&Change::Stub { index, leaf });
        }
        let body = self.txn.body(index)?.unwrap_or_default();
        let stored = self.scan.present(self.txn, index)?;
        // A content that is not kept whole was made from its chain just now.
        let follows = stored.payload.as_ref().filter(|_| body.payload.is_none());
        let follows = follows.map(|payload| payload.salt);
        // A sealed one comes whole: the key of one before it may be destroyed.
        let is_whole = self.is_sealed || follows.is_none();
        let payload = stored.payload.filter(|_| is_whole);
        let document = CapsuleDocument::new(
            stored.header,
            stored.signature,
            (stored.entry.field_root, stored.entry.field_count),
            payload,
            stored.delta,
        );
        (self.add)(&Change::Entry {
            index,
            document: Box::new(document),
            follows,
            is_lost: false,
        })
    }
}
