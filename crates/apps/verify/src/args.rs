//! The arguments of `verify`, shared by both command lines.

use std::path::PathBuf;

use clap::Args;
use counterfoil_authority::types::UnixMillis;

use crate::time;

/// What to check, what to trust, and by which rules.
#[derive(Debug, Clone, Args)]
pub struct VerifyArgs {
    /// The proposal's JSON file; - reads standard input.
    pub proposal: PathBuf,
    /// What is trusted: the file that `counterfoil anchors` writes.
    #[arg(long, value_name = "FILE")]
    pub anchors: PathBuf,
    /// The rules, as TOML; the preset "standard" if left out.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// The time of the review, RFC 3339 or milliseconds since 1970; now if left out.
    #[arg(long, value_name = "T", value_parser = time::parse)]
    pub now: Option<UnixMillis>,
}

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// A short table for people.
    Human,
    /// One JSON document for programs (`docs/format/report.md`).
    Json,
}
