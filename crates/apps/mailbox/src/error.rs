//! Errors of folders.

use std::io;
use std::path::PathBuf;

/// Failure to use a folder. A file with unusable content is not an error: [`Round`](crate::Round) lists it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MailboxError {
    /// The folder does not exist or cannot be opened.
    #[error("{} cannot be used ({source}); name a folder that both agents can write to", path.display())]
    Folder {
        /// Path of the folder or file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The folder cannot be read.
    #[error("{} cannot be read ({source}); check your rights", path.display())]
    Read {
        /// Path of the folder or file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A file cannot be written or moved; no part of it remains.
    #[error("{} cannot be written ({source}); free the disk or check your rights", path.display())]
    Write {
        /// Path of the folder or file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Another file has the name of the request.
    #[error("{} is taken by another file; move that away", path.display())]
    Taken {
        /// Path of the folder or file.
        path: PathBuf,
    },
    /// The system is not Unix.
    #[error("folders between agents need a Unix system; ask over HTTP")]
    Unsupported,
    /// A task of this crate panicked, which is a bug.
    #[error("a bug: reading a folder ended badly; please report it")]
    Bug,
}
