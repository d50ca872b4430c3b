//! Opens connections: durable (`synchronous=FULL`), append-only by configuration, never waiting
//! for ever.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use counterfoil_life::entries::Sides;
use counterfoil_life::{Txn, beside, index, io_error};
use counterfoil_store::{StoreError, check_plain};
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags};

use crate::error::from_sqlite;
use crate::options::{Access, Options};
use crate::port::Tables;
use crate::statement::Statements;
use crate::{claims, packed, schema};

const COMMON: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX;

/// So long may the write-ahead log become before its pages are copied into the database, which costs a sync of each:
/// a commit of one claim writes about 24 pages.
const CHECKPOINT_PAGES: u32 = 4000;

/// Makes the file of a new store with its tables. A file that an interrupted creation left empty
/// is taken; any other is not touched.
pub(crate) fn create(options: &Options) -> Result<(), StoreError> {
    schema::require_safe_library()?;
    let path = &options.path;
    let exists = || StoreError::AlreadyExists { path: path.clone() };
    if let Err(error) = OpenOptions::new().write(true).create_new(true).open(path) {
        if error.kind() != std::io::ErrorKind::AlreadyExists {
            return Err(io_error("making the database file", path, &error));
        }
        if !std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == 0) {
            return Err(exists());
        }
    }
    let mut connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | COMMON)
            .map_err(from_sqlite)?;
    connection
        .busy_timeout(options.patience)
        .map_err(from_sqlite)?;
    if !schema::is_blank(&connection)? {
        return Err(exists());
    }
    schema::create(&mut connection)
}

/// The connection that writes.
pub(crate) fn writer(options: &Options) -> Result<Connection, StoreError> {
    check_files(&options.path)?;
    let mut connection = open(options, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    schema::upgrade(&mut connection, &options.path)?;
    seal_all(&mut connection)?;
    index_claims(&mut connection)?;
    set_up(&connection)?;
    let mode: String = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))
        .map_err(from_sqlite)?;
    if mode != "wal" {
        return Err(StoreError::Unavailable {
            doing: "switching the database to its write-ahead log",
            detail: format!("the journal mode stays {mode}"),
        });
    }
    let configure = || {
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        // What a statement or a savepoint may have to take back is held in memory, not in a file.
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        let Some(max_bytes) = options.max_bytes else {
            return Ok(());
        };
        let page_bytes: u64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let pages = max_bytes / page_bytes.max(1);
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
    };
    configure().map_err(from_sqlite)?;
    Ok(connection)
}

/// Finds every capsule by its hash, in a store of a version that did not.
fn seal_all(connection: &mut Connection) -> Result<(), StoreError> {
    let is_found: Option<bool> =
        connection.find("SELECT tag IS NOT NULL FROM chain LIMIT 1", [])?;
    if is_found.unwrap_or(true) {
        return Ok(());
    }
    let transaction = connection.transaction().map_err(from_sqlite)?;
    let size: u64 = transaction.get("SELECT coalesce(max(idx) + 1, 0) FROM capsule", [])?;
    (0..size).try_for_each(|index| index::add_hash(&Tables::new(&transaction), index))?;
    transaction.commit().map_err(from_sqlite)
}

/// Derives the index of claims, in a store whose migration made it anew. Where an entry cannot be read it stays as it is,
/// and is refused where it is read.
fn index_claims(connection: &mut Connection) -> Result<(), StoreError> {
    if claims::are_begun(connection)? {
        return Ok(());
    }
    let transaction = connection.begin()?;
    let tables = Tables::new(&transaction);
    let (size, _) = tables.head()?;
    match index::derive_claims_again(Sides::both(&tables), size) {
        Err(StoreError::Corrupt { .. }) => Ok(()),
        derived => derived.and_then(|()| transaction.commit().map_err(from_sqlite)),
    }
}

/// A connection that reads.
pub(crate) fn reader(options: &Options) -> Result<Connection, StoreError> {
    check_files(&options.path)?;
    let writable = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let connection = match options.access {
        Access::ReadWrite { .. } => open(options, writable)?,
        Access::ReadOnly { .. } => open_without_writing(options, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
    };
    schema::require_newest(&connection, &options.path)?;
    set_up(&connection)?;
    connection
        .pragma_update(None, "query_only", true)
        .map_err(from_sqlite)?;
    Ok(connection)
}

/// Syncs what SQLite found when a reader opened the database, unless that is on disk for certain: the write-ahead log is
/// empty, or the guard names the head, which it does once the head is synced. Elsewhere a killed process may have left
/// the end of the log unsynced, and a reader would show a checkpoint that a loss of power takes back.
///
/// A file system that cannot be written holds nothing that waits to be, so errors of the sync are not reported.
pub(crate) fn sync_found_by_reader(
    connection: &Connection,
    options: &Options,
) -> Result<(), StoreError> {
    if is_wal_empty(&options.path) {
        return Ok(());
    }
    if let Access::ReadOnly { guard: Some(guard) } = &options.access {
        let (_, checkpoint) = Tables::new(connection).head()?;
        let signed = check_plain(guard).and_then(|()| std::fs::read(guard));
        if signed.is_ok_and(|signed| signed == checkpoint.as_bytes()) {
            return Ok(());
        }
    }
    drop(sync(&wal_of(&options.path)));
    Ok(())
}

/// Syncs what SQLite found when the writer opened the database. It takes the write-ahead log as it
/// lies there, of which a process that was killed may have left the end unsynced; whatever is said
/// about that end, to the guard or to a caller who repeats an append, must be on disk before. The
/// folder is synced because SQLite, which does so for a new log, does not look at the outcome.
pub(crate) fn sync_found(path: &Path) -> Result<(), StoreError> {
    sync_cut(path)?;
    match path.parent() {
        Some(folder) if cfg!(unix) => {
            let named = !folder.as_os_str().is_empty();
            let folder = if named { folder } else { Path::new(".") };
            sync(folder).map_err(|error| io_error("syncing the folder", folder, &error))
        }
        _ => Ok(()),
    }
}

/// Makes certain that the write-ahead log is as short as SQLite has cut it: that is not synced
/// otherwise, and after a loss of power what it held would be there again.
pub(crate) fn sync_cut(path: &Path) -> Result<(), StoreError> {
    match sync(&wal_of(path)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(io_error("syncing the write-ahead log", path, &error))
        }
        _ => Ok(()),
    }
}

fn sync(path: &Path) -> std::io::Result<()> {
    OpenOptions::new()
        .read(true)
        .write(cfg!(windows))
        .open(path)?
        .sync_all()
}

/// Opens a database whose folder may be write-protected, so that it cannot change: where SQLite cannot make
/// its shared memory there, and no write-ahead log is left over, the file is read as it is.
fn open_without_writing(options: &Options, flags: OpenFlags) -> Result<Connection, StoreError> {
    let ordinary = open(options, flags).and_then(|connection| {
        schema::version_of_ours(&connection, &options.path)?;
        Ok(connection)
    });
    match ordinary {
        Err(StoreError::Unavailable { .. } | StoreError::ReadOnly { .. })
            if is_wal_empty(&options.path) =>
        {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | COMMON;
            // Every byte that means something in a URI is escaped.
            let mut uri = String::from("file:");
            for &byte in options.path.as_os_str().as_encoded_bytes() {
                match byte {
                    b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
                    _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
                    _ => uri.push_str(&format!("%{byte:02X}")),
                }
            }
            uri.push_str("?immutable=1");
            Connection::open_with_flags(uri, flags)
                .and_then(with_functions)
                .map_err(from_sqlite)
        }
        other => other,
    }
}

/// Tests whether the write-ahead log is not there, or holds nothing.
pub(crate) fn is_wal_empty(path: &Path) -> bool {
    std::fs::metadata(wal_of(path)).map_or(true, |metadata| metadata.len() == 0)
}

fn wal_of(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

/// Refuses pipes and the like in place of the files beside the database, for which SQLite would wait.
fn check_files(path: &Path) -> Result<(), StoreError> {
    ["-wal", "-shm", "-journal"].iter().try_for_each(|suffix| {
        let path = beside(path, suffix);
        check_plain(&path).map_err(|error| io_error("opening the database", &path, &error))
    })
}

fn open(options: &Options, flags: OpenFlags) -> Result<Connection, StoreError> {
    schema::require_safe_library()?;
    let path = &options.path;
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(StoreError::NotOurs { path: path.clone() }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(StoreError::Missing { path: path.clone() });
        }
        Err(error) => return Err(io_error("opening the database", path, &error)),
    }
    let connection = Connection::open_with_flags(path, flags | COMMON)
        .and_then(with_functions)
        .map_err(from_sqlite)?;
    connection
        .busy_timeout(options.patience)
        .map_err(from_sqlite)?;
    Ok(connection)
}

/// Adds `whole_header(header, packed)`: the header of a capsule, from either of the columns. A frame that
/// cannot be unpacked comes back as it is, and is no header.
fn with_functions(connection: Connection) -> rusqlite::Result<Connection> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("whole_header", 2, flags, |context| {
        let ValueRef::Blob(frame) = context.get_raw(1) else {
            return context.get(0);
        };
        Ok(match packed::unpacked(frame) {
            Ok(text) => Value::Text(text),
            Err(_) => Value::Blob(frame.to_vec()),
        })
    })?;
    Ok(connection)
}

pub(crate) fn set_up(connection: &Connection) -> Result<(), StoreError> {
    let set_up = || {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        // Otherwise a statement that outlives a rebuild is prepared anew at every use.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "recursive_triggers", true)?;
        connection.pragma_update(None, "secure_delete", true)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "cell_size_check", true)
    };
    set_up().map_err(from_sqlite)
}

/// Names the file in an error that says only "locked".
pub(crate) fn locked_at(path: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Locked { path: None } => StoreError::Locked {
            path: Some(path.to_owned()),
        },
        other => other,
    }
}
