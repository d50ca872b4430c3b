//! The four folders, and the operations on them.

#[cfg(unix)]
mod files;
#[cfg(not(unix))]
#[path = "folders/none.rs"]
mod files;

pub(crate) use files::{Folder, Folders, Stamp};

/// Largest file that is read, in bytes.
pub(crate) const MAX_BYTES: usize = counterfoil_exchange::documents::MAX_DOCUMENT_BYTES;
/// Most entries of a folder that are read.
pub(crate) const MAX_NAMES: usize = 200_000;

// Reasons for which a file stays in `inbox`, or goes to `done` without an answer.
pub(crate) const NAME: &str = "its name is not request-UUID.json in lower case";
pub(crate) const NOT_A_FILE: &str = "it is not a regular file";
pub(crate) const TOO_LARGE: &str = "it has more than 1 MiB";
/// Reason for a request whose name is in `done`.
pub(crate) const ANSWERED: &str = "a request of this id was answered before";
/// Reason for a request that goes to `done`: other files have every name of its answer.
pub(crate) const TAKEN: &str =
    "each name for its answer is taken by another file; move those away and ask again";
/// Reason for a file that does not exist any more, or may not be read.
pub(crate) const UNREADABLE: &str = "it cannot be read";
