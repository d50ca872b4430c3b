//! Files beside a database: their names, and the errors of the file system.

use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

use counterfoil_store::{StoreError, check_plain};

/// Returns a path with `suffix` behind its name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns an error of the file system with its path, and the next step of a person.
pub fn io_error(doing: &'static str, path: &Path, error: &Error) -> StoreError {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::DiskFull,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly {
            reason: format!(
                "{}: {error}: check the folder's permissions",
                path.display()
            ),
        },
        _ => StoreError::Unavailable {
            doing,
            detail: format!("{}: {error}", path.display()),
        },
    }
}

/// Makes a file as private as the database: readable by its owner alone.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    check_plain(path)?;
    options.open(path)?.write_all(bytes)
}

/// Makes a folder for its owner alone, where it is not, and puts its name on disk.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let made: Vec<&Path> = folder.ancestors().take_while(missing).collect();
    builder
        .create(folder)
        .map_err(|error| io_error("making the folder", folder, &error))?;
    // The folder itself is on disk once its parent is synced. It may be there and not on disk when an earlier archive
    // was cut off.
    for folder in made.into_iter().chain([folder]) {
        let parent = folder.parent().unwrap_or(folder);
        sync_folder(match parent.as_os_str().is_empty() {
            true => Path::new("."),
            false => parent,
        })?;
    }
    Ok(())
}

/// Puts the names in a folder on disk.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    // A folder can be opened as a file where that is how its names are synced.
    if cfg!(not(unix)) {
        return Ok(());
    }
    File::open(folder)
        .and_then(|file| file.sync_all())
        .map_err(|error| io_error("syncing the folder", folder, &error))
}
