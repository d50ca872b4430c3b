//! One row of the ground as bytes: copied out of SQLite, judged elsewhere.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use counterfoil_store::{StoreError, StoreLocation};

use crate::error::{at, from_sqlite};
use crate::packed;

/// An entry as it is stored. NULL is `None`.
#[derive(Debug, Default)]
pub(super) struct RawRow {
    /// Expected index: counted, not read.
    pub(super) index: u64,
    /// Index in the row.
    pub(super) found: i64,
    pub(super) header: Option<Vec<u8>>,
    pub(super) signature: Option<Vec<u8>>,
    pub(super) field_root: Option<Vec<u8>>,
    pub(super) field_count: Option<u64>,
    pub(super) payload: Option<Vec<u8>>,
    pub(super) salt: Option<Vec<u8>>,
    pub(super) delta: Option<Vec<u8>>,
    pub(super) delta_salt: Option<Vec<u8>>,
    pub(super) hashes: Option<Vec<u8>>,
}

const SQL: &str = "SELECT capsule.idx, whole_header(header, packed), signature, field_root, field_count, payload, salt,
     delta, delta_salt, hashes
     FROM capsule LEFT JOIN body USING (idx) LEFT JOIN log USING (idx) ORDER BY capsule.idx";

/// Hands over all rows in log order, in chunks; ends early when `take` gives `false`.
pub(super) fn read_all(
    connection: &Connection,
    chunk: usize,
    mut take: impl FnMut(Vec<RawRow>) -> bool,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare(SQL).map_err(from_sqlite)?;
    let mut rows = statement.query([]).map_err(from_sqlite)?;
    let (mut read, mut index) = (Vec::with_capacity(chunk), 0);
    while let Some(row) = rows.next().map_err(at(StoreLocation::table("capsule")))? {
        read.push(raw(index, row).map_err(at(StoreLocation::entry("capsule", index)))?);
        index += 1;
        if read.len() == chunk && !take(std::mem::replace(&mut read, Vec::with_capacity(chunk))) {
            return Ok(());
        }
    }
    take(read);
    Ok(())
}

fn raw(index: u64, row: &Row<'_>) -> rusqlite::Result<RawRow> {
    let bytes = |column: usize| -> rusqlite::Result<Option<Vec<u8>>> {
        Ok(match row.get_ref(column)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.to_vec()),
            _ => None,
        })
    };
    // A frame that cannot be unpacked stays as it is, and is no content.
    let unpacked = |column: usize| match packed::text(row, column) {
        Ok(text) => Ok(text.map(String::into_bytes)),
        Err(_) => bytes(column),
    };
    Ok(RawRow {
        index,
        found: row.get(0)?,
        header: bytes(1)?,
        signature: bytes(2)?,
        field_root: bytes(3)?,
        field_count: row
            .get::<_, Option<i64>>(4)?
            .and_then(|count| u64::try_from(count).ok()),
        payload: unpacked(5)?,
        salt: bytes(6)?,
        delta: unpacked(7)?,
        delta_salt: bytes(8)?,
        hashes: bytes(9)?,
    })
}
