//! Arguments of the commands that ask other agents, and look at what became of it.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use counterfoil_exchange::documents::Domain;

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// Whom: an agent by name or key, a URL, or a folder
    #[arg(value_name = "AGENT|URL|DIR")]
    pub(crate) target: String,
    /// Question
    #[arg(allow_hyphen_values = true)]
    pub(crate) question: String,
    /// Of which domain
    #[arg(long, value_name = "D")]
    pub(crate) domain: Option<Domain>,
    /// At most so many memories, 1 to 100
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) max: u8,
    /// Go on where an answer to the same question ended
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["anonymous", "as_text"])]
    pub(crate) cursor: Option<String>,
    /// In which form
    #[arg(long, value_enum, default_value = "attestation")]
    pub(crate) format: FormatName,
    /// Wait so many seconds, 1 to 600
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub(crate) timeout: u16,
    /// Check, and store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Store the raw memories, too: as texts that somebody said
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) keep_raw: bool,
    /// Only memories with evidence that was checked
    #[arg(long)]
    pub(crate) require_evidence: bool,
    /// Only memories of agents that are vouched for
    #[arg(long)]
    pub(crate) require_vouches: bool,
    /// Only memories of agents of at least this level, 0 to 3
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) min_level: Option<u8>,
    /// Ask anonymously, without a signature
    #[arg(long)]
    pub(crate) anonymous: bool,
    /// Fetch evidence that memories point to, from public addresses
    #[arg(long)]
    pub(crate) fetch_evidence: bool,
    /// Ask plain HTTP elsewhere than on this machine
    #[arg(long)]
    pub(crate) plain_http: bool,
    /// Trust these certificates beside the system's, in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Print the question as text for a conversation, and send nothing
    #[arg(long)]
    pub(crate) as_text: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// Signed attestations
    Attestation,
    /// The memory alone
    Raw,
    /// The beginning of it
    Summary,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExchangeCommand {
    /// List exchanges, the newest first
    List(ExchangeListArgs),
    /// Show one: the question, each state, each memory with its checks
    Show(ExchangeIdArgs),
    /// Give one up
    Cancel(ExchangeIdArgs),
    /// Take an answer that came too late, within 24 hours
    Adopt(ExchangeIdArgs),
    /// Go on with one that was interrupted
    Resume(ExchangeResumeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ExchangeListArgs {
    /// At most so many
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) max: u16,
}

#[derive(Debug, Args)]
pub(crate) struct ExchangeIdArgs {
    /// The id, or its beginning
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct ExchangeResumeArgs {
    /// The id, or its beginning
    pub(crate) id: String,
    /// Ask plain HTTP elsewhere than on this machine
    #[arg(long)]
    pub(crate) plain_http: bool,
    /// Trust these certificates beside the system's, in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
}
