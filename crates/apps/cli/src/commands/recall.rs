//! `recall`: memories with proof, as a table or as the trace that a proposal would carry.

use std::io::{self, Write};

use counterfoil::{Hit, Recalled};
use counterfoil_types::DidKey;
use counterfoil_verify::{Form, terminal};

use crate::args::RecallArgs;
use crate::claims::telling::brief;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, notice, table, write_table};
use crate::when;

/// The most characters of a text in the table.
const EXCERPT: usize = 160;
const NAME: usize = 24;

pub(crate) async fn run(context: &Context, args: RecallArgs) -> Result<(), Failure> {
    let recalled = context
        .memory
        .recall(&args.query, &(&args.select).into())
        .await?;
    answer(context, &recalled).await?;
    if context.out.form() == Form::Human {
        let archived = context.memory.archived().await?;
        if archived > 0 {
            notice(format_args!(
                "{} archived and not searched; `counterfoil restore --all` brings them back",
                count(archived, "memory is", "memories are")
            ));
        }
    }
    Ok(())
}

/// The trace, or a table with the writer of each memory that is another agent's.
pub(crate) async fn answer(context: &Context, recalled: &Recalled) -> Result<(), Failure> {
    let mut writers = Vec::new();
    if context.out.form() == Form::Human {
        for hit in recalled.hits() {
            writers.push(context.memory.writer_of(&hit.id).await?);
        }
    }
    context
        .out
        .answer(recalled, |out| human(out, recalled.hits(), &writers))
}

fn human(out: &mut dyn Write, hits: &[Hit], writers: &[Option<DidKey>]) -> io::Result<()> {
    if hits.is_empty() {
        return writeln!(out, "Nothing found.");
    }
    let mut table = table(&["#", "conf", "when", "who", "text", "proof"]);
    for (rank, hit) in hits.iter().enumerate() {
        table.add_row([
            (rank + 1).to_string(),
            format!("{:.2}", hit.confidence.value()),
            when::to_minute(hit.when),
            who(hit, writers.get(rank).and_then(Option::as_ref)),
            format!("{}{}", caveat(hit), excerpt(&hit.text)),
            mark(hit),
        ]);
    }
    write_table(out, &table)
}

/// Author, and in brief the owner of the memory when it is another agent's.
fn who(hit: &Hit, writer: Option<&DidKey>) -> String {
    let speaker = hit.who.as_ref().map(|who| terminal::plain(who, NAME));
    match (speaker, writer.map(brief)) {
        (Some(speaker), Some(writer)) => format!("{speaker} (by {writer})"),
        (None, Some(writer)) => writer,
        (speaker, None) => speaker.unwrap_or_else(|| "-".to_owned()),
    }
}

/// The method, and whether the proof was checked here.
pub(crate) fn mark(hit: &Hit) -> String {
    match &hit.method {
        Some(method) if hit.verified => format!("{method} ok"),
        Some(method) => format!("{method} unverified"),
        None => "none".to_owned(),
    }
}

/// Remarks of the selector that a reader must not miss, in brackets.
fn caveat(hit: &Hit) -> String {
    if hit.caveats.is_empty() {
        return String::new();
    }
    format!("[{}] ", terminal::plain(&hit.caveats.join("; "), EXCERPT))
}

/// Beginning of a memory, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    terminal::plain(&text.replace(['\n', '\t', '\r'], " "), EXCERPT)
}
