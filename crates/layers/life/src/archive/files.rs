//! Steps 1 to 5: segments on disk, and nothing believed before it was read back (capsules 4.6, D54).

use std::fs::{self, File};
use std::path::Path;

use counterfoil_capsule::documents::ArchiveManifest;
use counterfoil_store::{StoreError, StoreLocation};

use super::plan::verdict;
use super::segment::{self, Writer, manifest_name, refused};
use crate::entries::{self, Scan};
use crate::files::{io_error, make_folder, sync_folder, write_private};
use crate::port::Txn;

/// A segment that is on disk and was read back; nothing in the database names it yet.
pub(crate) struct SegmentFile {
    pub(super) manifest: ArchiveManifest,
    /// Log index of each line, and true if it holds a payload and a delta.
    pub(super) lines: Vec<(u64, (bool, bool))>,
    /// The length of the file.
    pub(super) bytes: u64,
}

/// Writes the segments of a plan, one after the other.
pub(crate) fn write_all(
    txn: &dyn Txn,
    segments: &[Vec<u64>],
    folder: &Path,
) -> Result<Vec<SegmentFile>, StoreError> {
    if segments.is_empty() {
        return Ok(Vec::new());
    }
    make_folder(folder)?;
    let mut scan = Scan::default();
    let segments = segments.iter();
    segments
        .map(|indices| write(txn, &mut scan, indices, folder))
        .collect()
}

fn write(
    txn: &dyn Txn,
    scan: &mut Scan,
    indices: &[u64],
    folder: &Path,
) -> Result<SegmentFile, StoreError> {
    let mut writer = Writer::new()?;
    let mut lines = Vec::with_capacity(indices.len());
    for &index in indices {
        let stored = scan.present(txn, index)?;
        lines.push((index, (stored.payload.is_some(), stored.delta.is_some())));
        writer.add(&stored.document())?;
    }
    let (bytes, manifest) = writer.finish()?;
    let name = manifest.name.as_str();
    let beside = manifest_name(name).ok_or(StoreError::Bug("a segment without a name"))?;
    // The manifest is the last: a segment without one is nothing.
    let parts =
        [name, &beside].map(|name| (folder.join(format!("{name}.part")), folder.join(name)));
    for ((part, _), bytes) in parts
        .iter()
        .zip([&bytes[..], manifest.canonical().as_bytes()])
    {
        write_private(part, bytes).map_err(|error| io_error("writing a segment", part, &error))?;
    }
    for (part, _) in &parts {
        File::open(part)
            .and_then(|file| file.sync_all())
            .map_err(|error| io_error("syncing a segment", part, &error))?;
    }
    for (part, path) in &parts {
        fs::rename(part, path).map_err(|error| io_error("naming a segment", path, &error))?;
    }
    sync_folder(folder)?;
    let bytes = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let written = SegmentFile {
        manifest,
        lines,
        bytes,
    };
    verify(txn, folder, &written)?;
    Ok(written)
}

/// Reads a segment back: file, lines and order against the manifest, and each capsule against
/// itself and its row.
fn verify(txn: &dyn Txn, folder: &Path, file: &SegmentFile) -> Result<(), StoreError> {
    let name = file.manifest.name.as_str();
    if segment::read_manifest(folder, name)? != file.manifest {
        return Err(refused(
            name,
            "its manifest was changed while it was written",
        ));
    }
    let documents = segment::read_segment(folder, &file.manifest)?;
    for (&(index, _), document) in file.lines.iter().zip(&documents) {
        let header = entries::header(txn, index)?;
        if header.as_ref().map(|it| it.hash()) != Some(document.header().hash()) {
            return Err(refused(name, "it holds other capsules than were meant"));
        }
        let verdict = verdict(txn, document)?;
        if verdict.is_invalid() {
            return Err(StoreError::corrupt(
                StoreLocation::entry("capsule", index),
                format_args!("{verdict}; what is damaged is not archived"),
            ));
        }
    }
    Ok(())
}

/// Removes the two files of a segment: its lines go first, and a manifest that is left does no harm.
pub(super) fn remove(folder: &Path, name: &str) -> Result<(), StoreError> {
    let manifest = manifest_name(name).ok_or(StoreError::Bug("a segment without a name"))?;
    for name in [name, manifest.as_str()] {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(io_error("removing a segment", &path, &error));
            }
            _ => {}
        }
    }
    sync_folder(folder)
}
