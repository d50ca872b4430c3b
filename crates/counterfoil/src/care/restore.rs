//! Restoring: what is archived comes back, once every byte of its segment has been checked (D55, D56).

use std::fs;
use std::path::{Path, PathBuf};

use counterfoil_sqlite::KnownSegment;
use serde_json::json;

use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;

/// File name suffix of a segment, replaced by `MANIFEST_SUFFIX` for its manifest.
const SUFFIX: &str = ".jsonl.zst";
const MANIFEST_SUFFIX: &str = ".manifest.json";

impl Memory {
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
                "present": segment.present,
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
}

/// Returns true if a segment's path exists: its file may still contain erased content.
fn is_there(folder: &Path, name: &str) -> bool {
    fs::symlink_metadata(folder.join(name)).is_ok()
}

/// Refuses a name of which neither log nor folder has heard.
fn must_be_known(known: &[KnownSegment], folder: &Path, named: &str) -> Result<(), Error> {
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
