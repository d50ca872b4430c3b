//! Arguments of the commands about other agents: who they are, who vouches for them, how far they are trusted.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use counterfoil_exchange::documents::Domain;
use counterfoil_types::DidKey;

use crate::failure::Failure;

/// Parses the word of an option as the value that it stands for.
pub(crate) fn named<T: FromStr>(option: impl ValueEnum) -> Result<T, Failure> {
    let word = option.to_possible_value();
    let named = word.and_then(|word| word.get_name().parse().ok());
    named.ok_or_else(|| Failure::bug("an option that stands for nothing"))
}

#[derive(Debug, Subcommand)]
pub(crate) enum PeerCommand {
    /// Give an agent a name: its key, where it is asked, its log
    Add(PeerAddArgs),
    /// List the agents that are known, and how far each is trusted
    List(PeerListArgs),
    /// Say that a key signs all that it sends, or show by its key chain that it took another's place
    Pin(PeerPinArgs),
    /// Trust an agent directly: level 3
    Trust(PeerTrustArgs),
    /// Trust an agent no more: level 0; or say what lowers it
    Distrust(PeerDistrustArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PeerAddArgs {
    /// Name of the agent here
    pub(crate) name: String,
    /// Its key; or its URL, whose agent card says it
    #[arg(value_name = "DID|URL")]
    pub(crate) agent: String,
    /// Address of the agent: a URL or a folder; can be repeated
    #[arg(long = "at", value_name = "URL|DIR")]
    pub(crate) at: Vec<String>,
    /// The verifier key of its log
    #[arg(long, value_name = "KEY")]
    pub(crate) log: Option<String>,
    /// Domain of the agent's knowledge; can be repeated
    #[arg(long = "domain", value_name = "D")]
    pub(crate) domains: Vec<Domain>,
    /// Ask plain HTTP elsewhere than on this machine
    #[arg(long)]
    pub(crate) plain_http: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PeerListArgs {
    /// Domain of the trust [default: about anything, where only trust in all domains counts]
    #[arg(long, value_name = "D")]
    pub(crate) domain: Option<Domain>,
}

#[derive(Debug, Args)]
pub(crate) struct PeerPinArgs {
    /// The agent, by name or key
    pub(crate) agent: String,
    /// It need not sign
    #[arg(long)]
    pub(crate) unsigned_ok: bool,
    /// Its key chain, as capsules: the key that it signs with now takes the place of the one that is known
    #[arg(long, value_name = "FILE")]
    pub(crate) succession: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PeerTrustArgs {
    /// The agent, by name or key
    pub(crate) agent: String,
    /// Only in this domain
    #[arg(long, value_name = "D")]
    pub(crate) domain: Option<Domain>,
    /// Until then
    #[arg(long, value_name = "T")]
    pub(crate) until: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PeerDistrustArgs {
    /// The agent, by name or key
    pub(crate) agent: String,
    /// Only in this domain
    #[arg(long, value_name = "D")]
    pub(crate) domain: Option<Domain>,
    /// Reason
    #[arg(long)]
    pub(crate) reason: Option<String>,
    /// Record an observation of the agent, in place of distrust
    #[arg(long, value_enum, conflicts_with = "domain")]
    pub(crate) mark: Option<MarkName>,
    /// Note that another agent says so, in place of doing it oneself
    #[arg(long, value_name = "AGENT", conflicts_with_all = ["mark", "clear"])]
    pub(crate) by: Option<String>,
    /// Take a mark back
    #[arg(long, value_enum, conflicts_with_all = ["mark", "domain"])]
    pub(crate) clear: Option<MarkName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MarkName {
    /// Two answers to one question
    Equivocation,
    /// It blamed somebody falsely
    Framing,
    /// Its key is in other hands
    Compromise,
}

#[derive(Debug, Subcommand)]
pub(crate) enum VouchCommand {
    /// Vouch for an agent: a signed document that it can show to others
    Issue(VouchIssueArgs),
    /// Take in vouches and revocations, of whomever
    Import(VouchImportArgs),
    /// Take a vouch of this agent back
    Revoke(VouchRevokeArgs),
    /// List vouches
    List(VouchListArgs),
}

#[derive(Debug, Args)]
pub(crate) struct VouchIssueArgs {
    /// For whom, by name or key
    pub(crate) agent: String,
    /// In which domain
    #[arg(long, value_name = "D")]
    pub(crate) domain: Domain,
    /// Statement of the agent's knowledge, in words
    #[arg(long)]
    pub(crate) statement: Option<String>,
    /// Level of the agent's knowledge
    #[arg(long, value_enum, default_value = "competent")]
    pub(crate) level: CompetenceName,
    /// Confidence of this agent
    #[arg(long, value_enum, default_value = "medium")]
    pub(crate) confidence: ConfidenceName,
    /// Reason
    #[arg(long)]
    pub(crate) reason: Option<String>,
    /// Until then; at most 365 days count
    #[arg(long, value_name = "T")]
    pub(crate) until: Option<String>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompetenceName {
    /// Learning it
    Learning,
    /// Able
    Competent,
    /// More than that
    Expert,
    /// Whom others ask
    Authority,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConfidenceName {
    /// 1,000,000 ppm
    High,
    /// 600,000 ppm
    Medium,
    /// 300,000 ppm
    Low,
}

#[derive(Debug, Args)]
pub(crate) struct VouchImportArgs {
    /// One document, or one a line; `-` is standard input
    pub(crate) file: PathBuf,
    /// They come from the voucher itself, who was asked what it takes back
    #[arg(long)]
    pub(crate) from_voucher: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VouchRevokeArgs {
    /// The id of the vouch
    pub(crate) id: String,
    /// Reason
    #[arg(long)]
    pub(crate) reason: Option<String>,
    /// Output file of the revocation, for the holders of the vouch [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct VouchListArgs {
    /// Only for this agent, by name or key
    #[arg(long, value_name = "AGENT")]
    pub(crate) of: Option<String>,
    /// Only by this key
    #[arg(long, value_name = "DID")]
    pub(crate) by: Option<DidKey>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// Explain the trust in an agent: the paths and the arithmetic
    Explain(TrustExplainArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TrustExplainArgs {
    /// The agent, by name or key
    pub(crate) agent: String,
    /// About this domain
    #[arg(long, value_name = "D")]
    pub(crate) domain: Option<Domain>,
}
