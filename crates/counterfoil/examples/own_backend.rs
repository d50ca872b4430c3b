//! Own backend: a store in one vector, on the write path that all backends share, held against the conformance suite.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use counterfoil_capsule::keys::{KeyDocument, KeyHistory};
use counterfoil_capsule::{ChainId, LastTimes, Signer, World};
use counterfoil_store::append::{AppendContext, AppendTxn, NewCapsule};
use counterfoil_store::conformance::{Factory, Setup, block_on, run_all};
use counterfoil_store::log::{Frontier, NodeReader, consistency, inclusion};
use counterfoil_store::receipt::world_with_receipt;
use counterfoil_store::{
    AppendReport, CapsuleLog, ContentState, Draft, Head, MemoryStore, StoreError, StoredCapsule,
    VersionRow,
};
use counterfoil_types::json::{Limits, parse};
use counterfoil_types::{Blake3Hash, BoxError, DidKey, Sha256Hash, WorldId};
use counterfoil_verifier::merkle::node_hash;

type Result<T> = core::result::Result<T, StoreError>;

/// All that is kept: the capsules in log order, the index of each World, and the signed checkpoint.
#[derive(Clone, Default)]
struct Rows {
    capsules: Vec<StoredCapsule>,
    worlds: BTreeMap<WorldId, u64>,
    note: String,
}

impl Rows {
    fn size(&self) -> u64 {
        u64::try_from(self.capsules.len()).unwrap_or(u64::MAX)
    }

    fn at(&self, index: u64) -> Option<&StoredCapsule> {
        self.capsules.get(usize::try_from(index).ok()?)
    }

    fn of<'a>(&'a self, chain: &'a ChainId) -> impl DoubleEndedIterator<Item = &'a StoredCapsule> {
        let capsules = self.capsules.iter();
        capsules.filter(|stored| stored.header.chain() == *chain)
    }

    fn by<'a>(&'a self, agent: &'a DidKey) -> impl Iterator<Item = &'a StoredCapsule> {
        let capsules = self.capsules.iter();
        capsules.filter(|stored| stored.header.agent() == *agent)
    }
}

/// The tree is computed from the entries whenever it is needed.
impl NodeReader for Rows {
    fn node(&self, level: u32, index: u64) -> Result<Sha256Hash> {
        let Some(below) = level.checked_sub(1) else {
            let leaf = self.at(index).map(|stored| stored.entry.leaf_hash());
            return leaf.ok_or(StoreError::Bug("a node outside of the log"));
        };
        let (left, right) = (
            self.node(below, 2 * index)?,
            self.node(below, 2 * index + 1)?,
        );
        Ok(node_hash(&left, &right))
    }
}

/// The questions of an append about the store, and the one place where it writes.
impl AppendTxn for Rows {
    fn reserve(&mut self, world_id: &WorldId, index: u64) -> Result<Option<u64>> {
        let taken = *self.worlds.entry(world_id.clone()).or_insert(index);
        Ok((taken != index).then_some(taken))
    }

    fn capsule(&mut self, index: u64) -> Result<StoredCapsule> {
        let stored = self.at(index).cloned();
        stored.ok_or(StoreError::Bug("a capsule that is not there"))
    }

    fn head(&mut self, chain: &ChainId) -> Result<Option<Head>> {
        Ok(self.of(chain).next_back().map(Head::of))
    }

    fn last_recorded(&mut self, agent: &DidKey) -> Result<Option<LastTimes>> {
        let times = self.by(agent).map(|stored| stored.header.times());
        Ok(times.max())
    }

    /// The first record of keys begins an agent's key chain, each later one extends it.
    fn key_history(&mut self, agent: &DidKey) -> Result<Option<KeyHistory>> {
        let mut history: Option<KeyHistory> = None;
        for stored in self.by(agent) {
            let record = stored.entry.record().zip(stored.payload.as_ref());
            let document = record.and_then(|(kind, payload)| {
                let document = parse(payload.text.as_bytes(), Limits::CONTENT).ok()?;
                KeyDocument::parse(kind, &document)?.ok()
            });
            match (document, &mut history) {
                (Some(document), Some(history)) => drop(history.extend(&stored.header, &document)),
                (Some(KeyDocument::Inception(first)), begun) => {
                    *begun = KeyHistory::begin(&stored.header, &first).ok();
                }
                _ => {}
            }
        }
        Ok(history)
    }

    fn in_chain(&mut self, chain: &ChainId, seq: u64) -> Result<Option<(u64, Blake3Hash)>> {
        let found = self.of(chain).find(|stored| stored.header.seq() == seq);
        Ok(found.map(|stored| (stored.index, stored.header.hash())))
    }

    fn insert(&mut self, new: &NewCapsule<'_>) -> Result<()> {
        self.capsules.push(new.stored.clone());
        Ok(())
    }
}

/// The rows behind a lock; without a medium every call fails.
struct OwnStore {
    setup: Setup,
    rows: Mutex<Rows>,
    is_broken: bool,
}

impl OwnStore {
    fn rows(&self) -> Result<MutexGuard<'_, Rows>> {
        let rows = self.rows.lock().ok().filter(|_| !self.is_broken);
        rows.ok_or(StoreError::WriterStopped)
    }

    /// The rows, if the log is as large as the size that is asked about.
    fn holding(&self, asked: u64) -> Result<MutexGuard<'_, Rows>> {
        let rows = self.rows()?;
        let (what, size) = ("size", rows.size());
        match asked <= size {
            true => Ok(rows),
            false => Err(StoreError::OutOfRange { what, asked, size }),
        }
    }

    /// Lets a copy of the log grow, signs it, and keeps it: whole or not at all.
    fn grow<T>(&self, grow: impl FnOnce(&mut Frontier, &mut Rows) -> Result<T>) -> Result<T> {
        let mut kept = self.rows()?;
        let mut rows = kept.clone();
        let mut frontier = Frontier::load(&rows, rows.size())?;
        let grown = grow(&mut frontier, &mut rows)?;
        if rows.size() > kept.size() {
            let signer = self.setup.note_signer()?;
            rows.note = signer.checkpoint(rows.size(), frontier.root())?;
        }
        *kept = rows;
        Ok(grown)
    }
}

#[async_trait]
impl MemoryStore for OwnStore {
    async fn get(&self, world_id: &WorldId) -> core::result::Result<Option<World>, BoxError> {
        let rows = self.rows()?;
        let stored = rows.worlds.get(world_id).and_then(|index| rows.at(*index));
        let (at, floor) = ((rows.size(), rows.note.as_str()), self.setup.floor);
        let world = stored.map(|stored| world_with_receipt(stored.clone(), &*rows, at, floor));
        Ok(world.transpose()?)
    }
}

#[async_trait]
impl CapsuleLog for OwnStore {
    async fn append(
        &self,
        signer: Arc<dyn Signer>,
        drafts: Vec<Draft>,
    ) -> Result<Vec<AppendReport>> {
        let context = AppendContext {
            signer: &*signer,
            clock: &*self.setup.clock,
            entropy: &*self.setup.entropy,
        };
        self.grow(|frontier, rows| frontier.append_drafts(rows, context, &drafts))
    }

    async fn receive(
        &self,
        source: &str,
        mut capsules: Vec<StoredCapsule>,
    ) -> Result<Vec<AppendReport>> {
        self.grow(|frontier, rows| frontier.receive(rows, Some((source, 0)), &mut capsules))
    }

    async fn chain(&self, chain: &ChainId) -> Result<Vec<VersionRow>> {
        let version = |stored: &StoredCapsule| {
            let content = match stored.payload {
                Some(_) => ContentState::Present,
                None => ContentState::Erased,
            };
            VersionRow::of(stored.index, &stored.header, content)
        };
        Ok(self.rows()?.of(chain).map(version).collect())
    }

    async fn head(&self, chain: &ChainId) -> Result<Option<Head>> {
        Ok(self.rows()?.of(chain).next_back().map(Head::of))
    }

    async fn checkpoint(&self) -> Result<Option<String>> {
        let rows = self.rows()?;
        Ok((rows.size() > 0).then(|| rows.note.clone()))
    }

    async fn size(&self) -> Result<u64> {
        Ok(self.rows()?.size())
    }

    async fn capsule(&self, index: u64) -> Result<Option<StoredCapsule>> {
        Ok(self.rows()?.at(index).cloned())
    }

    async fn index_of(&self, world_id: &WorldId) -> Result<Option<u64>> {
        Ok(self.rows()?.worlds.get(world_id).copied())
    }

    async fn inclusion(&self, index: u64, size: u64) -> Result<Vec<Sha256Hash>> {
        inclusion(&*self.holding(size)?, index, size)
    }

    async fn consistency(&self, from: u64, to: u64) -> Result<Vec<Sha256Hash>> {
        consistency(&*self.holding(to)?, from, to)
    }
}

/// Opens the stores that the suite examines.
struct Own;

impl Factory for Own {
    type Store = OwnStore;

    fn open(&self, setup: &Setup) -> OwnStore {
        OwnStore {
            setup: setup.clone(),
            rows: Mutex::default(),
            is_broken: false,
        }
    }

    fn broken(&self, setup: &Setup) -> OwnStore {
        OwnStore {
            is_broken: true,
            ..self.open(setup)
        }
    }
}

fn main() -> core::result::Result<(), Box<dyn Error>> {
    let failures = block_on(run_all(&Own));
    if failures.is_empty() {
        println!("the backend conforms");
        return Ok(());
    }
    Err(format!("the backend does not conform: {failures:#?}").into())
}
