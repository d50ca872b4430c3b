//! A node of a shared ground: how new its reads are, and how its log gets there and out again.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use counterfoil_store::StoreError;

use super::SqliteStore;
use crate::statement::Statements;

/// Least age of the state of reads.
#[derive(Debug, Default)]
pub(super) struct Freshness {
    /// Number of reads that asked for the newest state, and of those that have it.
    asked: AtomicU64,
    followed: AtomicU64,
    /// The least size of the log, and the one that it has at least.
    least: AtomicU64,
    size: AtomicU64,
}

impl SqliteStore {
    /// Lets the next read ask the shared ground first: it sees all that any node was answered for before this call. Of a store that has
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

    /// Brings a node of a shared ground forward by the commits of other nodes. Returns the size of the log.
    ///
    /// # Errors
    /// [`StoreError::GuardMismatch`] when the ground has gone back or holds another history; [`StoreError::Unavailable`] when it
    /// cannot be reached; [`StoreError::ReadOnly`] for a store that was opened for reading.
    pub async fn follow(&self) -> Result<u64, StoreError> {
        self.writer()?.follow().await
    }

    /// Follows the ground where a read has to be newer than the store is.
    pub(super) async fn freshen(&self) -> Result<(), StoreError> {
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
