//! Arguments of the commands about claims and beliefs.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use counterfoil::BeliefQuery;
use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::time::{Boundary, Micros};
use counterfoil_types::{Confidence, DidKey};

use super::channel::ChannelName;
use super::extract::ClaimImportArgs;
use crate::dates;
use crate::input::confidence;

#[derive(Debug, Subcommand)]
pub(crate) enum ClaimCommand {
    /// State a fact; the gate says what becomes of it
    Add(ClaimAddArgs),
    /// Say that a claim no longer holds
    End(ClaimEndArgs),
    /// Undo what ended or denied a claim
    Reopen(ClaimRefArgs),
    /// Let a claim out of quarantine
    Release(ClaimRefArgs),
    /// Say that another claim has taken the place of one
    Supersede(ClaimSupersedeArgs),
    /// Show one claim or assertion: what it does, and why the gate let it in
    Show(ClaimShowArgs),
    /// List the decisions and the disclosures, the newest last
    Ledger(ClaimLedgerArgs),
    /// Say whether something was committed under a key
    Did(ClaimDidArgs),
    /// Import claims: JSON Lines, or a mempill database
    Import(ClaimImportArgs),
}

/// Number of values that a line may hold at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CardinalityName {
    /// One: a birthplace
    One,
    /// A set: languages
    Many,
}

/// Arguments of every write of a claim.
#[derive(Debug, Clone, Args)]
pub(crate) struct SaidArgs {
    /// Channel that the claim comes from
    #[arg(long, value_enum, value_name = "C", default_value_t = ChannelName::User)]
    pub(crate) channel: ChannelName,
    /// The name of this request: said again under it, it gives the first answer and writes nothing
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimAddArgs {
    /// Of whom or what
    #[arg(allow_hyphen_values = true)]
    pub(crate) subject: String,
    /// Predicate: `lives_in`, `speaks`
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: String,
    /// The value: a text, or with --value-json any JSON; `-` reads it from standard input
    #[arg(allow_hyphen_values = true)]
    pub(crate) value: String,
    /// The value is JSON
    #[arg(long)]
    pub(crate) value_json: bool,
    /// From when on it holds: 2020, 2020-03, 2020-03-15 or RFC 3339 [default: when it is recorded;
    /// with --until alone, ever]
    #[arg(long, value_name = "T", value_parser = dates::boundary)]
    pub(crate) from: Option<Boundary>,
    /// Until when it holds; a day, month or year is still part of it
    #[arg(long, value_name = "T", value_parser = dates::boundary)]
    pub(crate) until: Option<Boundary>,
    /// Confidence in the dates, 0 to 1: at 0.7 and below they are kept and not used [default: 1]
    #[arg(long, value_name = "C", value_parser = confidence)]
    pub(crate) valid_confidence: Option<Confidence>,
    /// Number of values that the line may hold at a time [default: not said]
    #[arg(long, value_enum, value_name = "N")]
    pub(crate) cardinality: Option<CardinalityName>,
    /// A memory that it rests on: of what the memory holds already, a model says news only with one;
    /// to be given several times
    #[arg(long, value_name = "WORLD_ID")]
    pub(crate) source: Vec<String>,
    /// A claim whose place it takes; to be given several times
    #[arg(long, value_name = "REF")]
    pub(crate) supersedes: Vec<String>,
    /// A claim that it was derived from; to be given several times
    #[arg(long, value_name = "REF")]
    pub(crate) derived_from: Vec<String>,
    #[command(flatten)]
    pub(crate) said: SaidArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimEndArgs {
    /// The claim; or a subject, whose one live claim of PREDICATE is meant
    #[arg(value_name = "REF", allow_hyphen_values = true)]
    pub(crate) reference: String,
    /// With a subject: the predicate
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: Option<String>,
    /// From when on it no longer holds: 2020, 2020-03, 2020-03-15 or RFC 3339 [default: now]
    #[arg(long, value_name = "T", value_parser = dates::boundary)]
    pub(crate) at: Option<Boundary>,
    #[command(flatten)]
    pub(crate) said: SaidArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimRefArgs {
    /// The claim
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    #[command(flatten)]
    pub(crate) said: SaidArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimSupersedeArgs {
    /// The claim that loses its place
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// The claim that takes it
    #[arg(long, value_name = "REF")]
    pub(crate) by: String,
    #[command(flatten)]
    pub(crate) said: SaidArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimShowArgs {
    /// A claim or an assertion
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimLedgerArgs {
    /// Only records about this claim
    #[arg(long, value_name = "REF")]
    pub(crate) claim: Option<String>,
    /// Only records before this log index [default: the newest]
    #[arg(long, value_name = "N")]
    pub(crate) before: Option<u64>,
    /// At most so many, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) max: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimDidArgs {
    /// The key of the request
    #[arg(allow_hyphen_values = true)]
    pub(crate) key: String,
}

/// About when, and as known when.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct WhenArgs {
    /// About when: 2020, 2020-03, 2020-03-15 (the first moment of it) or RFC 3339 [default: as --as-of]
    #[arg(long, value_name = "T", value_parser = dates::instant)]
    pub(crate) at: Option<Micros>,
    /// Time of knowledge, a date as for --at: later records do not count [default: now]
    #[arg(long, value_name = "T", value_parser = dates::recorded)]
    pub(crate) as_of: Option<u64>,
}

impl WhenArgs {
    /// The question about this agent, or about this memory's own.
    pub(crate) const fn of(self, agent: Option<DidKey>) -> BeliefQuery {
        BeliefQuery {
            at: self.at,
            as_of: self.as_of,
            agent,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct BelieveArgs {
    /// Of whom or what
    #[arg(allow_hyphen_values = true)]
    pub(crate) subject: String,
    /// Predicate [default: everything]
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: Option<String>,
    #[command(flatten)]
    pub(crate) when: WhenArgs,
    /// The belief of another agent, whose claims were imported
    #[arg(long, value_name = "DID")]
    pub(crate) agent: Option<DidKey>,
}

#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// Of whom or what
    #[arg(allow_hyphen_values = true)]
    pub(crate) subject: String,
    /// Predicate
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: String,
    #[command(flatten)]
    pub(crate) when: WhenArgs,
    /// The belief of another agent, whose claims were imported
    #[arg(long, value_name = "DID")]
    pub(crate) agent: Option<DidKey>,
    /// At most so many changes of it, the last
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) max: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ContestedArgs {
    #[command(flatten)]
    pub(crate) when: WhenArgs,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) max: usize,
}

#[derive(Debug, Args)]
pub(crate) struct AdjudicateArgs {
    /// The claim that waits for a verdict or is contested; a model's may be denied without that
    pub(crate) handle: String,
    /// Verdict on the claim
    #[arg(value_enum)]
    pub(crate) verdict: VerdictName,
    /// A memory that the verdict rests on, or a claim that is no model's; to be given several times
    #[arg(long, value_name = "WORLD_ID", required = true)]
    pub(crate) evidence: Vec<String>,
    #[command(flatten)]
    pub(crate) said: SaidArgs,
}

/// A verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictName {
    /// It holds; what contradicts it does not
    Affirm,
    /// It does not hold
    Deny,
    /// No verdict is possible: all sides stay
    Unknown,
}

impl VerdictName {
    /// As the engine has it.
    pub(crate) const fn verdict(self) -> OracleVerdict {
        match self {
            Self::Affirm => OracleVerdict::Affirm,
            Self::Deny => OracleVerdict::Deny,
            Self::Unknown => OracleVerdict::Unknown,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct TimelineArgs {
    /// Of whom or what
    #[arg(allow_hyphen_values = true)]
    pub(crate) subject: String,
    /// Predicate [default: everything]
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: Option<String>,
    /// Time of knowledge: later records are not drawn [default: now]
    #[arg(long, value_name = "T", value_parser = dates::recorded)]
    pub(crate) as_of: Option<u64>,
    /// The claims of another agent, which were imported
    #[arg(long, value_name = "DID")]
    pub(crate) agent: Option<DidKey>,
    /// Draw it into this file instead
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ProveArgs {
    /// Of whom or what
    #[arg(allow_hyphen_values = true)]
    pub(crate) subject: String,
    /// Predicate
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: String,
    #[command(flatten)]
    pub(crate) when: WhenArgs,
    /// Let the proof show that the log continues the one of this size, 0 for none
    /// [default: the floor in the anchors that were given out]
    #[arg(long, value_name = "SIZE")]
    pub(crate) floor: Option<u64>,
    /// File for the proof [default: standard output]
    #[arg(short, long, alias = "out", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
