//! Arguments of the commands that read claims out of memories and out of files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::channel::ChannelName;

#[derive(Debug, Args)]
pub(crate) struct ExtractArgs {
    /// The memory to read
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub(crate) world_id: Option<String>,
    /// Read every memory that is current, in the order of recording
    #[arg(long)]
    pub(crate) all: bool,
    /// Reader of the text
    #[arg(long, value_enum, value_name = "READER", default_value_t = ReaderName::Rules)]
    pub(crate) with: ReaderName,
    /// Show what would be proposed, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// With --all: only the memories recorded last, so many
    #[arg(long, value_name = "N", requires = "all")]
    pub(crate) max: Option<usize>,
}

/// Reader of claims in a text. A reader only proposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReaderName {
    /// Sentence patterns, on this machine
    Rules,
    /// The model that extract.toml names
    Endpoint,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimImportArgs {
    /// The file to import: one claim a line as JSON, {"subject":"Ada","predicate":"lives_in",
    /// "value":"Porto","from":"2021-03"}, or a mempill database
    pub(crate) file: PathBuf,
    /// Channel of the claims, unless a line says less: a file never raises its own weight
    #[arg(long, value_enum, value_name = "C", default_value_t = ChannelName::User)]
    pub(crate) channel: ChannelName,
    /// A mempill database of several agents: whose claims
    #[arg(long, value_name = "NAME")]
    pub(crate) from_agent: Option<String>,
}
