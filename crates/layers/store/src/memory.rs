//! The in-memory backend: the reference that other backends are compared with. Nothing is kept
//! beyond the process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use counterfoil_capsule::keys::{KeyDocument, KeyHistory};
use counterfoil_capsule::{ChainId, Signer, Timestamp, World};
use counterfoil_types::json::{Limits, parse};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};

use crate::append::{Appender, Ledger, NewCapsule, Origin, Rim};
use crate::capsule_log::{
    Appended, Body, CapsuleLog, ContentState, Draft, Head, ReceivedCapsule, StoredCapsule, Version,
};
use crate::log::{EntryReader, Frontier, NodeReader, NodeRow, NoteSigner, consistency, inclusion};
use crate::memory_store::MemoryStore;
use crate::receipt::{ReceiptAt, world_with_receipt};
use crate::{Clock, Entropy, Place, StoreError};

/// A store in memory.
pub struct InMemoryStore {
    state: Mutex<State>,
    signer: NoteSigner,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    floor: Option<u64>,
}

impl InMemoryStore {
    /// An empty store whose log is signed by `signer`.
    #[must_use]
    pub fn new(signer: NoteSigner, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self {
            state: Mutex::default(),
            signer,
            clock,
            entropy,
            floor: None,
        }
    }

    /// Puts a consistency proof from the log's size `floor` into each receipt.
    #[must_use]
    pub const fn with_floor(mut self, floor: u64) -> Self {
        self.floor = Some(floor);
        self
    }

    /// Makes every later call fail, as a store does whose disk is gone.
    pub fn break_down(&self) {
        if let Ok(mut state) = self.state.lock() {
            state.broken = true;
        }
    }

    /// Lets the log grow, and signs a checkpoint if it did.
    fn write(
        &self,
        grow: impl FnOnce(&mut Appender, &mut State) -> Result<Vec<Appended>, StoreError>,
    ) -> Result<Vec<Appended>, StoreError> {
        let mut state = self.state()?;
        let before = state.size();
        let mut appender = Appender::new(Frontier::load(&*state, before)?);
        let appended = grow(&mut appender, &mut state);
        if appended.is_err() {
            state.truncate(before);
        } else if appender.frontier().size() > before {
            let frontier = appender.frontier();
            state.note = self.signer.checkpoint(frontier.size(), frontier.root())?;
        }
        appended
    }

    fn state(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        let state = self.state.lock().map_err(|_| StoreError::WriterStopped)?;
        if state.broken {
            return Err(StoreError::Unavailable {
                doing: "reading the memory",
                detail: "the store broke down".to_owned(),
            });
        }
        Ok(state)
    }
}

impl core::fmt::Debug for InMemoryStore {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("InMemoryStore")
            .field("signer", &self.signer)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl MemoryStore for InMemoryStore {
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, StoreError> {
        let state = self.state()?;
        let Some(&index) = state.worlds.get(world_id) else {
            return Ok(None);
        };
        let at = ReceiptAt {
            size: state.size(),
            checkpoint: &state.note,
            floor: self.floor,
        };
        world_with_receipt(state.row(index)?.stored.clone(), &*state, at).map(Some)
    }

    async fn exists(&self, world_id: &WorldId) -> Result<bool, StoreError> {
        Ok(self.state()?.worlds.contains_key(world_id))
    }
}

#[async_trait]
impl CapsuleLog for InMemoryStore {
    async fn append(
        &self,
        signer: Arc<dyn Signer>,
        drafts: Vec<Draft>,
    ) -> Result<Vec<Appended>, StoreError> {
        let rim = Rim {
            signer: &*signer,
            clock: &*self.clock,
            entropy: &*self.entropy,
        };
        self.write(|appender, state| appender.append(state, rim, &drafts))
    }

    async fn receive(
        &self,
        source: &str,
        capsules: Vec<ReceivedCapsule>,
    ) -> Result<Vec<Appended>, StoreError> {
        let at_us = self.clock.now_micros();
        let origin = Origin::Received { source, at_us };
        self.write(|appender, state| appender.receive(state, origin, &capsules))
    }

    async fn chain(&self, chain: &ChainId) -> Result<Vec<Version>, StoreError> {
        let state = self.state()?;
        let indices = state.chains.get(chain).into_iter().flatten();
        indices
            .map(|&index| {
                let stored = &state.row(index)?.stored;
                let content = match stored.payload {
                    Some(_) => ContentState::Present,
                    None => ContentState::Erased,
                };
                Ok(Version::of(index, &stored.header, content))
            })
            .collect()
    }

    async fn chain_of(&self, world_id: &WorldId) -> Result<Option<(ChainId, u64)>, StoreError> {
        let state = self.state()?;
        let Some(&index) = state.worlds.get(world_id) else {
            return Ok(None);
        };
        let header = &state.row(index)?.stored.header;
        Ok(Some((header.chain(), header.seq())))
    }

    async fn version(
        &self,
        chain: &ChainId,
        seq: u64,
    ) -> Result<Option<StoredCapsule>, StoreError> {
        let state = self.state()?;
        let index = state.version(chain, seq);
        let row = index.map(|index| state.row(index)).transpose()?;
        Ok(row.map(|row| row.stored.clone()))
    }

    async fn head(&self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        self.state()?.head_of(chain)
    }

    async fn checkpoint(&self) -> Result<Option<String>, StoreError> {
        let state = self.state()?;
        Ok((state.size() > 0).then(|| state.note.clone()))
    }

    async fn size(&self) -> Result<u64, StoreError> {
        Ok(self.state()?.size())
    }

    async fn capsule(&self, index: u64) -> Result<Option<StoredCapsule>, StoreError> {
        Ok(self.state()?.row(index).ok().map(|row| row.stored.clone()))
    }

    async fn index_of(&self, world_id: &WorldId) -> Result<Option<u64>, StoreError> {
        Ok(self.state()?.worlds.get(world_id).copied())
    }

    async fn inclusion(&self, index: u64, size: u64) -> Result<Vec<Sha256Hash>, StoreError> {
        let state = self.state()?;
        state.within("size", size)?;
        inclusion(&*state, index, size)
    }

    async fn consistency(&self, from: u64, to: u64) -> Result<Vec<Sha256Hash>, StoreError> {
        let state = self.state()?;
        state.within("size", to)?;
        consistency(&*state, from, to)
    }

    async fn latest_world(&self) -> Result<Option<WorldId>, StoreError> {
        let state = self.state()?;
        let mut worlds = state.rows.iter().rev();
        Ok(worlds.find_map(|row| row.stored.entry.world().cloned()))
    }
}

#[derive(Default)]
struct State {
    rows: Vec<Row>,
    note: String,
    worlds: BTreeMap<WorldId, u64>,
    /// The log indices of each chain, by number.
    chains: BTreeMap<ChainId, Vec<u64>>,
    keys: BTreeMap<DidKey, KeyHistory>,
    agents: BTreeMap<DidKey, Timestamp>,
    broken: bool,
}

struct Row {
    stored: StoredCapsule,
    stamped: Stamped,
    hashes: Vec<Sha256Hash>,
}

/// Whose clock gave the timestamp.
#[derive(Clone, Copy)]
enum Stamped {
    Here,
    Elsewhere,
}

impl State {
    fn size(&self) -> u64 {
        u64::try_from(self.rows.len()).unwrap_or(u64::MAX)
    }

    fn row(&self, index: u64) -> Result<&Row, StoreError> {
        usize::try_from(index)
            .ok()
            .and_then(|index| self.rows.get(index))
            .ok_or_else(|| StoreError::corrupt(Place::entry("memory", index), "there is no entry"))
    }

    fn within(&self, what: &'static str, asked: u64) -> Result<(), StoreError> {
        if asked > self.size() {
            return Err(StoreError::OutOfRange {
                what,
                asked,
                size: self.size(),
            });
        }
        Ok(())
    }

    /// Takes back an append that failed half way.
    fn truncate(&mut self, size: u64) {
        self.rows
            .truncate(usize::try_from(size).unwrap_or(usize::MAX));
        self.worlds.clear();
        self.chains.clear();
        self.agents.clear();
        self.keys.clear();
        let rows = core::mem::take(&mut self.rows);
        rows.iter().for_each(|row| self.derive(row));
        self.rows = rows;
    }

    fn derive(&mut self, row: &Row) {
        let stored = &row.stored;
        let header = &stored.header;
        if let Some(world) = stored.entry.world() {
            self.worlds.insert(world.clone(), stored.index);
        }
        let recorded = self
            .agents
            .entry(header.agent())
            .or_insert(header.timestamp());
        *recorded = match row.stamped {
            Stamped::Here => header.timestamp(),
            Stamped::Elsewhere => header.timestamp().max(*recorded),
        };
        self.chains
            .entry(header.chain())
            .or_default()
            .push(stored.index);
        if let Some(keys) = self.extended_keys(stored) {
            self.keys.insert(header.agent(), keys);
        }
    }

    /// The key chain of the capsule's agent with it, if it belongs there. It was checked before.
    fn extended_keys(&self, stored: &StoredCapsule) -> Option<KeyHistory> {
        let kind = stored.entry.as_record()?.kind();
        let payload = parse(stored.payload.as_ref()?.text.as_bytes(), Limits::CONTENT).ok()?;
        let document = KeyDocument::parse(kind, &payload)?.ok()?;
        match (self.keys.get(&stored.header.agent()), &document) {
            (None, KeyDocument::Inception(inception)) => {
                KeyHistory::begin(&stored.header, inception).ok()
            }
            (None, _) => None,
            (Some(history), document) => {
                let mut history = history.clone();
                history.extend(&stored.header, document).ok()?;
                Some(history)
            }
        }
    }

    fn version(&self, chain: &ChainId, seq: u64) -> Option<u64> {
        let seq = usize::try_from(seq).ok()?;
        self.chains.get(chain)?.get(seq).copied()
    }

    fn head_of(&self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        let last = self.chains.get(chain).and_then(|indices| indices.last());
        let Some(&index) = last else {
            return Ok(None);
        };
        let header = &self.row(index)?.stored.header;
        Ok(Some(Head {
            agent: header.agent(),
            seq: header.seq(),
            capsule: header.hash(),
            index,
        }))
    }
}

impl Ledger for State {
    fn claim(&mut self, world_id: &WorldId, index: u64) -> Result<Option<u64>, StoreError> {
        let existing = self.worlds.get(world_id).copied();
        if existing.is_none() {
            self.worlds.insert(world_id.clone(), index);
        }
        Ok(existing)
    }

    fn capsule(&mut self, index: u64) -> Result<StoredCapsule, StoreError> {
        self.row(index).map(|row| row.stored.clone())
    }

    fn head(&mut self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        self.head_of(chain)
    }

    fn current_key(&mut self, agent: &DidKey) -> Result<(u64, DidKey), StoreError> {
        let history = self.keys.get(agent);
        Ok(history.map_or((0, *agent), |history| {
            (history.current_number(), history.current())
        }))
    }

    fn key_history(&mut self, agent: &DidKey) -> Result<Option<KeyHistory>, StoreError> {
        Ok(self.keys.get(agent).cloned())
    }

    /// This backend keeps no branches: whoever holds one keeps it from going on.
    fn forked_at(&mut self, _: &ChainId) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    fn in_chain(
        &mut self,
        chain: &ChainId,
        seq: u64,
    ) -> Result<Option<(u64, Blake3Hash)>, StoreError> {
        let Some(index) = self.version(chain, seq) else {
            return Ok(None);
        };
        Ok(Some((index, self.row(index)?.stored.header.hash())))
    }

    fn last_recorded(&mut self, agent: &DidKey) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.agents.get(agent).copied())
    }

    fn insert(&mut self, new: &NewCapsule<'_>) -> Result<(), StoreError> {
        let content = new.content.present();
        let row = Row {
            stored: StoredCapsule {
                index: new.index,
                header: new.header.clone(),
                entry: new.entry.clone(),
                key: new.key,
                signature: *new.signature,
                payload: content.map(|content| Body {
                    text: content.text.to_owned(),
                    salt: *content.salt,
                }),
                delta: new.delta.cloned(),
            },
            stamped: match new.origin {
                Origin::Here => Stamped::Here,
                Origin::Received { .. } => Stamped::Elsewhere,
            },
            hashes: new.hashes.to_vec(),
        };
        self.derive(&row);
        self.rows.push(row);
        Ok(())
    }
}

impl NodeReader for State {
    fn node(&self, level: u32, index: u64) -> Result<Sha256Hash, StoreError> {
        let place = NodeRow::of(level, index).ok_or(StoreError::Bug("a node beyond 2^63"))?;
        let row = self.row(place.leaf)?;
        let position = usize::try_from(place.position).unwrap_or(usize::MAX);
        row.hashes
            .get(position)
            .copied()
            .ok_or(StoreError::Bug("a leaf without its subtrees"))
    }
}

impl EntryReader for State {
    fn entry(&self, index: u64) -> Result<String, StoreError> {
        self.row(index).map(|row| row.stored.entry.to_text())
    }
}
