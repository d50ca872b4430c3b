//! Which memories are read, and what they say: the words of turns and notes, and every text of other records.

use std::collections::BTreeMap;

use counterfoil_capsule::{Kind, World};
use counterfoil_claims::ports::Passage;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::CapsuleLog;
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, WorldId};

use crate::args::ExtractArgs;
use crate::failure::Failure;
use crate::versions;

/// Number of names fetched at a time.
const PAGE: usize = 1000;

/// Text of a memory, or the lack of one.
pub(super) enum Found {
    Passage(Passage),
    Nothing(Nothing),
}

/// Reason for the lack of a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Nothing {
    /// It is a claim itself, and was read from somewhere.
    Claim,
    /// Its content was taken away or is archived.
    NoContent,
    /// There is no text in it.
    NoText,
}

impl Nothing {
    pub(super) fn failure(self, id: &WorldId) -> Failure {
        match self {
            Self::Claim => Failure::input(
                format_args!("{id} is a claim itself"),
                "name the memory that it was read from",
            ),
            Self::NoContent => Failure::input(
                format_args!("the content of {id} is not here"),
                "restore it if it is archived, or name another memory",
            ),
            Self::NoText => Failure::input(
                format_args!("there is no text in {id}"),
                "name another memory",
            ),
        }
    }
}

/// The memories that are meant, in the order of recording.
pub(super) async fn named(
    store: &SqliteStore,
    agent: &DidKey,
    args: &ExtractArgs,
) -> Result<Vec<WorldId>, Failure> {
    if let Some(id) = &args.world_id {
        return Ok(vec![versions::locate(store, id).await?.world_id]);
    }
    let most = args.max.unwrap_or(usize::MAX);
    let mut ids = Vec::new();
    let Some(last) = store.size().await?.checked_sub(1) else {
        return Ok(ids);
    };
    let mut seen = 0;
    while ids.len() < most {
        let found = store.current_at(last, agent, (seen, PAGE)).await?;
        if found.is_empty() {
            break;
        }
        seen += found.len();
        for id in found {
            if ids.len() >= most {
                break;
            }
            // Claims do not count towards the limit.
            if args.max.is_some() {
                let stored = match store.index_of(&id).await? {
                    Some(index) => store.capsule(index).await?,
                    None => None,
                };
                if stored.is_some_and(|stored| matches!(stored.header.kind(), Kind::Claim)) {
                    continue;
                }
            }
            ids.push(id);
        }
    }
    ids.reverse();
    Ok(ids)
}

/// Reads the text of a memory, with its author and time.
pub(super) async fn passage(store: &SqliteStore, id: &WorldId) -> Result<Found, Failure> {
    let index = store.index_of(id).await?;
    let stored = match index {
        Some(index) => store.capsule(index).await?,
        None => None,
    };
    let Some(stored) = stored else {
        return Ok(Found::Nothing(Nothing::NoContent));
    };
    if matches!(stored.header.kind(), Kind::Claim) {
        return Ok(Found::Nothing(Nothing::Claim));
    }
    let Some(world) = versions::content(&stored)? else {
        return Ok(Found::Nothing(Nothing::NoContent));
    };
    let (speaker, text) = said(&world);
    if text.trim().is_empty() {
        return Ok(Found::Nothing(Nothing::NoText));
    }
    let said_at_ms = i64::try_from(world.created_at().value()).unwrap_or(i64::MAX);
    Ok(Found::Passage(Passage {
        world: id.clone(),
        speaker,
        text,
        said_at_us: said_at_ms.saturating_mul(1000),
    }))
}

/// Author and text. A caption is a machine's description of a picture and has no author.
fn said(world: &World) -> (Option<String>, String) {
    let data = world.data().unwrap_or(&Value::Null);
    let member = |name: &str| data.get(name).and_then(Value::as_str);
    if matches!(member("kind"), Some("turn" | "note")) {
        let speaker = member("speaker").map(str::to_owned);
        return (speaker, member("text").unwrap_or_default().to_owned());
    }
    let mut lines = Vec::new();
    strings(data, &mut lines);
    (None, lines.join("\n"))
}

/// Every string of a value, members in the order of their names. The depth of a World's data is bounded by its
/// canonical form, so this may recurse.
fn strings<'v>(value: &'v Value, lines: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => lines.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, lines)),
        Value::Object(members) => {
            let sorted: BTreeMap<&String, &Value> = members.iter().collect();
            sorted.into_values().for_each(|item| strings(item, lines));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
