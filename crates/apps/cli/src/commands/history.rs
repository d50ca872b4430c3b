//! `history`: the versions of a memory, what changed in each, and what became of it.

use std::io::{self, Write};

use counterfoil::Report;
use counterfoil_types::json::Value;
use counterfoil_verify::terminal;

use super::changes::{TOO_MUCH, in_words};
use super::line_history;
use super::recall::excerpt;
use crate::args::HistoryArgs;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{count, items, number, table, text, write_table};

pub(crate) async fn run(context: &Context, args: HistoryArgs) -> Result<(), Failure> {
    if let Some(predicate) = &args.predicate {
        if args.max == 0 {
            return Err(Failure::input(
                "--max 0 lists nothing",
                "choose --max from 1",
            ));
        }
        return line_history::run(context, &args, predicate).await;
    }
    if args.max > 0 && (args.when.at.is_some() || args.when.as_of.is_some()) {
        return Err(Failure::input(
            "--at and --as-of ask about a subject and a predicate",
            "give both, or use `counterfoil as-of` for memories",
        ));
    }
    let history = context.memory.history(&args.world_id, args.max).await;
    let history = history.map_err(|error| match error.kind() {
        // A subject's claims are listed by predicate.
        ErrorKind::Input if args.max > 0 && !args.world_id.starts_with("world-") => Failure::new(
            ErrorKind::Input,
            format_args!(
                "{error}; or, of a subject, name a predicate too: `counterfoil believe SUBJECT` lists them"
            ),
        ),
        _ => error.into(),
    })?;
    context.out.report(&history, |out| human(out, &history))
}

fn human(out: &mut dyn Write, history: &Report) -> io::Result<()> {
    let value = history.value();
    writeln!(out, "chain {}", text(value, "chain"))?;
    writeln!(out, "agent {}", text(value, "agent"))?;
    let versions = count(number(value, "count"), "version", "versions");
    writeln!(out, "{versions}")?;
    if let Some(tombstone) = history.number("/forgotten") {
        writeln!(
            out,
            "FORGOTTEN: no recall gives it (tombstone: entry {tombstone})"
        )?;
    }
    writeln!(out)?;
    let versions = items(value, "versions");
    let with_keys = versions.iter().any(|it| number(it, "key") > 0);
    let mut headings = vec!["seq", "recorded", "world"];
    headings.extend(with_keys.then_some("key"));
    headings.push("what");
    let mut table = table(&headings);
    let details = history.detail("versions").as_array();
    for (version, detail) in versions.iter().zip(details.into_iter().flatten()) {
        let day_and_minute: String = text(version, "recordedAt").chars().take(16).collect();
        let mut row = vec![
            text(version, "seq"),
            day_and_minute.replace('T', " "),
            terminal::plain(&text(version, "worldId"), 60),
        ];
        if with_keys {
            row.push(text(version, "key"));
        }
        let contested = version.get("contested");
        let contested = contested.map(|_| format!(" [{}]", text(version, "contested")));
        row.push(what(version, detail) + &contested.unwrap_or_default());
        table.add_row(row);
    }
    write_table(out, &table)
}

/// The change that a version made, in a line.
fn what(version: &Value, detail: &Value) -> String {
    let what = match text(version, "content").as_str() {
        "erased" => "ERASED".to_owned(),
        "archived" => "archived".to_owned(),
        _ if version.get("changes").is_some() => {
            in_words(items(version, "changes"), items(detail, "others"))
        }
        _ if detail.get("tooLarge") == Some(&Value::Bool(true)) => TOO_MUCH.to_owned(),
        _ => match detail.get("text").and_then(Value::as_str).map(excerpt) {
            Some(said) if number(version, "seq") == 0 => said,
            // The version before it, which would tell the change, is gone.
            Some(said) => format!("now: {said}"),
            None => String::new(),
        },
    };
    match version.get("rollbackTo") {
        Some(seq) => format!("back to {seq}: {what}"),
        None => what,
    }
}
