//! `remember`: seals one World. Its text or JSON is kept as it is given.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use counterfoil_capsule::World;
use counterfoil_store::{Appended, CapsuleLog, Draft};
use counterfoil_types::WorldId;
use counterfoil_types::json::{Limits, Map, Value, parse};
use serde::Serialize;

use crate::args::RememberArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::keys;
use crate::output::pairs;
use crate::when;

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
    let world = World::remember(random_id()?, when::now()?, data)
        .map_err(|error| Failure::Input(error.to_string()))?;
    let agent = context.home.agent()?;
    let store = context.home.writer()?;
    let appended = store.append(agent, vec![Draft::new(world)]).await?;
    let Some(Appended {
        world_id,
        index,
        tree_size,
        ..
    }) = appended.into_iter().next()
    else {
        return Err(counterfoil_store::StoreError::Bug("an append without an answer").into());
    };
    let done = Remembered {
        world_id,
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

fn content(args: RememberArgs) -> Result<Value, Failure> {
    match (args.text, args.file) {
        (_, Some(file)) => document(&file),
        (Some(dash), None) if dash == "-" => note(text_of(io::stdin().lock(), "standard input")?),
        (Some(text), None) => note(text),
        (None, None) => Err(Failure::input(
            "there is nothing to remember",
            "give a text",
        )),
    }
}

fn note(text: String) -> Result<Value, Failure> {
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
    Ok(Value::Object(data))
}

fn document(path: &Path) -> Result<Value, Failure> {
    let shown = path.display().to_string();
    let file = File::open(path).map_err(|error| unreadable(&shown, &error))?;
    let value = parse(&bytes_of(file, &shown)?, Limits::CONTENT)
        .map_err(|error| Failure::Input(format!("{shown}: {error}")))?;
    if holds_nul(&value) {
        return Err(Failure::input(
            format_args!("{shown} contains the character NUL in a string"),
            "remove it",
        ));
    }
    Ok(value)
}

fn text_of(reader: impl Read, name: &str) -> Result<String, Failure> {
    let text = String::from_utf8(bytes_of(reader, name)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::input(
            format_args!("{name} is not UTF-8 at byte {at}"),
            "convert it to UTF-8",
        )
    })?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

fn bytes_of(reader: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let limit = Limits::CONTENT.bytes;
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    reader
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(name, &error))?;
    if bytes.len() > limit {
        return Err(Failure::input(
            format_args!("{name} is above 1 MiB, the limit for one memory"),
            "split it, or import it as a record",
        ));
    }
    Ok(bytes)
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::input(
        format_args!("{name} cannot be read ({error})"),
        "check the path and your rights",
    )
}

/// The parser bounds the depth, so this may recurse.
fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name.contains('\0') || holds_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn random_id() -> Result<WorldId, Failure> {
    let mut bytes = [0_u8; 16];
    keys::fill(&mut bytes)?;
    WorldId::new(format!("world-{}", hex::encode(bytes)))
        .map_err(|_| counterfoil_store::StoreError::Bug("an id that is none").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_nul_texts_are_refused() {
        for text in ["", " \n", "a\0b"] {
            assert_eq!(note(text.to_owned()).unwrap_err().code(), 3, "{text:?}");
        }
    }

    #[test]
    fn nul_is_found_wherever_it_hides() {
        assert!(holds_nul(&serde_json::json!({"a": [1, {"b\0": 2}]})));
        assert!(holds_nul(&serde_json::json!([["\0"]])));
        assert!(!holds_nul(&serde_json::json!({"a": [1, "b", null]})));
    }
}
