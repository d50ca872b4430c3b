//! The command line: names, options and their meaning are a contract.

mod asking;
mod channel;
mod checking;
mod claims;
mod exchange;
mod extract;
mod keys;
mod lifecycle;
mod memories;
mod peers;
mod selection;
mod serving;
mod versions;

pub(crate) use asking::{
    AskArgs, ExchangeCommand, ExchangeIdArgs, ExchangeListArgs, ExchangeResumeArgs, FormatName,
};
pub(crate) use channel::ChannelName;
pub(crate) use checking::{
    AuditArgs, ConsistencyArgs, ExportArgs, LogCommand, SignatureCheck, ValidateArgs,
};
pub(crate) use claims::{
    AdjudicateArgs, BelieveArgs, CardinalityName, ClaimAddArgs, ClaimCommand, ClaimDidArgs,
    ClaimEndArgs, ClaimLedgerArgs, ClaimRefArgs, ClaimShowArgs, ClaimSupersedeArgs, ContestedArgs,
    ProveArgs, SaidArgs, TimelineArgs, WhenArgs, WhyArgs,
};
pub(crate) use exchange::{
    EventsArgs, ExportCapsulesArgs, ForkCommand, ForkResolveArgs, ReconcileArgs,
};
pub(crate) use extract::{ClaimImportArgs, ExtractArgs, ReaderName};
pub(crate) use keys::{CompromiseArgs, KeyCommand, RecoveryArgs};
pub(crate) use lifecycle::{
    ArchiveArgs, DecideCommand, DecideForgetArgs, EraseArgs, ForgetArgs, ForgetFor, GcArgs,
    RestoreArgs,
};
pub(crate) use memories::{ImportArgs, RememberArgs, ShowArgs};
pub(crate) use peers::{
    CompetenceName, ConfidenceName, MarkName, PeerAddArgs, PeerCommand, PeerDistrustArgs,
    PeerListArgs, PeerPinArgs, PeerTrustArgs, TrustCommand, TrustExplainArgs, VouchCommand,
    VouchImportArgs, VouchIssueArgs, VouchListArgs, VouchRevokeArgs,
};
pub(crate) use selection::{AnchorsArgs, ProposeArgs, RecallArgs, SelectArgs};
pub(crate) use serving::{AnswerArgs, HearArgs, ServeArgs};
pub(crate) use versions::{AsOfArgs, DiffArgs, HistoryArgs, RollbackArgs, UpdateArgs};

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use counterfoil_verify::VerifyArgs;
use counterfoil_verify::belief::BeliefArgs;

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
    /// Answer with one JSON document
    #[arg(long, global = true, display_order = 902)]
    pub(crate) json: bool,
    /// Command to run
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done or approved, 1 refused or failed verification, \
    2 unproven or indeterminate, 3 usage or input error, 4 store error, 130 ended by Ctrl-C.";

/// The commands in their groups: each stands in one.
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
    Care(CareCommand),
    #[command(flatten)]
    Program(ProgramCommand),
}

/// Heading of each group in the help, and the function that adds its commands.
pub(crate) const GROUPS: [(&str, fn(clap::Command) -> clap::Command); 7] = [
    ("Memory", MemoryCommand::augment_subcommands),
    ("Beliefs", BeliefCommand::augment_subcommands),
    ("Proof", ProofCommand::augment_subcommands),
    ("Other agents", PeerGroup::augment_subcommands),
    ("Keys", KeyGroup::augment_subcommands),
    ("Care", CareCommand::augment_subcommands),
    ("Program", ProgramCommand::augment_subcommands),
];

/// Commands about memories and their versions.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Make a store: database, log key, the agent's keys
    Init(InitArgs),
    /// Seal one memory
    Remember(RememberArgs),
    /// Remember a conversation or a record, each turn with its own time
    Import(ImportArgs),
    /// Find memories, with proof
    Recall(RecallArgs),
    /// Show one memory or one entry of the log: content, capsule, receipt
    Show(ShowArgs),
    /// Change a memory: a new version of it, under an id of its own
    Update(UpdateArgs),
    /// List the versions of a memory, and what changed in each; or every claim of a line
    History(HistoryArgs),
    /// Compare two memories or versions
    Diff(DiffArgs),
    /// Bring the state of an earlier version back, as a new version
    Rollback(RollbackArgs),
    /// The memory as it stood at a time: what had been recorded by then, and not what happened
    AsOf(AsOfArgs),
    /// Take the content of a memory away for good; that it was there stays proven
    Erase(EraseArgs),
    /// Leave a memory out of every selection; nothing is taken away
    Forget(ForgetArgs),
}

/// Commands about claims, and the beliefs that follow from them.
#[derive(Debug, Subcommand)]
pub(crate) enum BeliefCommand {
    /// State facts, and say what became of them
    #[command(subcommand)]
    Claim(Box<ClaimCommand>),
    /// Read claims out of memories: proposals, which the gate judges
    Extract(ExtractArgs),
    /// Show the beliefs about any time, as known at any time
    Believe(BelieveArgs),
    /// Explain a belief: what decides it, and every change of it
    Why(WhyArgs),
    /// List the beliefs that sources contradict each other about
    Contested(ContestedArgs),
    /// List the claims that wait for a verdict
    Pending,
    /// Give a verdict on a claim that waits for one or is contested
    Adjudicate(AdjudicateArgs),
    /// Draw when the claims about something hold
    Timeline(TimelineArgs),
}

/// Commands for those who rely on a memory or a belief.
#[derive(Debug, Subcommand)]
pub(crate) enum ProofCommand {
    /// Make a proposal that carries the trace of the recalled memories
    Propose(ProposeArgs),
    /// Say what an authority must trust to check this store's proofs
    Anchors(AnchorsArgs),
    /// Check a proposal's memories and decide, without the store
    Verify(VerifyArgs),
    /// Write a proof of a belief, for others who rely on it
    Prove(ProveArgs),
    /// Check a proof of belief, without the store: its units are verified and folded again
    VerifyBelief(BeliefArgs),
    /// Decide as an authority
    #[command(subcommand)]
    Decide(DecideCommand),
    /// The log as others read it
    #[command(subcommand)]
    Log(LogCommand),
}

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
}

/// Commands that check, move and repair a store.
#[derive(Debug, Subcommand)]
pub(crate) enum CareCommand {
    /// Check that the store is fit for use
    Doctor,
    /// Check everything that is stored against its signatures and the log
    Audit(AuditArgs),
    /// Check every capsule: header, chain, content, and signature or log
    Validate(ValidateArgs),
    /// Count memories and bytes
    Stats,
    /// Contradictions that were seen: forgeries, forks, broken chains
    Events(EventsArgs),
    /// Chains that their agent signed twice
    #[command(subcommand)]
    Fork(ForkCommand),
    /// Write chains as they travel: one capsule a line
    Export(ExportCapsulesArgs),
    /// Move old memories into segment files
    Archive(ArchiveArgs),
    /// Bring archived memories back
    Restore(RestoreArgs),
    /// Remove data that was never accepted and is not needed
    Gc(GcArgs),
    /// Bring a restored backup up to the newest signed log head
    Reconcile(ReconcileArgs),
    /// Throw derived state away and make it again from the capsules
    Rebuild,
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

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The log's name, its origin for others: no spaces, no plus [default: a random one]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Seal the keys under a passphrase
    #[arg(long)]
    pub(crate) passphrase: bool,
    #[command(flatten)]
    pub(crate) recovery: RecoveryArgs,
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
        assert_eq!((args.query.as_str(), args.select.max), ("-5 degrees", 3));
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
