//! Archives: old memories move into segment files and back, while their proofs and chains stay (C9, D55, D56); and
//! collection of capsules that were never accepted (C10, D51, D52).

use counterfoil_life::Life as _;
use std::fs;
use std::path::{Path, PathBuf};

use counterfoil_capsule::Timestamp;
use counterfoil_life::SegmentReport;
use counterfoil_store::collect::Fate;
use counterfoil_types::UnixMillis;
use serde_json::{Value, json};

use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;

/// File name suffix of a segment, replaced by `MANIFEST_SUFFIX` for its manifest.
const SUFFIX: &str = ".jsonl.zst";
const MANIFEST_SUFFIX: &str = ".manifest.json";

impl Memory {
    /// Moves memories that were recorded before a time into segment files; current versions stay, and so do all proofs.
    /// Memories of one version, which are current, go too if they were recorded before `current`: no recall finds them
    /// until they are restored. With `dry_run` the report says what would be moved.
    ///
    /// # Errors
    /// The folder cannot be written: `archive` in the memory's folder by default.
    pub async fn archive(
        &self,
        before: UnixMillis,
        current: Option<UnixMillis>,
        folder: Option<PathBuf>,
        dry_run: bool,
    ) -> Result<Report, Error> {
        self.must_exist()?;
        let time = |at: UnixMillis| {
            Timestamp::from_micros(at.value().saturating_mul(1000))
                .map_err(|error| Error::input(error, "choose a time before the year 10000"))
        };
        let (before, current) = (time(before)?, current.map(time).transpose()?);
        let folder = folder.unwrap_or_else(|| self.home().archive());
        let (segments, kept, not_scrubbed) = if dry_run {
            let (segments, kept) = self.reader()?.plan_archive(before, current).await?;
            (segments, kept, None)
        } else {
            let agent = self.signer()?;
            let writer = self.writer()?;
            writer
                .archive(agent, before, current, folder.clone())
                .await?
        };
        let segments = segments.iter().map(|segment| {
            json!({
                "segment": segment.name,
                "capsules": segment.capsules,
                "entries": { "from": segment.entries.0, "to": segment.entries.1 },
                "bytes": segment.bytes,
                "receipt": segment.receipt,
            })
        });
        let document = json!({
            "dryRun": dry_run,
            "before": before.to_string(),
            "folder": folder,
            "segments": segments.collect::<Vec<_>>(),
            "kept": kept,
        });
        let notice = not_scrubbed.map(|detail| {
            format!(
                "the database file did not shrink yet ({detail}); the next erase or archive does it"
            )
        });
        Ok(Report::new(&document)?.noticed(notice))
    }

    /// Brings archived memories back, once every byte of their segments has been checked: those of `segments`, or of all
    /// if none is named. With `discard` the files are removed afterwards: they still contain content erased meanwhile.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) when a segment is not as its receipt in the log says.
    pub async fn restore(
        &self,
        segments: &[String],
        folder: Option<PathBuf>,
        discard: bool,
    ) -> Result<Report, Error> {
        let folder = folder.unwrap_or_else(|| self.home().archive());
        let store = self.writer()?;
        let known = store.segments().await?;
        let names = if segments.is_empty() {
            let meant = known.into_iter().filter(|segment| {
                segment.archived > 0 || (discard && is_there(&folder, &segment.name))
            });
            meant.map(|segment| segment.name).collect()
        } else {
            for named in segments {
                must_be_known(&known, &folder, named)?;
            }
            segments.to_vec()
        };
        let restored = store.restore(folder.clone(), names).await?;
        if discard {
            for segment in &restored {
                store.discard_segment(folder.clone(), &segment.name).await?;
            }
        }
        let segments = restored.iter().map(|segment| {
            json!({
                "segment": segment.name,
                "receipt": segment.receipt,
                "restored": segment.restored,
                "present": segment.capsules.saturating_sub(segment.restored + segment.erased),
                "erased": segment.erased,
                "discarded": discard,
            })
        });
        Report::new(&json!({ "folder": folder, "segments": segments.collect::<Vec<_>>() }))
    }

    /// The segments of which the log has receipts.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn segments(&self) -> Result<Report, Error> {
        let known = self.reader()?.segments().await?;
        let document = known.iter().map(|segment| {
            json!({
                "segment": segment.name,
                "receipt": segment.receipt,
                "capsules": segment.capsules,
                "archived": segment.archived,
            })
        });
        Report::new(&document.collect::<Vec<_>>())
    }

    /// Removes capsules that were never accepted and that nothing needs, received longer ago than `older_than_ms`; each
    /// leaves its hash. With `dry_run` the report says what would go.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn collect(&self, older_than_ms: u64, dry_run: bool) -> Result<Report, Error> {
        let older_than_us = older_than_ms.saturating_mul(1000);
        let collected = match dry_run {
            true => self.reader()?.plan_collection(older_than_us).await?,
            false => self.writer()?.collect(older_than_us).await?,
        };
        let with = |fate| collected.iter().filter(move |(_, it)| *it == fate);
        let items = with(Fate::Collect).map(|(held, _)| {
            json!({
                "hash": format!("blake3:{}", hex::encode(held.hash)),
                "class": held.class.name(),
                "code": held.code,
                "source": held.source,
                "bytes": held.bytes,
            })
        });
        Report::new(&json!({
            "dryRun": dry_run,
            "collected": items.collect::<Vec<Value>>(),
            "waiting": with(Fate::Waits).count(),
            "inGrace": with(Fate::Grace).count(),
            "referenced": with(Fate::Referenced).count(),
        }))
    }
}

/// Returns true if a segment's path exists: its file may still contain erased content.
fn is_there(folder: &Path, name: &str) -> bool {
    fs::symlink_metadata(folder.join(name)).is_ok()
}

/// Refuses a name of which neither log nor folder has heard.
fn must_be_known(known: &[SegmentReport], folder: &Path, named: &str) -> Result<(), Error> {
    let stem = [SUFFIX, MANIFEST_SUFFIX]
        .iter()
        .find_map(|suffix| named.strip_suffix(suffix))
        .unwrap_or(named);
    let name = format!("{stem}{SUFFIX}");
    let is_plain = stem
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_plain && (known.iter().any(|it| it.name == name) || is_there(folder, &name)) {
        return Ok(());
    }
    Err(Error::input(
        format_args!("there is no segment {named:?}"),
        "take a name from `counterfoil restore --list`",
    ))
}
