//! The index of words of a sealed store: a file of its own, attached to each connection, and made again where it does not
//! belong to the ground.

use std::path::{Path, PathBuf};

use counterfoil_store::StoreError;
use rusqlite::Connection;

use crate::error::from_sqlite;
use crate::statement::Statements;

/// The file beside the database at `path`.
pub(crate) fn path_beside(path: &Path) -> PathBuf {
    path.with_file_name("index.db")
}

/// Attaches the file `name`. Words that a power cut takes out of it are made again, so its commits wait for no disk.
pub(crate) fn attach(connection: &Connection, name: &str) -> Result<(), StoreError> {
    let attach = || {
        connection.execute("ATTACH ?1 AS words", [name])?;
        connection.pragma_update(Some("words"), "synchronous", "NORMAL")
    };
    attach().map_err(|error| match from_sqlite(error) {
        StoreError::Corrupt { detail, .. } => StoreError::Unavailable {
            doing: "reading the index",
            detail: format!("{detail}: remove index.db, and it is made again"),
        },
        other => other,
    })
}

/// Tests whether the connection has the index in a file of its own.
pub(crate) fn is_attached(connection: &Connection) -> bool {
    connection.is_readonly("words").is_ok()
}

/// Gives both files the same new mark, in the transaction that changes them. SQLite commits them one after the other: of a
/// transaction that was cut short between the two, the marks differ.
pub(crate) fn mark(connection: &Connection) -> Result<(), StoreError> {
    if !is_attached(connection) {
        return Ok(());
    }
    connection.run("UPDATE main.apart SET mark = randomblob(16)", [])?;
    connection.run(
        "INSERT OR REPLACE INTO words.apart SELECT * FROM main.apart",
        [],
    )
}

/// Tests whether the index belongs to the ground, as the transaction of `connection` sees both.
pub(crate) fn fits(connection: &Connection) -> Result<bool, StoreError> {
    if !is_attached(connection) {
        return Ok(true);
    }
    Ok(
        connection.has("SELECT 1 FROM words.sqlite_schema WHERE name = 'apart'", [])?
            && connection.has(
                "SELECT 1 FROM main.apart JOIN words.apart USING (id, mark)",
                [],
            )?,
    )
}
