//! Rows between SQLite and the port: entries of the log, and values of columns.

use counterfoil_life::port::{BodyRow, EntryRow, Value};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql};

use crate::packed;

/// A row of the query for entries.
pub(crate) fn entry(row: &Row<'_>) -> rusqlite::Result<EntryRow> {
    let (payload, delta) = (unpacked(row, 5)?, unpacked(row, 7)?);
    Ok(EntryRow {
        index: row.get(0)?,
        header: bytes(row, 1)?,
        signature: bytes(row, 2)?,
        field_root: bytes(row, 3)?,
        field_count: row
            .get::<_, Option<i64>>(4)?
            .and_then(|count| u64::try_from(count).ok()),
        body: BodyRow {
            payload: payload.0,
            salt: bytes(row, 6)?,
            delta: delta.0,
            delta_salt: bytes(row, 8)?,
        },
        hashes: bytes(row, 9)?,
        damaged: payload.1 || delta.1,
    })
}

/// The bytes of a text or a blob.
pub(crate) fn bytes(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Vec<u8>>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.to_vec()),
        _ => None,
    })
}

/// The text of a column that may be packed; true with the bytes of the column if they cannot be unpacked.
pub(crate) fn unpacked(row: &Row<'_>, column: usize) -> rusqlite::Result<(Option<Vec<u8>>, bool)> {
    match packed::text(row, column) {
        Ok(text) => Ok((text.map(String::into_bytes), false)),
        Err(_) => Ok((bytes(row, column)?, true)),
    }
}

pub(crate) fn value(row: &Row<'_>, column: usize) -> rusqlite::Result<Value> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null | ValueRef::Real(_) => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Text(_) => Value::Text(row.get(column)?),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    })
}

/// A value as a parameter of a statement.
pub(crate) struct Column<'v>(pub(crate) &'v Value);

impl ToSql for Column<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}
