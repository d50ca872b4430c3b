//! `believe`: beliefs about any time, as known at any time (I3, I7).

use std::io::{self, Write};

use counterfoil_claims::belief::{Belief, BeliefSide, BeliefStatus, Support};
use counterfoil_types::DidKey;

use crate::args::BelieveArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{pairs, table, write_table};
use counterfoil::text::{self as telling, typed};

/// The most characters of a value in a row.
const CELL: usize = 48;

pub(crate) async fn run(context: &Context, args: BelieveArgs) -> Result<(), Failure> {
    let query = args.when.of(args.agent);
    let Some(predicate) = &args.predicate else {
        let all = context.memory.believe_all(&args.subject, &query).await?;
        return context
            .out
            .answer(&all, |out| rows(out, &all.beliefs, false));
    };
    let believed = context.memory.believe(&args.subject, predicate, &query);
    let belief = believed.await?;
    let agents = context.memory.names_in(&belief).await;
    context.out.answer(&belief.to_json(), |out| {
        one(out, &belief)?;
        called(out, &agents)
    })
}

/// One line for each agent with a local name.
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

/// One belief with its status, sides and next step.
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

/// Window, provenance and currency, where the belief rests on one claim.
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
