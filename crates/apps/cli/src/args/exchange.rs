//! Arguments of the commands that send capsules, look at contradictions and decide forks.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use counterfoil_capsule::documents::ContradictionKind;
use counterfoil_types::{Blake3Hash, DidKey};

#[derive(Debug, Args)]
pub(crate) struct ExportCapsulesArgs {
    /// Only this chain, named by its id or by a memory in it, with the records that it needs
    #[arg(long, value_name = "WORLD_ID|CHAIN", conflicts_with = "agent")]
    pub(crate) chain: Option<String>,
    /// Only what this agent signed
    #[arg(long, value_name = "DID")]
    pub(crate) agent: Option<DidKey>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Go on as new ones are seen; one JSON document a line with --json
    #[arg(long)]
    pub(crate) follow: bool,
    /// Only of this kind
    #[arg(long, value_name = "K", value_parser = event_kind)]
    pub(crate) kind: Option<ContradictionKind>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ForkCommand {
    /// List the chains that forked
    List,
    /// Show the forks of a chain
    Show(ForkArgs),
    /// Write a proof that anyone can check
    Prove(ForkProveArgs),
    /// Check such a proof; needs no store
    Check(ForkFileArgs),
    /// Compare a signed checkpoint of this log that someone else holds
    CheckCheckpoint(ForkFileArgs),
    /// Decide which branch goes on
    Resolve(ForkResolveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ForkArgs {
    /// The chain, named by its id or by a memory in it
    #[arg(value_name = "CHAIN")]
    pub(crate) chain: String,
}

#[derive(Debug, Args)]
pub(crate) struct ForkProveArgs {
    #[command(flatten)]
    pub(crate) fork: ForkArgs,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ForkFileArgs {
    /// The file to check
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ForkResolveArgs {
    #[command(flatten)]
    pub(crate) fork: ForkArgs,
    /// The first capsule of the branch that goes on, as `fork show` prints it
    #[arg(long, value_name = "HASH")]
    pub(crate) keep: Blake3Hash,
    /// Decide as the owner, for everyone: the file of the recovery key
    #[arg(long, value_name = "FILE", required_unless_present = "operator")]
    pub(crate) recovery_key: Option<PathBuf>,
    /// Decide as the operator, for this store alone
    #[arg(long, conflicts_with = "recovery_key")]
    pub(crate) operator: bool,
    /// Reason, for others
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub(crate) reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct ReconcileArgs {
    /// An export of the whole log that holds what the backup lacks
    #[arg(long, value_name = "EXPORT")]
    pub(crate) from: PathBuf,
}

fn event_kind(text: &str) -> Result<ContradictionKind, String> {
    text.parse().map_err(|_| {
        let names: Vec<&str> = ContradictionKind::ALL
            .iter()
            .map(|kind| kind.name())
            .collect();
        format!(
            "{text:?} is no kind of event; choose one of {}",
            names.join(", ")
        )
    })
}
