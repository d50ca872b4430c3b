//! The in-memory backend: the reference that other backends are compared with. Nothing is kept
//! beyond the process.

mod claims;
mod exchanges;
mod lines;
mod state;
mod view;

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use counterfoil_capsule::{ChainId, Signer, World};
use counterfoil_types::{Sha256Hash, WorldId};

use crate::append::AppendContext;
use crate::capsule_log::{AppendReport, CapsuleLog, Draft, Head, StoredCapsule};
use crate::log::{Frontier, NoteSigner, consistency, inclusion};
use crate::memory_store::MemoryStore;
use crate::receipt::world_with_receipt;
use crate::version::{ContentState, VersionRow};
use crate::{Clock, Entropy, StoreError};
use state::State;

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
    fn write<T>(
        &self,
        grow: impl FnOnce(&mut Frontier, &mut State) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut state = self.state()?;
        let before = state.size();
        let mut frontier = Frontier::load(&*state, before)?;
        let grown = grow(&mut frontier, &mut state);
        if grown.is_err() {
            state.truncate(before);
        } else if frontier.size() > before {
            state.note = self.signer.checkpoint(frontier.size(), frontier.root())?;
        }
        grown
    }

    fn context<'a>(&'a self, signer: &'a dyn Signer) -> AppendContext<'a> {
        AppendContext {
            signer,
            clock: &*self.clock,
            entropy: &*self.entropy,
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
        let (stored, at) = (
            state.row(index)?.stored.clone(),
            (state.size(), &*state.note),
        );
        world_with_receipt(stored, &*state, at, self.floor).map(Some)
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
    ) -> Result<Vec<AppendReport>, StoreError> {
        let context = self.context(&*signer);
        self.write(|frontier, state| frontier.append_drafts(state, context, &drafts))
    }

    async fn receive(
        &self,
        source: &str,
        mut capsules: Vec<StoredCapsule>,
    ) -> Result<Vec<AppendReport>, StoreError> {
        let received = Some((source, self.clock.now_micros()));
        self.write(|frontier, state| frontier.receive(state, received, &mut capsules))
    }

    async fn chain(&self, chain: &ChainId) -> Result<Vec<VersionRow>, StoreError> {
        let state = self.state()?;
        let indices = state.chains.get(chain).into_iter().flatten();
        indices
            .map(|&index| {
                let stored = &state.row(index)?.stored;
                let content = match stored.payload {
                    Some(_) => ContentState::Present,
                    None => ContentState::Erased,
                };
                Ok(VersionRow::of(index, &stored.header, content))
            })
            .collect()
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
        state.holds(size)?;
        inclusion(&*state, index, size)
    }

    async fn consistency(&self, from: u64, to: u64) -> Result<Vec<Sha256Hash>, StoreError> {
        let state = self.state()?;
        state.holds(to)?;
        consistency(&*state, from, to)
    }
}
