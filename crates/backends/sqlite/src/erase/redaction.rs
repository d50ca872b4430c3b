//! The record in the log that a content was erased (capsules 4.6).

use counterfoil_capsule::Timestamp;
use counterfoil_capsule::documents::Redaction;
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::Blake3Hash;
use rusqlite::Connection;
use serde_json::Value;

use crate::error::at;
use crate::rows;
use crate::statement::Statements;

/// A redaction and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RedactionAt {
    /// Its place in the log.
    pub index: u64,
    /// The hash of its capsule.
    pub capsule: Blake3Hash,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// What it says.
    pub document: Redaction,
}

/// The redaction of the capsule at `index`, if its content is erased.
pub(super) fn redaction_of(
    connection: &Connection,
    index: u64,
) -> Result<Option<RedactionAt>, StoreError> {
    let record: Option<u64> = connection
        .find("SELECT record FROM redacted WHERE idx = ?1", [index])
        .map_err(at(StoreLocation::table("redacted")))?;
    let Some(record) = record else {
        return Ok(None);
    };
    let damaged =
        || StoreError::corrupt(StoreLocation::entry("body", record), "it is no redaction");
    let stored = rows::capsule(connection, record)?.ok_or_else(damaged)?;
    let payload = stored.payload.ok_or_else(damaged)?;
    let value: Value = serde_json::from_str(&payload.text).map_err(|_| damaged())?;
    Ok(Some(RedactionAt {
        index: record,
        capsule: stored.header.hash(),
        recorded_at: stored.header.timestamp(),
        document: Redaction::parse(&value).map_err(|_| damaged())?,
    }))
}
