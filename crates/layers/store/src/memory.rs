//! The in-memory backend: the reference that other backends are compared with. Nothing is kept
//! beyond the process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use counterfoil_capsule::{ChainId, Signer, Timestamp, World};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};

use crate::append::{Appender, Ledger, NewCapsule, Rim};
use crate::capsule_log::{Appended, CapsuleLog, Draft, Head, StoredCapsule};
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
        let mut state = self.state()?;
        let before = state.size();
        let mut appender = Appender::new(Frontier::load(&*state, before)?);
        let rim = Rim {
            signer: &*signer,
            clock: &*self.clock,
            entropy: &*self.entropy,
        };
        let appended = appender.append(&mut *state, rim, &drafts);
        if appended.is_err() {
            state.truncate(before);
        } else if appender.frontier().size() > before {
            let frontier = appender.frontier();
            state.note = self.signer.checkpoint(frontier.size(), frontier.root())?;
        }
        appended
    }

    async fn head(&self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        Ok(self.state()?.chains.get(chain).cloned())
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
    chains: BTreeMap<ChainId, Head>,
    agents: BTreeMap<DidKey, Timestamp>,
    broken: bool,
}

struct Row {
    stored: StoredCapsule,
    hashes: Vec<Sha256Hash>,
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
        let rows = core::mem::take(&mut self.rows);
        rows.iter().for_each(|row| self.derive(&row.stored));
        self.rows = rows;
    }

    fn derive(&mut self, stored: &StoredCapsule) {
        let header = &stored.header;
        if let Some(world) = stored.entry.world() {
            self.worlds.insert(world.clone(), stored.index);
        }
        self.agents.insert(header.agent(), header.timestamp());
        self.chains.insert(
            header.chain(),
            Head {
                agent: header.agent(),
                seq: header.seq(),
                capsule: header.hash(),
                index: stored.index,
            },
        );
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
        Ok(self.chains.get(chain).cloned())
    }

    fn last_recorded(&mut self, agent: &DidKey) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.agents.get(agent).copied())
    }

    fn insert(&mut self, new: &NewCapsule<'_>) -> Result<(), StoreError> {
        let stored = StoredCapsule::new(new.index, new.sealed.clone(), new.delta.cloned());
        self.derive(&stored);
        self.rows.push(Row {
            stored,
            hashes: new.hashes.to_vec(),
        });
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
