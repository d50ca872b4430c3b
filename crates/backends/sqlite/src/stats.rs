//! Counts, sizes, and the health of file and library: what a person asks before anything else.

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::Connection;

use crate::error::{at, from_sqlite};
use crate::{audit, rows, schema};

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

pub(crate) fn stats(connection: &Connection) -> Result<Stats, StoreError> {
    let page_bytes = number(connection, "PRAGMA page_size", "database")?;
    Ok(Stats {
        entries: rows::log_head(connection)?.size,
        worlds: number(connection, "SELECT count(*) FROM world", "world")?,
        agents: number(connection, "SELECT count(*) FROM agent", "agent")?,
        chains: number(
            connection,
            "SELECT count(*) FROM chain WHERE seq = 0",
            "chain",
        )?,
        file_bytes: number(connection, "PRAGMA page_count", "database")? * page_bytes,
        free_bytes: number(connection, "PRAGMA freelist_count", "database")? * page_bytes,
        tables: tables(connection).unwrap_or_default(),
    })
}

fn number(connection: &Connection, sql: &str, table: &str) -> Result<u64, StoreError> {
    connection
        .query_row(sql, [], |row| row.get(0))
        .map_err(at(StoreLocation::table(table)))
}

/// `dbstat` is a compile-time option of SQLite; the bundled library has it.
fn tables(connection: &Connection) -> rusqlite::Result<Vec<(String, u64)>> {
    connection
        .prepare(
            "SELECT coalesce(tbl_name, dbstat.name) AS owner, sum(dbstat.pgsize) AS bytes
             FROM dbstat LEFT JOIN sqlite_schema USING (name)
             WHERE aggregate = TRUE GROUP BY owner ORDER BY bytes DESC, owner",
        )?
        .query_map([], |row| row.try_into())?
        .collect()
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

pub(crate) fn health(
    connection: &Connection,
    guard_mismatch: Option<String>,
) -> Result<Health, StoreError> {
    let journal_mode = connection
        .pragma_query_value(None, "journal_mode", |row| row.get(0))
        .map_err(from_sqlite)?;
    let version = schema::pragma(connection, "user_version")?;
    Ok(Health {
        sqlite_version: rusqlite::version().to_owned(),
        schema_version: u64::try_from(version).unwrap_or(0),
        journal_mode,
        integrity: integrity(connection)?,
        schema_differences: audit::schema_differences(connection)?,
        guard_mismatch,
    })
}

/// Returns the findings of `PRAGMA integrity_check` and `PRAGMA foreign_key_check`, at most 100 lines.
pub(crate) fn integrity(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let check = || -> rusqlite::Result<Vec<String>> {
        let mut found: Vec<String> = connection
            .prepare("PRAGMA integrity_check(100)")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        found.retain(|line| line != "ok");
        let orphans: Vec<String> = connection
            .prepare(
                "SELECT \"table\" || ': a row without its capsule' FROM pragma_foreign_key_check",
            )?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        found.extend(orphans.into_iter().take(100));
        Ok(found)
    };
    match check().map_err(from_sqlite) {
        Err(StoreError::Corrupt { detail, .. }) => Ok(vec![detail]),
        other => other,
    }
}
