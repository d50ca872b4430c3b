//! Arguments of the commands that remember, import and show.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use counterfoil_verifier::note::VerifierKey;

#[derive(Debug, Args)]
pub(crate) struct RememberArgs {
    /// Text to remember; `-` reads it from standard input
    #[arg(
        required_unless_present = "file",
        conflicts_with = "file",
        value_name = "TEXT",
        allow_hyphen_values = true
    )]
    pub(crate) text: Option<String>,
    /// A JSON file whose content is remembered
    #[arg(long, value_name = "F.json")]
    pub(crate) file: Option<PathBuf>,
    /// Share with other agents, where the share policy lets this label out; can be repeated
    #[arg(long = "share", value_name = "LABEL", conflicts_with = "file")]
    pub(crate) share: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file to import
    pub(crate) file: PathBuf,
    /// Format of the file [default: detected from its content]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Capsules: where they come from, as events name it [default: the name of the file]
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// Capsules: a signed checkpoint of the exported log, to see that its end is not missing
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Capsules: the verifier key of the exported log [default: this store's]
    #[arg(long, value_name = "KEY", requires = "checkpoint")]
    pub(crate) log_key: Option<VerifierKey>,
}

/// Format of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A LoCoMo JSON document: one conversation, or several in an array
    Locomo,
    /// One JSON object a line: conversation, session, id, speaker, time, text, caption
    Jsonl,
    /// A transcript: `[2025-03-01 10:15] Name: text`
    Chat,
    /// Signed capsules, as `counterfoil export` writes them
    Capsules,
}

impl From<Format> for counterfoil::ImportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Locomo => Self::Locomo,
            Format::Jsonl => Self::Jsonl,
            Format::Chat => Self::Chat,
            Format::Capsules => Self::Capsules,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The memory's id, as `recall` and `remember` print it
    #[arg(required_unless_present = "entry", conflicts_with = "entry")]
    pub(crate) world_id: Option<String>,
    /// An entry of the log by its index: a memory, or a record about keys, chains and memories
    #[arg(long, value_name = "N")]
    pub(crate) entry: Option<u64>,
}
