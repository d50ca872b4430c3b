//! `share`: the rules for handing memories to other agents.

use clap::{Args, Subcommand};
use counterfoil::PassOn;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{columns, items, joined, lines_of, notice, pairs};

#[derive(Debug, Subcommand)]
pub(crate) enum ShareCommand {
    /// Share the memories with a label
    Add {
        #[command(flatten)]
        rule: ShareArgs,
        /// Agents that get a memory by this rule may hand it on to others [default: they may not]
        #[arg(long)]
        pass_on: bool,
    },
    /// List the rules, in their order
    List,
    /// Share a label no more: by no rule, or by none that is for exactly these agents and predicates
    Remove(ShareArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShareArgs {
    /// Label, as in `remember --share LABEL`
    pub(crate) label: String,
    /// The agent, by name or key, or `*` for all that sign their questions; can be repeated [default: *]
    #[arg(long = "to", value_name = "PEER|*")]
    pub(crate) to: Vec<String>,
    /// Only claims with this predicate that rest on a memory with the label, and no text; can be repeated
    #[arg(long = "predicate", value_name = "P")]
    pub(crate) predicates: Vec<String>,
}

pub(crate) async fn run(context: &Context, command: ShareCommand) -> Result<(), Failure> {
    match command {
        ShareCommand::Add { rule, pass_on } => {
            let pass_on = PassOn::of(pass_on);
            let shared = context
                .memory
                .share(&rule.label, &rule.to, &rule.predicates, pass_on);
            let lines = [
                ("shares", "label"),
                ("with", "{to:list}"),
                ("only claims", "?{predicates:list}"),
                ("in scope", "?scope"),
                ("hand on", "{passOn?they may:they may not}"),
                ("rule", "{new?written:there before}"),
                ("from", "the next start of `serve` or `answer`"),
            ];
            context.out.lines(&shared.await?, &lines)
        }
        ShareCommand::List => list(context).await,
        ShareCommand::Remove(args) => {
            let removed = context
                .memory
                .unshare(&args.label, &args.to, &args.predicates);
            context.out.report(&removed.await?, |out, removed| {
                let mut lines =
                    lines_of(removed, &[("shares no more", "label"), ("rules", "rules")]);
                let still = items(removed, "stillSharedWith").iter();
                let still = still.map(|to| joined(to, "", ", "));
                lines.extend(still.map(|to| ("but still with", to)));
                pairs(out, &lines)
            })
        }
    }
}

/// Sentence for a policy without rules.
const NOTHING: &str = "Nothing is shared with other agents; `counterfoil share add LABEL` shares what bears a label \
    (`counterfoil remember TEXT --share LABEL`).";

async fn list(context: &Context) -> Result<(), Failure> {
    let shares = context.memory.shares().await?;
    context.out.report(&shares, |out, shares| {
        let rules = items(shares, "rules");
        if rules.is_empty() {
            return writeln!(out, "{NOTHING}");
        }
        let names = [
            ("labels", "{labels:list}"),
            ("to", "{with:list}"),
            ("level", "level"),
            ("domains", "{domains:list}"),
            ("only claims", "{predicates:list}"),
            ("scope", "scope"),
            ("form", "format"),
            ("hand on", "{passOn?yes:no}"),
            ("at most", "{max}, {perMinute}/min"),
            ("then", "{continues?next rule:end}"),
        ];
        columns(out, rules, &names)?;
        let shown = lines_of(shares, &[("claims", "?{sharedPredicates:list}")]);
        pairs(out, &shown)
    })
}

/// Says so if no rule shares anything.
pub(super) async fn notice_nothing(context: &Context) -> Result<(), Failure> {
    let shares = context.memory.shares().await?;
    if items(shares.value(), "rules").is_empty() {
        notice(NOTHING);
    }
    Ok(())
}
