//! `check`: the memory as a whole, or memories and proofs that are named.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use clap::builder::styling::AnsiColor;
use counterfoil::{CheckOptions, FloorChoice, UnixMillis};
use counterfoil_verify::{Verdict, read_file, terminal};
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{coloured, filled, items, number, rows, text};

/// The most characters of a line for a person.
const LIMIT: usize = 400;

/// Largest proof that is read, in bytes.
const MAX_PROOF: usize = 64 << 20;

#[derive(Debug, Args)]
#[command(after_help = "\
Without a name the whole memory is checked: that it is fit for use, that each entry is as it was sealed, and that everything \
stored agrees with signatures, log and the files beside it.

Exit codes: 0 when all is well, 1 when something is wrong, 2 when something cannot be decided: what is archived or not \
known yet, or a key that is missing. What was erased, and the log records it, stays open for ever and is well. What does not verify \
any more is noted as an event (`counterfoil events`).")]
pub(crate) struct CheckArgs {
    /// Memories by their ids, and files of proposals or proofs of belief, which are checked with the anchors of this log
    #[arg(value_name = "MEMORY|FILE", conflicts_with_all = ["deep", "archive"])]
    named: Vec<String>,
    /// The long work too: each signature, all that is wrong with an entry, archives, and derived state made again and compared
    #[arg(long)]
    deep: bool,
    /// The folder of archive segments [default: archive in the store's folder]
    #[arg(long, value_name = "DIR", requires = "deep")]
    archive: Option<PathBuf>,
}

impl CheckArgs {
    /// Returns true for a check of the whole memory.
    pub(crate) const fn is_of_all(&self) -> bool {
        self.named.is_empty()
    }
}

pub(crate) async fn run(context: &Context, args: CheckArgs) -> Result<(), Failure> {
    if !args.is_of_all() {
        return named(context, &args.named).await;
    }
    let options = CheckOptions {
        deep: args.deep,
        archive: args.archive,
    };
    let report = context.memory.check(options).await;
    context.progress.finish_and_clear();
    let report = report?;
    context.out.report(&report, |out, value| {
        let checks = items(value, "checks");
        let width = checks.iter().map(|check| text(check, "name").len()).max();
        let width = width.unwrap_or(0);
        for check in checks {
            let mark = match text(check, "state").as_str() {
                "ok" => coloured("ok  ", AnsiColor::Green),
                "open" => coloured("open", AnsiColor::Yellow),
                _ => coloured("BAD ", AnsiColor::Red),
            };
            let [name, detail] = ["name", "{detail:400}"].map(|it| filled(check, it));
            writeln!(out, "{mark}  {name:<width$}  {detail}")?;
        }
        let lines = report.detail("lines").as_array();
        let lines = lines.into_iter().flatten().filter_map(Value::as_str);
        lines
            .map(str::to_owned)
            .try_for_each(|line| finding(out, &line))?;
        for found in items(value, "/stored/differences") {
            finding(out, &difference(found))?;
        }
        for open in items(value, "/entries/open") {
            let (number, reason) = (text(open, "count"), text(open, "reason"));
            writeln!(out, "  {number} open: {reason}")?;
        }
        let open = number(value, "/entries/indeterminate");
        match open > 0 && open == number(value, "/entries/erasedOnRecord") {
            true => writeln!(
                out,
                "  All that is open was erased, and the log records it."
            ),
            false => Ok(()),
        }
    })
}

fn finding(out: &mut dyn Write, line: &str) -> io::Result<()> {
    writeln!(out, "  {}", terminal::plain(line, LIMIT))
}

/// One difference between what is stored and the log, in a line.
pub(crate) fn difference(found: &Value) -> String {
    filled(
        found,
        match found.get("index") {
            Some(_) => "{place}, entry {index}: {detail}",
            None => "{place}: {detail}",
        },
    )
}

/// Checks each memory or file that is named.
async fn named(context: &Context, names: &[String]) -> Result<(), Failure> {
    let (mut checked, mut worst) = (Vec::with_capacity(names.len()), Verdict::Approved);
    for name in names {
        let path = Path::new(name);
        let (verdict, row) = match path.is_file() {
            true => of_file(context, path).await?,
            false => of_memory(context, name).await?,
        };
        worst = worse(worst, verdict);
        checked.push(row);
    }
    let document = json!({ "verdict": worst.name(), "checked": checked });
    context.out.answer(&document, |out| {
        let cells = checked.iter().map(|row| {
            let said = terminal::plain(&text(row, "says").replace('\n', " "), LIMIT);
            [text(row, "verdict"), text(row, "name"), said]
        });
        rows(out, &["", "checked", "says"], cells)
    })?;
    match worst {
        Verdict::Approved => Ok(()),
        other => Err(Failure::NotApproved(other)),
    }
}

const fn worse(one: Verdict, other: Verdict) -> Verdict {
    match (one, other) {
        (Verdict::Rejected, _) | (_, Verdict::Rejected) => Verdict::Rejected,
        (Verdict::Approved, Verdict::Approved) => Verdict::Approved,
        _ => Verdict::Indeterminate,
    }
}

/// Reads a memory again: what is handed out matches its hash, its signature and its place in the log.
async fn of_memory(context: &Context, id: &str) -> Result<(Verdict, Value), Failure> {
    let shown = match context.memory.show(id).await {
        Ok(shown) => shown,
        Err(error) if error.kind() == crate::failure::ErrorKind::Withheld => {
            let row = json!({ "name": id, "verdict": "not what was sealed", "says": "" });
            return Ok((Verdict::Rejected, row));
        }
        Err(error) => return Err(error.into()),
    };
    let world = shown.value().pointer("/world");
    let is_there = world.is_some_and(|world| !world.is_null());
    let (verdict, word) = match is_there {
        true => (Verdict::Approved, "verified"),
        false => (Verdict::Indeterminate, "erased"),
    };
    let name = shown.value().pointer("/world/worldId");
    let name = name.and_then(Value::as_str).unwrap_or(id);
    let says = text(shown.value(), "/world/data/text");
    Ok((
        verdict,
        json!({ "name": name, "verdict": word, "says": says }),
    ))
}

/// Checks a proposal or a proof of belief as an authority does that has the anchors of this log and nothing else.
async fn of_file(context: &Context, path: &Path) -> Result<(Verdict, Value), Failure> {
    let input = |error: &dyn std::fmt::Display| {
        Failure::input(
            format_args!("{}: {error}", path.display()),
            "name a document of `propose` or `prove`",
        )
    };
    let proof = read_file("proof", path, MAX_PROOF).map_err(|error| input(&error))?;
    let (anchors, _floor) = context.memory.anchors(FloorChoice::Kept).await?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.ok().and_then(|now| u64::try_from(now.as_millis()).ok());
    let now = now.and_then(|now| UnixMillis::new(now).ok());
    let now = now.ok_or_else(|| Failure::place("there is no time", "set the clock"))?;
    let checked = counterfoil_verify::check(&proof, anchors.as_bytes(), now);
    let (report, verdict) = checked.map_err(|error| input(&error))?;
    let reasons = ["/reasons", "/decision/reasons"].map(|it| items(&report, it));
    let reasons = reasons.into_iter().flatten();
    let reasons: Vec<String> = reasons.map(|reason| text(reason, "message")).collect();
    let name = path.display().to_string();
    let row = json!({
        "name": name, "verdict": verdict.name(), "says": reasons.join("; "), "report": report,
    });
    Ok((verdict, row))
}
