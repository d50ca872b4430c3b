//! Care of a store: audit, rebuild, counts, sizes, and the health of file and library.

use counterfoil_life::Txn;
use counterfoil_store::StoreError;

use super::SqliteStore;
use crate::port::Tables;
use crate::statement::Statements;
use crate::{audit, schema};

/// Counts and sizes of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Entries of the log: Worlds and records.
    pub entries: u64,
    /// Worlds.
    pub worlds: u64,
    /// Agents who have written.
    pub agents: u64,
    /// Chains of capsules.
    pub chains: u64,
    /// Bytes of the database file, without its write-ahead log.
    pub file_bytes: u64,
    /// Bytes in the file that hold nothing at the moment.
    pub free_bytes: u64,
    /// Name and bytes of each table, its indexes included, largest first. Empty when the library has no `dbstat`.
    pub tables: Vec<(String, u64)>,
}

/// State of file, library and settings.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Health {
    /// The version of SQLite that is linked.
    pub sqlite_version: String,
    /// The version of the schema.
    pub schema_version: u64,
    /// The journal mode; `wal` unless the file lies where nothing can be written.
    pub journal_mode: String,
    /// Findings of SQLite's own check of pages, indexes and constraints; empty when nothing.
    pub integrity: Vec<String>,
    /// Tables, indexes and triggers that are missing, changed, or not of this program; empty when
    /// none. Without its trigger a table of the log can be changed.
    pub schema_differences: Vec<String>,
    /// Mismatch that makes a store read-only although it was opened for writing, if any.
    pub guard_mismatch: Option<String>,
}

impl Health {
    /// Tests whether nothing is wrong. Content is not checked: that is for an audit.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.integrity.is_empty()
            && self.schema_differences.is_empty()
            && self.guard_mismatch.is_none()
    }
}

impl SqliteStore {
    /// Counts and sizes.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn stats(&self) -> Result<Stats, StoreError> {
        self.query(|connection| {
            let number = |sql| connection.get::<u64>(sql, []);
            let page_bytes = number("PRAGMA page_size")?;
            Ok(Stats {
                entries: Tables::new(connection).head()?.0,
                worlds: number("SELECT count(*) FROM world")?,
                agents: number("SELECT count(*) FROM agent")?,
                chains: number("SELECT count(*) FROM chain WHERE seq = 0")?,
                file_bytes: number("PRAGMA page_count")? * page_bytes,
                free_bytes: number("PRAGMA freelist_count")? * page_bytes,
                // `dbstat` is a compile-time option of SQLite; the bundled library has it.
                tables: connection
                    .list(
                        "SELECT coalesce(tbl_name, dbstat.name) AS owner,
                                sum(dbstat.pgsize) AS bytes
                         FROM dbstat LEFT JOIN sqlite_schema USING (name)
                         WHERE aggregate = TRUE GROUP BY owner ORDER BY bytes DESC, owner",
                        [],
                    )
                    .unwrap_or_default(),
            })
        })
        .await
    }

    /// Checks file, library and settings.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub async fn health(&self) -> Result<Health, StoreError> {
        let guard_mismatch = self.guard_mismatch().map(ToString::to_string);
        self.query(move |connection| {
            let version = schema::pragma(connection, "user_version")?;
            Ok(Health {
                sqlite_version: rusqlite::version().to_owned(),
                schema_version: u64::try_from(version).unwrap_or(0),
                journal_mode: connection.get("PRAGMA journal_mode", [])?,
                integrity: audit::integrity(connection)?,
                schema_differences: schema::differences(connection, &schema::scratch()?)?,
                guard_mismatch,
            })
        })
        .await
    }
}
