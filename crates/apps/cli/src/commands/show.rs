//! `show`: one memory, or one entry of the log, with its capsule and its receipt.

use counterfoil::{Report, UnixMillis};
use counterfoil_verify::terminal;

use crate::args::ShowArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{items, json_text, number, pairs, text};
use crate::when;

/// The most characters of a value shown to a person.
const LIMIT: usize = 1 << 20;

pub(crate) async fn run(context: &Context, args: ShowArgs) -> Result<(), Failure> {
    let shown = match (&args.world_id, args.entry) {
        (_, Some(index)) => context.memory.show_entry(index).await?,
        (Some(id), None) => context.memory.show(id).await?,
        (None, None) => return Err(Failure::input("nothing is named", "name a memory")),
    };
    context.out.report(&shown, |out| {
        pairs(out, &lines(&shown))?;
        let value = shown.value();
        let said = match value.get("world") {
            Some(world) if !world.is_null() => world.get("data"),
            _ => value.get("record"),
        };
        if let Some(said) = said {
            let said = json_text(said).unwrap_or_default();
            writeln!(out, "\n{}", said.trim_end())?;
        }
        if let Some(proof) = shown.text("/receipt/tlogProof") {
            writeln!(out)?;
            for line in proof.lines() {
                writeln!(out, "{}", terminal::plain(line, LIMIT))?;
            }
        }
        Ok(())
    })
}

fn lines(shown: &Report) -> Vec<(&'static str, String)> {
    let value = shown.value();
    let id = |name: &str| terminal::plain(&text(value, name), LIMIT);
    let detail = |name: &str| text(shown.detail(name), "");
    let mut lines = vec![match detail("kind").as_str() {
        "world" => ("world", terminal::plain(&detail("name"), LIMIT)),
        _ => ("record", detail("name")),
    }];
    let created = shown.detail("createdAt").as_u64();
    let created = created.and_then(|at| UnixMillis::new(at).ok());
    lines.extend(created.map(|at| ("created", when::to_minute(at))));
    lines.push(("recorded", detail("recordedAt")));
    lines.push(("agent", detail("agent")));
    if number(value, "key") > 0 {
        lines.push(("key", format!("number {}", text(value, "key"))));
    }
    let chain = detail("chain");
    lines.push(("chain", format!("{chain}, number {}", text(value, "seq"))));
    for name in ["previous", "next"] {
        lines.extend(value.get(name).map(|_| (name, id(name))));
    }
    let marks = items(value, "marks").iter();
    lines.extend(marks.map(|mark| {
        let mark = mark.as_str().unwrap_or_default();
        ("", terminal::plain(mark, LIMIT))
    }));
    lines.push(("log index", text(value, "index")));
    lines.push(("content", format!("{} bytes", detail("bytes"))));
    lines.push(("", detail("content")));
    lines.push(("capsule", detail("hash")));
    lines
}
