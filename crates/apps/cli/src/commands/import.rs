//! `import`: each turn of a record becomes one memory; capsules that were sealed elsewhere are judged line by line.

use counterfoil::{ImportOptions, Report};
use counterfoil_types::json::Value;

use crate::args::ImportArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{pairs, text};

pub(crate) async fn run(context: &Context, args: ImportArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    context.watch_for_interruption()?;
    let options = ImportOptions {
        format: args.format.map(Into::into),
        source: args.source,
        checkpoint: args.checkpoint,
        log_key: args.log_key,
    };
    let imported = context.memory.import(&args.file, options).await;
    context.progress.finish_and_clear();
    let imported = imported?;
    context
        .memory
        .take_notices()
        .iter()
        .for_each(crate::output::notice);
    context
        .out
        .report(&imported, |out| pairs(out, &lines(&imported)))
}

fn lines(imported: &Report) -> Vec<(&'static str, String)> {
    let it = |name| text(imported.value(), name);
    if it("format") != "capsules" {
        return vec![
            ("format", it("format")),
            ("turns read", it("read")),
            ("added", it("added")),
            ("already there", it("alreadyThere")),
            ("refused", it("refusedCount")),
        ];
    }
    vec![
        ("capsules read", it("read")),
        ("accepted", it("accepted")),
        ("accepted that had waited", it("settled")),
        ("already there", it("alreadyThere")),
        ("waiting", it("pendingCount")),
        ("refused", it("refusedCount")),
        ("forks", it("forked")),
        ("end of the log", end(imported.value().get("end"))),
    ]
}

/// End of the exported log, by the checkpoint that was given.
fn end(end: Option<&Value>) -> String {
    let it = |name| end.map(|end| text(end, name)).unwrap_or_default();
    match it("state").as_str() {
        "complete" => format!("complete, {} entries", it("size")),
        "truncated" => format!("missing, {} of {} entries", it("found"), it("size")),
        "otherHistory" => "of another history".to_owned(),
        _ => "unknown: no checkpoint was given".to_owned(),
    }
}
