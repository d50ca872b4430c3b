//! Beliefs: claims are stated, believed, contested, settled and drawn.

use clap::Subcommand;
use counterfoil::Memory;
use counterfoil_claims::Assertion;

use super::claim::{assert, references};
use super::{believe, claim, extract, timeline, why};
use crate::args::{
    AdjudicateArgs, BelieveArgs, ClaimCommand, ContestedArgs, ExtractArgs, TimelineArgs, WhyArgs,
};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::rows;

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
            Self::Claim(command) => claim::run(context, *command).await,
            Self::Extract(args) => extract::run(context, args).await,
            Self::Believe(args) => believe::run(context, args).await,
            Self::Why(args) => why::run(context, args).await,
            Self::Contested(args) => contested(context, args).await,
            Self::Pending => pending(context).await,
            Self::Adjudicate(args) => adjudicate(context, args).await,
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
    context.out.report(&pending, |out| {
        if rows(
            out,
            &["handle", "about", "says", "against", "until"],
            pending.detail("rows"),
        )? {
            return writeln!(
                out,
                "\nGive a verdict: counterfoil adjudicate HANDLE affirm|deny|unknown --evidence WORLD_ID"
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

async fn adjudicate(context: &Context, args: AdjudicateArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    let handle = Memory::reference(&args.handle)?;
    let evidence = references(&args.evidence)?;
    let channel = args.said.channel.channel();
    let assertion = Assertion::verdict(&channel, handle, args.verdict.verdict(), evidence);
    assert(context, &args.said, assertion?).await
}
