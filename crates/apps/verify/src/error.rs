//! Input that can't be used: one line that says what to do (exit code 3).

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// An unusable input. The caller has to act.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The file can't be read.
    #[error("{what} {}: {cause}; check the path and its permissions", path.display())]
    Read {
        /// Kind of the file.
        what: &'static str,
        /// Its path.
        path: PathBuf,
        /// Error of the system.
        cause: io::Error,
    },
    /// The file is larger than anything of its kind.
    #[error("{what} {}: larger than {limit} bytes; this is not the file that is meant", path.display())]
    TooLarge {
        /// Kind of the file.
        what: &'static str,
        /// Its path.
        path: PathBuf,
        /// Largest size in bytes.
        limit: usize,
    },
    /// The content of the file is not what it must be.
    #[error("{what} {}: {cause}", path.display())]
    Content {
        /// Kind of the file.
        what: &'static str,
        /// Its path.
        path: PathBuf,
        /// Its fault.
        cause: Box<dyn Error + Send + Sync>,
    },
    /// The policy is not one.
    #[error("policy {}, line {line}: {detail}", path.display())]
    Policy {
        /// Its path.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// The fault, in one line.
        detail: String,
    },
    /// The system clock shows a time before 1970 or after the year 287396.
    #[error("the system clock is wrong; set it, or give the time with --now")]
    Clock,
    /// The report can't be written.
    #[error("the report could not be written: {0}")]
    Write(io::Error),
    /// The report can't be serialised.
    #[error("the report could not be written as JSON: {0}")]
    Json(serde_json::Error),
}

impl InputError {
    /// Error for the content of a file.
    pub(crate) fn content<E: Error + Send + Sync + 'static>(
        what: &'static str,
        path: &Path,
    ) -> impl FnOnce(E) -> Self {
        move |cause| Self::Content {
            what,
            path: path.to_path_buf(),
            cause: cause.into(),
        }
    }
}

// What is said as part of our own message is no `source` besides: a chain would say it twice.

impl From<io::Error> for InputError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl From<serde_json::Error> for InputError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}
