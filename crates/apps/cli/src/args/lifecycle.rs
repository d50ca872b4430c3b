//! The command line of forgetting, erasing, archiving and collecting.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use counterfoil_types::{DidKey, UnixMillis};
use counterfoil_verify::time;

use crate::when;

#[derive(Debug, Args)]
pub(crate) struct EraseArgs {
    /// The memory's id
    pub(crate) world_id: String,
    /// Reason; it is kept for ever, so do not repeat the erased content
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub(crate) reason: String,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Erase every version of it
    #[arg(long)]
    pub(crate) all_versions: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// The memory's id; any version of it selects the whole memory
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    pub(crate) world_id: Option<String>,
    /// Why; it is kept for ever
    #[arg(
        long,
        value_name = "R",
        required_unless_present = "list",
        allow_hyphen_values = true
    )]
    pub(crate) reason: Option<String>,
    /// For whom
    #[arg(long, value_enum, default_value_t = ForgetFor::Actor)]
    pub(crate) scope: ForgetFor,
    /// The authority's decision, as `counterfoil decide forget` writes it
    #[arg(long, value_name = "FILE", required_if_eq("scope", "global"))]
    pub(crate) decision: Option<PathBuf>,
    /// List the forgotten memories, with the agent and the reason
    #[arg(long)]
    pub(crate) list: bool,
}

/// For whom something is forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForgetFor {
    /// For this store's agent
    Actor,
    /// For all; an authority has to have decided so
    Global,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DecideCommand {
    /// Decide that a memory is forgotten for all
    Forget(DecideForgetArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DecideForgetArgs {
    /// The memory's id
    pub(crate) world_id: String,
    /// The agent who may act on it
    #[arg(long, value_name = "DID")]
    pub(crate) actor: DidKey,
    /// Why; it is kept for ever
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub(crate) reason: String,
    /// The key file of the authority that decides
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// Output file of the decision [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("age").required(true))]
pub(crate) struct ArchiveArgs {
    /// Memories recorded longer ago than this: 12h, 30d, 8w, 2y
    #[arg(long, value_name = "DURATION", value_parser = when::duration_ms, group = "age")]
    pub(crate) older_than: Option<u64>,
    /// Memories recorded before this time: a date, an RFC 3339 time, or milliseconds since 1970
    #[arg(long, value_name = "T", value_parser = time::parse, group = "age")]
    pub(crate) before: Option<UnixMillis>,
    /// The folder of the segments [default: archive, in the store's folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) to: Option<PathBuf>,
    /// Say what would be archived
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true))]
pub(crate) struct RestoreArgs {
    /// The segments, by their names
    #[arg(value_name = "SEGMENT", group = "what")]
    pub(crate) segments: Vec<String>,
    /// Restore everything that is archived
    #[arg(long, group = "what")]
    pub(crate) all: bool,
    /// List the segments that the log has receipts of
    #[arg(long, group = "what")]
    pub(crate) list: bool,
    /// The folder of the segments [default: archive, in the store's folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) from: Option<PathBuf>,
    /// Then remove their files: they still hold the content of memories erased since
    #[arg(long)]
    pub(crate) discard: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    /// Only data that came longer ago than this: 12h, 30d, 8w, 2y. Refused data always stays for
    /// 7 days of grace, and data that waits for something to come for 30 days before them
    #[arg(long, value_name = "DURATION", value_parser = when::duration_ms)]
    pub(crate) older_than: Option<u64>,
    /// Say what would be collected
    #[arg(long)]
    pub(crate) dry_run: bool,
}
