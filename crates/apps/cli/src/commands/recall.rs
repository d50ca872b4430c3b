//! `recall`: memories with proof, as a table or as the trace that a proposal would carry.

use std::io::{self, Write};

use counterfoil_actor::{Recalled, RecalledMemory};
use counterfoil_capsule::World;
use counterfoil_types::json::Value;
use counterfoil_verify::terminal;

use crate::args::RecallArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{table, write_table};
use crate::selecting::{self, Session};
use crate::when;

/// The most characters of a text in the table.
const EXCERPT: usize = 160;
const NAME: usize = 24;

pub(crate) async fn run(context: &Context, args: RecallArgs) -> Result<(), Failure> {
    let query = selecting::query(&args.query)?;
    let constraints = selecting::constraints(&args.select)?;
    let session = Session::open(&context.home, &args.select).await?;
    let deliberation = session.actor.deliberate(session.base_world.clone());
    let recalled = deliberation
        .recall(query, Some(constraints))
        .await
        .map_err(selecting::failure)?;
    context
        .out
        .answer(recalled.trace(), |out| human(out, &recalled))
}

fn human(out: &mut dyn Write, recalled: &Recalled<'_>) -> io::Result<()> {
    if recalled.is_empty() {
        return writeln!(out, "Nothing found.");
    }
    let mut table = table(&["#", "conf", "when", "who", "text", "proof"]);
    for (rank, memory) in recalled.memories().enumerate() {
        table.add_row([
            (rank + 1).to_string(),
            format!("{:.2}", memory.selected().confidence().value()),
            when::to_minute(memory.world().created_at()),
            terminal::plain(member(memory.world(), "speaker").unwrap_or("-"), NAME),
            excerpt(memory.world()),
            mark(memory),
        ]);
    }
    write_table(out, &table)
}

/// The method, and whether the proof was checked here.
pub(crate) fn mark(memory: &RecalledMemory) -> String {
    match (memory.selected().evidence(), memory.selected().verified()) {
        (Some(evidence), true) => format!("{} ok", evidence.method().as_str()),
        (Some(evidence), false) => format!("{} unverified", evidence.method().as_str()),
        (None, _) => "none".to_owned(),
    }
}

/// The beginning of what is remembered, on one line.
pub(crate) fn excerpt(world: &World) -> String {
    let text = member(world, "text").map(str::to_owned);
    let caption = member(world, "caption").map(|caption| format!(" [{caption}]"));
    let shown = match (text, caption) {
        (Some(text), caption) => text + caption.as_deref().unwrap_or_default(),
        (None, Some(caption)) => caption,
        (None, None) => world.data().map(Value::to_string).unwrap_or_default(),
    };
    terminal::plain(&shown.replace(['\n', '\t', '\r'], " "), EXCERPT)
}

fn member<'a>(world: &'a World, name: &str) -> Option<&'a str> {
    world
        .data()?
        .get(name)?
        .as_str()
        .filter(|text| !text.is_empty())
}
