//! The record in the log that a content was erased (capsules 4.6).

use counterfoil_capsule::Document;
use counterfoil_capsule::documents::Redaction;
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::Connection;

use crate::error::at;
use crate::records::{RecordAt, record_at};
use crate::statement::Statements;

/// The redaction of the capsule at `index`, if its content is erased.
pub(super) fn redaction_of(
    connection: &Connection,
    index: u64,
) -> Result<Option<RecordAt<Redaction>>, StoreError> {
    let record: Option<u64> = connection
        .find("SELECT record FROM redacted WHERE idx = ?1", [index])
        .map_err(at(StoreLocation::table("redacted")))?;
    let read = |record| {
        record_at(connection, record, "it is no redaction", |value| {
            Redaction::parse(value).ok()
        })
    };
    record.map(read).transpose()
}
