//! `decide`, as an authority; `decided` and `why --used`, as the actor whose memories were used (docs/format/decision.md).

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use counterfoil_capsule::Signer;
use counterfoil_types::DidKey;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_verify::{
    Form, InputError, Verdict, VerifyArgs, load_proposal, read_file, render, to_json,
};

use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{each, filled, items, json_text, lines_of, pairs};

#[derive(Debug, Subcommand)]
pub(crate) enum DecideCommand {
    /// Check a proposal's memories, decide, and sign the decision, without the store
    Proposal(DecideProposalArgs),
    /// Decide that a memory is forgotten for all
    Forget(DecideForgetArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DecideProposalArgs {
    #[command(flatten)]
    pub(crate) verify: VerifyArgs,
    /// The key file of the authority that decides; `counterfoil key new` makes one
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// Output file of the signed decision; the report is printed then [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DecideForgetArgs {
    /// The memory's id
    #[arg(value_name = "MEMORY")]
    pub(crate) world_id: String,
    /// The agent who may act on it
    #[arg(long, value_name = "DID")]
    pub(crate) actor: DidKey,
    /// Why; it is kept for ever
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub(crate) reason: String,
    /// The key file of the authority that decides
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// Output file of the decision [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Needs no store: the key is the authority's, and the memory somebody else's.
pub(crate) fn decide(context: &Context, command: DecideCommand) -> Result<(), Failure> {
    match command {
        DecideCommand::Proposal(args) => decide_proposal(context, args),
        DecideCommand::Forget(args) => {
            let (id, key) = (&args.world_id, &args.key);
            let memory = &context.memory;
            let decision = memory.sign_forget_decision(id, args.actor, &args.reason, key)?;
            let text = json_text(&decision)?;
            context.out.document(&text, args.output.as_deref())
        }
    }
}

fn decide_proposal(context: &Context, args: DecideProposalArgs) -> Result<(), Failure> {
    let signer = context.memory.deciding_key(&args.key)?;
    let verify = remembering(args.verify);
    let unusable = |error: InputError| Failure::new(ErrorKind::Input, error);
    let decided = counterfoil_verify::decide(&verify, signer.key(), |bytes| signer.sign(bytes));
    let (report, decision) = decided.map_err(unusable)?;
    let text = json_text(&decision)?;
    match &args.output {
        None => context.out.text(&text)?,
        Some(path) => {
            counterfoil::write_file(path, &text)?;
            context.out.text(&match context.out.form() {
                Form::Human => render(&report),
                Form::Json => to_json(&report)
                    .map_err(InputError::from)
                    .map_err(unusable)?,
            })?;
        }
    }
    match report.decision().verdict() {
        Verdict::Approved => Ok(()),
        verdict => Err(Failure::NotApproved(verdict)),
    }
}

/// Keeps the nonces of approved proposals beside the policy, unless another file is named.
pub(crate) fn remembering(args: VerifyArgs) -> VerifyArgs {
    let beside = args
        .policy
        .as_ref()
        .map(|path| path.with_extension("nonces"));
    let nonces = args.nonces.clone().or(beside);
    VerifyArgs { nonces, ..args }
}

#[derive(Debug, Args)]
pub(crate) struct DecidedArgs {
    /// The decision, as `counterfoil decide proposal` writes it [default: list those that are kept]
    #[arg(value_name = "DECISION", requires = "proposal")]
    pub(crate) decision: Option<PathBuf>,
    /// The proposal that it is about, as it was submitted
    #[arg(long, value_name = "FILE", requires = "decision")]
    pub(crate) proposal: Option<PathBuf>,
    /// What came of an approved proposal: the next memory, linked to the decision
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        requires = "decision"
    )]
    pub(crate) outcome: Option<String>,
    /// Most decisions that are listed, the newest first
    #[arg(
        long,
        value_name = "N",
        default_value_t = 50,
        conflicts_with = "decision"
    )]
    pub(crate) max: usize,
}

pub(crate) async fn decided(context: &Context, args: DecidedArgs) -> Result<(), Failure> {
    let (Some(decision), Some(proposal)) = (&args.decision, &args.proposal) else {
        return list(context, args.max).await;
    };
    let decision = document(decision)?;
    let proposal = load_proposal(proposal);
    let proposal = proposal.map_err(|error| Failure::new(ErrorKind::Input, error))?;
    let memory = &context.memory;
    let kept = memory.record_decision(&proposal, &decision).await?;
    let outcome = match args.outcome {
        Some(text) => Some(memory.record_outcome(&proposal, &decision, text).await?),
        None => None,
    };
    let mut answer = kept.value().clone();
    if let (Some(members), Some(outcome)) = (answer.as_object_mut(), &outcome) {
        members.insert("outcome".into(), outcome.id.to_string().into());
    }
    context.out.answer(&answer, |out| {
        let lines = [
            ("decision", "decision"),
            ("", "{recordedNow?kept now:kept before}"),
            ("proposal", "proposalId"),
            ("verdict", "verdict"),
            ("by", "{/authority/name}, {/authority/key}"),
            ("outcome", "?outcome"),
        ];
        let mut lines = lines_of(&answer, &lines);
        let memories = each(&answer, &[("memories", "{id}  {outcome}")]);
        lines.extend(memories.map(|memory| ("used", memory)));
        pairs(out, &lines)
    })
}

fn document(file: &Path) -> Result<Value, Failure> {
    let bytes = read_file("decision", file, Limits::CONTENT.bytes)
        .map_err(|error| Failure::new(ErrorKind::Input, error))?;
    parse(&bytes, Limits::CONTENT).map_err(|error| Failure::json(file.display(), &error))
}

/// Lines of a decision.
const DECISION: [(&str, &str); 6] = [
    ("proposal", "{proposalId}"),
    ("decided", "{text}"),
    (
        "by",
        "{/authority/name}, {/authority/key}{known?:, no authority of this store}",
    ),
    ("kept as", "decision"),
    ("led to", "?/outcome/text"),
    ("", "?/outcome/id"),
];

/// `why MEMORY --used`.
pub(crate) async fn used(context: &Context, id: &str) -> Result<(), Failure> {
    let used = context.memory.used(id).await?;
    context
        .out
        .report(&used, |out, value| match items(value, "decisions") {
            [] => writeln!(
                out,
                "No decision about a proposal that used it is kept here."
            ),
            decisions => shown(out, decisions),
        })
}

/// `decided` alone.
async fn list(context: &Context, max: usize) -> Result<(), Failure> {
    let kept = context.memory.decisions(max).await?;
    context.out.report(&kept, |out, value| {
        match items(value, "items") {
            [] => return writeln!(out, "No decision is kept here."),
            decisions => shown(out, decisions)?,
        }
        match value.get("more") == Some(&true.into()) {
            true => writeln!(out, "\nThere are more: --max"),
            false => Ok(()),
        }
    })
}

fn shown(out: &mut dyn Write, decisions: &[Value]) -> io::Result<()> {
    for (place, decision) in decisions.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        let mut lines = match decision.get("decision") {
            Some(_) => lines_of(decision, &DECISION),
            None => vec![(
                "proposal",
                "one that used memories outside of this scope as well".to_owned(),
            )],
        };
        let at = items(decision, "memories").iter();
        lines.extend(at.map(|memory| ("memory", filled(memory, "{id}  {outcome}"))));
        pairs(out, &lines)?;
    }
    Ok(())
}
