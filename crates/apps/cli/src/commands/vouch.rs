//! `vouch`: signed statements of agents about each other's competence.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use counterfoil::{Competence, Domain, VouchConfidence, VouchOptions};
use counterfoil_types::DidKey;

use super::peer::until;
use crate::context::Context;
use crate::failure::Failure;
use crate::input::{Choice, one_of};
use crate::output::{lines_of, pairs};

#[derive(Debug, Subcommand)]
pub(crate) enum VouchCommand {
    /// Vouch for an agent: a signed document that it can show to others
    Issue(VouchIssueArgs),
    /// Take in vouches and revocations, of whomever
    Import {
        /// One document, or one a line; `-` is standard input
        file: PathBuf,
        /// They come from the voucher itself, who was asked what it takes back
        #[arg(long)]
        from_voucher: bool,
    },
    /// Take a vouch of this agent back
    Revoke {
        /// The id of the vouch
        id: String,
        /// Reason
        #[arg(long)]
        reason: Option<String>,
        /// Output file of the revocation, for the holders of the vouch [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// List vouches
    List {
        /// Only for this agent, by name or key
        #[arg(long, value_name = "AGENT")]
        of: Option<String>,
        /// Only by this key
        #[arg(long, value_name = "DID")]
        by: Option<DidKey>,
    },
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
    #[arg(long, default_value = "competent", value_parser = one_of(&LEVELS))]
    pub(crate) level: Competence,
    /// Confidence of this agent
    #[arg(long, default_value = "medium", value_parser = one_of(&CONFIDENCES))]
    pub(crate) confidence: VouchConfidence,
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

const LEVELS: [Choice<Competence>; 4] = [
    ("learning", "Learning it", Competence::Learning),
    ("competent", "Able", Competence::Competent),
    ("expert", "More than that", Competence::Expert),
    ("authority", "Whom others ask", Competence::Authority),
];
const CONFIDENCES: [Choice<VouchConfidence>; 3] = [
    ("high", "1,000,000 ppm", VouchConfidence::High),
    ("medium", "600,000 ppm", VouchConfidence::Medium),
    ("low", "300,000 ppm", VouchConfidence::Low),
];

pub(crate) async fn run(context: &Context, command: VouchCommand) -> Result<(), Failure> {
    match command {
        VouchCommand::Issue(args) => {
            let options = VouchOptions {
                domain: args.domain,
                level: args.level,
                confidence: args.confidence,
                statement: args.statement,
                reason: args.reason,
                until: args.until.as_deref().map(until).transpose()?,
            };
            // One line, in any output format: the signature covers exactly its bytes.
            let vouch = context.memory.issue_vouch(&args.agent, options).await?;
            context.out.document(&vouch, args.output.as_deref())
        }
        VouchCommand::Import { file, from_voucher } => {
            let import = context.memory.import_vouches(&file, from_voucher);
            let import = import.await?;
            context.out.report(&import, |out, value| {
                let counts = [
                    ("read", "read"),
                    ("vouches", "vouches"),
                    ("taken back", "revocations"),
                    ("already there", "alreadyThere"),
                    ("refused", "refusedCount"),
                ];
                let mut lines = lines_of(value, &counts);
                let asked = import.detail("asked").as_str();
                lines.extend(asked.map(|asked| ("asked", asked.to_owned())));
                pairs(out, &lines)
            })
        }
        VouchCommand::Revoke { id, reason, output } => {
            let revocation = context.memory.revoke_vouch(&id, reason).await?;
            context.out.document(&revocation, output.as_deref())
        }
        VouchCommand::List { of, by } => {
            let vouches = context.memory.vouches(of.as_deref(), by).await?;
            let nothing = "No vouch is known here; `counterfoil vouch import FILE` takes some in.";
            let columns = [
                ("voucher", "/voucher/called"),
                ("for", "/subject/called"),
                ("domain", "{domain:60}"),
                ("level", "level"),
                ("confidence", "confidence"),
                ("", "{revokedAt?taken back}"),
                ("id", "id"),
            ];
            context.out.list(&vouches, ("vouches", nothing), &columns)
        }
    }
}
