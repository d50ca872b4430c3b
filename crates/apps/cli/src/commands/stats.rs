//! `stats`: how many memories there are, and the room that each part takes on disk.

use counterfoil_types::json::Value;
use counterfoil_verify::terminal;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{items, pairs, table, text, write_table};

/// The most characters of a table's name.
const NAME_LIMIT: usize = 64;

pub(crate) async fn run(context: &Context) -> Result<(), Failure> {
    let counted = context.memory.stats().await?;
    context.out.report(&counted, |out| {
        let counted = counted.value();
        let it = |name| text(counted, name);
        let bytes = |name| format!("{} bytes", it(name));
        let each = counted.get("bytesPerMemory");
        pairs(
            out,
            &[
                ("memories", it("memories")),
                ("log entries", it("entries")),
                ("agents", it("agents")),
                ("chains", it("chains")),
                ("file", bytes("fileBytes")),
                ("of it free", bytes("freeBytes")),
                ("write-ahead log", bytes("walBytes")),
                (
                    "per memory",
                    each.map_or_else(|| "-".to_owned(), |_| bytes("bytesPerMemory")),
                ),
            ],
        )?;
        let parts = items(counted, "parts");
        if parts.is_empty() {
            return Ok(());
        }
        let mut rows = table(&["part", "bytes", "per memory"]);
        for part in parts {
            let each = part.get("bytesPerMemory");
            rows.add_row([
                terminal::plain(&text(part, "name"), NAME_LIMIT),
                text(part, "bytes"),
                each.map_or_else(|| "-".to_owned(), Value::to_string),
            ]);
        }
        writeln!(out)?;
        write_table(out, &rows)
    })
}
