//! `claim show`: one unit, what it does, and why the gate let it in.

use std::io::{self, Write};

use counterfoil_claims::{Act, ClaimRef, Unit};
use counterfoil_types::WorldId;
use counterfoil_types::json::Value;
use serde::Serialize;

use crate::args::ClaimShowArgs;
use crate::claims::answer::{Grounds, why};
use crate::claims::desk::Desk;
use crate::claims::refusals::{no_claim, reference};
use crate::claims::{dates, telling};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::pairs;
use crate::versions;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    #[serde(rename = "ref")]
    reference: WorldId,
    index: u64,
    recorded_at: String,
    agent: String,
    /// As it was recorded (docs/format/claims.md 2).
    unit: Value,
    why: String,
}

pub(super) async fn run(context: &Context, args: ClaimShowArgs) -> Result<(), Failure> {
    let store = Desk::looking(&context.home)?.store;
    let named = reference(&args.reference)?;
    let unit = store.unit_of(&named).await?;
    let unit = unit.ok_or_else(|| no_claim(&args.reference))?;
    let world = match store.capsule(unit.index()).await? {
        Some(stored) => versions::content(&stored)?,
        None => None,
    };
    let document = world.as_ref().and_then(|world| world.data().cloned());
    let grounds = Grounds::of(store.as_ref(), unit.because()).await?;
    let shown = Shown {
        reference: named,
        index: unit.index(),
        recorded_at: dates::rfc3339(unit.stamp().micros()),
        agent: unit.line().agent.to_string(),
        unit: document.unwrap_or_default(),
        why: why(unit.disposition(), unit.row().number(), unit.because()),
    };
    context
        .out
        .answer(&shown, |out| human(out, &unit, &shown, &grounds))
}

fn human(out: &mut dyn Write, unit: &Unit, shown: &Shown, grounds: &Grounds) -> io::Result<()> {
    let line = unit.line();
    let mut lines = vec![
        ("unit", telling::name(unit.reference())),
        ("says", act(unit)),
        (
            "about",
            format!(
                "{} {}",
                telling::name(&line.subject),
                telling::name(&line.predicate)
            ),
        ),
        ("number", unit.number().to_string()),
    ];
    if let Act::Claim(body) = unit.act() {
        lines.extend(body.valid.map(|valid| ("holds", telling::valid(&valid))));
        let supersedes = body.supersedes.iter();
        lines.extend(supersedes.map(|it| ("supersedes", telling::name(it))));
    }
    lines.push(("said by", telling::provenance(unit.provenance())));
    lines.push(("recorded", telling::recorded(unit.stamp().micros())));
    lines.push(("agent", shown.agent.clone()));
    let anchors = unit.anchors().iter();
    lines.extend(anchors.map(|anchor| ("rests on", telling::name(&anchor.world))));
    let derived = unit.derived_from().iter();
    lines.extend(derived.map(|it| ("derived from", telling::name(it))));
    lines.extend(unit.key().map(|key| ("key", telling::name(key))));
    lines.push(("became", unit.disposition().name().replace('_', " ")));
    lines.push(("why", shown.why.clone()));
    lines.extend(grounds.lines(None));
    lines.push(("log index", shown.index.to_string()));
    pairs(out, &lines)
}

/// What a unit does, on one line.
pub(crate) fn act(unit: &Unit) -> String {
    act_on(unit, |reference| telling::name(reference))
}

/// The same, with claims as `named` has them.
pub(crate) fn act_on(unit: &Unit, named: impl Fn(&ClaimRef) -> String) -> String {
    match unit.act() {
        Act::Claim(body) => telling::value(&body.value),
        Act::Bound { target, at } => format!("ends {} at {at}", named(target)),
        Act::Reopen { target, .. } => format!("opens {} again", named(target)),
        Act::Supersede { target, by } => {
            format!("puts {} in the place of {}", named(by), named(target))
        }
        Act::Affirm { target, .. } => format!("affirms {}", named(target)),
        Act::Deny { target } => format!("denies {}", named(target)),
        Act::Undecided { target } => format!("leaves {} undecided", named(target)),
        Act::Release { target } => format!("releases {}", named(target)),
        Act::Corroborate { target, .. } => format!("confirms {}", named(target)),
        _ => unit.act().kind().name().to_owned(),
    }
}
