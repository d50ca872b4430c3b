//! `believe`: beliefs about any time, as known at any time (I3, I7).

use std::collections::BTreeSet;
use std::io::{self, Write};

use clap::Args;
use counterfoil::text::{self as telling, typed};
use counterfoil_claims::Identifier;
use counterfoil_claims::belief::{Belief, BeliefSide, BeliefStatus, SideClaim, Support};
use counterfoil_types::DidKey;

use super::claim::WhenArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{self, pairs};

#[derive(Debug, Args)]
pub(crate) struct BelieveArgs {
    /// Of whom or what
    #[arg(allow_hyphen_values = true)]
    pub(crate) subject: String,
    /// Predicate [default: everything]
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: Option<String>,
    #[command(flatten)]
    pub(crate) when: WhenArgs,
    /// The belief of another agent, whose claims were imported
    #[arg(long, value_name = "DID")]
    pub(crate) agent: Option<DidKey>,
}

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
    let believed = context
        .memory
        .believe_within(&args.subject, predicate, &query);
    let within = believed.await?;
    let mut agents = Vec::new();
    for belief in &within.beliefs {
        agents.extend(context.memory.names_in(belief).await);
    }
    agents.sort_unstable();
    agents.dedup();
    let shown = |out: &mut dyn Write| {
        for (at, belief) in within.beliefs.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            one(out, belief)?;
        }
        called(out, &agents)
    };
    match within.beliefs.as_slice() {
        [belief] => context.out.answer(&belief.to_json(), shown),
        _ => context.out.answer(&within, shown),
    }
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
    if let Some(names) = also_named(&belief.names) {
        lines.insert(1, ("also named", names));
    }
    if !belief.line.scope.is_empty() {
        lines.insert(1, ("scope", telling::name(&belief.line.scope)));
    }
    let markers = belief.markers.iter();
    lines.extend(markers.map(|marker| ("note", telling::marker(*marker).to_owned())));
    pairs(out, &lines)?;
    sides(out, "", &belief.sides)?;
    sides(out, "does not decide", &belief.alternatives)?;
    let (subject, predicate) = (typed(&belief.line.subject), typed(&belief.line.predicate));
    let program = match belief.line.scope.is_empty() {
        true => "counterfoil".to_owned(),
        false => format!("counterfoil --scope {}", typed(&belief.line.scope)),
    };
    let claims = belief.sides.iter().flat_map(|side| &side.claims);
    let names: BTreeSet<_> = claims.map(|claim| &claim.said_of).collect();
    let is_of_one_name = names.len() <= 1;
    match (belief.status, belief.support) {
        // A verdict is about what came from outside.
        (BeliefStatus::Contested, Some(Support::Inferred)) => writeln!(
            out,
            "\nSettle it: {program} claim add {subject} {predicate} VALUE --source MEMORY\n\
             Look closer: {program} why {subject} {predicate}"
        ),
        // A claim takes no place under another name.
        (BeliefStatus::Contested, _) if !is_of_one_name => writeln!(
            out,
            "\nSettle it: {program} claim end REF, or {program} adjudicate REF deny --evidence MEMORY\n\
             Look closer: {program} why {subject} {predicate}"
        ),
        (BeliefStatus::Contested, _) => writeln!(
            out,
            "\nSettle it: {program} adjudicate REF affirm --evidence MEMORY\n\
             Look closer: {program} why {subject} {predicate}"
        ),
        (BeliefStatus::Ended, _) => writeln!(
            out,
            "\nWhat held before: {program} history {subject} {predicate}"
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
    let row = |(side, claim): (&BeliefSide, &SideClaim)| {
        let more = match side.corroborations {
            0 => String::new(),
            times => format!(", {times} more say so"),
        };
        [
            telling::limited(&side.value, CELL),
            telling::window(claim.window),
            said_by(claim),
            telling::recorded(claim.stamp.micros()),
            format!("{}{more}", telling::currency(side.currency)),
            telling::name(&claim.reference),
        ]
    };
    let claims = sides
        .iter()
        .flat_map(|side| side.claims.iter().map(move |claim| (side, claim)));
    let headings = ["value", "holds", "said by", "recorded", "confirmed", "ref"];
    output::rows(out, &headings, claims.map(row))
}

/// The other names of a subject, if it has any.
pub(crate) fn also_named(names: &[Identifier]) -> Option<String> {
    let others: Vec<String> = names.iter().skip(1).map(telling::name).collect();
    (!others.is_empty()).then(|| others.join(", "))
}

/// `the user`, or `the user, of @anna` where the subject has several names.
pub(crate) fn said_by(claim: &SideClaim) -> String {
    let provenance = telling::provenance(claim.provenance);
    match &claim.said_of {
        Some(name) => format!("{provenance}, of {}", telling::name(name)),
        None => provenance,
    }
}

/// Several beliefs, one a row.
pub(crate) fn rows(out: &mut dyn Write, beliefs: &[Belief], with_subject: bool) -> io::Result<()> {
    let Some(first) = beliefs.first() else {
        return writeln!(out, "Nothing is known of it.");
    };
    let headings = [
        "subject",
        "predicate",
        "scope",
        "believed",
        "status",
        "holds",
        "said by",
        "confirmed",
    ];
    let has_scopes = beliefs.iter().any(|it| !it.line.scope.is_empty());
    let is_shown = |at: &usize| match at {
        0 => with_subject,
        2 => has_scopes,
        _ => true,
    };
    let row = |belief: &Belief| {
        let [holds, said_by, confirmed] = support(belief);
        let row = [
            telling::name(&belief.line.subject),
            telling::name(&belief.line.predicate),
            telling::name(&belief.line.scope),
            telling::believed(belief),
            status(belief),
            holds,
            said_by,
            confirmed,
        ];
        let row = row.into_iter().enumerate();
        row.filter_map(|(at, cell)| is_shown(&at).then_some(cell))
            .collect::<Vec<_>>()
    };
    let headings = headings.into_iter().enumerate();
    let headings: Vec<&str> = headings
        .filter_map(|(at, it)| is_shown(&at).then_some(it))
        .collect();
    output::rows(out, &headings, beliefs.iter().map(row))?;
    let question = first.question;
    if let Some(names) = also_named(&first.names).filter(|_| !with_subject) {
        let main = telling::name(&first.line.subject);
        writeln!(out, "\n{main} is also named {names}")?;
    }
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
