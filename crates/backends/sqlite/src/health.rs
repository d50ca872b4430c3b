//! Counts, sizes and state of a store.

use std::collections::BTreeSet;

/// Counts and sizes of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Entries of the log: Worlds and records.
    pub entries: u64,
    /// Worlds: versions of memories, and what was stated.
    pub worlds: u64,
    /// Memories, each with one version or more.
    pub memories: u64,
    /// Facts: subjects and predicates about which something was stated, in each scope by itself.
    pub facts: u64,
    /// Statements about facts.
    pub statements: u64,
    /// Folders to which commits are shipped, each with the entries that it has.
    pub shipped: Vec<(String, u64)>,
    /// Microseconds since 1970 of the last entry; `None` for an empty log.
    pub last_us: Option<u64>,
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
    /// Contents of a sealed store whose key is missing and was not destroyed, by their slots (`docs/format/sealing.md`): they
    /// cannot be read. `None` for a store that is not sealed.
    pub keyless: Option<BTreeSet<String>>,
    /// Mismatch that makes a store read-only although it was opened for writing, if any.
    pub guard_mismatch: Option<String>,
}

impl Health {
    /// Tests whether nothing is wrong. Content is not checked: that is for an audit.
    pub fn is_sound(&self) -> bool {
        self.integrity.is_empty()
            && self.schema_differences.is_empty()
            && self.keyless.as_ref().is_none_or(BTreeSet::is_empty)
            && self.guard_mismatch.is_none()
    }
}
