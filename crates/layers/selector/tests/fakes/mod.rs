//! A store, an index, a prover and a clock that do as a test tells them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use counterfoil_capsule::World;
use counterfoil_prover::{MemoryVerifier, NoneProver, ProveResult};
use counterfoil_selector::{MemorySelector, SelectError, TextSelector};
use counterfoil_store::text_index::{TermPlace, TextHit, TextIndex, TextQuery};
use counterfoil_store::{Clock, MemoryStore, StoreError};
use counterfoil_types::{
    ActorKind, ActorRef, BoxError, MemoryRef, Query, SelectionConstraints, SelectionRequest,
    SelectionResult, UnixMillis, VerificationMethod, VerificationProof, WorldId,
};
use counterfoil_verifier::{NoneVerifier, ProofVerifier};
use serde_json::json;

pub(crate) const NOW_MS: u64 = 1_700_000_000_000;

/// One World with its rank and how it will be proven.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    pub(crate) score: u32,
    pub(crate) created_at: u64,
    pub(crate) answered: usize,
    pub(crate) proof: Proof,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Proven, and the proof verifies.
    Good,
    /// Proven by a method `none`, which never verifies.
    Without,
    /// Proven, and the proof does not verify.
    Unverifiable,
    /// Not proven.
    Refused,
    /// The index knows it and the store does not.
    Dangling,
}

pub(crate) fn id(index: usize) -> WorldId {
    WorldId::new(format!("w-{index}")).unwrap()
}

/// All the parts over one list of memories; the place in the list is the log index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fake {
    pub(crate) memories: Vec<Memory>,
    pub(crate) store: Behaviour,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Behaviour {
    #[default]
    Sound,
    Failing,
    AnsweringOthers,
}

impl Fake {
    pub(crate) fn of(memories: Vec<Memory>) -> Self {
        Self {
            memories,
            store: Behaviour::Sound,
        }
    }

    pub(crate) fn selector(&self) -> TextSelector {
        let all = Arc::new(self.clone());
        TextSelector::new(all.clone(), all.clone(), all, Arc::new(Ticking::default()))
    }

    pub(crate) fn select(&self, constraints: SelectionConstraints) -> SelectionResult {
        self.try_select("sunrise paint", constraints).unwrap()
    }

    pub(crate) fn try_select(
        &self,
        query: &str,
        constraints: SelectionConstraints,
    ) -> Result<SelectionResult, SelectError> {
        let selector: Box<dyn MemorySelector> = Box::new(self.selector());
        let request = request(query).with_constraints(constraints);
        Ok(block_on(selector.select(&request))?)
    }

    fn memory(&self, world_id: &WorldId) -> Option<&Memory> {
        let mut memories = self.memories.iter().enumerate();
        memories
            .find(|(at, _)| id(*at) == *world_id)
            .map(|(_, memory)| memory)
    }
}

pub(crate) fn actor() -> ActorRef {
    ActorRef::new("ada", ActorKind::Agent)
        .unwrap()
        .with_name("Ada")
}

pub(crate) fn request(query: &str) -> SelectionRequest {
    SelectionRequest::new(Query::new(query).unwrap(), id(0), actor())
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

#[async_trait]
impl MemoryStore for Fake {
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, BoxError> {
        if self.store == Behaviour::Failing {
            return Err(StoreError::DiskFull.into());
        }
        let memory = self.memory(world_id);
        let Some(memory) = memory.filter(|one| one.proof != Proof::Dangling) else {
            return Ok(None);
        };
        let answered = match self.store {
            Behaviour::AnsweringOthers => WorldId::new("another").unwrap(),
            _ => world_id.clone(),
        };
        let at = UnixMillis::new(memory.created_at).unwrap();
        Ok(Some(
            counterfoil_capsule::remember(answered, at, json!({"score": memory.score})).unwrap(),
        ))
    }
}

#[async_trait]
impl TextIndex for Fake {
    async fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>, StoreError> {
        let mut ranked: Vec<(usize, &Memory)> = self.memories.iter().enumerate().collect();
        ranked.sort_by_key(|(at, memory)| (core::cmp::Reverse(memory.score), *at));
        let page = ranked.into_iter().skip(query.offset()).take(query.limit());
        Ok(page
            .map(|(at, memory)| {
                let terms = 0..query.terms().len();
                let places = terms.map(|at| (at < memory.answered).then_some(TermPlace::Turn));
                let index = u64::try_from(at).unwrap();
                TextHit::new(id(at), index, memory.score.into(), places.collect())
            })
            .collect())
    }
}

impl ProofVerifier for Fake {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        proof.proof() == Some(&json!("good"))
    }
}

impl MemoryVerifier for Fake {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        let (method, data) = match self.memory(memory.world_id()).unwrap().proof {
            Proof::Good => (VerificationMethod::Hash, json!("good")),
            Proof::Unverifiable => (VerificationMethod::Hash, json!("bad")),
            Proof::Without => (VerificationMethod::None, json!(null)),
            Proof::Refused | Proof::Dangling => {
                return NoneProver::new(NoneVerifier).prove(memory, world);
            }
        };
        ProveResult::Valid(VerificationProof::new(method, Some(data)).unwrap())
    }
}

/// A clock that goes on by a second with every look at it.
#[derive(Default)]
pub(crate) struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now_micros(&self) -> u64 {
        NOW_MS * 1_000 + self.0.fetch_add(1, Ordering::SeqCst) * 1_000_000
    }
}

/// The ids selected, as their places in the list.
pub(crate) fn selected(result: &SelectionResult) -> Vec<usize> {
    let by_id: BTreeMap<String, usize> = (0..5_000).map(|at| (id(at).to_string(), at)).collect();
    let memories = result.selected().iter();
    let ids = memories.map(|memory| memory.memory_ref().world_id().to_string());
    ids.map(|id| by_id[&id]).collect()
}
