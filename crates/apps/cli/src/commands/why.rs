//! `why`: the units that decide a belief, and every change of it with the unit that caused it.

use std::io::{self, Write};

use clap::Args;
use counterfoil::text as telling;
use counterfoil_claims::belief::BeliefChange;
use counterfoil_claims::{ClaimRef, Unit};
use counterfoil_types::DidKey;

use super::claim::WhenArgs;
use super::{believe, decide};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{pairs, rows};

#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// Of whom or what; with --used the memory's id
    #[arg(allow_hyphen_values = true)]
    pub(crate) subject: String,
    /// Predicate
    #[arg(allow_hyphen_values = true, required_unless_present = "used")]
    pub(crate) predicate: Option<String>,
    /// List the proposals that used a memory, who decided on them, and what came of it
    #[arg(long, conflicts_with = "predicate")]
    pub(crate) used: bool,
    #[command(flatten)]
    pub(crate) when: WhenArgs,
    /// The belief of another agent, whose claims were imported
    #[arg(long, value_name = "DID")]
    pub(crate) agent: Option<DidKey>,
    /// At most so many changes of it, the last
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) max: usize,
}

pub(crate) async fn run(context: &Context, args: WhyArgs) -> Result<(), Failure> {
    if args.used {
        return decide::used(context, &args.subject).await;
    }
    let predicate = args.predicate.unwrap_or_default();
    let query = args.when.of(args.agent);
    let why = context
        .memory
        .why(&args.subject, &predicate, &query, args.max);
    let why = why.await?;
    let agents = context.memory.names_in(&why.belief).await;
    context.out.answer(&why, |out| {
        believe::one(out, &why.belief)?;
        for (unit, claim, gate) in &why.deciding {
            let mut lines = vec![
                ("decided by", telling::act(unit)),
                ("said by", believe::said_by(claim)),
                ("recorded", telling::recorded(unit.stamp().micros())),
            ];
            lines.extend(unit.via().iter().map(|it| ("through", telling::brief(it))));
            let valid = claim.valid.as_ref();
            lines.extend(valid.map(|valid| ("dated", telling::valid(valid))));
            lines.push(("holds", telling::window(claim.window)));
            lines.extend(unit.cited().map(|world| ("rests on", telling::name(world))));
            let became = unit.disposition().name().replace('_', " ");
            lines.push(("gate", format!("{became}: {gate}")));
            if claim.corroborations > 0 {
                let times = claim.corroborations;
                lines.push(("confirmed", format!("{times} times by independent sources")));
            }
            lines.push(("ref", telling::name(unit.reference())));
            writeln!(out)?;
            pairs(out, &lines)?;
        }
        course(out, &why.changes, why.complete, &why.units)?;
        believe::called(out, &agents)
    })
}

fn course(
    out: &mut dyn Write,
    changes: &[BeliefChange],
    complete: bool,
    units: &[Unit],
) -> io::Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nHow it came to that:")?;
    if !complete {
        writeln!(out, "(the last changes; --max for more)")?;
    }
    let named = |reference: &ClaimRef| {
        let claim = units.iter().find(|unit| unit.reference() == reference);
        let value = claim.map(|claim| telling::claimed(claim, telling::VALUE));
        let value = value.filter(|value| !value.is_empty());
        value.unwrap_or_else(|| telling::name(reference))
    };
    let row = |change: &BeliefChange| {
        let unit = &change.unit;
        [
            telling::recorded(unit.stamp().micros()),
            telling::act_on(unit, named),
            telling::provenance(unit.provenance()),
            telling::outline(&change.after),
            telling::status(change.after.status).to_owned(),
            telling::name(unit.reference()),
        ]
    };
    let headings = [
        "recorded",
        "what",
        "said by",
        "then believed",
        "status",
        "ref",
    ];
    rows(out, &headings, changes.iter().map(row))
}
