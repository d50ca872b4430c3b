//! `key`: the agent's keys over its life, from the commitment to the replacement of a stolen one (capsules 4.7).

use std::io::{self, Write};

use counterfoil::Report;
use counterfoil_types::json::Value;
use counterfoil_verify::terminal;
use serde::Serialize;

use crate::args::{CompromiseArgs, KeyCommand};
use crate::context::Context;
use crate::failure::Failure;
use crate::files::write_file;
use crate::output::{items, members, pairs, text};

/// The most characters of a line.
const LIMIT: usize = 400;

pub(crate) async fn run(context: &Context, command: KeyCommand) -> Result<(), Failure> {
    let (memory, out) = (&context.memory, context.out);
    match command {
        KeyCommand::Show(args) => {
            let shown = memory.keys(args.recovery_dir).await?;
            out.report(&shown, |out| show(out, &shown))
        }
        KeyCommand::Begin(args) => {
            let begun = memory.begin_keys(args.recovery_dir).await?;
            out.report(&begun, |out| {
                members(
                    out,
                    begun.value(),
                    &[("agent", "agent"), ("index", "index")],
                )?;
                let folder = text(begun.value(), "recoveryDir");
                writeln!(out, "\nMove {folder} to another medium.")
            })
        }
        KeyCommand::Rotate(args) => {
            let rotated = memory.rotate_key(args.recovery_dir).await?;
            out.report(&rotated, |out| {
                let it = |name| text(rotated.value(), name);
                pairs(
                    out,
                    &[
                        ("agent", it("agent")),
                        ("key", format!("number {}, {}", it("number"), it("key"))),
                        ("index", it("index")),
                    ],
                )?;
                writeln!(
                    out,
                    "\nGive out new anchors, and keep a new copy of the keys and of {}.",
                    it("recoveryDir")
                )
            })
        }
        KeyCommand::Compromise(args) => compromise(context, args).await,
        KeyCommand::Export(args) => {
            let (text, records) = context.memory.export_keys().await?;
            let Some(path) = args.output else {
                return context.out.text(&text);
            };
            write_file(&path, &text)?;
            let output = path.display().to_string();
            let written = Written { output, records };
            context.out.answer(&written, |out| {
                pairs(
                    out,
                    &[
                        ("written to", written.output.clone()),
                        ("records", records.to_string()),
                    ],
                )
            })
        }
        KeyCommand::Encrypt(args) => sealed(context, &memory.seal_keys(true, args.recovery_dir)?),
        KeyCommand::Decrypt(args) => sealed(context, &memory.seal_keys(false, args.recovery_dir)?),
    }
}

fn show(out: &mut dyn Write, shown: &Report) -> io::Result<()> {
    let value = shown.value();
    let it = |name| text(value, name);
    let mut lines = vec![
        ("agent", it("agent")),
        ("key", format!("number {}, {}", it("number"), it("key"))),
    ];
    match value.get("chain") {
        Some(_) => lines.extend([
            ("chain", it("/chain/id")),
            ("next key", it("/chain/nextKey")),
            ("recovery key", it("/chain/recoveryKey")),
        ]),
        None => lines.push((
            "next key",
            "none is committed to: run `counterfoil key begin`".to_owned(),
        )),
    }
    pairs(out, &lines)?;
    for one in items(value, "keys") {
        if one.get("compromised").is_some() {
            let it = |name| text(one, name);
            let line = format!(
                "key number {} was in other hands from entry {} of {} on ({})",
                it("number"),
                it("/compromised/from"),
                it("/compromised/log"),
                it("/compromised/fromTime")
            );
            writeln!(out, "{}", terminal::plain(&line, LIMIT))?;
        }
    }
    writeln!(out)?;
    let files = items(value, "files").iter().map(|file| {
        let place = format!("{}: {}", text(file, "path"), text(file, "state"));
        (
            file.get("name").and_then(Value::as_str).unwrap_or_default(),
            place,
        )
    });
    pairs(out, &files.collect::<Vec<_>>())?;
    match shown.detail("together") {
        Value::Bool(true) => writeln!(
            out,
            "\nThe keys that take over lie beside the one that signs: move them to another medium."
        ),
        _ => Ok(()),
    }
}

async fn compromise(context: &Context, args: CompromiseArgs) -> Result<(), Failure> {
    let marked = context
        .memory
        .mark_compromised(
            args.from,
            args.key,
            &args.reason,
            args.recovery.recovery_dir,
        )
        .await?;
    context.out.report(&marked, |out| {
        let it = |name| text(marked.value(), name);
        pairs(
            out,
            &[
                ("key", format!("number {}, {}", it("number"), it("key"))),
                (
                    "contested",
                    format!("from entry {}, {}", it("from"), it("fromTime")),
                ),
                ("index", it("index")),
            ],
        )?;
        if marked.value().get("current") == Some(&Value::Bool(true)) {
            writeln!(out, "\nThis key still signs: run `counterfoil key rotate`.")?;
        }
        writeln!(
            out,
            "\nGive out new anchors: the key is not in them any more."
        )
    })
}

#[derive(Serialize)]
struct Written {
    output: String,
    records: usize,
}

fn sealed(context: &Context, done: &Report) -> Result<(), Failure> {
    context.out.report(done, |out| {
        let written = items(done.value(), "written");
        for path in written {
            writeln!(out, "written  {}", text(path, ""))?;
        }
        for path in items(done.value(), "notHere") {
            writeln!(out, "not here  {}", text(path, ""))?;
        }
        match written.is_empty() {
            true => writeln!(out, "Nothing had to be changed."),
            false => Ok(()),
        }
    })
}
