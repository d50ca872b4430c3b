//! `audit`: everything that is stored against its signatures, the log, and the files beside it.

use counterfoil_types::json::Value;
use counterfoil_verify::terminal;

use crate::args::AuditArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, items, number, text};

/// The most characters of a difference shown to a person.
const LIMIT: usize = 400;

pub(crate) async fn run(context: &Context, args: AuditArgs) -> Result<(), Failure> {
    let audited = context.memory.audit(args.deep).await?;
    context.out.report(&audited, |out| {
        let value = audited.value();
        for found in items(value, "differences") {
            writeln!(out, "{}", terminal::plain(&difference(found), LIMIT))?;
        }
        if let Some(beside) = audited.detail("beside").as_str() {
            writeln!(out, "Beside the chains: {beside}.")?;
        }
        let entries = count(number(value, "entries"), "entry", "entries");
        let left_out = items(value, "notCompared").iter();
        let left_out: Vec<String> = left_out.map(|name| text(name, "")).collect();
        match number(value, "total") {
            0 if !left_out.is_empty() => writeln!(
                out,
                "No difference in {entries}; not compared: {}.",
                left_out.join(", ")
            ),
            0 => writeln!(out, "Clean: {entries} checked."),
            total => {
                let differences = count(total, "difference", "differences");
                writeln!(out, "{differences} in {entries}.")
            }
        }
    })
}

/// One difference, in a line.
pub(crate) fn difference(found: &Value) -> String {
    let (place, detail) = (text(found, "place"), text(found, "detail"));
    match found.get("index") {
        Some(index) => format!("{place}, entry {index}: {detail}"),
        None => format!("{place}: {detail}"),
    }
}
