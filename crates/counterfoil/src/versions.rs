//! Versions of a memory: how one is named, and what changed from one to the next, in words.

use counterfoil_capsule::delta::{Change, Delta, Effect, Op, normalise};
use counterfoil_capsule::{ChainId, World};
use counterfoil_store::{CapsuleLog, StoreError, StoreLocation, StoredCapsule};
use counterfoil_types::WorldId;
use counterfoil_types::json::{Map, Value};
use counterfoil_verify::terminal;

use crate::error::Error;

/// The most characters of an id that is not there.
const NAMED: usize = 80;
/// The most characters of a value in a line.
const VALUE: usize = 48;
/// How much of what is the same stands before what differs.
const BEFORE: usize = 12;
/// The most changes that are told in one line.
const TOLD: usize = 3;

/// Where a memory stands.
#[derive(Debug, Clone)]
pub struct Located {
    pub world_id: WorldId,
    pub chain: ChainId,
    pub seq: u64,
}

/// The chain and number of a World in this store.
pub async fn locate(store: &dyn CapsuleLog, id: &str) -> Result<Located, Error> {
    let world_id = WorldId::new(id).map_err(|_| unknown(id))?;
    let place = store.chain_of(&world_id).await?;
    let (chain, seq) = place.ok_or_else(|| unknown(id))?;
    Ok(Located {
        world_id,
        chain,
        seq,
    })
}

/// The memory is not here. Whoever prints it escapes it, as every error.
pub fn unknown(id: &str) -> Error {
    let named: String = id.chars().take(NAMED).collect();
    Error::input(
        format_args!("there is no memory \"{named}\" in this store"),
        "take an id that `counterfoil recall --json` printed",
    )
}

/// What a version says, if it was not erased.
pub fn content(stored: &StoredCapsule) -> Result<Option<World>, Error> {
    let payload = stored.payload.as_ref();
    let world = payload.map(|payload| World::from_json(payload.text.as_bytes()));
    world.transpose().map_err(|error| {
        StoreError::corrupt(StoreLocation::entry("body", stored.index), error).into()
    })
}

/// What is different between two versions.
#[derive(Debug, Default)]
pub struct Changes {
    /// In `data`, where the paths begin.
    data: Delta,
    /// Beside it. What each version has of its own, and the hash of `data`, is left out.
    rest: Delta,
}

impl Changes {
    /// What leads from one to the other; `None` when it is more than a delta holds.
    pub fn between(before: &World, after: &World) -> Option<Self> {
        let [old, new] = [before, after].map(|world| world.data().unwrap_or(&Value::Null));
        let data = normalise(old, Change::Replacement(new)).ok()?;
        let [old, new] = [before, after].map(rest);
        let rest = normalise(&old, Change::Replacement(&new)).ok()?;
        Some(Self { data, rest })
    }

    /// As `update --patch` takes them.
    pub fn to_patch(&self) -> Vec<Value> {
        self.data.operations().iter().map(to_value).collect()
    }

    /// Beside `data`.
    pub fn others(&self) -> Vec<Value> {
        self.rest.operations().iter().map(to_value).collect()
    }

    /// Each with its path as it is shown.
    pub fn all(&self) -> impl Iterator<Item = (String, &Op)> {
        let data = self.data.operations().iter().map(|operation| {
            let path = operation.path().as_str();
            let shown = if path.is_empty() { "(all)" } else { path };
            (terminal::plain(shown, VALUE), operation)
        });
        let rest = self.rest.operations().iter().map(|operation| {
            let path = format!("(beside data) {}", operation.path());
            (terminal::plain(&path, VALUE), operation)
        });
        data.chain(rest)
    }

    /// `/text: "in Lisbon" → "in Porto"; + /tags/1 "lent"`: in one line.
    pub fn in_words(&self) -> String {
        let count = self.data.len() + self.rest.len();
        if count == 0 {
            return "nothing changed".to_owned();
        }
        let told = self
            .all()
            .take(TOLD)
            .map(|(path, operation)| one(&path, operation));
        let line = told.collect::<Vec<_>>().join("; ");
        match count.checked_sub(TOLD) {
            Some(more @ 1..) => format!("{line}; {more} more"),
            _ => line,
        }
    }
}

fn rest(world: &World) -> Value {
    let mut state = world.state();
    if let Some(members) = state.as_object_mut() {
        members.remove("data");
        members.remove("snapshotHash");
    }
    state
}

/// One operation of `rev-json-patch/1`.
fn to_value(operation: &Op) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    put("op", operation.name().into());
    put("path", operation.path().as_str().into());
    match operation.effect() {
        Effect::Add(value) => put("value", value.clone()),
        Effect::Remove(old) => put("old", old.clone()),
        Effect::Replace { old, value } => {
            put("old", old.clone());
            put("value", value.clone());
        }
    }
    Value::Object(members)
}

fn one(path: &str, operation: &Op) -> String {
    match operation.effect() {
        Effect::Add(value) => format!("+ {path} {}", short(value)),
        Effect::Remove(old) => format!("- {path} {}", short(old)),
        Effect::Replace { old, value } => {
            let (old, value) = contrast(old, value);
            format!("{path}: {old} → {value}")
        }
    }
}

fn short(value: &Value) -> String {
    cut(&value.to_string(), 0, VALUE)
}

/// Two values, each from a little before the first place where they differ.
fn contrast(old: &Value, new: &Value) -> (String, String) {
    contrasted(old, new, VALUE)
}

/// As JSON, at most `limit` characters of each, and of equal beginnings only the end.
pub fn contrasted(old: &Value, new: &Value, limit: usize) -> (String, String) {
    let (old, new) = (old.to_string(), new.to_string());
    let same = old.chars().zip(new.chars()).take_while(|(a, b)| a == b);
    let from = match same.count().saturating_sub(BEFORE) {
        from if from <= 1 || old.chars().count().max(new.chars().count()) <= limit => 0,
        from => from,
    };
    (cut(&old, from, limit), cut(&new, from, limit))
}

/// Characters `from..from + limit`, with a mark where something was left out.
fn cut(text: &str, from: usize, limit: usize) -> String {
    let shown: String = text.chars().skip(from).take(limit).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if text.chars().count() > from + limit {
        "…"
    } else {
        ""
    };
    terminal::plain(&format!("{before}{shown}{after}"), limit + 2)
}

#[cfg(test)]
mod tests {
    use counterfoil_types::UnixMillis;
    use serde_json::json;

    use super::*;

    fn world(id: &str, data: Value) -> World {
        let at = UnixMillis::new(7).unwrap();
        World::remember(WorldId::new(id).unwrap(), at, data).unwrap()
    }

    fn told(before: Value, after: Value) -> String {
        let changes = Changes::between(&world("w-0", before), &world("w-1", after));
        changes.unwrap().in_words()
    }

    #[test]
    fn a_change_is_told_in_a_line_with_paths_as_update_takes_them() {
        let before = json!({"text": "in Lisbon", "tags": ["a"]});
        let after = json!({"text": "in Porto", "tags": ["a", "b"]});
        assert_eq!(
            told(before.clone(), after),
            r#"+ /tags/1 "b"; /text: "in Lisbon" → "in Porto""#
        );
        assert_eq!(told(before.clone(), before), "nothing changed");
        assert_eq!(told(json!(1), json!([])), "(all): 1 → []");
    }

    #[test]
    fn what_changes_beside_the_data_is_told_as_such() {
        let before = world("w-0", json!(1));
        let mut after = before.content_value().clone();
        after["worldId"] = json!("w-1");
        after["mood"] = json!("calm");
        let changes = Changes::between(&before, &World::try_from(after).unwrap()).unwrap();
        assert_eq!(changes.in_words(), r#"+ (beside data) /mood "calm""#);
        assert!(changes.to_patch().is_empty() && changes.others().len() == 1);
    }

    #[test]
    fn of_long_values_the_difference_is_shown() {
        let long = "the same beginning of a sentence, over and over again, ".repeat(3);
        let line = told(
            json!(format!("{long}Lisbon")),
            json!(format!("{long}Porto")),
        );
        assert_eq!(line, r#"(all): …over again, Lisbon" → …over again, Porto""#);
    }

    #[test]
    fn many_changes_are_counted() {
        let before: Vec<u8> = (0..9).collect();
        let after: Vec<u8> = (10..19).collect();
        let data = |list: &[u8]| {
            let members = list
                .iter()
                .zip('a'..)
                .map(|(n, name)| (name.to_string(), (*n).into()));
            let same = ("same".to_owned(), "x".repeat(1_000).into());
            Value::Object(members.chain([same]).collect())
        };
        assert!(told(data(&before), data(&after)).ends_with("; 6 more"));
    }

    /// Text of others must not steer the terminal.
    #[test]
    fn what_is_told_holds_no_control_characters() {
        let line = told(json!({"\u{1b}[2J": 1}), json!({"\u{1b}[2J": "\u{9b}x"}));
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}
