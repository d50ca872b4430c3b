//! `remember`: seals one World. Its text or JSON is kept as it is given.

use std::path::Path;

use counterfoil_capsule::World;
use counterfoil_store::{AppendReport, CapsuleLog, Draft, StoreError};
use counterfoil_types::WorldId;
use counterfoil_types::json::{Limits, Map, Value, parse};
use counterfoil_verify::{InputError, read_file, read_standard_input};
use serde::Serialize;

use crate::args::RememberArgs;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::keys;
use crate::output::pairs;
use crate::when;

/// The most labels of one memory.
const MAX_LABELS: usize = 16;
/// The longest label, in bytes.
const MAX_LABEL_BYTES: usize = 64;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Remembered {
    world_id: WorldId,
    index: u64,
    tree_size: u64,
}

pub(crate) async fn run(context: &Context, args: RememberArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let data = content(args)?;
    let id = random_id()?;
    let world = World::remember(id.clone(), when::now()?, data)
        .map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))?;
    let agent = context.home.agent()?;
    let store = context.home.writer()?;
    let appended = store.append_one(agent, Draft::new(world)).await;
    let AppendReport {
        index, tree_size, ..
    } = appended.map_err(|error| unacknowledged(&id, error))?;
    let done = Remembered {
        world_id: id,
        index,
        tree_size,
    };
    context.out.answer(&done, |out| {
        pairs(
            out,
            &[
                ("world", done.world_id.to_string()),
                ("index", done.index.to_string()),
                ("log size", done.tree_size.to_string()),
            ],
        )
    })
}

/// A second run would draw another id, and so remember twice: whoever is told of a failure that
/// kept the memory, or may have, is told its id.
pub(crate) fn unacknowledged(id: &WorldId, error: StoreError) -> Failure {
    match error {
        StoreError::NotAcknowledged { detail } => Failure::place(
            format_args!(
                "the memory is kept as {id}, but the last checkpoint could not be written beside \
                 the keys ({detail})"
            ),
            "repair that, and do not remember it again",
        ),
        StoreError::OutcomeUnknown => Failure::place(
            format_args!("the disk failed, and it is not known whether the memory is kept as {id}"),
            format_args!(
                "repair the disk, look with `counterfoil show {id}`, and remember it again if it \
                 is not there"
            ),
        ),
        other => other.into(),
    }
}

fn content(args: RememberArgs) -> Result<Value, Failure> {
    let share = labels(args.share)?;
    match (args.text, args.file) {
        (_, Some(file)) => document(&file),
        (Some(dash), None) if dash == "-" => note(standard_input()?, share),
        (Some(text), None) => note(text, share),
        (None, None) => Err(Failure::input(
            "there is nothing to remember",
            "give a text",
        )),
    }
}

/// The labels under which a memory may be told to others.
fn labels(share: Vec<String>) -> Result<Vec<Value>, Failure> {
    let is_label = |label: &String| {
        !label.is_empty() && label.len() <= MAX_LABEL_BYTES && !label.contains(char::is_control)
    };
    if share.len() > MAX_LABELS || !share.iter().all(is_label) {
        return Err(Failure::input(
            format_args!(
                "--share takes at most {MAX_LABELS} labels of 1 to {MAX_LABEL_BYTES} bytes"
            ),
            "name it as the share policy in exchange.toml does",
        ));
    }
    Ok(share.into_iter().map(Value::from).collect())
}

fn note(text: String, share: Vec<Value>) -> Result<Value, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::input(
            "the text is empty",
            "write what to remember",
        ));
    }
    if text.contains('\0') {
        return Err(Failure::input(
            "the text contains the character NUL",
            "remove it",
        ));
    }
    let mut data = Map::new();
    data.insert("kind".into(), "note".into());
    data.insert("text".into(), text.into());
    if !share.is_empty() {
        data.insert("share".into(), Value::Array(share));
    }
    Ok(Value::Object(data))
}

pub(crate) fn document(path: &Path) -> Result<Value, Failure> {
    let bytes = read_file("file", path, Limits::CONTENT.bytes).map_err(unreadable)?;
    json_document(&path.display(), &bytes)
}

/// The JSON on standard input.
pub(crate) fn standard_document() -> Result<Value, Failure> {
    let bytes = read_standard_input("document", Limits::CONTENT.bytes).map_err(unreadable)?;
    json_document(&"standard input", &bytes)
}

fn json_document(name: &dyn core::fmt::Display, bytes: &[u8]) -> Result<Value, Failure> {
    let value = parse(bytes, Limits::CONTENT).map_err(|error| Failure::json(name, &error))?;
    if holds_nul(&value) {
        return Err(Failure::input(
            format_args!("{name} contains the character NUL in a string"),
            "remove it",
        ));
    }
    Ok(value)
}

pub(crate) fn standard_input() -> Result<String, Failure> {
    let bytes = read_standard_input("text", Limits::CONTENT.bytes).map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::input(
            format_args!("standard input is not UTF-8 at byte {at}"),
            "convert it to UTF-8",
        )
    })?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

fn unreadable(error: InputError) -> Failure {
    match error {
        InputError::TooLarge { path, .. } => Failure::input(
            format_args!(
                "{} is above 1 MiB, the limit for one memory",
                path.display()
            ),
            "split it, or import it as a record",
        ),
        other => Failure::new(ErrorKind::Input, other.to_string()),
    }
}

/// The parser bounds the depth, so this may recurse.
pub(crate) fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name.contains('\0') || holds_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

pub(crate) fn random_id() -> Result<WorldId, Failure> {
    let mut bytes = [0_u8; 16];
    keys::fill(&mut bytes)?;
    WorldId::new(format!("world-{}", hex::encode(bytes)))
        .map_err(|_| Failure::bug("an id that is none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_nul_texts_are_refused() {
        for text in ["", " \n", "a\0b"] {
            assert_eq!(
                note(text.to_owned(), Vec::new()).unwrap_err().code(),
                3,
                "{text:?}"
            );
        }
    }

    #[test]
    fn labels_are_few_and_short() {
        assert_eq!(labels(vec!["public".into()]).unwrap(), ["public"]);
        for bad in [
            vec![String::new()],
            vec!["x".repeat(65)],
            vec!["a\n".into()],
            vec!["x".into(); 17],
        ] {
            assert_eq!(labels(bad.clone()).unwrap_err().code(), 3, "{bad:?}");
        }
    }

    #[test]
    fn nul_is_found_wherever_it_hides() {
        assert!(holds_nul(&serde_json::json!({"a": [1, {"b\0": 2}]})));
        assert!(holds_nul(&serde_json::json!([["\0"]])));
        assert!(!holds_nul(&serde_json::json!({"a": [1, "b", null]})));
    }
}
