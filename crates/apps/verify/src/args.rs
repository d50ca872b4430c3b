//! The arguments of `verify`, shared by both command lines.

use std::path::PathBuf;

use clap::Args;
use counterfoil_authority::types::UnixMillis;

use crate::time;

/// Proposal, anchors and policy of a review.
#[derive(Debug, Clone, Args)]
pub struct VerifyArgs {
    /// The proposal's JSON file; `-` reads standard input
    pub proposal: PathBuf,
    /// What is trusted: the file that `counterfoil anchors -o` writes
    #[arg(long, value_name = "FILE")]
    pub anchors: PathBuf,
    /// The rules, as TOML [default: the preset "standard"]
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// The time of the review: a date, an RFC 3339 time, or milliseconds since 1970 [default: now]
    #[arg(long, value_name = "T", value_parser = time::parse)]
    pub now: Option<UnixMillis>,
}

/// Format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Short and aligned, for people.
    Human,
    /// One JSON document, for programs (a report: `docs/format/report.md`).
    Json,
}
