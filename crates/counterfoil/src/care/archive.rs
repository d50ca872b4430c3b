//! Archiving: old memories move into segment files; their proofs and chains stay (C9).

use std::path::PathBuf;

use counterfoil_capsule::Timestamp;
use counterfoil_sqlite::{ArchiveReport, ArchiveRequest, ScrubReport};
use counterfoil_types::UnixMillis;
use serde_json::{Value, json};

use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;

impl Memory {
    /// Moves memories that were recorded before a time into segment files; current versions stay, and so do all proofs.
    /// With `dry_run` the report says what would be moved.
    ///
    /// # Errors
    /// The folder cannot be written: `archive` in the memory's folder by default.
    pub async fn archive(
        &self,
        before: UnixMillis,
        folder: Option<PathBuf>,
        dry_run: bool,
    ) -> Result<Report, Error> {
        self.must_exist()?;
        let before = Timestamp::from_micros(before.value().saturating_mul(1000))
            .map_err(|error| Error::input(error, "choose a time before the year 10000"))?;
        let folder = folder.unwrap_or_else(|| self.home().archive());
        let archived = if dry_run {
            self.reader()?.plan_archive(before).await?
        } else {
            let agent = self.signer()?;
            let archiving = ArchiveRequest {
                before,
                folder: folder.clone(),
            };
            self.writer()?.archive(agent, archiving).await?
        };
        let document = json!({
            "dryRun": dry_run,
            "before": before.to_string(),
            "folder": folder,
            "segments": segments(&archived),
            "kept": archived.kept,
        });
        let notice = match &archived.scrubbed {
            Some(ScrubReport::Not { detail }) => Some(format!(
                "the database file did not shrink yet ({detail}); the next erase or archive does it"
            )),
            _ => None,
        };
        Ok(Report::new(&document)?.noticed(notice))
    }
}

fn segments(archived: &ArchiveReport) -> Vec<Value> {
    let segments = archived.segments.iter();
    segments
        .map(|segment| {
            json!({
                "segment": segment.name,
                "capsules": segment.capsules,
                "entries": { "from": segment.entries.0, "to": segment.entries.1 },
                "bytes": segment.bytes,
                "receipt": segment.receipt,
            })
        })
        .collect()
}
