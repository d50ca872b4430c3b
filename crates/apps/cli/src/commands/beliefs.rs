//! Beliefs: claims are stated, believed, contested, settled and drawn.

use clap::{Args, Subcommand};
use counterfoil_claims::Assertion;
use counterfoil_claims::ports::OracleVerdict;

use super::believe::BelieveArgs;
use super::claim::{ClaimCommand, SaidArgs, WhenArgs, assert, cells, references};
use super::extract::ExtractArgs;
use super::timeline::TimelineArgs;
use super::why::WhyArgs;
use super::{believe, claim, extract, timeline, why};
use crate::context::Context;
use crate::failure::Failure;
use crate::input::{Choice, one_of};
use crate::output::{items, rows};

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
    #[arg(value_parser = one_of(&VERDICTS))]
    pub(crate) verdict: OracleVerdict,
    /// A memory that the verdict rests on, or a claim that is no model's; to be given several times
    #[arg(long, value_name = "MEMORY", required = true)]
    pub(crate) evidence: Vec<String>,
    #[command(flatten)]
    pub(crate) said: SaidArgs,
}

const VERDICTS: [Choice<OracleVerdict>; 3] = [
    (
        "affirm",
        "It holds; what contradicts it does not",
        OracleVerdict::Affirm,
    ),
    ("deny", "It does not hold", OracleVerdict::Deny),
    (
        "unknown",
        "No verdict is possible: all sides stay",
        OracleVerdict::Unknown,
    ),
];

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

impl BeliefCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Claim(command) => {
                match *command {
                    // They begin once it is clear that there is something to state.
                    ClaimCommand::Set(_) | ClaimCommand::Add(_) | ClaimCommand::Import(_) => {}
                    _ => context.memory.must_exist()?,
                }
                claim::run(context, *command).await
            }
            Self::Extract(args) => extract::run(context, args).await,
            Self::Believe(args) => believe::run(context, args).await,
            Self::Why(args) => why::run(context, args).await,
            Self::Contested(args) => contested(context, args).await,
            Self::Pending => pending(context).await,
            Self::Adjudicate(args) => {
                context.memory.must_exist()?;
                let handle = context.memory.find_id(&args.handle).await?;
                let evidence = references(&context.memory, &args.evidence).await?;
                let channel = args.said.channel.channel();
                let assertion = Assertion::verdict(&channel, handle, args.verdict, evidence);
                assert(context, &args.said, assertion?).await
            }
            Self::Timeline(args) => timeline::run(context, args).await,
        }
    }
}

async fn contested(context: &Context, args: ContestedArgs) -> Result<(), Failure> {
    let query = args.when.of(None);
    let contested = context.memory.contested(&query, args.max).await?;
    context.out.answer(&contested, |out| {
        if contested.beliefs.is_empty() {
            return writeln!(out, "Nothing is contested.");
        }
        believe::rows(out, &contested.beliefs, true)?;
        if contested.more == Some(true) {
            writeln!(out, "There are more: --max")?;
        }
        writeln!(
            out,
            "Each side with its reference: counterfoil believe SUBJECT PREDICATE"
        )
    })
}

async fn pending(context: &Context) -> Result<(), Failure> {
    let pending = context.memory.pending().await?;
    context.out.report(&pending, |out, _| {
        let listed = items(pending.detail("rows"), "");
        if !listed.is_empty() {
            let headings = ["handle", "about", "says", "against", "until"];
            rows(out, &headings, listed.iter().map(cells))?;
            return writeln!(
                out,
                "\nGive a verdict: counterfoil adjudicate HANDLE affirm|deny|unknown --evidence MEMORY"
            );
        }
        writeln!(out, "Nothing waits for a verdict.")?;
        if pending.detail("oracle") == false {
            writeln!(
                out,
                "Claims wait where claims.toml says that there is an oracle; what is contested: \
                 counterfoil contested"
            )?;
        }
        Ok(())
    })
}
