//! `history SUBJECT PREDICATE`: every claim of a line with its state.

use counterfoil::{BeliefQuery, text as telling};
use counterfoil_claims::belief::HistoryEntry;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, rows};

/// The most characters of a value in a row.
const CELL: usize = 48;

pub(crate) async fn run(
    context: &Context,
    (subject, predicate): (&str, &str),
    query: &BeliefQuery,
    max: usize,
) -> Result<(), Failure> {
    let memory = &context.memory;
    let listed = memory.line_history(subject, predicate, query, max).await?;
    context.out.answer(&listed, |out| {
        let line = &listed.line;
        let (subject, predicate) = (telling::name(&line.subject), telling::name(&line.predicate));
        if listed.claims.is_empty() {
            return writeln!(out, "Nothing was said of {subject} {predicate}.");
        }
        let claims = count(
            u64::try_from(listed.count).unwrap_or(u64::MAX),
            "claim",
            "claims",
        );
        writeln!(out, "{subject} {predicate}: {claims}\n")?;
        // Who said it, and of which name where that is not the main one.
        let said_by = |entry: &HistoryEntry| {
            let provenance = telling::provenance(entry.claim.provenance());
            let name = &entry.claim.line().subject;
            match *name == line.subject {
                true => provenance,
                false => format!("{provenance}, of {}", telling::name(name)),
            }
        };
        let row = |entry: &HistoryEntry| {
            [
                telling::recorded(entry.claim.stamp().micros()),
                telling::claimed(&entry.claim, CELL),
                state(entry),
                telling::window(entry.window),
                said_by(entry),
                telling::name(entry.claim.reference()),
            ]
        };
        let headings = ["recorded", "says", "state", "holds", "said by", "ref"];
        rows(out, &headings, listed.claims.iter().map(row))
    })
}

fn state(entry: &HistoryEntry) -> String {
    let state = entry.state.name();
    match entry.corroborations {
        0 => state.to_owned(),
        times => format!("{state}, {times} more say so"),
    }
}
