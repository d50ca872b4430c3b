//! Input that can't be used: one line that says what to do (exit code 3).

use std::io;
use std::path::PathBuf;

use counterfoil_authority::types::ReadError;
use counterfoil_authority::verifier::AnchorError;

/// An input that could not be read; whoever called is to blame.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The file can't be read.
    #[error("{what} {}: {source}; check the path and its permissions", path.display())]
    Read {
        /// What was to be read.
        what: &'static str,
        /// From where.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is larger than anything of its kind.
    #[error("{what} {}: larger than {limit} bytes; this is not the file that is meant", path.display())]
    TooLarge {
        /// What was to be read.
        what: &'static str,
        /// From where.
        path: PathBuf,
        /// How many bytes it may have.
        limit: usize,
    },
    /// The proposal is not one.
    #[error("proposal {}: {source}", path.display())]
    Proposal {
        /// From where.
        path: PathBuf,
        /// What is wrong with it.
        source: ReadError,
    },
    /// The anchors are not usable.
    #[error("anchors {}: {source}", path.display())]
    Anchors {
        /// From where.
        path: PathBuf,
        /// What is wrong with them.
        source: AnchorError,
    },
    /// The policy is not one.
    #[error("policy {}, line {line}: {detail}", path.display())]
    Policy {
        /// From where.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong, in one line.
        detail: String,
    },
    /// The system clock shows a time before 1970 or after the year 287396.
    #[error("the system clock is wrong; set it, or give the time with --now")]
    Clock,
    /// The report can't be written.
    #[error("the report could not be written: {0}")]
    Write(#[from] io::Error),
    /// The report can't be serialised.
    #[error("the report could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}
