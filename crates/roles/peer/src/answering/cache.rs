//! Cache of this agent's memories, each opened once and kept until the log grows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use counterfoil_capsule::World;
use counterfoil_claims::{ProvenanceClass, Unit};
use counterfoil_exchange::answering::attestation_of_received;
use counterfoil_exchange::documents::AttestationParts;
use counterfoil_prover::open;
use counterfoil_selector::SelectError;
use counterfoil_store::text_index::TextIndex;
use counterfoil_store::{Head, StoreError};
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, MemoryRef, Scope, WorldId};
use counterfoil_verifier::Checkpoint;

use super::memory::Memory;
use super::query::is_found;
use crate::asking::RECEIVED;
use crate::{Host, attestation_behind};

/// Most bytes of Worlds in the cache; an opened memory takes about five times as much.
const MOST_BYTES: usize = 16 << 20;
/// Approximate size of an entry beside its content, in bytes.
const ENTRY_BYTES: usize = 512;
/// Size of a label, or of a pair of a scope, beside its letters, in bytes.
const LABEL_BYTES: usize = 24;

/// Takes a read; an edited memory is as one that is not there, and a line says so to the operator.
fn told<T>(read: Result<Option<T>, SelectError>) -> Result<Option<T>, SelectError> {
    match read {
        Err(SelectError::Store(withheld @ StoreError::Withheld { .. })) => {
            tracing::warn!(%withheld, "an edited memory is not told");
            Ok(None)
        }
        read => read,
    }
}

/// Cache of memories by id, for one checkpoint.
pub(super) struct MemoryCache {
    index: Arc<dyn TextIndex>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    checkpoint: Option<String>,
    /// Size of the log at that checkpoint.
    size: u64,
    /// `None` for a memory that may not be shared with anyone.
    memories: HashMap<WorldId, Option<Arc<Memory>>>,
    /// Labels and scopes of memories, `None` for claims. They are part of the World, and so never change.
    marks: HashMap<WorldId, Option<Arc<ShareMarks>>>,
    bytes: usize,
}

/// Labels and scope of a memory, by which it may be shared.
#[derive(Debug)]
pub(super) struct ShareMarks {
    pub(super) labels: Vec<String>,
    pub(super) scope: Scope,
}

impl MemoryCache {
    /// Returns an empty cache. Memories that `index` does not find are forgotten.
    pub(super) fn new(index: Arc<dyn TextIndex>) -> Self {
        Self {
            index,
            state: Mutex::default(),
        }
    }

    /// Empties the cache if the log has grown, so that erased memories are not shared.
    pub(super) async fn refresh(&self, host: &Host) -> Result<(), StoreError> {
        let checkpoint = host.store.checkpoint().await?;
        let mut state = self.state();
        if state.checkpoint != checkpoint {
            let note = checkpoint.as_deref();
            let head = note.and_then(|note| Checkpoint::from_note(note).ok());
            state.size = head.map_or(0, |head| head.size());
            state.checkpoint = checkpoint;
            // A memory that may not be shared stays so: Worlds never change.
            state.memories.retain(|_, memory| memory.is_none());
            let entries = state.memories.len().saturating_add(state.marks.len());
            state.bytes = entries.saturating_mul(ENTRY_BYTES);
        }
        Ok(())
    }

    /// Returns the memory at `index` of the log, if it is a claim or `may` accepts its labels and scope. `None` also if it may not be
    /// shared with anyone: it is missing, another agent's, private, neither labelled nor a claim, or damaged. Others are not
    /// opened, and their labels and scopes are cached, so that passing over them takes no longer than finding nothing (R14).
    pub(super) async fn memory_if(
        &self,
        host: &Host,
        id: &WorldId,
        index: u64,
        may: impl Fn(&ShareMarks) -> bool,
    ) -> Result<Option<Arc<Memory>>, SelectError> {
        let bars = |marks: &Option<Arc<ShareMarks>>| marks.as_ref().is_some_and(|it| !may(it));
        let asked_at = {
            let state = self.state();
            if let Some(memory) = state.memories.get(id) {
                return Ok(memory.clone());
            }
            if state.marks.get(id).is_some_and(bars) {
                return Ok(None);
            }
            state.checkpoint.clone()
        };
        let world = host.store.get(id).await.map_err(StoreError::from);
        let Some(world) = told(world.map_err(SelectError::from))? else {
            return Ok(None);
        };
        let marks = (!is_claim(&world)).then(|| Arc::new(ShareMarks::of(&world)));
        let is_barred = bars(&marks);
        let bytes = marks.as_ref().map_or(0, |marks| marks.bytes());
        if bytes <= ENTRY_BYTES {
            let mut state = self.state();
            state.make_room(ENTRY_BYTES);
            if state.marks.insert(id.clone(), marks).is_none() {
                state.bytes = state.bytes.saturating_add(ENTRY_BYTES);
            }
        }
        if is_barred {
            return Ok(None);
        }
        let memory = told(fetch(host, self.index.as_ref(), world, index).await)?.map(Arc::new);
        let mut state = self.state();
        if state.checkpoint == asked_at {
            state.insert(id.clone(), memory.clone());
        }
        Ok(memory)
    }

    /// Returns the size of the log as of the last refresh.
    pub(super) fn log_size(&self) -> u64 {
        self.state().size
    }

    /// Returns a cached memory.
    pub(super) fn find(&self, id: &WorldId) -> Option<Arc<Memory>> {
        self.state().memories.get(id).cloned().flatten()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShareMarks {
    fn of(world: &World) -> Self {
        Self {
            labels: labels_of(world),
            scope: Scope::of(world.data()),
        }
    }

    /// Size in the cache beside an entry's own, in bytes.
    fn bytes(&self) -> usize {
        let pairs = self
            .scope
            .pairs()
            .map(|(key, value)| key.len().saturating_add(value.len()));
        let texts = self.labels.iter().map(String::len).chain(pairs);
        texts.fold(0, |bytes, text| {
            bytes.saturating_add(text).saturating_add(LABEL_BYTES)
        })
    }
}

impl State {
    fn insert(&mut self, id: WorldId, memory: Option<Arc<Memory>>) {
        let bytes = memory
            .as_ref()
            .map_or(0, |memory| memory.opened.content.len());
        let bytes = bytes.saturating_add(ENTRY_BYTES);
        self.make_room(bytes);
        if self.memories.insert(id, memory).is_none() {
            self.bytes = self.bytes.saturating_add(bytes);
        }
    }

    fn make_room(&mut self, bytes: usize) {
        if self.bytes.saturating_add(bytes) > MOST_BYTES {
            self.memories.clear();
            self.marks.clear();
            self.bytes = 0;
        }
    }
}

async fn fetch(
    host: &Host,
    finder: &dyn TextIndex,
    world: World,
    index: u64,
) -> Result<Option<Memory>, SelectError> {
    let id = world.world_id();
    let Some(stored) = host.store.capsule(index).await? else {
        return Ok(None);
    };
    let is_same = stored.entry.world() == Some(id);
    if !is_own(host, &stored.header.agent()) || !is_same || is_private(&world) {
        return Ok(None);
    }
    let unit = match is_claim(&world) {
        true => host.store.unit_of(id).await?,
        false => None,
    };
    // Where it is read it would be of no scope.
    if unit
        .as_ref()
        .is_some_and(|unit| !unit.line().scope.is_empty())
    {
        return Ok(None);
    }
    let labels = match &unit {
        Some(unit) => cited_labels(host, finder, unit).await?,
        None if is_claim(&world) => return Ok(None),
        None => labels_of(&world),
    };
    if labels.is_empty() && unit.is_none() {
        return Ok(None);
    }
    let received = match &unit {
        Some(unit) => attestation_behind(host.store.as_ref(), unit).await?,
        None => attestation_of_received(world.content_value()),
    };
    let is_second_hand = match &unit {
        Some(unit) => matches!(unit.provenance().class(), ProvenanceClass::Peer { .. }),
        None => member(&world, "kind").and_then(Value::as_str) == Some(RECEIVED),
    };
    // Another agent's word is handed on only where each agent through whose hands it came allows it.
    let allows = |parts: &AttestationParts| {
        parts.pass_on && parts.origin().is_none_or(|it| it.parts().pass_on)
    };
    if is_second_hand && !received.as_ref().is_some_and(|it| allows(it.parts())) {
        return Ok(None);
    }
    let reference = MemoryRef::new(id.clone());
    let opened = open(&reference, &world, stored.header.canonical()).ok();
    Ok(opened.map(|opened| Memory {
        world,
        recorded_at: stored.header.recorded(),
        opened,
        unit,
        labels,
        received,
        attested: Default::default(),
    }))
}

/// Returns the labels of the memories that a claim cites, without those of changed or forgotten memories.
async fn cited_labels(
    host: &Host,
    finder: &dyn TextIndex,
    unit: &Unit,
) -> Result<Vec<String>, SelectError> {
    let mut labels = Vec::new();
    for world in unit.cited() {
        let Some((chain, number)) = host.store.chain_of(world).await? else {
            continue;
        };
        let head = host.store.head(&chain).await?;
        let is_current = |head: &Head| is_own(host, &head.agent) && head.seq == number;
        if !head.as_ref().is_some_and(is_current) {
            continue;
        }
        let world = host.store.get(world).await?;
        let Some(world) = world.filter(|world| !is_private(world)) else {
            continue;
        };
        let of_it = labels_of(&world);
        if !of_it.is_empty() && is_found(host, finder, &world).await? {
            labels.extend(of_it);
        }
    }
    Ok(labels)
}

/// Returns true for a key of this agent.
fn is_own(host: &Host, agent: &DidKey) -> bool {
    *agent == host.signer.agent() || host.own_keys.contains(agent)
}

fn member<'w>(world: &'w World, name: &str) -> Option<&'w Value> {
    world.data()?.as_object()?.get(name)
}

fn is_claim(world: &World) -> bool {
    member(world, "kind").and_then(Value::as_str) == Some("claim")
}

/// Returns true if `data.private` has any value but `false` and `null`.
fn is_private(world: &World) -> bool {
    !matches!(
        member(world, "private"),
        None | Some(Value::Null | Value::Bool(false))
    )
}

/// Returns the labels in `data.share`, a text or an array of texts.
fn labels_of(world: &World) -> Vec<String> {
    let labels = match member(world, "share") {
        Some(Value::Array(labels)) => labels.as_slice(),
        Some(label) => std::slice::from_ref(label),
        None => &[],
    };
    let texts = labels
        .iter()
        .filter_map(Value::as_str)
        .filter(|label| !label.is_empty());
    texts.map(str::to_owned).collect()
}
