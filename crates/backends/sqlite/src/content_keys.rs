//! Keys of sealed content: one small SQLite file (docs/format/sealing.md).

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use counterfoil_life::sealing::{ContentKey, ContentKeys};
use counterfoil_life::{io_error, make_folder};
use counterfoil_store::{Entropy, StoreError};
use rusqlite::{Connection, OpenFlags};
use zeroize::Zeroizing;

use crate::connection::{is_wal_empty, set_up, sync_cut, sync_found};
use crate::error::from_sqlite;
use crate::options::{DEFAULT_PATIENCE, System};
use crate::schema::pragma;
use crate::statement::Statements;

const FILE: &str = "content-keys.db";

/// `Cfok`: mark of the file.
const APPLICATION_ID: i64 = 0x4366_6f6b;

const LOG_SQL: &str = "CREATE TABLE content_log (verifier_key TEXT PRIMARY KEY) STRICT";
const KEY_SQL: &str = "CREATE TABLE content_key (slot TEXT PRIMARY KEY, key BLOB CHECK (length(key) = 32)) STRICT, WITHOUT ROWID";

/// Opens the keys in `folder` that are of the log `log`, and makes folder and file where they are missing.
///
/// # Errors
/// [`StoreError::Sealed`] for the keys of another log, and for another file; when it cannot be made or opened.
pub fn make_content_keys(folder: &Path, log: &str) -> Result<Box<dyn ContentKeys>, StoreError> {
    make_folder(folder)?;
    let path = folder.join(FILE);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(io_error("making the file of keys", &path, &error));
        }
        _ => {}
    }
    let mut connection = connect(&path)?;
    if pragma(&connection, "application_id")? == 0 {
        let made = connection.begin()?;
        if !made.has("SELECT 1 FROM sqlite_schema", [])? {
            let make = || {
                made.execute_batch(&format!("{LOG_SQL};{KEY_SQL};"))?;
                made.execute("INSERT INTO content_log VALUES (?1)", [log])?;
                made.pragma_update(None, "application_id", APPLICATION_ID)
            };
            make().map_err(from_sqlite)?;
        }
        made.commit().map_err(from_sqlite)?;
    }
    checked(connection, path, log)
}

/// Opens the keys in `folder` that are of the log `log`.
///
/// # Errors
/// As [`make_content_keys`], and [`StoreError::Sealed`] when there are none.
pub fn content_keys(folder: &Path, log: &str) -> Result<Box<dyn ContentKeys>, StoreError> {
    let path = folder.join(FILE);
    match path.is_file() {
        true => checked(connect(&path)?, path, log),
        false => Err(refused(
            &path,
            "it is not there: name the folder of the keys",
        )),
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(DEFAULT_PATIENCE)?;
        // Copies of keys are made in memory alone.
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        Ok(connection)
    };
    let connection = open().map_err(from_sqlite)?;
    set_up(&connection)?;
    sync_found(path)?;
    Ok(connection)
}

/// Refuses a file that holds anything else, and the keys of another log.
fn checked(
    connection: Connection,
    path: PathBuf,
    log: &str,
) -> Result<Box<dyn ContentKeys>, StoreError> {
    let objects: Vec<String> = connection.list(
        "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY 1",
        [],
    )?;
    let ours = pragma(&connection, "application_id")? == APPLICATION_ID
        && objects
            .iter()
            .all(|sql| sql == LOG_SQL || sql == KEY_SQL || sql == "sqlite_autoindex_content_log_1");
    if !ours {
        return Err(refused(
            &path,
            "it holds no keys of content: check the path",
        ));
    }
    let sql = "SELECT 1 FROM content_log WHERE verifier_key = ?1";
    if !connection.has(sql, [log])? {
        return Err(refused(
            &path,
            "it holds the keys of another log: name another folder",
        ));
    }
    Ok(Box::new(KeyFile {
        connection: Mutex::new(connection),
        path,
        log: log.to_owned(),
    }))
}

fn refused(path: &Path, obstacle: &'static str) -> StoreError {
    StoreError::Sealed {
        subject: path.display().to_string(),
        obstacle,
    }
}

/// The file of keys. `user_version` is 1 while it may hold old bytes of destroyed keys.
struct KeyFile {
    connection: Mutex<Connection>,
    path: PathBuf,
    log: String,
}

impl KeyFile {
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entropy for KeyFile {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError> {
        System.fill(bytes)
    }
}

impl ContentKeys for KeyFile {
    fn log(&self) -> &str {
        &self.log
    }

    fn key(&self, slot: &str) -> Result<Option<ContentKey>, StoreError> {
        find(&self.connection(), slot)
    }

    fn make(&self, slot: &str) -> Result<ContentKey, StoreError> {
        let connection = self.connection();
        if connection.is_autocommit() {
            let begun = connection.execute_batch("BEGIN IMMEDIATE");
            begun.map_err(from_sqlite)?;
        }
        if let Some(key) = find(&connection, slot)? {
            return Ok(key);
        }
        let mut key = Zeroizing::new([0; 32]);
        self.fill(key.as_mut())?;
        connection.run("INSERT INTO content_key VALUES (?1, ?2)", (slot, &*key))?;
        Ok(ContentKey::Present(key))
    }

    fn sync(&self) -> Result<(), StoreError> {
        commit(&self.connection())
    }

    fn destroy(&self, slots: &[String]) -> Result<u64, StoreError> {
        let mut connection = self.connection();
        commit(&connection)?;
        let transaction = connection.begin()?;
        let mut destroyed = 0;
        for slot in slots {
            destroyed += transaction.change(
                "UPDATE content_key SET key = NULL
                 WHERE (slot = ?1 OR slot > ?1 || '/' AND slot < ?1 || '0') AND key IS NOT NULL",
                [slot],
            )?;
            transaction.run(
                "INSERT OR IGNORE INTO content_key VALUES (?1, NULL)",
                [slot],
            )?;
        }
        if destroyed > 0 {
            let marked = transaction.pragma_update(None, "user_version", 1);
            marked.map_err(from_sqlite)?;
        }
        transaction.commit().map_err(from_sqlite)?;
        if pragma(&connection, "user_version")? > 0 {
            scrub(&connection, &self.path)?;
        }
        Ok(u64::try_from(destroyed).unwrap_or(u64::MAX))
    }
}

fn find(connection: &Connection, slot: &str) -> Result<Option<ContentKey>, StoreError> {
    let sql = "SELECT key FROM content_key WHERE slot = ?1";
    connection.find_with(sql, [slot], |row| {
        let Some(bytes) = row.get_ref(0)?.as_bytes_or_null()? else {
            return Ok(ContentKey::Destroyed);
        };
        // Filled in place, so that no copy is left behind.
        let mut key = Zeroizing::new([0; 32]);
        key.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        Ok(ContentKey::Present(key))
    })
}

fn commit(connection: &Connection) -> Result<(), StoreError> {
    match connection.is_autocommit() {
        true => Ok(()),
        false => connection.execute_batch("COMMIT").map_err(|error| {
            drop(connection.execute_batch("ROLLBACK"));
            from_sqlite(error)
        }),
    }
}

/// Writes the file anew and empties its write-ahead log: neither a page nor a frame holds a destroyed key then.
fn scrub(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    connection.flush_prepared_statement_cache();
    let emptied = || -> rusqlite::Result<bool> {
        let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        busy.map(|busy: bool| !busy)
    };
    let anew = || -> rusqlite::Result<bool> {
        if !emptied()? {
            return Ok(false);
        }
        connection.execute_batch("VACUUM; PRAGMA user_version = 0")?;
        emptied()
    };
    if !anew().map_err(from_sqlite)? || !is_wal_empty(path) {
        return Err(StoreError::Locked {
            path: Some(path.to_owned()),
        });
    }
    sync_cut(path)
}
