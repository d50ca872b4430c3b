//! `restore`: what is archived comes back, once every byte of its segment has been checked (D55, D56).

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use counterfoil_sqlite::{KnownSegment, RestoreReport};
use serde_json::json;

use crate::args::RestoreArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{table, write_table};

/// How the name of a segment ends, and in its place that of its manifest.
const SUFFIX: &str = ".jsonl.zst";
const MANIFEST_SUFFIX: &str = ".manifest.json";

pub(crate) async fn run(context: &Context, args: RestoreArgs) -> Result<(), Failure> {
    if args.list {
        return list(context).await;
    }
    let folder = args.from.unwrap_or_else(|| context.home.archive());
    let store = context.home.writer()?;
    let known = store.segments().await?;
    let names = if args.all {
        let meant = known.into_iter().filter(|segment| {
            segment.archived > 0 || (args.discard && is_there(&folder, &segment.name))
        });
        meant.map(|segment| segment.name).collect()
    } else {
        for named in &args.segments {
            must_be_known(&known, &folder, named)?;
        }
        args.segments
    };
    let restored = store.restore(folder.clone(), names).await?;
    if args.discard {
        for segment in &restored {
            store.discard_segment(folder.clone(), &segment.name).await?;
        }
    }
    let segments = restored.iter().map(|segment| {
        json!({
            "segment": segment.name,
            "receipt": segment.receipt,
            "restored": segment.restored,
            "present": segment.present,
            "erased": segment.erased,
            "discarded": args.discard,
        })
    });
    let document = json!({ "folder": folder, "segments": segments.collect::<Vec<_>>() });
    context
        .out
        .answer(&document, |out| human(out, &restored, args.discard))
}

/// Whether something lies at a segment's place: what is erased may still be in it.
fn is_there(folder: &Path, name: &str) -> bool {
    fs::symlink_metadata(folder.join(name)).is_ok()
}

/// Refuses a name of which neither log nor folder has heard.
fn must_be_known(known: &[KnownSegment], folder: &Path, named: &str) -> Result<(), Failure> {
    let stem = [SUFFIX, MANIFEST_SUFFIX]
        .iter()
        .find_map(|suffix| named.strip_suffix(suffix))
        .unwrap_or(named);
    let name = format!("{stem}{SUFFIX}");
    let is_plain = stem
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_plain && (known.iter().any(|it| it.name == name) || is_there(folder, &name)) {
        return Ok(());
    }
    Err(Failure::input(
        format_args!("there is no segment {named:?}"),
        "take a name from `counterfoil restore --list`",
    ))
}

fn human(out: &mut dyn Write, restored: &[RestoreReport], discarded: bool) -> io::Result<()> {
    if restored.is_empty() {
        return match discarded {
            true => writeln!(
                out,
                "Nothing is archived, and no file of a segment is left there."
            ),
            false => writeln!(out, "Nothing is archived."),
        };
    }
    let mut table = table(&["segment", "restored", "here already", "stay erased"]);
    for segment in restored {
        table.add_row([
            segment.name.clone(),
            segment.restored.to_string(),
            segment.present.to_string(),
            segment.erased.to_string(),
        ]);
    }
    write_table(out, &table)?;
    let erased: u64 = restored.iter().map(|it| it.erased).sum();
    match (discarded, erased) {
        (true, _) => writeln!(out, "\nThe files of these segments are removed."),
        (false, 0) => Ok(()),
        (false, _) => writeln!(
            out,
            "\nThe files still hold what was erased: restore them again with --discard, which \
             removes them."
        ),
    }
}

async fn list(context: &Context) -> Result<(), Failure> {
    let known = context.home.reader()?.segments().await?;
    let document: Vec<_> = known
        .iter()
        .map(|segment| {
            json!({
                "segment": segment.name,
                "receipt": segment.receipt,
                "capsules": segment.capsules,
                "archived": segment.archived,
            })
        })
        .collect();
    context.out.answer(&document, |out| listed(out, &known))
}

fn listed(out: &mut dyn Write, known: &[KnownSegment]) -> io::Result<()> {
    if known.is_empty() {
        return writeln!(out, "Nothing was ever archived.");
    }
    let mut table = table(&["segment", "memories", "archived", "receipt"]);
    for segment in known {
        table.add_row([
            segment.name.clone(),
            segment.capsules.to_string(),
            segment.archived.to_string(),
            segment.receipt.to_string(),
        ]);
    }
    write_table(out, &table)
}
