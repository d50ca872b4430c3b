//! Receipts of segments: a manifest is believed when a record in the log names it (capsules 4.6, D56).

use std::path::Path;

use counterfoil_capsule::documents::{ArchiveManifest, ArchiveReceipt};
use counterfoil_capsule::{
    Absent, Document, RecordKind, StoredParts, Surroundings, Verdict, check_capsule,
};
use counterfoil_store::log::NodeReader;
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::Blake3Hash;
use rusqlite::{Connection, Row};
use serde_json::Value;

use super::segment::{read_manifest, refused};
use crate::error::at;
use crate::rows::{self, LogRows};
use crate::statement::Statements;
use crate::store::SqliteStore;

/// A row of `receipt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// The log index of the record.
    pub(crate) index: u64,
    /// The name of the segment's file.
    pub(crate) name: String,
}

/// A segment that the log has a receipt of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownSegment {
    /// The name of its file.
    pub name: String,
    /// The log index of its receipt.
    pub receipt: u64,
    /// Number of capsules in it.
    pub capsules: u64,
    /// Number of them that are here as stubs alone because of this receipt; the others are back.
    pub archived: u64,
}

impl SqliteStore {
    /// The segments that the log has receipts of, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn segments(&self) -> Result<Vec<KnownSegment>, StoreError> {
        self.read(|connection| {
            connection.list_with(
                "SELECT name, idx, count,
                         (SELECT count(*) FROM stub WHERE stub.receipt = receipt.idx)
                         FROM receipt ORDER BY idx",
                [],
                |row| {
                    Ok(KnownSegment {
                        name: row.get(0)?,
                        receipt: row.get(1)?,
                        capsules: row.get(2)?,
                        archived: row.get(3)?,
                    })
                },
            )
        })
        .await
    }
}

/// The receipts of segments that may hold the entry `index`, oldest first.
pub(crate) fn receipts_over(
    connection: &Connection,
    index: u64,
) -> Result<Vec<Receipt>, StoreError> {
    connection
        .list_with(
            "SELECT idx, name FROM receipt WHERE ?1 BETWEEN coalesce(first, 0)
                 AND coalesce(last, idx) ORDER BY idx",
            [index],
            receipt,
        )
        .map_err(at(StoreLocation::table("receipt")))
}

fn receipt(row: &Row<'_>) -> rusqlite::Result<Receipt> {
    Ok(Receipt {
        index: row.get(0)?,
        name: row.get(1)?,
    })
}

/// The manifest of a segment in `folder`, with the log index of the receipt that vouches for it.
///
/// # Errors
/// [`StoreError::SegmentRefused`] for a manifest that no receipt in the log names.
pub(crate) fn trusted_manifest(
    connection: &Connection,
    folder: &Path,
    name: &str,
) -> Result<(ArchiveManifest, u64), StoreError> {
    let manifest = read_manifest(folder, name)?;
    for index in naming(connection, manifest.hash())? {
        if vouches(connection, index, &manifest)? {
            return Ok((manifest, index));
        }
    }
    Err(refused(
        name,
        "no receipt in this store's log names its manifest, so nothing says that it is what was \
         archived here",
    ))
}

/// The receipts that name a manifest, by the derived table.
fn naming(connection: &Connection, manifest: Blake3Hash) -> Result<Vec<u64>, StoreError> {
    connection
        .list(
            "SELECT idx FROM receipt WHERE manifest = ?1 ORDER BY idx",
            [manifest.as_bytes()],
        )
        .map_err(at(StoreLocation::table("receipt")))
}

/// Tests whether the record at `index` is the receipt of that manifest: signed, whole, and the leaf of
/// the log at that index. The derived row alone proves nothing.
fn vouches(
    connection: &Connection,
    index: u64,
    manifest: &ArchiveManifest,
) -> Result<bool, StoreError> {
    let Some(stored) = rows::capsule(connection, index)? else {
        return Ok(false);
    };
    let Some(payload) = &stored.payload else {
        return Ok(false);
    };
    if stored.entry.record() != Some(RecordKind::ArchiveReceipt)
        || LogRows(connection).node(0, index)? != stored.entry.leaf_hash()
    {
        return Ok(false);
    }
    let entry = stored.entry.to_text();
    let parts = StoredParts {
        header: stored.header.canonical().as_bytes(),
        entry: entry.as_bytes(),
        signature: Some(&stored.signature),
        payload: Some(payload.text.as_bytes()),
        salt: Some(&payload.salt),
        delta: None,
        delta_salt: None,
        absent: Absent::Erased,
    };
    let around = Surroundings {
        key: Some(stored.key),
        ..Surroundings::default()
    };
    let value: Option<Value> = serde_json::from_str(&payload.text).ok();
    let document = value.and_then(|value| ArchiveReceipt::parse(&value).ok());
    Ok(check_capsule(&parts, &around) == Verdict::Valid
        && document.is_some_and(|document| document.is_of(manifest)))
}
