//! The arguments of a review, shared by both command lines.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Command};
use counterfoil_authority::types::UnixMillis;

use crate::InputError;
use crate::time;

/// Document, anchors and policy of a review.
#[derive(Debug, Clone, Args)]
pub struct VerifyArgs {
    /// The proposal's JSON file; `-` reads standard input
    #[arg(value_name = "PROPOSAL")]
    pub document: PathBuf,
    /// Trust anchors: the file that `counterfoil anchors -o` writes
    #[arg(long, value_name = "FILE")]
    pub anchors: PathBuf,
    /// The rules, as TOML [default: the preset "standard"]
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Memory of approved proposals, each of which is approved once; it is made when it is not there
    #[arg(long, value_name = "FILE")]
    pub nonces: Option<PathBuf>,
    /// The time of the review: a date, an RFC 3339 time, or milliseconds since 1970 [default: now]
    #[arg(long, value_name = "T", value_parser = time::parse)]
    pub now: Option<UnixMillis>,
}

impl VerifyArgs {
    /// Describes the arguments of the review of a proof of belief in the help of `command`.
    pub fn of_belief(command: Command) -> Command {
        let document = "The proof of belief (`counterfoil/belief/v1`); `-` reads standard input";
        let policy = "The rules, as TOML, in the table `belief` [default: the preset \"standard\"]";
        command
            .mut_arg("document", |arg| arg.value_name("BELIEF").help(document))
            .mut_arg("policy", |arg| arg.help(policy))
            .mut_arg("nonces", |arg| arg.hide(true))
    }

    /// The time of the review: the one that is asked for, or the clock's.
    pub(crate) fn time(&self) -> Result<UnixMillis, InputError> {
        if let Some(now) = self.now {
            return Ok(now);
        }
        let elapsed = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_err(|_| InputError::Clock)?;
        let millis = u64::try_from(elapsed.as_millis()).map_err(|_| InputError::Clock)?;
        UnixMillis::new(millis).map_err(|_| InputError::Clock)
    }
}

/// Format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Short and aligned, for people.
    Human,
    /// One JSON document, for programs (a report: `docs/format/report.md`).
    Json,
}
