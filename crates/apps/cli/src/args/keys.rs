//! The arguments of `key`, and where the keys that take over are (capsules 4.7).

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Location of the keys that take over.
#[derive(Debug, Clone, Args)]
pub(crate) struct RecoveryArgs {
    /// The folder with the next key and the recovery key [default: recovery, in the store's folder]
    #[arg(long, value_name = "DIR", id = "recovery_dir")]
    pub(crate) recovery_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Show the agent, its keys, what it has committed to, and where the files are
    Show(RecoveryArgs),
    /// Commit an older store's agent to a next key and a recovery key
    Begin(RecoveryArgs),
    /// Let the next key take over
    Rotate(RecoveryArgs),
    /// Say from which entry of the log on a key was in other hands
    Compromise(CompromiseArgs),
    /// Write the public history of the agent's keys, one capsule a line
    Export(KeyExportArgs),
    /// Seal the key files under a passphrase
    Encrypt(RecoveryArgs),
    /// Take the passphrase from the key files
    Decrypt(RecoveryArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CompromiseArgs {
    /// The number of the first log entry that is not believed: its `log index` in `counterfoil show`
    #[arg(long, value_name = "SEQ")]
    pub(crate) from: u64,
    /// Reason, for others
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub(crate) reason: String,
    /// The number of the key [default: the one that signed that entry]
    #[arg(long, value_name = "N")]
    pub(crate) key: Option<u64>,
    #[command(flatten)]
    pub(crate) recovery: RecoveryArgs,
}

#[derive(Debug, Args)]
pub(crate) struct KeyExportArgs {
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
