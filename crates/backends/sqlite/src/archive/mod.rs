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
mod plan;
mod receipts;
mod restore;
mod segment;
mod steps;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_store::StoreError;

pub use receipts::KnownSegment;
pub(crate) use receipts::{receipts_over, trusted_manifest};
pub use restore::RestoreReport;
pub(crate) use segment::read as read_segment;
use steps::{Faults, NoFaults};

use crate::scrub::{ScrubReport, scrub};
use crate::store::SqliteStore;

/// Age limit and target folder of an archival.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveRequest {
    /// Memories that were recorded before this.
    pub before: Timestamp,
    /// The folder of the segments. It is made when it is not there.
    pub folder: PathBuf,
}

/// Segments that an archival made, or would make.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ArchiveReport {
    /// The segments, oldest first. Empty when nothing is old enough.
    pub segments: Vec<NewSegment>,
    /// Number of capsules that are old enough but stay: the current version of an evolving World, and
    /// chains with an open fork.
    pub kept: u64,
    /// Result of freeing the rows' place in the file; `None` when nothing was moved.
    pub scrubbed: Option<ScrubReport>,
}

/// One segment that was made, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewSegment {
    /// The name of its file; empty as long as it is not made.
    pub name: String,
    /// Number of capsules.
    pub capsules: u64,
    /// The first and the last log index in it.
    pub entries: (u64, u64),
    /// The length of its file, in bytes; 0 as long as it is not made.
    pub bytes: u64,
    /// The log index of its receipt; `None` as long as there is none.
    pub receipt: Option<u64>,
}

impl SqliteStore {
    /// Moves old capsules of Worlds into segments of a folder. The current version of an evolving
    /// World stays, and so do records. A moved capsule keeps its place in the log, its proofs and a
    /// stub; its World is not found by a search, and to fetch it is
    /// [`StoreError::Archived`], until it is [restored](Self::restore).
    ///
    /// # Errors
    /// When the folder cannot be written, or the store not read or written: then nothing has
    /// moved, but files may be left that no receipt names.
    pub async fn archive(
        &self,
        signer: Arc<dyn Signer>,
        archiving: ArchiveRequest,
    ) -> Result<ArchiveReport, StoreError> {
        self.archive_unless(signer, archiving, Arc::new(NoFaults))
            .await
    }

    /// Returns the plan of [`SqliteStore::archive`] without moving anything.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn plan_archive(&self, before: Timestamp) -> Result<ArchiveReport, StoreError> {
        self.read(move |connection| Ok(plan::plan(connection, before)?.as_planned()))
            .await
    }

    /// As [`SqliteStore::archive`]; `faults` may end it before any step.
    pub(crate) async fn archive_unless(
        &self,
        signer: Arc<dyn Signer>,
        archiving: ArchiveRequest,
        faults: Arc<dyn Faults>,
    ) -> Result<ArchiveReport, StoreError> {
        let (before, folder) = (archiving.before, archiving.folder.clone());
        let watched = Arc::clone(&faults);
        let written = self.read(move |connection| {
            let plan = plan::plan(connection, before)?;
            let segments = files::write_all(connection, &plan, &folder, &*watched)?;
            Ok((plan.kept, segments))
        });
        let (kept, segments) = written.await?;
        if segments.is_empty() {
            return Ok(ArchiveReport {
                kept,
                ..ArchiveReport::default()
            });
        }
        let moved = self.unit(move |unit| moving::move_all(unit, &*signer, &segments, &*faults));
        let segments = moved.await?;
        let scrubbed = self.free_space().await;
        Ok(ArchiveReport {
            segments,
            kept,
            scrubbed: Some(scrubbed),
        })
    }

    /// Gives the place of moved rows back to the file system.
    async fn free_space(&self) -> ScrubReport {
        let path = self.path().to_owned();
        let freed = self.maintain(move |connection| scrub(connection, &path));
        freed
            .await
            .unwrap_or_else(|error| ScrubReport::failed(&error))
    }
}
