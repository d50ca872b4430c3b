//! `archive`: old memories move into segment files; their proofs and chains stay (C9).

use std::io::{self, Write};

use counterfoil_capsule::Timestamp;
use counterfoil_sqlite::{ArchiveReport, ArchiveRequest, ScrubReport};
use serde_json::{Value, json};

use crate::args::ArchiveArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, notice, table, write_table};
use crate::when;

pub(crate) async fn run(context: &Context, args: ArchiveArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let before = before(&args)?;
    let folder = args.to.unwrap_or_else(|| context.home.archive());
    let archived = if args.dry_run {
        context.home.reader()?.plan_archive(before).await?
    } else {
        let agent = context.home.agent()?;
        let archiving = ArchiveRequest {
            before,
            folder: folder.clone(),
        };
        context.home.writer()?.archive(agent, archiving).await?
    };
    let document = json!({
        "dryRun": args.dry_run,
        "before": before.to_string(),
        "folder": folder,
        "segments": segments(&archived),
        "kept": archived.kept,
    });
    if let Some(ScrubReport::Not { detail }) = &archived.scrubbed {
        notice(format_args!(
            "the database file did not shrink yet ({detail}); the next erase or archive does it"
        ));
    }
    context
        .out
        .answer(&document, |out| human(out, &archived, args.dry_run))
}

fn before(args: &ArchiveArgs) -> Result<Timestamp, Failure> {
    let millis = match (args.before, args.older_than) {
        (Some(at), _) => at.value(),
        (None, Some(duration_ms)) => when::now()?.value().saturating_sub(duration_ms),
        (None, None) => return Err(Failure::bug("archive without a time")),
    };
    Timestamp::from_micros(millis.saturating_mul(1000))
        .map_err(|error| Failure::input(error, "choose a time before the year 10000"))
}

fn segments(archived: &ArchiveReport) -> Vec<Value> {
    let segments = archived.segments.iter();
    segments
        .map(|segment| {
            json!({
                "segment": segment.name,
                "capsules": segment.capsules,
                "entries": { "from": segment.entries.0, "to": segment.entries.1 },
                "bytes": segment.bytes,
                "receipt": segment.receipt,
            })
        })
        .collect()
}

fn human(out: &mut dyn Write, archived: &ArchiveReport, dry_run: bool) -> io::Result<()> {
    let kept = count(
        archived.kept,
        "current version stays",
        "current versions stay",
    );
    if archived.segments.is_empty() {
        return writeln!(out, "Nothing is old enough ({kept}).");
    }
    let mut table = table(&["segment", "memories", "entries", "bytes", "receipt"]);
    for segment in &archived.segments {
        let (name, receipt) = match segment.receipt {
            Some(receipt) => (segment.name.clone(), receipt.to_string()),
            None => ("(not made)".to_owned(), "-".to_owned()),
        };
        table.add_row([
            name,
            segment.capsules.to_string(),
            format!("{} to {}", segment.entries.0, segment.entries.1),
            segment.bytes.to_string(),
            receipt,
        ]);
    }
    write_table(out, &table)?;
    let moved: u64 = archived.segments.iter().map(|it| it.capsules).sum();
    let verb = if dry_run {
        "would be archived"
    } else {
        "archived"
    };
    writeln!(
        out,
        "\n{} {verb}; {kept}. `recall` does not find what is archived, `restore` brings it back.",
        count(moved, "memory", "memories")
    )
}
