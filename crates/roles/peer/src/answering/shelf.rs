//! Memories of this agent, opened once and kept as long as the log does not grow: what they say, who may have them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use counterfoil_capsule::{Timestamp, World};
use counterfoil_claims::Unit;
use counterfoil_prover::open;
use counterfoil_selector::SelectError;
use counterfoil_store::StoreError;
use counterfoil_store::text_index::TextIndex;
use counterfoil_types::json::Value;
use counterfoil_types::{MemoryRef, WorldId};
use counterfoil_verifier::opened::OpenedCapsule;
use counterfoil_verifier::{Checkpoint, SignedNote};

use super::attested::Attested;
use super::recall::is_found;
use crate::Host;

/// The most bytes of Worlds on the shelf; what is made of one takes about five times as much.
const MOST_BYTES: usize = 16 << 20;
/// What one takes beside its content, in bytes, about.
const ENTRY_BYTES: usize = 512;
/// What a label takes beside its letters, in bytes.
const LABEL_BYTES: usize = 24;

/// One memory.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) world: World,
    /// When it was recorded.
    pub(super) recorded_at: Timestamp,
    /// The capsule of it, under its inclusion proof.
    pub(super) opened: OpenedCapsule,
    /// The claim, if it is one.
    pub(super) unit: Option<Unit>,
    /// The labels by which it may be shared. Of a claim those of the memories that it cites.
    pub(super) labels: Vec<String>,
    attested: OnceLock<Option<Attested>>,
}

impl Memory {
    /// The attestation of it; `None` when it says nothing that can be attested.
    pub(super) fn attested(&self, host: &Host) -> Option<&Attested> {
        self.attested
            .get_or_init(|| Attested::of(self, host))
            .as_ref()
    }
}

/// Memories by their names, of one checkpoint.
pub(super) struct Shelf {
    index: Arc<dyn TextIndex>,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    checkpoint: Option<String>,
    /// The size of the log at that checkpoint.
    size: u64,
    /// `None`: nobody may have it.
    memories: HashMap<WorldId, Option<Arc<Memory>>>,
    /// The labels of memories that are no claims; `None`: it is one. They stand in the World, and so never change.
    labels: HashMap<WorldId, Option<Arc<[String]>>>,
    bytes: usize,
}

impl Shelf {
    /// An empty one. What this index does not find is forgotten.
    pub(super) fn new(index: Arc<dyn TextIndex>) -> Self {
        Self {
            index,
            kept: Mutex::default(),
        }
    }

    /// Empties the shelf if the log has grown since: what was erased since is not handed out.
    pub(super) async fn refresh(&self, host: &Host) -> Result<(), StoreError> {
        let checkpoint = host.store.checkpoint().await?;
        let mut kept = self.kept();
        if kept.checkpoint != checkpoint {
            kept.size = checkpoint.as_deref().and_then(size_of).unwrap_or_default();
            kept.checkpoint = checkpoint;
            // Why nobody may have a memory does not change: nothing in a World does.
            kept.memories.retain(|_, memory| memory.is_none());
            let entries = kept.memories.len().saturating_add(kept.labels.len());
            kept.bytes = entries.saturating_mul(ENTRY_BYTES);
        }
        Ok(())
    }

    /// The memory of this name at `index` of the log; `None` when nobody may have it: it is not here, not this agent's,
    /// private, without label and no claim, or not as it was sealed.
    pub(super) async fn memory(
        &self,
        host: &Host,
        id: &WorldId,
        index: u64,
    ) -> Result<Option<Arc<Memory>>, SelectError> {
        self.memory_if(host, id, index, |_| true).await
    }

    /// The same; none either that is no claim and whose labels do not do. Such a one is not opened, and is known from then on:
    /// however many there are, to pass them by takes no longer than to find nothing (R14).
    pub(super) async fn memory_if(
        &self,
        host: &Host,
        id: &WorldId,
        index: u64,
        may: impl Fn(&[String]) -> bool,
    ) -> Result<Option<Arc<Memory>>, SelectError> {
        let bars = |labels: &Option<Arc<[String]>>| labels.as_ref().is_some_and(|all| !may(all));
        let asked_at = {
            let kept = self.kept();
            if let Some(memory) = kept.memories.get(id) {
                return Ok(memory.clone());
            }
            if kept.labels.get(id).is_some_and(bars) {
                return Ok(None);
            }
            kept.checkpoint.clone()
        };
        let Some(world) = host.store.get(id).await? else {
            return Ok(None);
        };
        let labels = (!is_claim(&world)).then(|| Arc::from(labels_of(&world)));
        let is_barred = bars(&labels);
        self.kept().label(id.clone(), labels);
        if is_barred {
            return Ok(None);
        }
        let memory = fetch(host, self.index.as_ref(), world, index)
            .await?
            .map(Arc::new);
        let mut kept = self.kept();
        if kept.checkpoint == asked_at {
            kept.keep(id.clone(), memory.clone());
        }
        Ok(memory)
    }

    /// The size of the log, as it was when this was refreshed last.
    pub(super) fn log_size(&self) -> u64 {
        self.kept().size
    }

    /// One that is on the shelf.
    pub(super) fn find(&self, id: &WorldId) -> Option<Arc<Memory>> {
        self.kept().memories.get(id).cloned().flatten()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn keep(&mut self, id: WorldId, memory: Option<Arc<Memory>>) {
        let bytes = memory
            .as_ref()
            .map_or(0, |memory| memory.opened.content.len());
        let bytes = bytes.saturating_add(ENTRY_BYTES);
        self.make_room(bytes);
        if self.memories.insert(id, memory).is_none() {
            self.bytes = self.bytes.saturating_add(bytes);
        }
    }

    fn label(&mut self, id: WorldId, labels: Option<Arc<[String]>>) {
        let all = labels.iter().flat_map(|labels| labels.iter());
        let bytes = all.map(|label| label.len().saturating_add(LABEL_BYTES));
        if bytes.fold(0, usize::saturating_add) > ENTRY_BYTES {
            return;
        }
        self.make_room(ENTRY_BYTES);
        if self.labels.insert(id, labels).is_none() {
            self.bytes = self.bytes.saturating_add(ENTRY_BYTES);
        }
    }

    fn make_room(&mut self, bytes: usize) {
        if self.bytes.saturating_add(bytes) > MOST_BYTES {
            self.memories.clear();
            self.labels.clear();
            self.bytes = 0;
        }
    }
}

fn size_of(note: &str) -> Option<u64> {
    let signed = SignedNote::parse(note).ok()?;
    Checkpoint::parse(signed.text())
        .ok()
        .map(|checkpoint| checkpoint.size())
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
    let agent = stored.header.agent();
    let own = agent == host.signer.agent() || host.own_keys.contains(&agent);
    let same = stored
        .entry
        .as_world()
        .is_some_and(|entry| entry.world == *id);
    if !own || !same || is_private(&world) {
        return Ok(None);
    }
    let unit = match is_claim(&world) {
        true => host.store.unit_of(id).await?,
        false => None,
    };
    let labels = match &unit {
        Some(unit) => cited_labels(host, finder, unit).await?,
        None if is_claim(&world) => return Ok(None),
        None => labels_of(&world),
    };
    if labels.is_empty() && unit.is_none() {
        return Ok(None);
    }
    let reference = MemoryRef::new(id.clone());
    let Ok(opened) = open(&reference, &world, stored.header.canonical()) else {
        return Ok(None);
    };
    let recorded_at = stored.header.timestamp();
    let attested = OnceLock::new();
    Ok(Some(Memory {
        world,
        recorded_at,
        opened,
        unit,
        labels,
        attested,
    }))
}

/// Labels of the memories that a claim cites, as they are now: of a memory that was changed or forgotten since, nothing.
async fn cited_labels(
    host: &Host,
    finder: &dyn TextIndex,
    unit: &Unit,
) -> Result<Vec<String>, SelectError> {
    let mut labels = Vec::new();
    for anchor in unit.anchors() {
        let Some(world) = current(host, &anchor.world).await? else {
            continue;
        };
        let of_it = labels_of(&world);
        if !of_it.is_empty() && is_found(host, finder, &world).await? {
            labels.extend(of_it);
        }
    }
    Ok(labels)
}

/// A World that is this agent's own, is not private, and was not replaced.
async fn current(host: &Host, id: &WorldId) -> Result<Option<World>, StoreError> {
    let Some((chain, number)) = host.store.chain_of(id).await? else {
        return Ok(None);
    };
    let Some(head) = host.store.head(&chain).await? else {
        return Ok(None);
    };
    let own = head.agent == host.signer.agent() || host.own_keys.contains(&head.agent);
    if !own || head.seq != number {
        return Ok(None);
    }
    Ok(host.store.get(id).await?.filter(|world| !is_private(world)))
}

fn member<'w>(world: &'w World, name: &str) -> Option<&'w Value> {
    world.data()?.as_object()?.get(name)
}

fn is_claim(world: &World) -> bool {
    member(world, "kind").and_then(Value::as_str) == Some("claim")
}

/// Whatever stands in `data.private` but `false` and `null` keeps a memory here.
fn is_private(world: &World) -> bool {
    !matches!(
        member(world, "private"),
        None | Some(Value::Null | Value::Bool(false))
    )
}

/// `data.share`: a text, or an array of texts.
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
