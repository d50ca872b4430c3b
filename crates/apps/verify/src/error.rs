//! Input that can't be used: one line that says what to do (exit code 3).

use std::io;
use std::path::PathBuf;

use counterfoil_authority::types::ReadError;
use counterfoil_authority::verifier::AnchorError;

use crate::belief::BeliefDocumentError;

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
    /// The proposal is not one.
    #[error("proposal {}: {cause}", path.display())]
    Proposal {
        /// Its path.
        path: PathBuf,
        /// Its fault.
        cause: ReadError,
    },
    /// The proof of belief is not one.
    #[error("proof of belief {}: {cause}", path.display())]
    Belief {
        /// Its path.
        path: PathBuf,
        /// Its fault.
        cause: BeliefDocumentError,
    },
    /// The anchors are not usable.
    #[error("anchors {}: {cause}", path.display())]
    Anchors {
        /// Its path.
        path: PathBuf,
        /// Their fault.
        cause: AnchorError,
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
