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

/// Reason for which a file stays in `inbox`, or goes to `done` without an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeaveReason {
    /// Its name is not that of a request.
    #[error("its name is not request-UUID.json in lower case")]
    Name,
    /// It is a link, a folder, a pipe or a device.
    #[error("it is not a regular file")]
    NotAFile,
    /// It has more than 1 MiB.
    #[error("it has more than 1 MiB")]
    TooLarge,
    /// A request of this name is in `done`.
    #[error("a request of this id was answered before")]
    Answered,
    /// Other files have every name of its answer; the request is in `done`.
    #[error("each name for its answer is taken by another file; move those away and ask again")]
    Taken,
    /// It does not exist any more, or may not be read.
    #[error("it cannot be read")]
    Unreadable,
}
