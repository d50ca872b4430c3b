//! A store that follows another one: it has no keys, and is changed by commits alone (docs/format/commit.md).

use std::path::Path;

use counterfoil_life::Txn as _;
use counterfoil_life::commit::{self, Commit};
use counterfoil_store::StoreError;
use counterfoil_types::DidKey;
use rusqlite::Connection;

use crate::connection;
use crate::error::from_sqlite;
use crate::options::Options;
use crate::origin;
use crate::port::Tables;
use crate::statement::Statements;

/// The database of a store that follows another one.
#[derive(Debug)]
pub struct Standby {
    connection: Connection,
}

impl Standby {
    /// Makes the database at `path`, for the log of `key`, or continues the one that is there.
    ///
    /// # Errors
    /// [`StoreError::AlreadyExists`] for a store that follows no other; when the file cannot be made or opened.
    pub fn open(
        path: &Path,
        key: impl FnOnce() -> Result<String, StoreError>,
    ) -> Result<Self, StoreError> {
        let options = Options::read_only(path);
        let mut connection = match connection::writer(&options) {
            // What is left of a creation that was cut off is blank once it was opened.
            Err(error @ (StoreError::Missing { .. } | StoreError::NotOurs { .. })) => {
                match connection::create(&options) {
                    Err(StoreError::AlreadyExists { .. }) => return Err(error),
                    made => made?,
                }
                connection::writer(&options)?
            }
            opened => opened?,
        };
        connection::sync_found(path)?;
        if !connection.has("SELECT 1 FROM origin", [])? {
            // The checkpoint of a log without entries is not known. The first commit takes its place.
            origin::found_as(&mut connection, &key()?, "")?;
        }
        let standby = Self { connection };
        let is_begun = standby.applied()?.is_some();
        match is_begun || standby.head()?.1.is_empty() {
            true => Ok(standby),
            false => Err(StoreError::AlreadyExists {
                path: path.to_owned(),
            }),
        }
    }

    /// Tests whether the store at `path` follows another one, and may not be written to. One that cannot be read does not.
    pub fn is_at(path: &Path) -> bool {
        connection::reader(&Options::read_only(path))
            .and_then(|connection| commit::followed(&Tables::new(&connection)))
            .is_ok_and(|followed| followed.is_some())
    }

    const fn tables(&self) -> Tables<'_> {
        Tables::new(&self.connection)
    }

    /// Size and checkpoint of the log.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn head(&self) -> Result<(u64, String), StoreError> {
        self.tables().head()
    }

    /// Verifier key of the log.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn verifier_key(&self) -> Result<String, StoreError> {
        self.tables().verifier_key()
    }

    /// Agent of the store that is followed.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn agent(&self) -> Result<Option<DidKey>, StoreError> {
        commit::own_agent(&self.tables())
    }

    /// Stream and number of the last file that was applied; `None` before the first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn applied(&self) -> Result<Option<(String, u64)>, StoreError> {
        commit::followed(&self.tables())
    }

    /// Number of entries of which a content cannot be opened, as its key was destroyed.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn unopened(&self) -> Result<u64, StoreError> {
        commit::unopened(&self.tables())
    }

    /// Applies a commit, and returns the size of the log then: it is on disk, or nothing of it.
    ///
    /// # Errors
    /// As [`commit::apply`].
    pub fn apply(
        &mut self,
        parts: impl Iterator<Item = Result<Commit, StoreError>>,
    ) -> Result<u64, StoreError> {
        let transaction = self.connection.begin()?;
        let size = commit::apply(&Tables::new(&transaction), parts)?;
        transaction.commit().map_err(from_sqlite)?;
        Ok(size)
    }
}
