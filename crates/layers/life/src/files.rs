//! Files beside a database: their names, and the errors of the file system.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use counterfoil_store::StoreError;

/// Returns a path with `suffix` behind its name.
#[must_use]
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns an error of the file system with its path, and the next step of a person.
#[must_use]
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
