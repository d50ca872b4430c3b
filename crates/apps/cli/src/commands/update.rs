//! `update`: a new version of a memory, on its chain and under an id of its own.

use std::path::Path;

use counterfoil::{Edit, Report};
use counterfoil_types::json::{JsonError, Limits, Value, parse};

use super::changes::{TOO_MUCH, in_words};
use super::remember::{document, standard_document};
use crate::args::UpdateArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{items, notice, pairs, text};
use crate::remember::holds_nul;

pub(crate) async fn run(context: &Context, args: UpdateArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    let mut edit = edit(&args)?;
    if let Some(expected) = args.expect {
        edit = edit.expecting(expected);
    }
    if args.derive {
        edit = edit.deriving();
    }
    let updated = context.memory.update(&args.world_id, &edit).await?;
    context.out.report(&updated, |out| {
        let value = updated.value();
        let (from, base) = match args.derive {
            true => ("derived from", "derivedFrom"),
            false => ("after", "previous"),
        };
        let version = format!("{} of {}", text(value, "seq"), text(value, "chain"));
        pairs(
            out,
            &[
                ("world", text(value, "worldId")),
                (from, text(value, base)),
                ("version", version),
                ("index", text(value, "index")),
                ("changed", changed(&updated)),
            ],
        )
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
    if let Some(path) = &args.patch {
        return Ok(Edit::patch(read(path)?));
    }
    if let Some(path) = &args.replace {
        return Ok(Edit::replace(read(path)?));
    }
    let mut edit: Option<Edit> = None;
    for text in &args.set {
        let (path, value) = assignment(text)?;
        edit = Some(match edit {
            Some(edit) => edit.and_set(path, value),
            None => Edit::set(path, value),
        });
    }
    edit.ok_or_else(|| Failure::bug("an update without a change"))
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

fn read(path: &Path) -> Result<Value, Failure> {
    if path.as_os_str() == "-" {
        return standard_document();
    }
    document(path)
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
