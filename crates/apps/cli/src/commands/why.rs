//! `why`: what decides a belief, and every change of it with the unit that caused it.

use std::io::{self, Write};

use counterfoil_claims::belief::{
    Belief, BeliefChange, BeliefChanges, SideClaim, changes, unit_to_json,
};
use counterfoil_claims::{ClaimRef, Unit};
use counterfoil_store::AsOf;
use counterfoil_types::json::Value;
use serde::Serialize;

use super::believe;
use super::claim::{act, act_on};
use crate::args::WhyArgs;
use crate::claims::answer::why;
use crate::claims::desk::Desk;
use crate::claims::{telling, value_of};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{pairs, table, write_table};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Why {
    belief: Value,
    decided_by: Vec<Value>,
    changes: Vec<Value>,
    /// Whether these are all changes.
    complete: bool,
}

/// A unit that decides, and the claim as the belief has it.
struct Deciding<'u> {
    unit: &'u Unit,
    claim: &'u SideClaim,
}

pub(crate) async fn run(context: &Context, args: WhyArgs) -> Result<(), Failure> {
    let desk = Desk::reading(&context.home, args.agent)?;
    let line = desk.line(&args.subject, &args.predicate)?;
    let belief = desk.believe(line.clone(), AsOf::from(args.when)).await?;
    let known = belief.question.as_of_us;
    let units = desk.store.units(line.clone(), Some(known)).await?;
    let changes = changes(&line, &units, belief.question, args.max);
    let deciding = deciding(&belief, &units);
    desk.hand_out([&belief]).await;
    let told = Why {
        belief: belief.to_json(),
        decided_by: deciding.iter().map(document).collect(),
        changes: changes.changes.iter().map(BeliefChange::to_json).collect(),
        complete: changes.complete,
    };
    let agents = believe::agents(&context.home, &belief).await;
    context.out.answer(&told, |out| {
        believe::one(out, &belief)?;
        grounds(out, &deciding)?;
        course(out, &changes, &units)?;
        believe::called(out, &agents)
    })
}

/// The units of the sides, in the order of the sides.
fn deciding<'u>(belief: &'u Belief, units: &'u [Unit]) -> Vec<Deciding<'u>> {
    let claims = belief.sides.iter().flat_map(|side| &side.claims);
    claims
        .filter_map(|claim| {
            let unit = units.iter().find(|it| *it.reference() == claim.reference)?;
            Some(Deciding { unit, claim })
        })
        .collect()
}

fn document(deciding: &Deciding<'_>) -> Value {
    let mut document = unit_to_json(deciding.unit);
    if let Some(members) = document.as_object_mut() {
        let unit = deciding.unit;
        let said = why(unit.disposition(), unit.row().number(), unit.because());
        members.insert("why".into(), said.into());
    }
    document
}

fn grounds(out: &mut dyn Write, deciding: &[Deciding<'_>]) -> io::Result<()> {
    for Deciding { unit, claim } in deciding {
        let mut lines = vec![
            ("decided by", act(unit)),
            ("said by", telling::provenance(unit.provenance())),
            ("recorded", telling::recorded(unit.stamp().micros())),
        ];
        let valid = claim.valid.as_ref();
        lines.extend(valid.map(|valid| ("dated", telling::valid(valid))));
        lines.push(("holds", telling::window(claim.window)));
        let anchors = unit.anchors().iter();
        lines.extend(anchors.map(|anchor| ("rests on", telling::name(&anchor.world))));
        let said = why(unit.disposition(), unit.row().number(), unit.because());
        let became = unit.disposition().name().replace('_', " ");
        lines.push(("gate", format!("{became}: {said}")));
        if claim.corroborations > 0 {
            let times = claim.corroborations;
            lines.push(("confirmed", format!("{times} times by independent sources")));
        }
        lines.push(("ref", telling::name(unit.reference())));
        writeln!(out)?;
        pairs(out, &lines)?;
    }
    Ok(())
}

fn course(out: &mut dyn Write, changes: &BeliefChanges, units: &[Unit]) -> io::Result<()> {
    if changes.changes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nHow it came to that:")?;
    if !changes.complete {
        writeln!(out, "(the last changes; --max for more)")?;
    }
    let named = |reference: &ClaimRef| {
        let claim = units.iter().find(|unit| unit.reference() == reference);
        let value = claim.and_then(value_of).map(telling::value);
        value.unwrap_or_else(|| telling::name(reference))
    };
    let mut table = table(&[
        "recorded",
        "what",
        "said by",
        "then believed",
        "status",
        "ref",
    ]);
    for change in &changes.changes {
        let unit = &change.unit;
        table.add_row([
            telling::recorded(unit.stamp().micros()),
            act_on(unit, named),
            telling::provenance(unit.provenance()),
            telling::outline(&change.after),
            telling::status(change.after.status).to_owned(),
            telling::name(unit.reference()),
        ]);
    }
    write_table(out, &table)
}
