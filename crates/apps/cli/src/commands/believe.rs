//! `believe`: what is believed of something, about any time, as known at any time (I3, I7).

use std::collections::BTreeSet;
use std::io::{self, Write};

use counterfoil_claims::ProvenanceClass;
use counterfoil_claims::belief::{Belief, BeliefSide, BeliefStatus, SideClaim, Support};
use counterfoil_store::{AsOf, believe_whole_subject};
use counterfoil_types::DidKey;
use counterfoil_types::json::Value;
use serde::Serialize;

use crate::args::BelieveArgs;
use crate::claims::desk::{Desk, subject};
use crate::claims::telling::{self, typed};
use crate::context::Context;
use crate::exchange::peers;
use crate::failure::Failure;
use crate::home::Home;
use crate::output::{pairs, table, write_table};

/// The most characters of a value in a row.
const CELL: usize = 48;

#[derive(Serialize)]
struct Beliefs {
    beliefs: Vec<Value>,
}

pub(crate) async fn run(context: &Context, args: BelieveArgs) -> Result<(), Failure> {
    let desk = Desk::reading(&context.home, args.agent)?;
    let asked = AsOf::from(args.when);
    match &args.predicate {
        Some(predicate) => {
            let line = desk.line(&args.subject, predicate)?;
            let belief = desk.believe(line, asked).await?;
            desk.hand_out([&belief]).await;
            let told = belief.to_json();
            let agents = agents(&context.home, &belief).await;
            context.out.answer(&told, |out| {
                one(out, &belief)?;
                called(out, &agents)
            })
        }
        None => {
            let beliefs = of_subject(&desk, &args.subject, asked).await?;
            desk.hand_out(&beliefs).await;
            let told = Beliefs {
                beliefs: beliefs.iter().map(Belief::to_json).collect(),
            };
            context.out.answer(&told, |out| rows(out, &beliefs, false))
        }
    }
}

/// What the agents are called here whose claims are sides of a belief, as far as that is recorded.
pub(crate) async fn agents(home: &Home, belief: &Belief) -> Vec<(DidKey, String)> {
    let sides = belief.sides.iter().chain(&belief.alternatives);
    let claims = sides.flat_map(|side| &side.claims);
    let peer = |claim: &SideClaim| match claim.provenance.class() {
        ProvenanceClass::Peer { agent, .. } => Some(agent),
        _ => None,
    };
    let keys: BTreeSet<DidKey> = claims.filter_map(peer).collect();
    let Some(store) = home.reader().ok().filter(|_| !keys.is_empty()) else {
        return Vec::new();
    };
    // A belief can be told without names.
    let Ok(records) = peers::records(home, &store).await else {
        return Vec::new();
    };
    let named = |key: DidKey| Some((key, records.of_key(&key)?.name?.to_string()));
    keys.into_iter().filter_map(named).collect()
}

/// One line for each agent that is called something.
pub(crate) fn called(out: &mut dyn Write, agents: &[(DidKey, String)]) -> io::Result<()> {
    for (at, (key, name)) in agents.iter().enumerate() {
        if at == 0 {
            writeln!(out)?;
        }
        let (key, name) = (telling::brief(key), telling::name(name));
        writeln!(out, "agent {key} is {name}")?;
    }
    Ok(())
}

/// Every line of a subject.
pub(crate) async fn of_subject(
    desk: &Desk,
    named: &str,
    asked: AsOf,
) -> Result<Vec<Belief>, Failure> {
    let (store, subject) = (desk.store.as_ref(), subject(named)?);
    Ok(believe_whole_subject(store, desk.agent, &subject, asked, &desk.settings).await?)
}

/// One belief with all that has to be known of it.
pub(crate) fn one(out: &mut dyn Write, belief: &Belief) -> io::Result<()> {
    let question = belief.question;
    let mut lines = vec![
        (
            "belief",
            format!(
                "{} {}: {}",
                telling::name(&belief.line.subject),
                telling::name(&belief.line.predicate),
                telling::believed(belief)
            ),
        ),
        (
            "status",
            format!(
                "{}: {}",
                telling::status(belief.status),
                telling::meaning(belief)
            ),
        ),
        (
            "about",
            format!(
                "{}, as known {}",
                telling::moment(question.valid_at),
                telling::recorded(question.as_of_us)
            ),
        ),
    ];
    let markers = belief.markers.iter();
    lines.extend(markers.map(|marker| ("note", telling::marker(*marker).to_owned())));
    pairs(out, &lines)?;
    sides(out, "", &belief.sides)?;
    sides(out, "does not decide", &belief.alternatives)?;
    advice(out, belief)
}

/// What to do next, where something is open.
fn advice(out: &mut dyn Write, belief: &Belief) -> io::Result<()> {
    let (subject, predicate) = (typed(&belief.line.subject), typed(&belief.line.predicate));
    match (belief.status, belief.support) {
        // A verdict is about what came from outside.
        (BeliefStatus::Contested, Some(Support::Inferred)) => writeln!(
            out,
            "\nSettle it: counterfoil claim add {subject} {predicate} VALUE --source WORLD_ID\n\
             Look closer: counterfoil why {subject} {predicate}"
        ),
        (BeliefStatus::Contested, _) => writeln!(
            out,
            "\nSettle it: counterfoil adjudicate REF affirm --evidence WORLD_ID\n\
             Look closer: counterfoil why {subject} {predicate}"
        ),
        (BeliefStatus::Ended, _) => writeln!(
            out,
            "\nWhat held before: counterfoil history {subject} {predicate}"
        ),
        _ => Ok(()),
    }
}

fn sides(out: &mut dyn Write, title: &str, sides: &[BeliefSide]) -> io::Result<()> {
    if sides.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    if !title.is_empty() {
        writeln!(out, "{title}:")?;
    }
    let mut table = table(&["value", "holds", "said by", "recorded", "confirmed", "ref"]);
    for side in sides {
        let more = match side.corroborations {
            0 => String::new(),
            times => format!(", {times} more say so"),
        };
        for claim in &side.claims {
            table.add_row([
                telling::limited(&side.value, CELL),
                telling::window(claim.window),
                telling::provenance(claim.provenance),
                telling::recorded(claim.stamp.micros()),
                format!("{}{more}", telling::currency(side.currency)),
                telling::name(&claim.reference),
            ]);
        }
    }
    write_table(out, &table)
}

/// Several beliefs, one a row.
pub(crate) fn rows(out: &mut dyn Write, beliefs: &[Belief], with_subject: bool) -> io::Result<()> {
    let Some(first) = beliefs.first() else {
        return writeln!(out, "Nothing is known of it.");
    };
    let mut headings = vec![
        "predicate",
        "believed",
        "status",
        "holds",
        "said by",
        "confirmed",
    ];
    if with_subject {
        headings.insert(0, "subject");
    }
    let mut table = table(&headings);
    for belief in beliefs {
        let mut row = vec![
            telling::name(&belief.line.predicate),
            telling::believed(belief),
            status(belief),
        ];
        if with_subject {
            row.insert(0, telling::name(&belief.line.subject));
        }
        row.extend(support(belief));
        table.add_row(row);
    }
    write_table(out, &table)?;
    let question = first.question;
    writeln!(
        out,
        "\nabout {}, as known {}",
        telling::moment(question.valid_at),
        telling::recorded(question.as_of_us)
    )
}

fn status(belief: &Belief) -> String {
    let inferred = belief.support == Some(Support::Inferred);
    let told = telling::status(belief.status);
    if inferred {
        format!("{told}, by a model")
    } else {
        told.to_owned()
    }
}

/// When it holds, who says so and when that was confirmed, where there is one claim to speak of.
fn support(belief: &Belief) -> [String; 3] {
    let sides = belief.sides.as_slice();
    let claims: Vec<_> = sides.iter().flat_map(|side| &side.claims).collect();
    match (sides, claims.as_slice()) {
        ([side], [claim]) => [
            telling::window(claim.window),
            telling::provenance(claim.provenance),
            telling::currency(side.currency).to_owned(),
        ],
        ([], _) => [(); 3].map(|()| "-".to_owned()),
        (_, claims) => [
            format!("{} claims", claims.len()),
            "-".to_owned(),
            "-".to_owned(),
        ],
    }
}
