//! Sealed columns: SQL functions that seal what is written, and views that open what is read, on each connection of a sealed
//! store (docs/format/sealing.md). Statements read a table by its name, which is the view, and write to it as `main.table`.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use counterfoil_life::sealing::{
    ContentKey, ContentKeys, SEALED_COLUMNS, open, seal, slot_columns,
};
use counterfoil_store::StoreError;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Null, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};

use crate::apart;
use crate::error::from_sqlite;
use crate::statement::Statements;

/// Keys of a sealed store; none for any other.
pub(crate) type Keys = Option<Arc<dyn ContentKeys>>;

/// Sealed column: the table, the column, its slot over the other columns, and the functions that write and read it.
type SealedColumn = (&'static str, &'static str, String, [&'static str; 2]);

static COLUMNS: LazyLock<Vec<SealedColumn>> = LazyLock::new(|| {
    let (content, delta) = ("'entry/' || idx", "'entry/' || idx || '/delta'");
    let body = [
        ("body", "payload", content.to_owned(), CONTENT),
        ("body", "salt", content.to_owned(), MASKED),
        ("body", "delta", delta.to_owned(), CONTENT),
        ("body", "delta_salt", delta.to_owned(), MASKED),
    ];
    let rows = SEALED_COLUMNS.map(|(table, column)| {
        let row = slot_columns(table).fold(format!("'{}'", table.name), |slot, name| match name {
            "hash" => slot + " || '/' || hex(hash)",
            number => slot + " || '/' || " + number,
        });
        let functions = if column == "secret" { MASKED } else { CONTENT };
        (
            table.name,
            column,
            format!("{row} || '/{column}'"),
            functions,
        )
    });
    body.into_iter().chain(rows).collect()
});

const CONTENT: [&str; 2] = ["sealed", "opened"];
/// Functions of a salt or a secret: it is random, and keeps its length.
const MASKED: [&str; 2] = ["masked", "unmasked"];

/// First byte of a sealed value. No text, document or frame begins with it.
const SEALED: u8 = 0;

/// Function of keys, slot and value; `None` when the key was destroyed.
type Function = fn(&dyn ContentKeys, &str, &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

/// Returns the expression that writes the value `given` of a column: sealed, where `connection` is one of a sealed store.
pub(crate) fn written(
    connection: &Connection,
    (table, column): (&str, &str),
    given: &str,
) -> String {
    let sealed = COLUMNS.iter().find(|it| (it.0, it.1) == (table, column));
    match sealed.filter(|_| apart::is_attached(connection)) {
        Some((_, _, slot, [write, _])) => format!("{write}({slot}, {given})"),
        None => given.to_owned(),
    }
}

/// Returns the statement that adds a row of these columns.
pub(crate) fn insertion(connection: &Connection, table: &str, columns: &[&str]) -> String {
    let names = columns.join(", ");
    let written: Vec<String> = columns
        .iter()
        .map(|column| written(connection, (table, column), column))
        .collect();
    if written == columns {
        let places = vec!["?"; columns.len()].join(", ");
        return format!("INSERT INTO main.{table} ({names}) VALUES ({places})");
    }
    let (written, given) = (written.join(", "), columns.join(", ? AS "));
    format!(
        "INSERT INTO main.{table} ({names}) SELECT {written} FROM (SELECT ? AS {given}) WHERE true"
    )
}

/// Makes the functions, and on a sealed store the views.
pub(crate) fn set_up(connection: &Connection, keys: &Keys) -> Result<(), StoreError> {
    if !apart::is_attached(connection) {
        return Ok(());
    }
    let functions: [(&str, Function); 4] = [
        ("sealed", sealed),
        ("opened", opened),
        ("masked", masked),
        ("unmasked", unmasked),
    ];
    for (name, function) in functions {
        let keys = keys.clone();
        let flags = FunctionFlags::SQLITE_UTF8;
        let added = connection.create_scalar_function(name, 2, flags, move |context| {
            let keys = keys.as_deref();
            run(context, keys, function)
                .map_err(|error| rusqlite::Error::UserFunctionError(error.into()))
        });
        added.map_err(from_sqlite)?;
    }
    for chunk in COLUMNS.chunk_by(|one, other| one.0 == other.0) {
        let Some((table, _, slot, _)) = chunk.first() else {
            continue;
        };
        let sql = "SELECT name FROM pragma_table_info(?1, 'main') ORDER BY cid";
        let mut columns: Vec<String> = connection.list(sql, [table])?;
        for column in &mut columns {
            if let Some((.., slot, [_, read])) = chunk.iter().find(|it| it.1 == column) {
                *column = format!("{read}({slot}, {column}) AS {column}");
            }
        }
        let columns = columns.join(", ");
        let whole = match *table {
            // In a copy from before an erasure a document without its key is passed over.
            "held" | "fork" => format!(
                " WHERE unmasked({slot}, x'00') IS NOT NULL OR substr(CAST(document AS BLOB), 1, 1) <> x'00'"
            ),
            _ => String::new(),
        };
        let view = format!(
            "CREATE TEMP VIEW IF NOT EXISTS {table} AS SELECT {columns} FROM main.{table}{whole}"
        );
        connection.execute_batch(&view).map_err(from_sqlite)?;
    }
    Ok(())
}

fn run(
    context: &Context<'_>,
    keys: Option<&dyn ContentKeys>,
    function: Function,
) -> Result<Column, StoreError> {
    let slot = context.get_raw(0).as_str().unwrap_or_default();
    let (bytes, of): (_, fn(Vec<u8>) -> Column) = match context.get_raw(1) {
        ValueRef::Text(bytes) => (bytes, Column::Text),
        ValueRef::Blob(bytes) => (bytes, Column::Blob),
        _ => return Ok(Column::Null),
    };
    let keys = keys.ok_or_else(|| StoreError::Sealed {
        subject: "the store".to_owned(),
        obstacle: "it is sealed, and its content-keys.db is not there: put it back from your own copy",
    })?;
    Ok(function(keys, slot, bytes)?.map_or(Column::Null, of))
}

fn sealed(
    keys: &dyn ContentKeys,
    slot: &str,
    content: &[u8],
) -> Result<Option<Vec<u8>>, StoreError> {
    match seal(keys, slot, content)? {
        Some(sealed) => Ok(Some([&[SEALED], sealed.as_slice()].concat())),
        None => Err(destroyed(slot)),
    }
}

fn opened(
    keys: &dyn ContentKeys,
    slot: &str,
    column: &[u8],
) -> Result<Option<Vec<u8>>, StoreError> {
    match column.split_first() {
        Some((&SEALED, sealed)) => open(keys, slot, sealed),
        _ => Ok(Some(column.to_vec())),
    }
}

/// Hides random bytes. The hash that a salt is for tells a wrong one; cursors of a wrong secret are refused.
fn masked(keys: &dyn ContentKeys, slot: &str, salt: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    match keys.make(slot)? {
        ContentKey::Present(key) => Ok(Some(mask(&key, salt))),
        ContentKey::Destroyed => Err(destroyed(slot)),
    }
}

fn unmasked(
    keys: &dyn ContentKeys,
    slot: &str,
    masked: &[u8],
) -> Result<Option<Vec<u8>>, StoreError> {
    match keys.key(slot)? {
        Some(ContentKey::Present(key)) => Ok(Some(mask(&key, masked))),
        Some(ContentKey::Destroyed) => Ok(None),
        // The error of a missing key.
        None => open(keys, slot, masked),
    }
}

fn mask(key: &[u8; 32], salt: &[u8]) -> Vec<u8> {
    let pad = blake3::derive_key("counterfoil 2026-11-23 salt of sealed content", key);
    salt.iter().zip(pad).map(|(byte, pad)| byte ^ pad).collect()
}

fn destroyed(slot: &str) -> StoreError {
    StoreError::Sealed {
        subject: format!("the content at {slot}"),
        obstacle: "its key was destroyed, and none is made for it again: it was erased",
    }
}

/// Destroys the keys of content that is gone, and what an interruption left of keys that were destroyed before: once no
/// transaction reads the content any more.
pub(crate) fn destroy(connection: &Connection, keys: &Keys) -> Result<(), StoreError> {
    let Some(keys) = keys.as_ref().filter(|_| apart::is_attached(connection)) else {
        return Ok(());
    };
    let slots: Vec<String> = connection.list("SELECT slot FROM to_destroy", [])?;
    if !slots.is_empty() && connection.get("PRAGMA wal_checkpoint(TRUNCATE)", [])? {
        return Err(StoreError::Locked { path: None });
    }
    keys.destroy(&slots)?;
    let sql = "DELETE FROM to_destroy WHERE slot = ?1";
    slots
        .iter()
        .try_for_each(|slot| connection.run(sql, [slot]))
}

/// Removes documents that wait and whose keys were destroyed, in a copy from before that: of each a trace remains.
pub(crate) fn collect(connection: &Connection, now_us: u64) -> Result<(), StoreError> {
    if !apart::is_attached(connection) {
        return Ok(());
    }
    let gone = "FROM main.held WHERE hash NOT IN (SELECT hash FROM held)";
    let trace = format!("INSERT INTO collected (hash, code, at) SELECT hash, code, ?1 {gone}");
    connection.run(&trace, [now_us])?;
    connection.run(&format!("DELETE {gone}"), [])
}

/// Returns the slots of a sealed store that have no key, and never lost one to an erasure; `None` for any other store.
pub(crate) fn keyless(
    connection: &Connection,
    keys: &Keys,
) -> Result<Option<BTreeSet<String>>, StoreError> {
    if !apart::is_attached(connection) {
        return Ok(None);
    }
    let mut missing = BTreeSet::new();
    for (table, column, slot, _) in COLUMNS.iter() {
        let sql = format!("SELECT {slot} FROM main.{table} WHERE {column} IS NOT NULL");
        let is_read = |slot: String| {
            let key = keys.as_ref().map(|keys| keys.key(&slot)).transpose()?;
            if key.flatten().is_none() {
                missing.insert(slot);
            }
            Ok(true)
        };
        connection.visit(&sql, [], |row| row.get(0), is_read)?;
    }
    Ok(Some(missing))
}

/// Value of a sealed column.
enum Column {
    Null,
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl ToSql for Column {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Null => Null.to_sql(),
            Self::Text(bytes) => Ok(ToSqlOutput::Borrowed(ValueRef::Text(bytes))),
            Self::Blob(bytes) => Ok(ToSqlOutput::Borrowed(ValueRef::Blob(bytes))),
        }
    }
}
