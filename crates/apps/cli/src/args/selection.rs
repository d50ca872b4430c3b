//! Arguments of the commands that select memories, propose with them, and say what to trust.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use counterfoil::{FloorChoice, RecallOptions};
use counterfoil_types::{Confidence, UnixMillis};
use counterfoil_verify::time;

#[derive(Debug, Args)]
pub(crate) struct RecallArgs {
    /// Text to look for
    #[arg(allow_hyphen_values = true)]
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

/// Conditions on the selected memories, and the method of their proofs.
#[derive(Debug, Clone, Args)]
pub(crate) struct SelectArgs {
    /// At most so many memories
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) max: usize,
    /// Only memories of at least this confidence, 0 to 1
    #[arg(long, value_name = "C", value_parser = confidence)]
    pub(crate) min_confidence: Option<Confidence>,
    /// Only memories whose proof was checked
    #[arg(long)]
    pub(crate) require_verified: bool,
    /// Only memories with evidence
    #[arg(long)]
    pub(crate) require_evidence: bool,
    /// Only memories from after this time: a date, an RFC 3339 time, or milliseconds since 1970
    #[arg(long, value_name = "T", value_parser = time::parse)]
    pub(crate) after: Option<UnixMillis>,
    /// Only memories from before this time
    #[arg(long, value_name = "T", value_parser = time::parse)]
    pub(crate) before: Option<UnixMillis>,
    /// List each version of a memory that brought a word, and not each memory once
    #[arg(long)]
    pub(crate) all_versions: bool,
    /// Method of the proofs
    #[arg(long, value_name = "M", value_enum, default_value_t = Method::Merkle)]
    pub(crate) method: Method,
    /// Let receipts prove that the log continues the one of this size, 0 for none
    /// [default: the floor in the anchors that were given out]
    #[arg(long, value_name = "SIZE")]
    pub(crate) floor: Option<u64>,
}

impl From<&SelectArgs> for RecallOptions {
    fn from(args: &SelectArgs) -> Self {
        Self {
            max: args.max,
            min_confidence: args.min_confidence,
            require_verified: args.require_verified,
            require_evidence: args.require_evidence,
            after: args.after,
            before: args.before,
            all_versions: args.all_versions,
            method: match args.method {
                Method::Merkle => counterfoil::Method::Merkle,
                Method::Signature => counterfoil::Method::Signature,
                Method::Hash => counterfoil::Method::Hash,
                Method::Existence => counterfoil::Method::Existence,
                Method::None => counterfoil::Method::None,
            },
            floor: args.floor,
        }
    }
}

/// The verification methods of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// In the log, under a signed checkpoint
    Merkle,
    /// Signed by the agent
    Signature,
    /// Unchanged since it was sealed
    Hash,
    /// In the store
    Existence,
    /// Nothing
    None,
}

#[derive(Debug, Args)]
pub(crate) struct ProposeArgs {
    /// Proposed action, in a sentence
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) summary: String,
    /// A JSON file: the intent's body (type, input, scopeProposal) or a whole intent
    #[arg(long, value_name = "FILE")]
    pub(crate) intent: Option<PathBuf>,
    /// Query whose memories the proposal carries; several are merged
    #[arg(long, value_name = "QUERY", required = true, num_args = 1..)]
    pub(crate) recall: Vec<String>,
    /// Output file of the proposal [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AnchorsArgs {
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Give out a new floor, the log as it is now, in place of the one given out before
    #[arg(long, conflicts_with = "no_floor")]
    pub(crate) renew_floor: bool,
    /// Ask for no floor: a log that was cut back and grown again would not be noticed
    #[arg(long)]
    pub(crate) no_floor: bool,
}

impl AnchorsArgs {
    /// The floor that was asked for.
    pub(crate) const fn floor(&self) -> FloorChoice {
        match (self.no_floor, self.renew_floor) {
            (true, _) => FloorChoice::None,
            (false, true) => FloorChoice::Renewed,
            (false, false) => FloorChoice::Kept,
        }
    }
}

/// Reads a confidence.
pub(super) fn confidence(text: &str) -> Result<Confidence, String> {
    let refused = || format!("{text:?} is no confidence; write a number from 0 to 1");
    Confidence::new(text.parse().map_err(|_| refused())?).map_err(|_| refused())
}
