//! `guard`: a folder of files is sealed as it is, watched, and compared with what was sealed.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use counterfoil::{Memory, Report};
use counterfoil_verify::{Form, terminal};
use serde_json::Value;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{items, notice, pairs, rows, text, version_of};

/// Type of the document.
const KIND: &str = "counterfoil/guard";

/// The most characters of a path that is shown.
const LIMIT: usize = 200;

#[derive(Debug, Args)]
pub(crate) struct GuardArgs {
    /// The folder of your files, which are read and never written
    folder: PathBuf,
    /// Compare the files with the last seal, and write nothing: exit 1 where they differ
    #[arg(long, conflicts_with = "watch")]
    check: bool,
    /// Go on sealing what changes, until Ctrl-C; with --json one document a line
    #[arg(long)]
    watch: bool,
    /// Name under which the folder is known, for one that moves [default: its path]
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
}

pub(crate) async fn run(context: &Context, args: GuardArgs) -> Result<(), Failure> {
    let (folder, name) = (args.folder.as_path(), args.name.as_deref());
    let memory = &context.memory;
    if !args.check {
        let check = |memory: &Memory| memory.can_guard(folder, name);
        context.begin_with(folder, check).await?;
    }
    if args.watch {
        context.watch_for_interruption()?;
        let mut failed = None;
        let each = |report: Report| match shown(context, &report, true) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                failed = Some(failure);
                ControlFlow::Break(())
            }
        };
        memory.watch_guarded(folder, name, each).await?;
        return failed.map_or(Ok(()), Err);
    }
    let report = match args.check {
        true => memory.check_guarded(folder, name).await?,
        false => memory.guard(folder, name).await?,
    };
    shown(context, &report, false)
}

/// Writes a report: of a watched folder one line a change, or one document a line.
fn shown(context: &Context, report: &Report, watches: bool) -> Result<(), Failure> {
    if watches && context.out.form() == Form::Json {
        let mut line = report.value().clone();
        if let Some(members) = line.as_object_mut() {
            members.insert("type".to_owned(), KIND.into());
            members.insert("version".to_owned(), version_of(KIND).into());
        }
        return context
            .out
            .text(&(terminal::plain_json(&line.to_string()) + "\n"));
    }
    for one in items(report.value(), "leftOut") {
        let path = terminal::plain(&text(one, "path"), LIMIT);
        notice(format_args!("{path} is left out: {}", text(one, "why")));
    }
    context.out.report(report, |out, document| {
        let changes = items(document, "changes");
        if watches {
            return changes.iter().try_for_each(|change| {
                let owner = text(change, "owner");
                let owner = match owner.is_empty() {
                    true => String::new(),
                    false => format!(", owner {owner}"),
                };
                writeln!(out, "{}{owner}", sentence(change))
            });
        }
        table(out, document, changes)
    })
}

fn table(out: &mut dyn Write, document: &Value, changes: &[Value]) -> io::Result<()> {
    if !changes.is_empty() {
        let cells = changes.iter().map(|change| {
            let path = terminal::plain(&text(change, "path"), LIMIT);
            [
                text(change, "change"),
                path,
                note(change),
                text(change, "memory"),
            ]
        });
        rows(out, &["change", "file", "", "memory"], cells)?;
        writeln!(out)?;
    }
    pairs(
        out,
        &[
            ("files", text(document, "files")),
            ("unchanged", text(document, "unchanged")),
            ("left out", items(document, "leftOut").len().to_string()),
            ("hidden", text(document, "hidden")),
        ],
    )
}

fn sentence(change: &Value) -> String {
    let path = terminal::plain(&text(change, "path"), LIMIT);
    let line = format!("{} {path} {}", text(change, "change"), note(change));
    line.trim_end().to_owned()
}

/// Remark about a change, for people.
fn note(change: &Value) -> String {
    let number = |name: &str| change.get(name).and_then(Value::as_u64);
    match text(change, "change").as_str() {
        "moved" => format!("from {}", terminal::plain(&text(change, "from"), LIMIT)),
        "rolledBack" => format!("as in version {}", number("sameAs").unwrap_or_default()),
        _ if change.get("why").is_some() => text(change, "why"),
        _ => String::new(),
    }
}
