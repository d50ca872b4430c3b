//! Leaves no old bytes behind: free pages, remnants within pages, and the write-ahead log (4.6).

use std::path::Path;

use counterfoil_store::StoreError;
use rusqlite::Connection;

use crate::apart;
use crate::connection::{is_wal_empty, sync_cut};
use crate::error::from_sqlite;

/// Writes the database anew, page by page, and empties the write-ahead log.
///
/// `secure_delete` overwrites what a row held where it stood, but not what a page that was split
/// or merged holds beyond its cells. A database that is made anew holds no such thing.
pub(crate) fn scrub(
    connection: &mut Connection,
    path: &Path,
) -> Result<Option<String>, StoreError> {
    connection.flush_prepared_statement_cache();
    let emptied = |connection: &Connection| -> rusqlite::Result<bool> {
        let busy: bool =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        Ok(!busy)
    };
    let anew = || -> rusqlite::Result<bool> {
        // What was overwritten is overwritten in the file as well, also where that will be cut.
        if !emptied(connection)? {
            return Ok(false);
        }
        // The copy may be as large as the database, so it is not made in memory.
        connection.pragma_update(None, "temp_store", "FILE")?;
        let both = match apart::is_attached(connection) {
            true => "VACUUM main; VACUUM words",
            false => "VACUUM",
        };
        let vacuumed = connection.execute_batch(both);
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        vacuumed?;
        emptied(connection)
    };
    let is_empty = |path: &Path| is_wal_empty(path) && is_wal_empty(&apart::path_beside(path));
    if !anew().map_err(from_sqlite)? || !is_empty(path) {
        let busy = "another process reads the store, so its write-ahead log could not be emptied";
        return Ok(Some(busy.to_owned()));
    }
    sync_cut(path)?;
    Ok(None)
}
