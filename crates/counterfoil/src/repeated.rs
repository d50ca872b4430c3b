//! The same again: what is remembered already is confirmed, and what is nearly the same is named (decision 0067).

use std::collections::BTreeSet;
use std::sync::Arc;

use counterfoil_actor::ActError;
use counterfoil_capsule::World;
use counterfoil_capsule::delta::Change;
use counterfoil_selector::text_query;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::text_index::TextIndex as _;
use counterfoil_store::{CapsuleLog as _, StoreError, StoredCapsule, mutation};
use counterfoil_types::json::{Map, Value, canonical};
use counterfoil_types::{DidKey, Scope, UnixMillis, WorldId};
use serde_json::json;

use crate::error::Error;
use crate::import::id_key;
use crate::memory::Memory;
use crate::recall::{failure, text_of};
use crate::remember::{Remembered, SAME, named_id, random_id, unacknowledged};
use crate::{versions, when};

/// The most memories that are named as similar.
const MAX_SIMILAR: usize = 5;
/// Share of the words of two texts that both have, from which they are similar: so many of so many.
const SIMILAR: (usize, usize) = (3, 5);
/// The first bytes of a text by which similar ones are looked for.
const MAX_COMPARED_BYTES: usize = 2048;
/// Number of memories that are compared with a new one.
const COMPARED: usize = 20;
/// First part of what the id of a memory with a key is a hash of.
const KEY_DOMAIN: &str = "counterfoil idempotency key";
/// Attempts while other programs write first.
const TRIES: u32 = 3;

/// Members that are not compared: how it came in, and what a confirmation adds.
const ASIDE: [&str; 3] = ["kind", "key", "confirmed"];

impl Memory {
    /// Remembers a World, or confirms the memory that says the same: `when` is its time if one was given.
    pub(crate) async fn remembered(
        &self,
        (world, when): (World, Option<UnixMillis>),
        scope: &Scope,
    ) -> Result<Remembered, Error> {
        let (agent, store) = (self.signer()?.agent(), self.writer()?);
        let world = match key_of(&world) {
            Some(key) => self.under_key(&world, key, scope)?,
            None => world,
        };
        let mut tries = TRIES;
        loop {
            tries -= 1;
            match self.attempt((&world, when), scope, (&store, agent)).await {
                // Another program was faster: what it wrote is there now.
                Err(error) if tries > 0 && is_late(error.store()) => {}
                done => return done,
            }
        }
    }

    async fn attempt(
        &self,
        asked: (&World, Option<UnixMillis>),
        scope: &Scope,
        (store, agent): (&Arc<SqliteStore>, DidKey),
    ) -> Result<Remembered, Error> {
        let world = asked.0;
        let key = key_of(world);
        if let Some(key) = key {
            // The first version has the id that the key has, whatever became of it since.
            let first = own_entry(store, world.world_id(), agent).await?;
            if let Some((stored, known)) = first
                && known.is_none_or(|known| is_same(&known, asked))
            {
                return there(store, world.world_id().clone(), stored.index).await;
            }
            for id in store.keyed(key, scope, &agent).await? {
                let Some((stored, known)) = own(store, &id, agent).await? else {
                    continue;
                };
                if key_of(&known) == Some(key) && Scope::of(known.data()) == *scope {
                    return match is_same(&known, asked) {
                        true => there(store, id, stored.index).await,
                        false => Err(taken(&id)),
                    };
                }
            }
        }
        let mut similar = Vec::new();
        for id in store.saying(world, &agent).await? {
            let Some((stored, known)) = own(store, &id, agent).await? else {
                continue;
            };
            if Scope::of(known.data()) != *scope || !says_same(&known, world) {
                continue;
            }
            if key.is_none()
                && is_same(&known, asked)
                && let Some(confirmed) = self.confirm(store, &stored, &known).await?
            {
                return Ok(confirmed);
            }
            similar.push(id);
        }
        for id in near(store, world, scope, agent).await? {
            if !similar.contains(&id) {
                similar.push(id);
            }
        }
        similar.truncate(MAX_SIMILAR);
        let (mut remembered, _) = self.seal(Ok(world.clone())).await?;
        remembered.similar = similar;
        Ok(remembered)
    }

    /// The World under the one id that a key has in a scope of this store, so that of two attempts at once one finds the other.
    fn under_key(&self, world: &World, key: &str, scope: &Scope) -> Result<World, Error> {
        let seed = id_key(&self.home().log_key()?.secret.expose_seed());
        let named = canonical(&json!([KEY_DOMAIN, key, scope]));
        let named = named.map_err(|_| Error::bug("a key that has no canonical form"))?;
        let digest = blake3::keyed_hash(&seed, named.as_bytes()).to_hex();
        let id = named_id(digest.get(..32).unwrap_or(&digest))?;
        let data = world.data().cloned().unwrap_or_default();
        let world = counterfoil_capsule::remember(id, world.created_at(), data);
        world.map_err(ActError::from).map_err(failure)
    }

    /// Adds a version that says when the memory was remembered again, and is of the same time. `None` if its content cannot
    /// say that.
    async fn confirm(
        &self,
        store: &Arc<SqliteStore>,
        stored: &StoredCapsule,
        known: &World,
    ) -> Result<Option<Remembered>, Error> {
        if !known.data().is_some_and(Value::is_object) {
            return Ok(None);
        }
        let patch = json!({ "confirmed": when::stamp()?.to_string() });
        let new = (random_id()?, known.created_at());
        let id = new.0.clone();
        let draft = mutation::mutated(stored, Change::MergePatch(&patch), new)?;
        let appended = match store.append_one(self.signer()?, draft).await {
            Err(error @ StoreError::HeadMoved { .. }) => return Err(error.into()),
            appended => appended.map_err(|error| unacknowledged(&id, error))?,
        };
        Ok(Some(Remembered {
            id,
            index: appended.index,
            tree_size: appended.tree_size,
            became: SAME,
            similar: Vec::new(),
        }))
    }
}

/// The memory as it was remembered under its key.
async fn there(store: &SqliteStore, id: WorldId, index: u64) -> Result<Remembered, Error> {
    Ok(Remembered {
        id,
        index,
        tree_size: store.size().await?,
        became: SAME,
        similar: Vec::new(),
    })
}

pub(crate) const fn is_late(error: Option<&StoreError>) -> bool {
    matches!(
        error,
        Some(StoreError::HeadMoved { .. } | StoreError::WorldConflict { .. })
    )
}

fn taken(id: &WorldId) -> Error {
    Error::input(
        format_args!("something else is remembered under this key, as {id}"),
        "take a key of its own for each memory; `counterfoil update` changes one",
    )
}

fn key_of(world: &World) -> Option<&str> {
    world.data()?.get("key")?.as_str()
}

/// A memory of this agent, and its content if that is there.
async fn own_entry(
    store: &SqliteStore,
    id: &WorldId,
    agent: DidKey,
) -> Result<Option<(StoredCapsule, Option<World>)>, Error> {
    let stored = StoreError::skip_withheld(versions::stored(store, id).await)?;
    let Some(stored) = stored.filter(|stored| stored.header.agent() == agent) else {
        return Ok(None);
    };
    let content = versions::content(&stored)?;
    Ok(Some((stored, content)))
}

/// A memory of this agent whose content is there.
async fn own(
    store: &SqliteStore,
    id: &WorldId,
    agent: DidKey,
) -> Result<Option<(StoredCapsule, World)>, Error> {
    let entry = own_entry(store, id, agent).await?;
    Ok(entry.and_then(|(stored, content)| Some((stored, content?))))
}

fn members(world: &World) -> Map {
    let members = world.data().and_then(Value::as_object);
    members.cloned().unwrap_or_default()
}

/// Tests whether both have the same text and speaker, or the same data where there is no text.
fn says_same(known: &World, new: &World) -> bool {
    let (known, new) = (members(known), members(new));
    match new.get("text") {
        Some(text) => known.get("text") == Some(text) && known.get("speaker") == new.get("speaker"),
        None => !new.is_empty() && known == new,
    }
}

/// Tests whether a known memory came in through the same channel and has all that is said of a new one, so that nothing is lost if
/// that is not kept: the word of a user is no confirmation of a model's.
fn is_same(known: &World, (new, when): (&World, Option<UnixMillis>)) -> bool {
    let (known_members, new_members) = (members(known), members(new));
    let mut compared = new_members.iter();
    says_same(known, new)
        && known_members.get("channel") == new_members.get("channel")
        && compared.all(|(name, value)| {
            ASIDE.contains(&name.as_str()) || known_members.get(name) == Some(value)
        })
        && when.is_none_or(|when| known.created_at() == when)
}

/// Memories of the same scope that share most of their words with a new one.
async fn near(
    store: &SqliteStore,
    world: &World,
    scope: &Scope,
    agent: DidKey,
) -> Result<Vec<WorldId>, Error> {
    let text = text_of(world);
    let beginning = text.get(..text.floor_char_boundary(MAX_COMPARED_BYTES));
    let Ok(query) = text_query(beginning.unwrap_or_default()) else {
        return Ok(Vec::new());
    };
    let mut query = query.page(0, COMPARED);
    query.scope = scope.clone();
    query.actor = Some(agent.to_string());
    let words = words_of(&text);
    let mut near = Vec::new();
    for hit in store.search(&query).await? {
        let Some((_, known)) = own(store, &hit.world_id, agent).await? else {
            continue;
        };
        let theirs = words_of(&text_of(&known));
        let (both, all) = (
            words.intersection(&theirs).count(),
            words.union(&theirs).count(),
        );
        if Scope::of(known.data()) == *scope && both * SIMILAR.1 >= all * SIMILAR.0 && both > 0 {
            near.push(hit.world_id);
        }
    }
    Ok(near)
}

fn words_of(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use counterfoil_types::json::Value;

    use super::*;

    fn of(data: Value, at: u64) -> World {
        let (id, at) = (WorldId::new("w").unwrap(), UnixMillis::new(at).unwrap());
        counterfoil_capsule::remember(id, at, data).unwrap()
    }

    /// What is said beside the text is not lost: only what is known already is the same.
    #[test]
    fn the_same_has_nothing_that_is_not_known() {
        let known = of(
            json!({"kind": "turn", "text": "x", "speaker": "Kit", "tags": ["a"], "confirmed": "t"}),
            5,
        );
        let same = |data: Value, when: Option<u64>| {
            let when = when.map(|when| UnixMillis::new(when).unwrap());
            is_same(&known, (&of(data, 9), when))
        };
        let note = |more: Value| {
            let mut data = json!({"kind": "note", "text": "x", "speaker": "Kit"});
            data.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            data
        };
        assert!(same(note(json!({})), None));
        assert!(same(note(json!({"key": "k", "tags": ["a"]})), Some(5)));
        for other in [
            json!({"tags": ["b"]}),
            json!({"share": ["a"]}),
            json!({"speaker": "Bo"}),
            json!({"text": "X"}),
            json!({"scope": {"user": "kit"}}),
        ] {
            assert!(!same(note(other.clone()), None), "{other}");
        }
        assert!(!same(note(json!({})), Some(6)));
        let models = of(json!({"kind": "note", "text": "x", "channel": "model"}), 5);
        let users = of(json!({"kind": "note", "text": "x"}), 5);
        assert!(is_same(&models, (&models, None)));
        assert!(!is_same(&models, (&users, None)) && !is_same(&users, (&models, None)));
    }
}
