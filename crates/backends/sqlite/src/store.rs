//! The store: opens the file, and answers the traits of layer 1 from it.

mod log;

use std::path::Path;

use async_trait::async_trait;
use counterfoil_capsule::World;
use counterfoil_capsule::keys::KeyHistory;
use counterfoil_store::log::{Tile, export, write_below};
use counterfoil_store::receipt::world_with_receipt;
use counterfoil_store::{CapsuleLog, MemoryStore, StoreError, StoreLocation, StoredCapsule};
use counterfoil_types::{DidKey, WorldId};
use rusqlite::Connection;

use crate::batch::{Committer, LogHeadState};
use crate::clock_lead::{ClockLead, clock_lead};
use crate::connection::{self, locked_at};
use crate::keys::key_chain;
use crate::options::{Access, Options};
use crate::readers::Readers;
use crate::rows::{self, LogRows};
use crate::unit::Unit;
use crate::writer::Writer;
use crate::{bodies, origin};

/// A store in one SQLite file.
///
/// What [`CapsuleLog::append`] acknowledged is on disk, survives the end of the process at any
/// moment, and cannot be changed through this type. It does not say that no other program changed
/// the file; that is for [`SqliteStore::audit`] and for the verifiers of receipts.
#[derive(Debug)]
pub struct SqliteStore {
    options: Options,
    readers: Readers,
    writing: Writing,
    lead: Option<ClockLead>,
}

#[derive(Debug)]
enum Writing {
    Open(Writer),
    ReadOnly,
    /// Opened for writing, but the guard forbids it.
    Guarded(StoreError),
}

impl SqliteStore {
    /// Makes a new store and opens it. EmptyLog that is there is overwritten.
    ///
    /// # Errors
    /// [`StoreError::AlreadyExists`]; [`StoreError::GuardMismatch`] when the keys have signed
    /// another history before; [`StoreError::ReadOnly`], [`StoreError::DiskFull`] and other
    /// errors of the place.
    pub fn create(options: Options) -> Result<Self, StoreError> {
        let make = || {
            let (_, guard) = origin::signer_of(&options)?;
            guard.check(&origin::EmptyLog, 0)?;
            connection::create(&options)
        };
        make().map_err(|error| locked_at(&options.path, error))?;
        Self::open(options)
    }

    /// Opens a store. One whose guard does not fit opens all the same, for reading:
    /// [`SqliteStore::guard_mismatch`] says so, and every append repeats it.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::NotOurs`], [`StoreError::NewerSchema`],
    /// [`StoreError::WrongLogKey`], [`StoreError::Locked`] and other errors of the place.
    pub fn open(options: Options) -> Result<Self, StoreError> {
        let open = || match &options.access {
            Access::ReadOnly { .. } => {
                let connection = connection::reader(&options)?;
                connection::sync_found_by_reader(&connection, &options)?;
                let lead = clock_lead(&connection, &*options.clock);
                Ok((Writing::ReadOnly, lead, Some(connection)))
            }
            Access::ReadWrite { .. } => {
                let (writing, lead) = start_writing(&options)?;
                Ok((writing, lead, None))
            }
        };
        let (writing, lead, first) = open().map_err(|error| locked_at(&options.path, error))?;
        Ok(Self {
            lead,
            readers: Readers::new(&options, first),
            options,
            writing,
        })
    }

    /// Mismatch that makes a store read-only although it was opened for writing, if any.
    #[must_use]
    pub const fn guard_mismatch(&self) -> Option<&StoreError> {
        match &self.writing {
            Writing::Guarded(error) => Some(error),
            _ => None,
        }
    }

    /// Lead of the log over the clock when the store was opened, if it is more than 5 seconds.
    #[must_use]
    pub const fn clock_lead(&self) -> Option<ClockLead> {
        self.lead
    }

    /// The database file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.options.path
    }

    /// The verifier key (C2SP vkey) under which the log was made.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn verifier_key(&self) -> Result<String, StoreError> {
        self.read(rows::origin).await
    }

    /// The history of the keys of `agent`, of which every proof was checked; `None` when it has none and signs with the
    /// key that it is named after.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when a record is damaged or does not follow the one before it.
    pub async fn key_history(&self, agent: DidKey) -> Result<Option<KeyHistory>, StoreError> {
        self.read(move |connection| Ok(key_chain(connection, &agent)?.map(|chain| chain.history)))
            .await
    }

    /// The records of the key chain of `agent`, in its order.
    ///
    /// # Errors
    /// As [`SqliteStore::key_history`].
    pub async fn key_records(&self, agent: DidKey) -> Result<Vec<StoredCapsule>, StoreError> {
        self.read(move |connection| {
            let chain = key_chain(connection, &agent)?;
            Ok(chain.map_or_else(Vec::new, |chain| chain.records))
        })
        .await
    }

    /// Number of transactions that this value has committed: appends that wait together share one.
    #[must_use]
    pub fn commits(&self) -> u64 {
        match &self.writing {
            Writing::Open(writer) => writer.commits(),
            _ => 0,
        }
    }

    /// Writes the log as static files (C2SP tlog-tiles) into `folder`, and returns its size.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read or the folder not written.
    pub async fn export_tiles(&self, folder: impl AsRef<Path>) -> Result<u64, StoreError> {
        let folder = folder.as_ref().to_path_buf();
        self.read(move |connection| {
            let head = rows::log_head(connection)?;
            let log = LogRows(connection);
            let mut put = |path: &str, bytes: &[u8]| write_below(&folder, path, bytes);
            let entry = |index| log.entry(index);
            export(&log, &entry, (head.size, &head.checkpoint), &mut put)?;
            Ok(head.size)
        })
        .await
    }

    /// One tile of the log (C2SP tlog-tiles), as [`export_tiles`](Self::export_tiles) writes it; `None` where the log does
    /// not reach to its end.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn tile(&self, tile: Tile) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(move |connection| {
            let size = rows::log_head(connection)?.size;
            let log = LogRows(connection);
            tile.read(size, &log, &|index| log.entry(index))
        })
        .await
    }

    /// Options with which the store was opened.
    pub(crate) const fn options(&self) -> &Options {
        &self.options
    }

    /// Runs `read` on a reader thread, inside one read transaction.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.readers.read(read).await
    }

    /// Runs `job` in one transaction of the writer, alone: its rows, its capsules and the checkpoint are
    /// on disk together when this returns.
    pub(crate) async fn unit<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Unit<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer()?.alone(job).await
    }

    /// Runs `job`, which writes beside the log, in a transaction that it shares with others who wait: on disk when this
    /// returns. It may run again.
    pub(crate) async fn beside<T: Send + 'static>(
        &self,
        mut job: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let job = move |unit: &mut Unit<'_>| job(unit.connection());
        let (done, _) = self.writer()?.share(0, job).await?;
        Ok(done)
    }

    /// Runs `job` on the connection that writes, outside of any transaction.
    pub(crate) async fn maintain<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer()?.maintain(job).await
    }

    /// The writer, or why there is none.
    pub(crate) fn writer(&self) -> Result<&Writer, StoreError> {
        match &self.writing {
            Writing::Open(writer) => Ok(writer),
            Writing::Guarded(error) => Err(error.clone()),
            Writing::ReadOnly => Err(StoreError::ReadOnly {
                reason: "it was opened for reading only".to_owned(),
            }),
        }
    }
}

/// Opens the connection that writes, and compares the guard with the log.
fn start_writing(options: &Options) -> Result<(Writing, Option<ClockLead>), StoreError> {
    let (signer, mut guard) = origin::signer_of(options)?;
    let mut connection = connection::writer(options)?;
    origin::found(&mut connection, &signer)?;
    origin::require(&connection, &signer)?;
    connection::sync_found(&options.path)?;
    // Another process may commit and sign between the two looks: while the log grows, that it was too short says
    // nothing.
    let mut head = rows::log_head(&connection)?;
    while let Err(error) = guard.check(&LogRows(&connection), head.size) {
        let now = rows::log_head(&connection)?;
        if now.size <= head.size {
            return match error {
                StoreError::GuardMismatch { .. } => Ok((Writing::Guarded(error), None)),
                _ => Err(error),
            };
        }
        head = now;
    }
    guard.advance(head.size, &head.checkpoint)?;
    let lead = clock_lead(&connection, &*options.clock);
    let head_state = LogHeadState {
        signer,
        guard,
        known: Some(head),
        edge: None,
    };
    let committer = Committer::new(connection, head_state, options.clone());
    Ok((Writing::Open(Writer::start(committer)?), lead))
}

#[async_trait]
impl MemoryStore for SqliteStore {
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, StoreError> {
        let (world_id, floor) = (world_id.clone(), self.options.floor);
        self.read(move |connection| {
            let Some(index) = rows::index_of(connection, &world_id)? else {
                return Ok(None);
            };
            let stored = rows::capsule(connection, index)?
                .filter(|stored| stored.entry.world() == Some(&world_id))
                .ok_or_else(|| {
                    let place = StoreLocation::entry("world", index);
                    StoreError::corrupt(place, "the row points to another capsule")
                })?;
            if stored.payload.is_none() && bodies::is_erased(connection, index)? {
                return Ok(None);
            }
            let head = rows::log_head(connection)?;
            let at = (head.size, &*head.checkpoint);
            world_with_receipt(stored, &LogRows(connection), at, floor).map(Some)
        })
        .await
    }

    async fn exists(&self, world_id: &WorldId) -> Result<bool, StoreError> {
        self.index_of(world_id).await.map(|index| index.is_some())
    }
}
