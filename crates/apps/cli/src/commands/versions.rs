//! Versions of a memory: a change, its history, the difference between two, and the way back.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use counterfoil::text::holds_nul;
use counterfoil::{Edit, Report};
use counterfoil_types::DidKey;
use counterfoil_types::json::{JsonError, Limits, Value, parse};

use super::changes::{TOO_MUCH, all, contrasted, in_words};
use super::claim::WhenArgs;
use super::line_history;
use super::recall::excerpt;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::input::document;
use crate::output::{count, filled, items, lines_of, notice, number, pairs, rows, text};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").required(true))]
pub(crate) struct UpdateArgs {
    /// Any version of the memory; the newest is what changes
    #[arg(value_name = "MEMORY")]
    pub(crate) world_id: String,
    /// A JSON pointer into the memory, and the new value there: JSON, or else a text.
    /// A note has its text at /text. To be given several times
    #[arg(long, value_name = "/PATH=VALUE", group = "change")]
    pub(crate) set: Vec<String>,
    /// A JSON file with a patch: an array is RFC 6902, an object RFC 7396; `-` reads standard input
    #[arg(long, value_name = "F.json", group = "change")]
    pub(crate) patch: Option<PathBuf>,
    /// A JSON file with all that is to be remembered; `-` reads standard input
    #[arg(long, value_name = "F.json", group = "change")]
    pub(crate) replace: Option<PathBuf>,
    /// Only if this is the newest version; otherwise nothing is written
    #[arg(long, value_name = "MEMORY", conflicts_with = "derive")]
    pub(crate) expect: Option<String>,
    /// Make a memory of your own from the version that is named, which may be another agent's
    #[arg(long)]
    pub(crate) derive: bool,
}

pub(crate) async fn update(context: &Context, args: UpdateArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    let mut edit = edit(&args)?;
    if let Some(expected) = args.expect {
        edit = edit.expecting(expected);
    }
    if args.derive {
        edit = edit.deriving();
    }
    let updated = context.memory.update(&args.world_id, &edit).await?;
    context.out.report(&updated, |out, value| {
        let base = match args.derive {
            true => ("derived from", "derivedFrom"),
            false => ("after", "previous"),
        };
        let version = ("version", "{seq} of {chain}");
        let named = [("memory", "id"), base, version, ("index", "index")];
        let mut lines = lines_of(value, &named);
        lines.push(("changed", changed(&updated)));
        pairs(out, &lines)
    })
}

/// The changes in a line.
pub(crate) fn changed(updated: &Report) -> String {
    match updated.detail("others").as_array() {
        Some(others) => in_words(items(updated.value(), "changes"), others),
        None => TOO_MUCH.to_owned(),
    }
}

fn edit(args: &UpdateArgs) -> Result<Edit, Failure> {
    let read = |path: &Path| document(Some(path).filter(|path| path.as_os_str() != "-"));
    if let Some(path) = &args.patch {
        return Ok(Edit::patch(read(path)?));
    }
    if let Some(path) = &args.replace {
        return Ok(Edit::replace(read(path)?));
    }
    let (first, others) = args
        .set
        .split_first()
        .ok_or_else(|| Failure::bug("an update without a change"))?;
    let (path, value) = assignment(first)?;
    others
        .iter()
        .try_fold(Edit::set(path, value), |edit, text| {
            let (path, value) = assignment(text)?;
            Ok(edit.and_set(path, value))
        })
}

/// `/path=value`. The value is JSON if it is any, and a text otherwise.
fn assignment(text: &str) -> Result<(String, Value), Failure> {
    let (path, value) = text.split_once('=').ok_or_else(|| {
        Failure::input(
            "--set takes a path and a value",
            "write --set /text=\"what it says now\"",
        )
    })?;
    let value = match parse(value.as_bytes(), Limits::CONTENT) {
        Err(JsonError::Syntax { .. }) => {
            if value.starts_with(['{', '[', '"']) {
                notice(format_args!(
                    "the value for {path} begins as JSON and is none; it is taken as a text"
                ));
            }
            Value::String(value.to_owned())
        }
        parsed => {
            parsed.map_err(|error| Failure::json(format_args!("the value for {path}"), &error))?
        }
    };
    if holds_nul(&value) {
        return Err(Failure::input(
            format_args!("the value for {path} contains the character NUL"),
            "remove it",
        ));
    }
    Ok((path.to_owned(), value))
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Any version of the memory; or a subject, whose claims of PREDICATE are listed
    #[arg(value_name = "MEMORY", allow_hyphen_values = true)]
    pub(crate) world_id: String,
    /// With a subject: the predicate
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: Option<String>,
    /// At most so many versions or claims, the newest
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) max: usize,
    #[command(flatten)]
    pub(crate) when: WhenArgs,
    /// The claims of another agent, which were imported
    #[arg(long, value_name = "DID", requires = "predicate")]
    pub(crate) agent: Option<DidKey>,
}

pub(crate) async fn history(context: &Context, args: HistoryArgs) -> Result<(), Failure> {
    if let Some(predicate) = &args.predicate {
        if args.max == 0 {
            return Err(Failure::input(
                "--max 0 lists nothing",
                "choose --max from 1",
            ));
        }
        let query = args.when.of(args.agent);
        let line = (args.world_id.as_str(), predicate.as_str());
        return line_history::run(context, line, &query, args.max).await;
    }
    if args.max > 0 && (args.when.at.is_some() || args.when.as_of.is_some()) {
        return Err(Failure::input(
            "--at and --as-of ask about a subject and a predicate",
            "give both, or use `counterfoil as-of` for memories",
        ));
    }
    let history = context.memory.history(&args.world_id, args.max).await;
    let history = history.map_err(|error| match error.kind() {
        // A subject's claims are listed by predicate.
        ErrorKind::Input if args.max > 0 && !["mem_", "world-"].iter().any(|it| args.world_id.starts_with(it)) => Failure::new(
            ErrorKind::Input,
            format_args!(
                "{error}; or, of a subject, name a predicate too: `counterfoil believe SUBJECT` lists them"
            ),
        ),
        _ => error.into(),
    })?;
    context
        .out
        .report(&history, |out, value| versions(out, value, &history))
}

fn versions(out: &mut dyn Write, value: &Value, history: &Report) -> io::Result<()> {
    let versions = count(number(value, "count"), "version", "versions");
    let chain = filled(value, "chain {chain}\nagent {agent}");
    writeln!(out, "{chain}\n{versions}")?;
    if let Some(tombstone) = history.number("/forgotten") {
        writeln!(
            out,
            "FORGOTTEN: no recall gives it (tombstone: entry {tombstone})"
        )?;
    }
    writeln!(out)?;
    let versions = items(value, "versions");
    let with_keys = versions.iter().any(|it| number(it, "key") > 0);
    let mut headings = vec!["seq", "recorded", "memory"];
    headings.extend(with_keys.then_some("key"));
    headings.push("what");
    let details = items(history.detail("versions"), "");
    let row = |(version, detail): (&Value, &Value)| {
        let cells = ["seq", "{recordedAt:minute}", "{id:60}"].into_iter();
        let cells = cells.chain(with_keys.then_some("key"));
        let mut row: Vec<String> = cells.map(|cell| filled(version, cell)).collect();
        let contested = version.get("contested");
        let contested = contested.map(|_| format!(" [{}]", text(version, "contested")));
        row.push(what(version, detail) + &contested.unwrap_or_default());
        row
    };
    rows(out, &headings, versions.iter().zip(details).map(row))
}

/// The change that a version made, in a line.
fn what(version: &Value, detail: &Value) -> String {
    let what = match text(version, "content").as_str() {
        "erased" => "ERASED".to_owned(),
        "archived" => "archived".to_owned(),
        "withheld" => "WITHHELD".to_owned(),
        _ if version.get("changes").is_some() => {
            in_words(items(version, "changes"), items(detail, "others"))
        }
        _ if detail.get("tooLarge") == Some(&Value::Bool(true)) => TOO_MUCH.to_owned(),
        _ => match detail.get("text").and_then(Value::as_str).map(excerpt) {
            Some(said) if number(version, "seq") == 0 => said,
            // The version before it, which would tell the change, is gone.
            Some(said) => format!("now: {said}"),
            None => String::new(),
        },
    };
    match version.get("rollbackTo") {
        Some(seq) => format!("back to {seq}: {what}"),
        None => what,
    }
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The one
    #[arg(value_name = "MEMORY")]
    pub(crate) from: String,
    /// The other
    #[arg(value_name = "OTHER_ID")]
    pub(crate) to: String,
}

/// The most characters of a value in a difference.
const VALUE: usize = 400;

pub(crate) async fn diff(context: &Context, args: DiffArgs) -> Result<(), Failure> {
    let different = context.memory.diff(&args.from, &args.to).await?;
    context.out.report(&different, |out, different| {
        let (delta, others) = (items(different, "delta"), items(different, "others"));
        if delta.is_empty() && others.is_empty() {
            return writeln!(out, "They say the same.");
        }
        let whole = |value: &Value| contrasted(value, value, VALUE).0;
        for (path, old, new) in all(delta, others) {
            writeln!(out, "{path}")?;
            let (old, new) = match (old, new) {
                (Some(old), Some(new)) => {
                    let (old, new) = contrasted(old, new, VALUE);
                    (Some(old), Some(new))
                }
                (old, new) => (old.map(whole), new.map(whole)),
            };
            for (mark, value) in [("-", old), ("+", new)] {
                if let Some(value) = value {
                    writeln!(out, "  {mark} {value}")?;
                }
            }
        }
        Ok(())
    })
}

#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// Any version of the memory
    #[arg(value_name = "MEMORY")]
    pub(crate) world_id: String,
    /// The number of the version whose state comes back
    #[arg(long, value_name = "SEQ")]
    pub(crate) to: u64,
}

pub(crate) async fn rollback(context: &Context, args: RollbackArgs) -> Result<(), Failure> {
    let done = context.memory.rollback(&args.world_id, args.to).await?;
    let lines = [
        ("memory", "id"),
        ("version", "{seq} of {chain}"),
        ("state of", "version {/restored/seq}, {/restored/id}"),
        ("snapshot", "/restored/snapshotHash"),
        ("index", "index"),
    ];
    context.out.lines(&done, &lines)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_json_or_else_a_text() {
        for (text, path, value) in [
            ("/n=5", "/n", json!(5)),
            ("/t=five", "/t", json!("five")),
            (r#"/t="5""#, "/t", json!("5")),
            ("/a=[1, 2]", "/a", json!([1, 2])),
            ("/e=a=b", "/e", json!("a=b")),
            ("/e=", "/e", json!("")),
            ("/x=null", "/x", json!(null)),
        ] {
            assert_eq!(
                assignment(text).unwrap(),
                (path.to_owned(), value),
                "{text}"
            );
        }
        for text in ["/text", "/n=9007199254740993", r#"/o={"a":1,"a":2}"#] {
            assert_eq!(assignment(text).unwrap_err().code(), 3, "{text}");
        }
    }
}
