//! `history SUBJECT PREDICATE`: every claim of a line, with what became of it.

use std::io::{self, Write};
use std::sync::Arc;

use counterfoil_claims::Line;
use counterfoil_claims::belief::HistoryEntry;
use counterfoil_store::AsOf;
use counterfoil_types::json::Value;
use serde::Serialize;

use crate::args::HistoryArgs;
use crate::claims::desk::Desk;
use crate::claims::{telling, value_of};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, table, write_table};

/// The most characters of a value in a row.
const CELL: usize = 48;

#[derive(Serialize)]
struct History {
    agent: String,
    subject: String,
    predicate: String,
    /// How many there are; the listed ones are the newest.
    count: usize,
    claims: Vec<Value>,
}

pub(crate) async fn run(
    context: &Context,
    args: &HistoryArgs,
    predicate: &str,
) -> Result<(), Failure> {
    let desk = Desk::reading(&context.home, args.agent)?;
    let line = desk.line(&args.world_id, predicate)?;
    let (settings, asked) = (Arc::clone(&desk.settings), AsOf::from(args.when));
    let all = desk
        .store
        .claim_history(line.clone(), asked, settings)
        .await?;
    let shown = all
        .get(all.len().saturating_sub(args.max)..)
        .unwrap_or(&all);
    desk.hand_out_claims(shown.iter().map(|entry| &entry.claim))
        .await;
    let told = History {
        agent: line.agent.to_string(),
        subject: line.subject.to_string(),
        predicate: line.predicate.to_string(),
        count: all.len(),
        claims: shown.iter().map(HistoryEntry::to_json).collect(),
    };
    context
        .out
        .answer(&told, |out| human(out, &line, all.len(), shown))
}

fn human(out: &mut dyn Write, line: &Line, all: usize, shown: &[HistoryEntry]) -> io::Result<()> {
    let (subject, predicate) = (telling::name(&line.subject), telling::name(&line.predicate));
    if shown.is_empty() {
        return writeln!(out, "Nothing was said of {subject} {predicate}.");
    }
    let claims = count(u64::try_from(all).unwrap_or(u64::MAX), "claim", "claims");
    writeln!(out, "{subject} {predicate}: {claims}\n")?;
    let mut table = table(&["recorded", "says", "state", "holds", "said by", "ref"]);
    for entry in shown {
        let value = value_of(&entry.claim);
        let value = value.map_or_else(String::new, |value| telling::limited(value, CELL));
        table.add_row([
            telling::recorded(entry.claim.stamp().micros()),
            value,
            state(entry),
            telling::window(entry.window),
            telling::provenance(entry.claim.provenance()),
            telling::name(entry.claim.reference()),
        ]);
    }
    write_table(out, &table)
}

fn state(entry: &HistoryEntry) -> String {
    let state = entry.state.name();
    match entry.corroborations {
        0 => state.to_owned(),
        times => format!("{state}, {times} more say so"),
    }
}
