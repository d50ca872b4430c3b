//! The four folders, and what may be done in them.

#[cfg(unix)]
mod files;
#[cfg(not(unix))]
#[path = "place/none.rs"]
mod files;

pub(crate) use files::{Place, Stamp};

/// The most bytes that are read of a file: those of a document.
pub(crate) const MAX_BYTES: usize = counterfoil_exchange::documents::MAX_DOCUMENT_BYTES;
/// The most entries of a folder that are looked at: who fills it further keeps others out.
pub(crate) const MAX_NAMES: usize = 200_000;

/// Which of the four folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Inbox,
    Processing,
    Outbox,
    Done,
}

impl Which {
    const fn name(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Processing => "processing",
            Self::Outbox => "outbox",
            Self::Done => "done",
        }
    }
}

/// Why a file was left where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Left {
    /// Its name is none of ours.
    #[error("its name is not request-UUID.json in lower case")]
    Name,
    /// A link, a folder, a pipe, a device.
    #[error("it is not a regular file")]
    NotAFile,
    /// More than 1 MiB.
    #[error("it has more than 1 MiB")]
    TooLarge,
    /// A request of this name was answered before.
    #[error("a request of this id was answered before")]
    Answered,
    /// Its answer has no place: it was put away without one.
    #[error("each name for its answer is taken by another file; move those away and ask again")]
    Taken,
    /// It is gone, or may not be read.
    #[error("it cannot be read")]
    Unreadable,
}
