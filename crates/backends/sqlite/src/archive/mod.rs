//! Archive: capsules move into segment files, stubs keep their chains checkable (capsules 4.6, C9).
//!
//! ```text
//! 1 write the segment and its manifest under other names     5 open them again and check every hash
//! 2 fsync                                                     6 append the archive_receipt
//! 3 rename                                                    7 put stubs in the place of the rows
//! 4 fsync the folder                                            (6 and 7 are one transaction)
//! ```
//! An end at any of these leaves the rows, or the rows and the segment; never neither.

mod files;
mod moving;
mod restore;
mod segment;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use counterfoil_capsule::documents::MAX_SEGMENT;
use counterfoil_capsule::{CapsuleDocument, Kind, Signer, Surroundings, Timestamp, Verdict};
use counterfoil_store::StoreError;
use rusqlite::Connection;

pub(crate) use restore::trusted_manifest;
pub(crate) use segment::read as read_segment;

use crate::rows;
use crate::statement::Statements;
use crate::store::SqliteStore;

/// The most bytes of bodies in one segment: it is read as a whole.
const MAX_BYTES: u64 = 64 << 20;

/// One segment that the log has a receipt of, or that would be made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SegmentReport {
    /// The name of its file; empty as long as it is not made.
    pub name: String,
    /// The log index of its receipt; `None` as long as there is none.
    pub receipt: Option<u64>,
    /// Number of capsules in it.
    pub capsules: u64,
    /// Number of them that are here as stubs alone because of this receipt; the others are back.
    pub archived: u64,
    /// The first and the last log index in it.
    pub entries: (u64, u64),
    /// The length of its file, in bytes; 0 unless this call made it.
    pub bytes: u64,
    /// Number of capsules that this call brought back.
    pub restored: u64,
    /// Number of capsules that were erased since they were archived and that this call leaves erased, although the
    /// segment still holds their bodies.
    pub erased: u64,
}

impl SqliteStore {
    /// Moves capsules of Worlds that were recorded before a time into segments of a folder, which is made when it is not
    /// there. The current version of an evolving World stays, and so do records. A moved capsule keeps its place in the
    /// log, its proofs and a stub; its World is not found by a search, and to fetch it is [`StoreError::Archived`],
    /// until it is [restored](Self::restore).
    ///
    /// Returns the segments as [`SqliteStore::plan_archive`] does, and the reason for which the place of moved rows in the
    /// file could not be freed; `None` when it was, or when nothing was moved.
    ///
    /// # Errors
    /// When the folder cannot be written, or the store not read or written: then nothing has
    /// moved, but files may be left that no receipt names.
    pub async fn archive(
        &self,
        signer: Arc<dyn Signer>,
        before: Timestamp,
        folder: PathBuf,
    ) -> Result<(Vec<SegmentReport>, u64, Option<String>), StoreError> {
        let written = self.read(move |connection| {
            let (segments, kept) = plan(connection, before)?;
            Ok((files::write_all(connection, &segments, &folder)?, kept))
        });
        let (segments, kept) = written.await?;
        if segments.is_empty() {
            return Ok((Vec::new(), kept, None));
        }
        let moved = self.unit(move |unit| moving::move_all(unit, &*signer, &segments));
        Ok((moved.await?, kept, self.scrub().await))
    }

    /// Returns the plan of [`SqliteStore::archive`] without moving anything: the segments, oldest first, empty when nothing
    /// is old enough; and the number of capsules that are old enough but stay, which are current versions of evolving
    /// Worlds, and chains with an open fork.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn plan_archive(
        &self,
        before: Timestamp,
    ) -> Result<(Vec<SegmentReport>, u64), StoreError> {
        let (segments, kept) = self
            .read(move |connection| plan(connection, before))
            .await?;
        let segments = segments.iter().filter_map(|indices| {
            Some(SegmentReport {
                capsules: u64::try_from(indices.len()).unwrap_or(u64::MAX),
                entries: (*indices.first()?, *indices.last()?),
                ..SegmentReport::default()
            })
        });
        Ok((segments.collect(), kept))
    }

    /// The segments that the log has receipts of, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn segments(&self) -> Result<Vec<SegmentReport>, StoreError> {
        self.read(|connection| {
            connection.list_with(
                "SELECT name, idx, count,
                     (SELECT count(*) FROM stub WHERE stub.receipt = receipt.idx),
                     coalesce(first, 0), coalesce(last, idx)
                 FROM receipt ORDER BY idx",
                [],
                |row| {
                    Ok(SegmentReport {
                        name: row.get(0)?,
                        receipt: row.get(1)?,
                        capsules: row.get(2)?,
                        archived: row.get(3)?,
                        entries: (row.get(4)?, row.get(5)?),
                        ..SegmentReport::default()
                    })
                },
            )
        })
        .await
    }
}

/// Log indices of everything that was recorded before `before` and may go, segment by segment, in log order; and the
/// number of capsules that are old enough but stay.
fn plan(connection: &Connection, before: Timestamp) -> Result<(Vec<Vec<u64>>, u64), StoreError> {
    let (mut segments, mut kept) = (Vec::new(), 0);
    let (mut segment, mut bytes) = (Vec::new(), 0);
    // Timestamps of one form compare as text.
    let old: Vec<u64> = connection.list(
        "SELECT idx FROM capsule WHERE header IS NOT NULL
         AND json_extract(whole_header(header, packed), '$.world') IS NOT NULL
         AND json_extract(whole_header(header, packed), '$.timestamp') < ?1 ORDER BY idx",
        [before.to_string()],
    )?;
    for index in old {
        let header = rows::present_header(connection, index)?;
        let chain = header.chain();
        // Beliefs are folded from claim units, the next version follows the current one, and a fork is proven with its
        // chain: these stay however old they are.
        if header.kind() == Kind::Claim
            || (header.seq() > 0
                && connection.get::<u64>(
                    "SELECT max(seq) FROM chain WHERE chain = ?1",
                    [chain.as_bytes()],
                )? == header.seq())
            || connection.has("SELECT 1 FROM fork WHERE chain = ?1", [chain.as_bytes()])?
        {
            kept += 1;
            continue;
        }
        // The content, and at most as much of a delta again.
        let size = header.payload().size().saturating_mul(2);
        if segment.len() == MAX_SEGMENT || (bytes + size > MAX_BYTES && !segment.is_empty()) {
            segments.push(std::mem::take(&mut segment));
            bytes = 0;
        }
        segment.push(index);
        bytes += size;
    }
    if !segment.is_empty() {
        segments.push(segment);
    }
    Ok((segments, kept))
}

/// The verdict on a capsule by itself, with the key that signs it.
fn verdict(connection: &Connection, document: &CapsuleDocument) -> Result<Verdict, StoreError> {
    Ok(document.check(&Surroundings {
        key: Some(rows::key_of(connection, document.header())?),
        ..Surroundings::default()
    }))
}
