//! The store: opens the file, and answers the traits of layer 1 from it.

mod claims;
mod exchange;
mod log;
mod node;
mod upkeep;
mod vectors;
mod versions;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::World;
use counterfoil_life::ground::Ground;
use counterfoil_life::sealing::ContentKeys;
use counterfoil_life::versions::{LogAhead, clock_lead};
use counterfoil_life::{Backend, Txn, Unit, commit, entries, require_heads};
use counterfoil_store::log::Frontier;
use counterfoil_store::{CapsuleLog, MemoryStore, StoreError};
use counterfoil_types::{BoxError, DidKey, WorldId};
use rusqlite::Connection;

use crate::batch::{Committer, LogHeadState};
use crate::connection::{self, locked_at};
use crate::content_keys::{content_keys, make_content_keys};
use crate::counts;
use crate::error::from_sqlite;
use crate::options::{Access, Options};
use crate::origin;
use crate::port::Tables;
use crate::readers::Readers;
use crate::sealed;
use crate::shared;
use crate::statement::Statements;
use crate::text::SearchCaches;
use crate::writer::Writer;

/// A store in one SQLite file.
///
/// What [`CapsuleLog::append`] acknowledged is on disk, survives the end of the process at any
/// moment, and cannot be changed through this type. It does not say that no other program changed
/// the file; that is for [`Life::audit`](counterfoil_life::Life::audit) and for the verifiers of receipts.
#[derive(Debug)]
pub struct SqliteStore {
    options: Options,
    readers: Readers,
    writing: Writing,
    lead: Option<LogAhead>,
    /// Table of the index with another number of rows than it has to have.
    miscounted: Option<&'static str>,
    caches: Arc<SearchCaches>,
    freshness: node::Freshness,
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
            // A node of a shared ground is compared once it is brought forward.
            if options.ground.is_none() {
                guard.check(&origin::EmptyLog, (0, ""))?;
            }
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
    /// [`StoreError::WrongLogKey`], [`StoreError::Behind`], [`StoreError::Locked`] and other errors of the place.
    pub fn open(options: Options) -> Result<Self, StoreError> {
        let open = || match &options.access {
            Access::ReadOnly { .. } => {
                let connection = connection::reader(&options)?;
                connection::sync_found_by_reader(&connection, &options)?;
                let tables = Tables::new(&connection);
                if !options.heads.is_empty() {
                    let (size, checkpoint) = tables.head()?;
                    require_heads(&tables, (size, &checkpoint), &options.heads)?;
                }
                let lead = clock_lead(&tables, &*options.clock);
                Ok((Writing::ReadOnly, lead, connection))
            }
            Access::ReadWrite { .. } => {
                let (writing, lead) = start_writing(&options)?;
                Ok((writing, lead, connection::reader(&options)?))
            }
        };
        let (writing, lead, first) = open().map_err(|error| locked_at(&options.path, error))?;
        Ok(Self {
            lead,
            miscounted: miscounted(&first, &options)?,
            readers: Readers::new(&options, Some(first)),
            options,
            writing,
            caches: Arc::default(),
            freshness: node::Freshness::default(),
        })
    }

    /// Mismatch that makes a store read-only although it was opened for writing, if any.
    pub const fn guard_mismatch(&self) -> Option<&StoreError> {
        match &self.writing {
            Writing::Guarded(error) => Some(error),
            _ => None,
        }
    }

    /// Lead of the log over the clock when the store was opened, if it is more than 5 seconds.
    pub const fn clock_lead(&self) -> Option<LogAhead> {
        self.lead
    }

    /// Table of the index that had another number of rows than it has to have when the store was opened, if any: rows were
    /// taken away or added by hand. Results rest on the others; `rebuild` makes it anew.
    pub const fn miscounted(&self) -> Option<&'static str> {
        self.miscounted
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.options.path
    }

    /// Number of transactions that this value has committed: appends that wait together share one.
    pub fn commits(&self) -> u64 {
        match &self.writing {
            Writing::Open(writer) => writer.commits(),
            _ => 0,
        }
    }

    /// Options with which the store was opened.
    pub(crate) const fn options(&self) -> &Options {
        &self.options
    }

    /// Runs `read` on the connection of a reader thread, inside one read transaction.
    pub(crate) async fn query<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.freshen().await?;
        self.readers.read(read).await
    }

    /// Runs `job`, which writes beside the log, in a transaction that it shares with others who wait: on disk when this
    /// returns. It may run again.
    pub(crate) async fn beside<T: Send + 'static>(
        &self,
        mut job: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let job = move |_: &mut Unit<'_>, connection: &Connection| job(connection);
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

/// Compares numbers of rows, as of one moment. Where they cannot be counted, each read says so.
fn miscounted(
    connection: &Connection,
    options: &Options,
) -> Result<Option<&'static str>, StoreError> {
    let snapshot = connection::snapshot(connection, options)?;
    match counts::first_difference(&snapshot) {
        Err(StoreError::Corrupt { .. }) => Ok(None),
        counted => counted,
    }
}

/// Opens the connection that writes, and compares the guard with the log.
fn start_writing(options: &Options) -> Result<(Writing, Option<LogAhead>), StoreError> {
    let (signer, mut guard) = origin::signer_of(options)?;
    let mut connection = connection::writer(options)?;
    origin::found(&mut connection, &signer)?;
    origin::require(&connection, &signer)?;
    let is_shared = options.ground.is_some();
    if !is_shared && commit::followed(&Tables::new(&connection))?.is_some() {
        let detail = "this store follows another one and is only read. To write to it in place of that one, run \
                      `counterfoil reconcile`, and write to the other one no more";
        let detail = detail.to_owned();
        return Ok((Writing::Guarded(StoreError::GuardMismatch { detail }), None));
    }
    connection::sync_found(&options.path)?;
    drop(sealed::destroy(&connection, &options.keys));
    // Another process may commit and sign between the two looks: while the log grows, that it was too short says
    // nothing.
    let tables = Tables::new(&connection);
    let mut head = tables.head()?;
    while !is_shared && let Err(error) = guard.check(&tables, (head.0, &head.1)) {
        let now = tables.head()?;
        if now.0 <= head.0 {
            return match error {
                StoreError::GuardMismatch { .. } => Ok((Writing::Guarded(error), None)),
                _ => Err(error),
            };
        }
        head = now;
    }
    if !is_shared {
        guard.advance(head.0, &head.1)?;
    }
    let mut of_journal = guard.of_journal()?;
    if let Some((rows, note)) = of_journal.journal_note(&tables)? {
        of_journal.advance(rows, &note)?;
    }
    let lead = clock_lead(&tables, &*options.clock);
    let head_state = LogHeadState {
        signer,
        guard,
        journal: (of_journal, None),
        // A node of a shared ground is compared once it is brought forward.
        known: (!is_shared).then_some(head),
        edge: None,
    };
    let committer = Committer::new(connection, head_state, options.clone());
    Ok((Writing::Open(Writer::start(committer)?), lead))
}

/// Adds the missing entries of the store at `options` from an export of its whole log, as [`counterfoil_life::reconcile`]
/// does. Returns the log indices that were added, and the number of bodies that were erased again.
///
/// # Errors
/// As [`counterfoil_life::reconcile`], and when the store cannot be opened for writing: nothing is changed then.
pub fn reconcile(
    options: &Options,
    agent: DidKey,
    lines: impl Iterator<Item = std::io::Result<Vec<u8>>>,
) -> Result<(Range<u64>, u64), StoreError> {
    let (signer, guard) = origin::signer_of(options)?;
    let mut connection = connection::writer(options)?;
    origin::require(&connection, &signer)?;
    let transaction = connection.begin()?;
    let tables = Tables::new(&transaction);
    let mut frontier = Frontier::load(&tables, tables.head()?.0)?;
    let (clock, entropy) = (&*options.clock, &*options.entropy);
    let mut unit = Unit::new(&tables, &mut frontier, clock, entropy);
    let done = counterfoil_life::reconcile(&mut unit, &guard, agent, lines)?;
    sealed::collect(&transaction, clock.now_micros())?;
    tables.flush_index()?;
    options.sync_keys()?;
    transaction.commit().map_err(from_sqlite)?;
    guard.of_journal()?.forget()?;
    // What fails is repeated when the store is opened, here and below.
    drop(sealed::destroy(&connection, &options.keys));
    Ok(done)
}

impl Backend for SqliteStore {
    async fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&dyn Txn) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let check = Arc::clone(&self.options.check);
        self.query(move |connection| job(&Tables::checked(connection, &check)))
            .await
    }

    async fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Unit<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer()?.alone(job).await
    }

    async fn scrub(&self) -> Option<String> {
        let options = self.options.clone();
        let scrubbed = self.maintain(move |connection| {
            sealed::destroy(connection, &options.keys)?;
            shared::end_erasures(connection, &options)
        });
        scrubbed
            .await
            .unwrap_or_else(|error| Some(error.to_string()))
    }

    fn content_keys(&self, folder: &Path, log: &str) -> Result<Box<dyn ContentKeys>, StoreError> {
        content_keys(folder, log)
    }

    fn make_content_keys(
        &self,
        folder: &Path,
        log: &str,
    ) -> Result<Box<dyn ContentKeys>, StoreError> {
        make_content_keys(folder, log)
    }

    fn log_key(&self) -> Option<String> {
        match &self.options.access {
            Access::ReadWrite { signer, .. } => Some(signer.verifier_key().to_string()),
            Access::ReadOnly { .. } => None,
        }
    }

    fn ground(&self) -> Option<Arc<dyn Ground>> {
        self.options.ground.clone()
    }

    fn now_micros(&self) -> u64 {
        self.options.clock.now_micros()
    }
}

#[async_trait]
impl MemoryStore for SqliteStore {
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, BoxError> {
        let (world_id, floor) = (world_id.clone(), self.options.floor);
        let world = self.read(move |txn| entries::world(txn, &world_id, floor));
        Ok(world.await?)
    }

    async fn get_each(&self, world_ids: &[WorldId]) -> Vec<Result<Option<World>, BoxError>> {
        let (asked, floor) = (world_ids.to_vec(), self.options.floor);
        let worlds = self.read(move |txn| {
            let worlds = asked.iter().map(|id| entries::world(txn, id, floor));
            Ok(worlds.collect::<Vec<_>>())
        });
        match worlds.await {
            Ok(worlds) => worlds.into_iter().map(|it| Ok(it?)).collect(),
            Err(error) => world_ids
                .iter()
                .map(|_| Err(error.clone().into()))
                .collect(),
        }
    }

    async fn exists(&self, world_id: &WorldId) -> Result<bool, BoxError> {
        Ok(self.index_of(world_id).await?.is_some())
    }
}
