//! `erase`: the content of a memory is taken away for good, and a certificate says what is left (C20).

use std::io::{self, BufRead, IsTerminal, Write};

use counterfoil_types::json::Value;
use counterfoil_verify::terminal;

use crate::args::EraseArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, items, number, pairs, text};

/// The most characters of an id or a reason that are shown.
const LIMIT: usize = 1024;

pub(crate) async fn run(context: &Context, args: EraseArgs) -> Result<(), Failure> {
    let memory = &context.memory;
    if !args.yes && !memory.is_erased(&args.world_id).await? {
        ask(&args)?;
    }
    let certificate = memory
        .erase(&args.world_id, &args.reason, args.all_versions)
        .await?;
    context
        .out
        .report(&certificate, |out| human(out, certificate.value()))
}

/// Asks for confirmation, as erasure is final; `--yes` skips the question.
fn ask(args: &EraseArgs) -> Result<(), Failure> {
    let refused = |what: &str| {
        Failure::input(
            format_args!("nothing was erased: {what}"),
            "give --yes to erase without being asked",
        )
    };
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(refused("there is nobody to ask"));
    }
    let what = if args.all_versions {
        "every version of "
    } else {
        ""
    };
    let id = terminal::plain(&args.world_id, LIMIT);
    let mut asked = io::stderr().lock();
    write!(asked, "Erase the content of {what}{id} for good? [y/N] ")?;
    asked.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(refused("you did not say yes")),
    }
}

fn human(out: &mut dyn Write, certificate: &Value) -> io::Result<()> {
    for erased in items(certificate, "erased") {
        one(out, erased)?;
        writeln!(out)?;
    }
    let remain = certificate.get("copies").map(remaining).unwrap_or_default();
    if remain.is_empty() {
        return writeln!(
            out,
            "No copy is known to remain here. Exports, backups and what others were given are not \
             reached."
        );
    }
    writeln!(out, "Copies that are known to remain:")?;
    remain
        .iter()
        .try_for_each(|line| writeln!(out, "  {line}"))?;
    writeln!(
        out,
        "Exports, backups and what others were given are not reached."
    )
}

/// A line for each copy that is known.
fn remaining(copies: &Value) -> Vec<String> {
    let mut remain = Vec::new();
    for version in items(copies, "versions") {
        let id = terminal::plain(&text(version, "worldId"), LIMIT);
        let why = match version.get("saysTheSame") {
            Some(Value::Bool(true)) => {
                "says the same; `counterfoil erase` with --all-versions reaches it"
            }
            _ => "what did not change stands in it",
        };
        remain.push(format!("version {} ({id}): {why}", text(version, "seq")));
    }
    for segment in items(copies, "segments") {
        let (name, command) = (text(segment, "segment"), text(segment, "removedBy"));
        remain.push(format!("{name}: `{command}` removes it"));
    }
    for held in items(copies, "held") {
        remain.push(format!(
            "{} document {}, which was not accepted: `counterfoil gc` removes it in time",
            text(held, "class"),
            text(held, "document")
        ));
    }
    for (name, why) in [
        ("sameData", "says the same"),
        ("derived", "was made from it"),
    ] {
        for world in items(copies, name) {
            let id = terminal::plain(&text(world, ""), LIMIT);
            remain.push(format!("{id}: {why}"));
        }
    }
    remain
}

fn one(out: &mut dyn Write, erased: &Value) -> io::Result<()> {
    let it = |name| text(erased, name);
    let bytes = |name| {
        let bytes = erased.pointer(name).and_then(Value::as_u64);
        bytes.map(|bytes| count(bytes, "byte", "bytes"))
    };
    let when = match erased.get("erasedNow") {
        Some(Value::Bool(true)) => "now",
        _ => "already, before",
    };
    let mut gone = vec![
        count(number(erased, "/gone/payloadBytes"), "byte", "bytes") + " of content",
        "its salt".to_owned(),
    ];
    gone.extend(bytes("/gone/deltaBytes").map(|bytes| bytes + " of change"));
    let next = bytes("/gone/nextDelta/bytes");
    gone.extend(next.map(|bytes| bytes + " of the next version's change"));
    let proven = format!("log entry {}, which names content and size", it("index"));
    let (at, recorded) = (it("/redaction/index"), it("/redaction/recordedAt"));
    let reason = terminal::plain(&it("/redaction/document/reason"), LIMIT);
    pairs(
        out,
        &[
            ("erased", terminal::plain(&it("worldId"), LIMIT)),
            ("", when.to_owned()),
            ("gone", gone.join(", ")),
            ("capsule", it("capsule")),
            ("chain", format!("{}, number {}", it("chain"), it("seq"))),
            ("still proven by", proven),
            ("redaction", format!("log entry {at}, {recorded}")),
            ("reason", reason),
            ("by", it("/redaction/document/by")),
        ],
    )
}
