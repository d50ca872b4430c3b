//! The command line: names, options and their meaning are a contract.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell;
use counterfoil::Scope;

use crate::commands::answer::AnswerArgs;
use crate::commands::ask::{AskArgs, ExchangeCommand, HearArgs};
use crate::commands::beliefs::BeliefCommand;
use crate::commands::care::CareCommand;
use crate::commands::key::KeyCommand;
use crate::commands::key_for::KeyForArgs;
use crate::commands::mcp::AgentCommand;
use crate::commands::memory::MemoryCommand;
use crate::commands::peer::{PeerCommand, TrustCommand};
use crate::commands::proof::ProofCommand;
use crate::commands::serve::ServeArgs;
use crate::commands::share::ShareCommand;
use crate::commands::vouch::VouchCommand;

/// A memory for AI agents that comes with receipts.
#[derive(Debug, Parser)]
#[command(name = "counterfoil", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Directory of the store [default: $COUNTERFOIL_DIR, then the platform's data folder]
    #[arg(long, global = true, value_name = "DIR", display_order = 900)]
    pub(crate) dir: Option<PathBuf>,
    /// A file whose first line opens sealed keys [default: $COUNTERFOIL_PASSPHRASE, then you are asked]
    #[arg(long, global = true, value_name = "FILE", display_order = 901)]
    pub(crate) passphrase_file: Option<PathBuf>,
    /// Record although the clock is far ahead of the last entry
    #[arg(long, global = true, display_order = 902)]
    pub(crate) accept_clock: bool,
    /// Show, marked, what does not match its hash, its signature or its place in the log
    #[arg(long = "unsafe", global = true, display_order = 903)]
    pub(crate) show_withheld: bool,
    /// Keep the last checkpoint in PLACE too, a file, `cmd:PROGRAM` or `witness:URL`; a store that is behind it is not read or
    /// written
    #[arg(
        long = "head",
        global = true,
        value_name = "PLACE",
        display_order = 904
    )]
    pub(crate) heads: Vec<String>,
    /// State that a node of a shared ground reads: `latest`, which asks the ground first, `any`, which does not, or a number of entries
    /// that it has at least
    #[arg(
        long,
        global = true,
        value_name = "STATE",
        default_value = "latest",
        hide_default_value = true,
        display_order = 908
    )]
    pub(crate) read: String,
    /// Scope of the memories, as in `user=kit,session=42`: what is remembered is in it, and nothing outside of it is reached
    #[arg(long, global = true, value_name = "SCOPE", display_order = 899)]
    pub(crate) scope: Option<Scope>,
    /// Folder of the sentence encoder for the search by meaning [default: `encoder` in recall.toml]
    #[arg(long, global = true, value_name = "FOLDER", display_order = 905)]
    pub(crate) encoder: Option<PathBuf>,
    /// Folder of the reranker for the best memories of a recall [default: `reranker` in recall.toml]
    #[arg(long, global = true, value_name = "FOLDER", display_order = 906)]
    pub(crate) reranker: Option<PathBuf>,
    /// Answer with one JSON document
    #[arg(long, global = true, display_order = 907)]
    pub(crate) json: bool,
    /// Command to run
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done or approved, 1 refused or failed verification, \
    2 unproven, indeterminate or withheld, 3 usage or input error, 4 store error, 130 ended by Ctrl-C.";

/// The commands, each in one group.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Memory(MemoryCommand),
    #[command(flatten)]
    Beliefs(BeliefCommand),
    #[command(flatten)]
    Proof(ProofCommand),
    #[command(flatten)]
    Peers(PeerGroup),
    #[command(flatten)]
    Keys(KeyGroup),
    #[command(flatten)]
    Agents(AgentCommand),
    #[command(flatten)]
    Care(CareCommand),
    #[command(flatten)]
    Program(ProgramCommand),
}

/// Heading of a group in the help, and the function that adds its commands.
pub(crate) type Group = (&'static str, fn(clap::Command) -> clap::Command);

/// The groups in the order of the help.
pub(crate) const GROUPS: [Group; 8] = [
    ("Memory", MemoryCommand::augment_subcommands),
    ("Beliefs", BeliefCommand::augment_subcommands),
    ("Proof", ProofCommand::augment_subcommands),
    ("Other agents", PeerGroup::augment_subcommands),
    ("Keys", KeyGroup::augment_subcommands),
    ("Agents", AgentCommand::augment_subcommands),
    ("Care", CareCommand::augment_subcommands),
    ("Program", ProgramCommand::augment_subcommands),
];

/// Commands about other agents.
#[derive(Debug, Subcommand)]
pub(crate) enum PeerGroup {
    /// Other agents: who they are, and how far they are trusted
    #[command(subcommand)]
    Peer(PeerCommand),
    /// Vouch for other agents, and take in vouches
    #[command(subcommand)]
    Vouch(VouchCommand),
    /// Say why an agent is trusted as far as it is
    #[command(subcommand)]
    Trust(TrustCommand),
    /// List and change the memories that other agents may have
    #[command(subcommand)]
    Share(ShareCommand),
    /// Ask another agent for memories; each is checked before it is kept
    Ask(AskArgs),
    /// List, show or end questions to other agents
    #[command(subcommand)]
    Exchange(ExchangeCommand),
    /// Answer other agents over HTTP
    Serve(ServeArgs),
    /// Answer other agents in a folder
    Answer(AnswerArgs),
    /// Read a message of a conversation: answer a question, check an answer
    Hear(HearArgs),
}

/// Commands about keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyGroup {
    /// The agent's keys
    #[command(subcommand)]
    Key(KeyCommand),
    /// Make, list and revoke keys of applications for the HTTP API (`serve --api`)
    KeyFor(KeyForArgs),
}

/// Commands about the program.
#[derive(Debug, Subcommand)]
pub(crate) enum ProgramCommand {
    /// The main job on a bundled record, a memory that changes, a fact that is contradicted, an agent that is asked, and
    /// forgeries being caught
    Demo,
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of the program, or of a command
    Man {
        /// The command
        command: Vec<String>,
    },
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
        let Command::Memory(MemoryCommand::Remember(args)) = cli.command else {
            panic!("{line:?}")
        };
        assert_eq!((args.text.as_deref(), cli.json), (Some("- buy milk"), true));
        let line = ["counterfoil", "recall", "--max", "3", "-5 degrees"];
        let Command::Memory(MemoryCommand::Recall(args)) =
            Cli::try_parse_from(line).unwrap().command
        else {
            panic!("{line:?}")
        };
        assert_eq!(
            (args.query.as_str(), args.select.max),
            ("-5 degrees", Some(3))
        );
        let line = ["counterfoil", "remember", "--file", "f.json"];
        let Command::Memory(MemoryCommand::Remember(args)) =
            Cli::try_parse_from(line).unwrap().command
        else {
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
            let Command::Proof(ProofCommand::Propose(args)) =
                Cli::try_parse_from(&line).unwrap().command
            else {
                panic!("{line:?}")
            };
            assert_eq!(args.recall, ["a", "b"], "{line:?}");
        }
    }
}
