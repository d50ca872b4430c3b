//! Why a folder cannot be used.

use std::io;
use std::path::PathBuf;

/// Why a folder cannot be used. What stands in a file is no error: the round says what was left.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MailboxError {
    /// There is no such folder, or it cannot be opened.
    #[error("{} cannot be used ({source}); name a folder that both agents can write to", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A folder cannot be read.
    #[error("{} cannot be read ({source}); check your rights", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file cannot be written or moved. No part of it is left.
    #[error("{} cannot be written ({source}); free the disk or check your rights", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Each name under which a file could stand is taken by another file.
    #[error("{} is taken by another file; move that away", path.display())]
    Taken {
        /// Which.
        path: PathBuf,
    },
    /// This system has no folders of this kind.
    #[error("folders between agents need a Unix system; ask over HTTP")]
    Unsupported,
    /// A task of the program's own ended badly: a bug.
    #[error("a bug: reading a folder ended badly; please report it")]
    Bug,
}
