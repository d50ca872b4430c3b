//! Documents about others, and the secret of the store.

use counterfoil_exchange::documents::DocumentHash;
use counterfoil_store::exchange_limits as limits;
use counterfoil_store::{StoreError, StoreLocation, StoredRecord};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{at, from_sqlite};
use crate::statement::Statements;

/// Keeps a document; `false` where it is there.
pub(super) fn add(
    connection: &Connection,
    hash: &DocumentHash,
    record: &StoredRecord,
) -> Result<bool, StoreError> {
    let hash = hash.digest().as_bytes();
    let here = connection.has("SELECT 1 FROM trust_record WHERE hash = ?1", [hash])?;
    if here {
        return Ok(false);
    }
    let kept: usize =
        connection.get("SELECT coalesce(max(number) + 1, 0) FROM trust_record", [])?;
    limits::check_records(kept)?;
    connection.change(
        "INSERT INTO trust_record (number, hash, at, document) VALUES (?1, ?2, ?3, ?4)",
        params![kept, hash, record.received_us, record.bytes],
    )?;
    Ok(true)
}

/// All of them in the order of their receipt.
pub(super) fn all(connection: &Connection) -> Result<Vec<StoredRecord>, StoreError> {
    connection
        .prepare_cached("SELECT document, at FROM trust_record ORDER BY number")
        .and_then(|mut statement| {
            let read = |row: &rusqlite::Row<'_>| {
                Ok(StoredRecord {
                    bytes: row.get(0)?,
                    received_us: row.get(1)?,
                })
            };
            statement.query_map([], read)?.collect()
        })
        .map_err(at(StoreLocation::table("trust_record")))
}

/// The secret, if there is one.
pub(super) fn secret(connection: &Connection) -> Result<Option<[u8; 32]>, StoreError> {
    connection
        .query_row("SELECT secret FROM exchange_secret", [], |row| row.get(0))
        .optional()
        .map_err(at(StoreLocation::table("exchange_secret")))
}

/// The secret, which is `drawn` if there was none.
pub(super) fn secret_or(connection: &Connection, drawn: [u8; 32]) -> Result<[u8; 32], StoreError> {
    if let Some(secret) = secret(connection)? {
        return Ok(secret);
    }
    connection
        .execute(
            "INSERT INTO exchange_secret (id, secret) VALUES (0, ?1)",
            [drawn],
        )
        .map_err(from_sqlite)?;
    Ok(drawn)
}
