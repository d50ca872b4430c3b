//! A node of a shared ground: what it writes is committed there before it is committed here, and what others write comes in.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use counterfoil_life::Txn as _;
use counterfoil_life::commit::{self, Ground, GroundKeys, GroundTxn, Outcome};
use counterfoil_store::StoreError;
use counterfoil_store::log::NoteSigner;
use rusqlite::Connection;

use crate::SqliteStore;
use crate::batch::{Committer, LogHeadState};
use crate::connection;
use crate::error::from_sqlite;
use crate::options::Options;
use crate::port::Tables;
use crate::scrub::scrub;
use crate::sealed;
use crate::statement::Statements;

/// Commits here what the ground has and this node lacks.
pub(crate) fn forward(
    state: &mut LogHeadState,
    connection: &mut Connection,
    options: &Options,
    ground: &mut dyn GroundTxn,
) -> Result<(), StoreError> {
    let transaction = connection.begin()?;
    let tables = Tables::new(&transaction);
    let keys = GroundKeys::new(&state.signer, &*options.entropy);
    let is_new = commit::followed(&tables)?.is_none();
    if !commit::forward(&tables, ground, &keys)? {
        return Ok(());
    }
    tables.flush_index()?;
    options.sync_keys()?;
    let (size, checkpoint) = tables.head()?;
    match is_new {
        true => drop(state.guard.check_first(&tables, (size, &checkpoint))?),
        false => state.guard.check(&tables, (size, &checkpoint))?,
    }
    transaction.commit().map_err(from_sqlite)?;
    (state.known, state.edge, state.journal.1) = (None, None, None);
    state.guard.advance(size, &checkpoint)
}

/// Takes old bytes of what was erased out of the file, and says so in the shared ground, if there is one. Returns the reason if it
/// could not be done: it is tried again the next time.
pub(crate) fn end_erasures(
    connection: &mut Connection,
    options: &Options,
) -> Result<Option<String>, StoreError> {
    let erased = commit::followed(&Tables::new(connection))?;
    let scrubbed = scrub(connection, &options.path);
    // The views went with the place of temporary tables.
    sealed::set_up(connection, &options.keys)?;
    let obstacle = scrubbed?;
    if let (Some(ground), Some((_, number)), None) = (&options.ground, erased, &obstacle) {
        ground.confirm(number)?;
    }
    Ok(obstacle)
}

/// Commits in the ground what the transaction of `tables` has done; nothing where that is nothing, and false then.
pub(crate) fn commit(
    tables: &Tables<'_>,
    signer: &NoteSigner,
    options: &Options,
    (ground, mut locked): (&dyn Ground, Box<dyn GroundTxn + '_>),
) -> Result<bool, StoreError> {
    let keys = GroundKeys::new(signer, &*options.entropy);
    let Some(pending) = commit::pending(tables, &*options.entropy, &mut *locked, &keys)? else {
        return Ok(false);
    };
    let outcome = match locked.commit(&pending)? {
        Outcome::Unknown => match ground.settle(pending.after.number, &pending.after.id)? {
            true => Outcome::Committed,
            false => Outcome::Moved,
        },
        known => known,
    };
    match outcome {
        Outcome::Committed => Ok(true),
        _ => Err(StoreError::Unavailable {
            doing: "committing to the shared ground",
            detail: "nothing of it was kept: do it again".to_owned(),
        }),
    }
}

/// The error when the ground has a commit, and this node could not take it in.
pub(crate) fn behind(error: &StoreError) -> StoreError {
    StoreError::NotConfirmed {
        detail: format!("they are in the shared ground, and this node cannot keep them: {error}"),
    }
}

impl Committer {
    /// Brings the store forward by what its ground has. Returns the size of the log.
    pub(crate) fn follow(&mut self) -> Result<u64, StoreError> {
        if let Some(ground) = &self.options.ground {
            let mut read = ground.read()?;
            let (state, connection) = (&mut self.head_state, &mut self.connection);
            forward(state, connection, &self.options, &mut *read)?;
            if read.is_erasure_due() {
                drop(read);
                end_erasures(connection, &self.options)?;
            }
        }
        Ok(Tables::new(&self.connection).head()?.0)
    }
}

impl SqliteStore {
    /// Lets the next read ask the shared ground first: it sees what any node was answered for before this call. Of a store that has
    /// no ground nothing changes.
    pub fn refresh(&self) {
        if self.options().ground.is_some() {
            self.freshness.asked.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Lets reads ask the shared ground first until the log has `size` entries here.
    pub fn refresh_to(&self, size: u64) {
        self.freshness.least.fetch_max(size, Ordering::SeqCst);
    }

    /// Brings a node of a shared ground forward by what other nodes have written there. Returns the size of the log.
    ///
    /// # Errors
    /// [`StoreError::GuardMismatch`] when the ground has gone back or holds another history; [`StoreError::Unavailable`] when it
    /// cannot be reached; [`StoreError::ReadOnly`] for a store that was opened for reading.
    pub async fn follow(&self) -> Result<u64, StoreError> {
        self.writer()?.follow().await
    }

    /// Follows the ground where a read has to be newer than the store is.
    pub(crate) async fn freshen(&self) -> Result<(), StoreError> {
        let fresh = &self.freshness;
        let (asked, least) = (
            fresh.asked.load(Ordering::SeqCst),
            fresh.least.load(Ordering::SeqCst),
        );
        if fresh.followed.load(Ordering::SeqCst) >= asked
            && fresh.size.load(Ordering::SeqCst) >= least
        {
            return Ok(());
        }
        let size = self.follow().await.map_err(|error| match error {
            StoreError::Unavailable { doing, detail } => StoreError::Unavailable {
                doing,
                detail: format!("{detail}. What is here is read with `--read any`"),
            },
            other => other,
        })?;
        if size < least {
            return Err(StoreError::OutOfRange {
                what: "size",
                asked: least,
                size,
            });
        }
        fresh.followed.fetch_max(asked, Ordering::SeqCst);
        fresh.size.fetch_max(size, Ordering::SeqCst);
        Ok(())
    }

    /// Commits all that the store holds to its ground, which has nothing of it yet.
    ///
    /// # Errors
    /// As [`SqliteStore::follow`].
    pub async fn share(&self) -> Result<(), StoreError> {
        self.beside(|_| Ok(())).await
    }

    /// Copies the database into a new file.
    ///
    /// # Errors
    /// When it cannot be read, or the file cannot be written.
    pub async fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        let path = path.to_string_lossy().into_owned();
        self.maintain(move |connection| connection.run("VACUUM INTO ?1", [path]).map(drop))
            .await
    }
}

/// How new reads have to be.
#[derive(Debug, Default)]
pub(crate) struct Freshness {
    /// How often a read was asked to be of the newest state, and up to which time they are.
    asked: AtomicU64,
    followed: AtomicU64,
    /// The least size of the log, and the one that it has at least.
    least: AtomicU64,
    size: AtomicU64,
}

/// Makes a copy of a node a store of its own, which follows no ground.
///
/// # Errors
/// When it cannot be opened or written.
pub fn detach(path: &Path) -> Result<(), StoreError> {
    let mut connection = connection::writer(&Options::read_only(path))?;
    let transaction = connection.begin()?;
    commit::leave(&Tables::new(&transaction))?;
    transaction.commit().map_err(from_sqlite)
}
