//! The command line: names, options and their meaning are a contract.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use counterfoil_types::{Confidence, UnixMillis};
use counterfoil_verify::{VerifyArgs, time};

/// A memory for AI agents that comes with receipts.
#[derive(Debug, Parser)]
#[command(name = "counterfoil", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Where the store is [default: $COUNTERFOIL_DIR, then the platform's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Answer with one JSON document
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done or approved, 1 refused or failed verification, \
    2 unproven or indeterminate, 3 usage or input error, 4 store error, 130 ended by Ctrl-C.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a store: database, log key, agent key
    Init(InitArgs),
    /// Seal one memory
    Remember(RememberArgs),
    /// Remember a conversation or a record, each turn with its own time
    Import(ImportArgs),
    /// Find memories, with proof
    Recall(RecallArgs),
    /// Show one memory: the World, its capsule, its receipt
    Show(ShowArgs),
    /// Make a proposal that carries the trace of what was recalled for it
    Propose(ProposeArgs),
    /// Say what an authority must trust to check this store's proofs
    Anchors(AnchorsArgs),
    /// Check a proposal's memories and decide, without the store
    Verify(VerifyArgs),
    /// The log as others read it
    #[command(subcommand)]
    Log(LogCommand),
    /// Check everything that is stored against its signatures and the log
    Audit(AuditArgs),
    /// Check that the store is fit for use
    Doctor,
    /// Count memories and bytes
    Stats,
    /// Throw derived state away and make it again from the capsules
    Rebuild,
    /// The main job on a bundled record, and three forgeries being caught
    Demo,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The log's name, its origin for others: no spaces, no plus [default: a random one]
    #[arg(long)]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RememberArgs {
    /// What to remember; `-` reads it from standard input
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
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file to import
    pub(crate) file: PathBuf,
    /// What kind of file it is [default: told from its content]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
}

/// What can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A LoCoMo JSON document: one conversation, or several in an array
    Locomo,
    /// One JSON object a line: conversation, session, id, speaker, time, text, caption
    Jsonl,
    /// A transcript: `[2025-03-01 10:15] Name: text`
    Chat,
}

impl Format {
    /// As it is written in what is remembered.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Locomo => "locomo",
            Self::Jsonl => "jsonl",
            Self::Chat => "chat",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RecallArgs {
    /// What to look for
    #[arg(allow_hyphen_values = true)]
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

/// What selected memories must satisfy, and how they are proven.
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
    /// How memories are proven
    #[arg(long, value_name = "M", value_enum, default_value_t = Method::Merkle)]
    pub(crate) method: Method,
    /// Let receipts prove that the log continues the one of this size, 0 for none
    /// [default: the floor in the anchors that were given out]
    #[arg(long, value_name = "SIZE")]
    pub(crate) floor: Option<u64>,
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
pub(crate) struct ShowArgs {
    /// The memory's id, as `recall` and `remember` print it
    pub(crate) world_id: String,
}

#[derive(Debug, Args)]
pub(crate) struct ProposeArgs {
    /// What is proposed, in a sentence
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) summary: String,
    /// A JSON file: the intent's body (type, input, scopeProposal) or a whole intent
    #[arg(long, value_name = "FILE")]
    pub(crate) intent: Option<PathBuf>,
    /// What to recall for it; several are merged
    #[arg(long, value_name = "QUERY", required = true, num_args = 1..)]
    pub(crate) recall: Vec<String>,
    /// Where to write the proposal [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AnchorsArgs {
    /// Where to write them [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Give out a new floor, the log as it is now, in place of the one given out before
    #[arg(long, conflicts_with = "no_floor")]
    pub(crate) renew_floor: bool,
    /// Ask for no floor: a log that was cut back and grown again would not be noticed
    #[arg(long)]
    pub(crate) no_floor: bool,
}

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

fn confidence(text: &str) -> Result<Confidence, String> {
    let refused = || format!("{text:?} is no confidence; write a number from 0 to 1");
    Confidence::new(text.parse().map_err(|_| refused())?).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn global_options_stand_before_or_after_the_command() {
        for line in [
            ["counterfoil", "--json", "--dir", "d", "stats"],
            ["counterfoil", "stats", "--dir", "d", "--json"],
        ] {
            let cli = Cli::try_parse_from(line).unwrap();
            assert!(cli.json && cli.dir == Some("d".into()), "{line:?}");
        }
    }

    /// The help showed the package's description in place of the sentence that says what it is.
    #[test]
    fn the_help_says_what_it_is() {
        let help = Cli::command().render_help().to_string();
        assert!(help.starts_with("A memory for AI agents that comes with receipts"));
    }

    /// A text that begins with a dash was taken for an option that there is not.
    #[test]
    fn texts_may_begin_with_a_dash() {
        let line = ["counterfoil", "remember", "- buy milk", "--json"];
        let cli = Cli::try_parse_from(line).unwrap();
        let Command::Remember(args) = cli.command else {
            panic!("{line:?}")
        };
        assert_eq!((args.text.as_deref(), cli.json), (Some("- buy milk"), true));
        let line = ["counterfoil", "recall", "--max", "3", "-5 degrees"];
        let Command::Recall(args) = Cli::try_parse_from(line).unwrap().command else {
            panic!("{line:?}")
        };
        assert_eq!((args.query.as_str(), args.select.max), ("-5 degrees", 3));
        let line = ["counterfoil", "remember", "--file", "f.json"];
        let Command::Remember(args) = Cli::try_parse_from(line).unwrap().command else {
            panic!("{line:?}")
        };
        assert_eq!((args.text, args.file), (None, Some("f.json".into())));
    }

    #[test]
    fn several_recalls_may_be_given_either_way() {
        for line in [
            vec![
                "counterfoil",
                "propose",
                "--summary",
                "s",
                "--recall",
                "a",
                "b",
                "-o",
                "f",
            ],
            vec![
                "counterfoil",
                "propose",
                "--summary",
                "s",
                "--recall",
                "a",
                "--recall",
                "b",
            ],
        ] {
            let Command::Propose(args) = Cli::try_parse_from(&line).unwrap().command else {
                panic!("{line:?}")
            };
            assert_eq!(args.recall, ["a", "b"], "{line:?}");
        }
    }
}
