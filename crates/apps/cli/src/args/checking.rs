//! Arguments of `log`, `audit` and `validate`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum LogCommand {
    /// Print the signed checkpoint (C2SP tlog-checkpoint)
    Checkpoint,
    /// Prove that the log at one size begins with the log at another
    Consistency(ConsistencyArgs),
    /// Write the log as static files (C2SP tlog-tiles)
    Export(ExportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ConsistencyArgs {
    /// The smaller size
    #[arg(long, value_name = "SIZE")]
    pub(crate) from: u64,
    /// The larger size [default: the log's]
    #[arg(long, value_name = "SIZE")]
    pub(crate) to: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The folder to write into; it is made when it is not there
    #[arg(value_name = "DIR", id = "export_dir")]
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Also make derived state again and compare it
    #[arg(long)]
    pub(crate) deep: bool,
}

/// Source of trust that replaces the check of agents' signatures.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SignatureCheck {
    /// Every one of them is checked
    Each,
    /// The log's signed checkpoint: trusts the holder of the log's key
    Checkpoint,
}

#[derive(Debug, Args)]
#[command(after_help = "\
With --json each capsule, each chain and at last the summary is one JSON object on a line of its own, \
written as it is found.

Exit codes: 0 when all is valid, 1 when something is invalid, 2 when something cannot be decided: what is \
archived, not known yet, or erased. What was erased lawfully stays open for ever; --erased-ok makes \
that alone exit 0.")]
pub(crate) struct ValidateArgs {
    /// Exit 0 when all that is open was erased by redactions that the log records
    #[arg(long)]
    pub(crate) erased_ok: bool,
    /// Also what lies in archive segments
    #[arg(long)]
    pub(crate) deep: bool,
    /// Source of trust for the signatures of agents
    #[arg(long, value_name = "WHICH", default_value = "checkpoint")]
    pub(crate) signatures: SignatureCheck,
    /// Tell all findings of a capsule, not the first alone
    #[arg(long)]
    pub(crate) all: bool,
    /// The folder of the segments [default: archive in the store's folder]
    #[arg(long, value_name = "DIR", requires = "deep")]
    pub(crate) archive: Option<PathBuf>,
}
