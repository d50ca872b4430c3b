//! Opens connections: durable (`synchronous=FULL`), append-only by configuration, never waiting
//! for ever.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use counterfoil_life::entries::Sides;
use counterfoil_life::{Txn, beside, index, io_error, journal, map};
use counterfoil_store::{StoreError, check_plain};
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::apart;
use crate::error::from_sqlite;
use crate::options::{Access, Options};
use crate::port::Tables;
use crate::statement::Statements;
use crate::{claims, packed, schema, sealed, text};

const COMMON: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX;

/// So long may the write-ahead log become before its pages are copied into the database, which costs a sync of each:
/// a commit of one claim writes about 24 pages.
const CHECKPOINT_PAGES: u32 = 4000;

/// Pages that a reader keeps, in KiB: as many as a question reads in a store of some 10,000 memories.
const CACHE_KIB: i64 = 32 << 10;

/// Number of attempts of a reader to see both files as of the same commit.
const SNAPSHOTS: u32 = 100;

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
    schema::create(&mut connection, options.kind())
}

/// The connection that writes.
pub(crate) fn writer(options: &Options) -> Result<Connection, StoreError> {
    check_files(&options.path)?;
    let mut connection = open(options, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    schema::upgrade(&mut connection, &options.path, |connection| {
        let tables = Tables::new(connection);
        index::begin_feeds(&tables)?;
        journal::begin(&tables)
    })?;
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
    sealed::set_up(&connection, &options.keys)?;
    heal(&mut connection)?;
    schema::make_vectors(&connection)?;
    index_map(&mut connection)?;
    Ok(connection)
}

/// Derives the map, in a store of a version that had none. Where an entry cannot be read it stays as it is, and is refused
/// where it is brought forward.
fn index_map(connection: &mut Connection) -> Result<(), StoreError> {
    let is_there =
        "SELECT EXISTS (SELECT 1 FROM map_node) OR NOT EXISTS (SELECT 1 FROM head WHERE size > 0)";
    if connection.get(is_there, [])? {
        return Ok(());
    }
    let transaction = connection.begin()?;
    let tables = Tables::new(&transaction);
    let (size, _) = tables.head()?;
    match map::extend(Sides::both(&tables), size) {
        Err(StoreError::Corrupt { .. }) => Ok(()),
        derived => derived.and_then(|_| transaction.commit().map_err(from_sqlite)),
    }
}

/// Makes the index again where it does not belong to the ground, or where other rules than this program's made the terms of
/// its texts. Where an entry cannot be read, an index that belongs to the ground stays as it is, and searches are refused.
fn heal(connection: &mut Connection) -> Result<(), StoreError> {
    let is_sound = |connection: &Connection| -> Result<bool, StoreError> {
        Ok(apart::fits(connection)? && text::are_rules_current(connection)?)
    };
    if is_sound(connection)? {
        return Ok(());
    }
    let transaction = connection.begin()?;
    if is_sound(&transaction)? {
        return Ok(());
    }
    let fits = apart::fits(&transaction)?;
    let size = transaction.get("SELECT coalesce(max(idx) + 1, 0) FROM capsule", [])?;
    let tables = Tables::new(&transaction);
    let derive = || {
        index::derive_again(&tables, size)?;
        tables.flush_index()
    };
    match derive() {
        Err(StoreError::Corrupt { .. }) if fits => Ok(()),
        derived => derived.and_then(|()| transaction.commit().map_err(from_sqlite)),
    }
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
    // Apart it is made as a whole.
    if apart::is_attached(connection) || claims::are_begun(connection)? {
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
    let connection = match options.access {
        Access::ReadWrite { .. } => open(options, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
        Access::ReadOnly { .. } => open_without_writing(options)?,
    };
    schema::require_newest(&connection, &options.path)?;
    set_up(&connection)?;
    sealed::set_up(&connection, &options.keys)?;
    connection
        .pragma_update(None, "query_only", true)
        .and_then(|()| connection.pragma_update(None, "cache_size", -CACHE_KIB))
        .map_err(from_sqlite)?;
    if apart::is_attached(&connection) {
        connection
            .pragma_update(Some("words"), "cache_size", -CACHE_KIB)
            .map_err(from_sqlite)?;
    }
    Ok(connection)
}

/// Begins a transaction that reads, with an index that belongs to the ground. Where it does not, it is made again, unless the
/// writer was between the commits of the two files.
pub(crate) fn snapshot<'c>(
    connection: &'c Connection,
    options: &Options,
) -> Result<Transaction<'c>, StoreError> {
    for _ in 0..SNAPSHOTS {
        let behavior = TransactionBehavior::Deferred;
        let transaction = Transaction::new_unchecked(connection, behavior).map_err(from_sqlite)?;
        if apart::fits(&transaction)? {
            return Ok(transaction);
        }
        drop(transaction);
        drop(writer(options)?);
    }
    Err(StoreError::Locked { path: None })
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
fn open_without_writing(options: &Options) -> Result<Connection, StoreError> {
    let ordinary = open(options, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| {
        schema::version_of_ours(&connection, &options.path)?;
        Ok(connection)
    });
    match ordinary {
        Err(StoreError::Unavailable { .. } | StoreError::ReadOnly { .. })
            if is_wal_empty(&options.path) =>
        {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | COMMON;
            let connection = Connection::open_with_flags(immutable(&options.path), flags)
                .and_then(with_functions)
                .map_err(from_sqlite)?;
            if is_sealed(&connection) {
                let index = immutable(&apart::path_beside(&options.path));
                apart::attach(&connection, &index)?;
            }
            Ok(connection)
        }
        other => other,
    }
}

/// The address of a file that does not change while it is read.
fn immutable(path: &Path) -> String {
    // Every byte that means something in a URI is escaped.
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri + "?immutable=1"
}

/// Tests whether a store is sealed, by the head of the file: no table is read. Any other file is not.
fn is_sealed(connection: &Connection) -> bool {
    matches!(
        schema::pragma(connection, "application_id"),
        Ok(schema::SEALED_ID)
    )
}

/// Attaches the index of a sealed store, which is made where it is missing.
fn attach_index(
    connection: &Connection,
    options: &Options,
    flags: OpenFlags,
) -> Result<(), StoreError> {
    let path = apart::path_beside(&options.path);
    check_files(&path)?;
    check_plain(&path).map_err(|error| io_error("opening the index", &path, &error))?;
    if !path.exists() {
        if flags.contains(OpenFlags::SQLITE_OPEN_READ_ONLY) {
            drop(writer(options)?);
        } else {
            let mut private = OpenOptions::new();
            private.write(true).create(true).truncate(false);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut private, 0o600);
            let made = private.open(&path);
            made.map_err(|error| io_error("making the index", &path, &error))?;
        }
    }
    let name = path.to_str().ok_or_else(|| StoreError::Unavailable {
        doing: "opening the index",
        detail: format!("{}: the path is not in UTF-8", path.display()),
    });
    apart::attach(connection, name?)
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
    if is_sealed(&connection) {
        attach_index(&connection, options, flags)?;
    }
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
