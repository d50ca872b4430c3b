//! Versions of a memory: how one is named, and what changed from one to the next, in words.

use counterfoil_capsule::delta::{Change, Delta, Effect, normalise};
use counterfoil_capsule::{ChainId, World};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, StoreError, StoreLocation, StoredCapsule};
use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Scope, WorldId};

use crate::error::Error;

/// The most characters of an id that is not there.
const NAMED: usize = 80;

/// Beginnings of the ids that are made here: those of memories, and those of older stores and of imported turns.
const PREFIXES: [&str; 2] = ["mem_", "world-"];
/// Least characters of the beginning of an id, its prefix not counted.
const LEAST: usize = 4;
/// Least digits of an id in a table.
const SHORT: usize = 7;
/// The most ids that are named for a beginning of several.
const MAX_CANDIDATES: usize = 10;

/// Position of a memory in its chain.
#[derive(Debug, Clone)]
pub(crate) struct Located {
    pub(crate) world_id: WorldId,
    pub(crate) chain: ChainId,
    pub(crate) seq: u64,
}

/// The id that is named: whole, or by a beginning of at least 4 characters that fits this one alone. A text that no id begins
/// with is taken as it is.
///
/// # Errors
/// [`ErrorKind::Input`](crate::ErrorKind::Input) for the beginning of several ids, and for a text that can be no id.
pub(crate) async fn find(
    (store, scope): (&SqliteStore, &Scope),
    named: &str,
) -> Result<WorldId, Error> {
    let whole = WorldId::new(named).map_err(|_| unknown(named))?;
    let digits = PREFIXES.iter().find_map(|it| named.strip_prefix(it));
    if digits.unwrap_or(named).chars().count() < LEAST || store.chain_of(&whole).await?.is_some() {
        return Ok(whole);
    }
    let mut ids = store
        .ids_with_prefix(named, MAX_CANDIDATES + 1, scope)
        .await?;
    match ids.len() {
        0 | 1 => Ok(ids.pop().unwrap_or(whole)),
        many => {
            let candidates = ids.iter().take(MAX_CANDIDATES).map(ToString::to_string);
            let candidates: Vec<_> = candidates.collect();
            let more = if many > MAX_CANDIDATES {
                " and more"
            } else {
                ""
            };
            Err(Error::input(
                format_args!(
                    "\"{named}\" begins the ids of several memories: {}{more}",
                    candidates.join(", ")
                ),
                "write more of the id",
            ))
        }
    }
}

/// The shortest beginning of an id of ours that no other id in the scope has, with at least 7 digits; any other id as it is.
pub(crate) async fn short(
    (store, scope): (&SqliteStore, &Scope),
    id: &WorldId,
) -> Result<String, Error> {
    let whole = id.to_string();
    let Some(prefix) = PREFIXES.iter().find(|it| whole.starts_with(**it)) else {
        return Ok(whole);
    };
    for length in prefix.len() + SHORT..whole.len() {
        let Some(beginning) = whole.get(..length) else {
            break;
        };
        if store.ids_with_prefix(beginning, 2, scope).await?.len() < 2 {
            return Ok(beginning.to_owned());
        }
    }
    Ok(whole)
}

/// The chain and number of a World in this store, by its id or the beginning of it.
pub(crate) async fn locate(store: &SqliteStore, id: &str) -> Result<Located, Error> {
    let world_id = find((store, &Scope::new()), id).await?;
    let place = store.chain_of(&world_id).await?;
    let (chain, seq) = place.ok_or_else(|| unknown(id))?;
    Ok(Located {
        world_id,
        chain,
        seq,
    })
}

/// The capsule of a World; `None` when it is not in this store.
pub(crate) async fn stored(
    store: &SqliteStore,
    id: &WorldId,
) -> Result<Option<StoredCapsule>, StoreError> {
    // The place is compared with the id.
    let place = store.chain_of(id).await?;
    match store.index_of(id).await?.filter(|_| place.is_some()) {
        Some(index) => store.capsule(index).await,
        None => Ok(None),
    }
}

/// Error for a memory that is not here. The caller escapes the id when it prints, as with every error.
pub(crate) fn unknown(id: &str) -> Error {
    let named: String = id.chars().take(NAMED).collect();
    Error::input(
        format_args!("there is no memory \"{named}\" in this store"),
        "take an id that `counterfoil recall --json` printed",
    )
}

/// World of a version; `None` if it is erased.
pub(crate) fn content(stored: &StoredCapsule) -> Result<Option<World>, Error> {
    let payload = stored.payload.as_ref();
    let world = payload.map(|payload| World::from_json(payload.text.as_bytes()));
    world.transpose().map_err(|error| {
        StoreError::corrupt(StoreLocation::entry("body", stored.index), error).into()
    })
}

/// Differences between two versions.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// In `data`, where the paths begin.
    data: Delta,
    /// Beside it. What each version has of its own, and the hash of `data`, is left out.
    rest: Delta,
}

impl Changes {
    /// Computes the change from one version to the other; `None` if it is too large for a delta.
    pub(crate) fn between(before: &World, after: &World) -> Option<Self> {
        let [old, new] = [before, after].map(|world| world.data().unwrap_or(&Value::Null));
        let data = normalise(old, Change::Replacement(new)).ok()?;
        let [old, new] = [before, after].map(rest);
        let rest = normalise(&old, Change::Replacement(&new)).ok()?;
        Some(Self { data, rest })
    }

    /// As `update --patch` takes them.
    pub(crate) fn to_patch(&self) -> Vec<Value> {
        self.data.operations().map(to_value).collect()
    }

    /// Beside `data`.
    pub(crate) fn others(&self) -> Vec<Value> {
        self.rest.operations().map(to_value).collect()
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
fn to_value((path, effect): (&str, Effect<&Value>)) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    put("op", effect.name().into());
    put("path", path.into());
    match effect {
        Effect::Add(value) => put("value", value.clone()),
        Effect::Remove(old) => put("old", old.clone()),
        Effect::Replace { old, value } => {
            put("old", old.clone());
            put("value", value.clone());
        }
    }
    Value::Object(members)
}
