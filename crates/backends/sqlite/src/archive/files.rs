//! Steps 1 to 5: segments on disk, and nothing believed before it was read back (capsules 4.6, D54).

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use counterfoil_capsule::documents::ArchiveManifest;
use counterfoil_capsule::{Surroundings, Verdict};
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::Connection;

use super::plan::Plan;
use super::segment::{self, Writer, manifest_name, refused};
use super::steps::{Faults, Step};
use crate::connection::io_error;
use crate::rows::{self, Scan};

/// A segment that is on disk and was read back; nothing in the database names it yet.
pub(super) struct SegmentFile {
    pub(super) manifest: ArchiveManifest,
    /// Log index of each line, and which bodies it holds.
    pub(super) lines: Vec<Line>,
    /// The length of the file.
    pub(super) bytes: u64,
}

/// One capsule of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) index: u64,
    pub(super) payload: bool,
    pub(super) delta: bool,
}

/// Writes the segments of a plan, one after the other.
pub(super) fn write_all(
    connection: &Connection,
    plan: &Plan,
    folder: &Path,
    faults: &dyn Faults,
) -> Result<Vec<SegmentFile>, StoreError> {
    if plan.segments.is_empty() {
        return Ok(Vec::new());
    }
    make_folder(folder)?;
    let mut scan = Scan::default();
    let segments = plan.segments.iter();
    segments
        .map(|indices| write(connection, &mut scan, indices, folder, faults))
        .collect()
}

fn write(
    connection: &Connection,
    scan: &mut Scan,
    indices: &[u64],
    folder: &Path,
    faults: &dyn Faults,
) -> Result<SegmentFile, StoreError> {
    let mut writer = Writer::new()?;
    let mut lines = Vec::with_capacity(indices.len());
    for &index in indices {
        let stored = scan.capsule(connection, index)?.ok_or_else(|| {
            StoreError::corrupt(
                StoreLocation::entry("capsule", index),
                "there is no capsule",
            )
        })?;
        lines.push(Line {
            index,
            payload: stored.payload.is_some(),
            delta: stored.delta.is_some(),
        });
        writer.add(&stored.document())?;
    }
    let (bytes, manifest) = writer.finish()?;
    faults.before(Step::Write)?;
    let parts = Parts::write(folder, &manifest, &bytes)?;
    faults.before(Step::Sync)?;
    parts.sync()?;
    faults.before(Step::Rename)?;
    parts.rename()?;
    faults.before(Step::SyncFolder)?;
    sync_folder(folder)?;
    faults.before(Step::Verify)?;
    verify(connection, folder, &manifest, &lines)?;
    Ok(SegmentFile {
        manifest,
        lines,
        bytes: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
    })
}

/// The two files of a segment under the names that they have until they are on disk.
struct Parts {
    /// Now and then, the manifest last: a segment without one is nothing.
    names: Vec<(PathBuf, PathBuf)>,
}

impl Parts {
    fn write(folder: &Path, manifest: &ArchiveManifest, bytes: &[u8]) -> Result<Self, StoreError> {
        let name = manifest.name.as_str();
        let beside = manifest_name(name).ok_or(StoreError::Bug("a segment without a name"))?;
        let text = manifest.canonical();
        let mut names = Vec::new();
        for (name, bytes) in [(name, bytes), (beside.as_str(), text.as_bytes())] {
            let (part, path) = (folder.join(format!("{name}.part")), folder.join(name));
            write_private(&part, bytes)
                .map_err(|error| io_error("writing a segment", &part, &error))?;
            names.push((part, path));
        }
        Ok(Self { names })
    }

    fn sync(&self) -> Result<(), StoreError> {
        for (part, _) in &self.names {
            File::open(part)
                .and_then(|file| file.sync_all())
                .map_err(|error| io_error("syncing a segment", part, &error))?;
        }
        Ok(())
    }

    fn rename(&self) -> Result<(), StoreError> {
        for (part, path) in &self.names {
            fs::rename(part, path).map_err(|error| io_error("naming a segment", path, &error))?;
        }
        Ok(())
    }
}

/// Makes a segment as private as the database: readable by its owner alone.
fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let made: Vec<&Path> = folder.ancestors().take_while(missing).collect();
    builder
        .create(folder)
        .map_err(|error| io_error("making the folder of segments", folder, &error))?;
    // The folder itself is on disk once the one that it stands in is synced. It may be there and not
    // on disk when an earlier archive was cut off.
    for folder in made.into_iter().chain([folder]) {
        sync_folder(parent(folder))?;
    }
    Ok(())
}

/// The parent folder of `path`.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// Lets the disk have the names in a folder.
fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    // A folder can be opened as a file where that is how its names are synced.
    if cfg!(not(unix)) {
        return Ok(());
    }
    File::open(folder)
        .and_then(|file| file.sync_all())
        .map_err(|error| io_error("syncing the folder of segments", folder, &error))
}

/// Reads a segment back: file, lines and order against the manifest, and each capsule against
/// itself and its row.
fn verify(
    connection: &Connection,
    folder: &Path,
    manifest: &ArchiveManifest,
    lines: &[Line],
) -> Result<(), StoreError> {
    let name = manifest.name.as_str();
    if segment::read_manifest(folder, name)? != *manifest {
        return Err(refused(
            name,
            "its manifest was changed while it was written",
        ));
    }
    let documents = segment::read(folder, manifest)?;
    for (line, document) in lines.iter().zip(&documents) {
        let header = rows::header(connection, line.index)?;
        if header.as_ref().map(|it| it.hash()) != Some(document.header().hash()) {
            return Err(refused(name, "it holds other capsules than were meant"));
        }
        let around = Surroundings {
            key: Some(rows::key_of(connection, document.header())?),
            ..Surroundings::default()
        };
        if let verdict @ Verdict::Invalid { .. } = document.check(&around) {
            return Err(StoreError::corrupt(
                StoreLocation::entry("capsule", line.index),
                format_args!("{verdict}; what is damaged is not archived"),
            ));
        }
    }
    Ok(())
}

/// Removes the two files of a segment; what was remembered goes first, and a manifest that is left
/// says nothing of it.
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
