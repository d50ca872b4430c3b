//! `archive`: old memories move into segment files; their proofs and chains stay (C9).

use counterfoil::UnixMillis;
use counterfoil_types::json::Value;

use crate::args::ArchiveArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, items, number, table, text, write_table};
use crate::when;

pub(crate) async fn run(context: &Context, args: ArchiveArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    let before = match (args.before, args.older_than) {
        (Some(at), _) => at,
        (None, Some(duration_ms)) => {
            let at = when::now()?.value().saturating_sub(duration_ms).max(1);
            UnixMillis::new(at).map_err(|error| Failure::input(error, "choose a shorter time"))?
        }
        (None, None) => return Err(Failure::bug("archive without a time")),
    };
    let archived = context
        .memory
        .archive(before, args.to, args.dry_run)
        .await?;
    context
        .out
        .report(&archived, |out| { let archived = archived.value();
    let kept = count(
        number(archived, "kept"),
        "current version stays",
        "current versions stay",
    );
    let segments = items(archived, "segments");
    if segments.is_empty() {
        return writeln!(out, "Nothing is old enough ({kept}).");
    }
    let mut table = table(&["segment", "memories", "entries", "bytes", "receipt"]);
    for segment in segments {
        let (name, receipt) = match segment.get("receipt") {
            Some(Value::Number(receipt)) => (text(segment, "segment"), receipt.to_string()),
            _ => ("(not made)".to_owned(), "-".to_owned()),
        };
        let (from, to) = (text(segment, "/entries/from"), text(segment, "/entries/to"));
        table.add_row([
            name,
            text(segment, "capsules"),
            format!("{from} to {to}"),
            text(segment, "bytes"),
            receipt,
        ]);
    }
    write_table(out, &table)?;
    let moved: u64 = segments.iter().map(|it| number(it, "capsules")).sum();
    let verb = if args.dry_run {
        "would be archived"
    } else {
        "archived"
    };
    writeln!(
        out,
        "\n{} {verb}; {kept}. `recall` does not find what is archived, `restore` brings it back.",
        count(moved, "memory", "memories")
    )
})
}
