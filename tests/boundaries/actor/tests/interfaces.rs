//! An application brings its own store, selector and verifier (specification 6), and an Actor works with them.
#![cfg(test)]

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use counterfoil_actor::{Actor, IntentDraft, SourceKind};
use counterfoil_memory_selector::{MemorySelector, wrap_proof};
use counterfoil_memory_store::{MemoryStore, async_trait};
use counterfoil_memory_verifier::{MemoryVerifier, ProofVerifier, ProveResult};
use counterfoil_trace::from_proposal;
use counterfoil_types::json::Value;
use counterfoil_types::{
    ActorKind, ActorRef, BoxError, Confidence, IntentBody, MemoryRef, Query, Reason,
    SelectedMemory, SelectionRequest, SelectionResult, UnixMillis, VerificationMethod,
    VerificationProof, World, WorldId,
};
use serde_json::json;

/// A store with a map for a database.
struct Shelf(BTreeMap<WorldId, World>);

#[async_trait]
impl MemoryStore for Shelf {
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, BoxError> {
        Ok(self.0.get(world_id).cloned())
    }

    async fn exists(&self, world_id: &WorldId) -> Result<bool, BoxError> {
        Ok(self.0.contains_key(world_id))
    }
}

/// A verifier with a method of its own: the proof is the hash that the World names.
struct Snapshots {
    method: VerificationMethod,
    trusted: Vec<Value>,
}

impl ProofVerifier for Snapshots {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        proof
            .proof()
            .is_some_and(|hash| self.trusted.contains(hash))
    }
}

impl MemoryVerifier for Snapshots {
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult {
        assert_eq!(memory.world_id(), world.world_id());
        let hash = Value::from(world.snapshot_hash());
        ProveResult::Valid(VerificationProof::new(self.method.clone(), Some(hash)).unwrap())
    }
}

/// A selector that takes all there is.
struct Everything {
    shelf: Arc<Shelf>,
    verifier: Snapshots,
}

#[async_trait]
impl MemorySelector for Everything {
    async fn select(&self, request: &SelectionRequest) -> Result<SelectionResult, BoxError> {
        let selected = self
            .shelf
            .0
            .values()
            .map(|world| self.selected(world, request))
            .collect();
        Ok(SelectionResult::new(selected, at(2))?)
    }
}

impl Everything {
    fn selected(&self, world: &World, request: &SelectionRequest) -> SelectedMemory {
        let memory = MemoryRef::new(world.world_id().clone());
        let proof = self.verifier.prove(&memory, world).into_proof().unwrap();
        assert!(self.verifier.verify_proof(&proof));
        let evidence = wrap_proof(&proof, at(2), request.selector()).unwrap();
        let reason = Reason::new("it is all there is").unwrap();
        let confidence = Confidence::new(0.5).unwrap();
        SelectedMemory::new(memory, reason, confidence)
            .with_evidence(evidence)
            .as_verified()
    }
}

fn at(millis: u64) -> UnixMillis {
    UnixMillis::new(millis).unwrap()
}

/// What a future gives that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("nothing here waits"),
    }
}

/// M-5, M-6, M-7, CR-13, CR-14, CR-15, MR-02, MR-03, MR-04: all three interfaces are the application's to
/// implement. M-2, CR-01: what it recalls through them stands in its proposal.
#[test]
fn an_application_brings_its_own_store_selector_and_verifier() {
    let id = WorldId::new("world-1").unwrap();
    let world = counterfoil_capsule::remember(id.clone(), at(1), json!({"kind": "note"})).unwrap();
    let trusted = vec![Value::from(world.snapshot_hash())];
    let shelf = Arc::new(Shelf(BTreeMap::from([(id.clone(), world)])));
    let method = VerificationMethod::new("snapshot").unwrap();
    let verifier = Snapshots { method, trusted };
    let selector = Arc::new(Everything {
        shelf: Arc::clone(&shelf),
        verifier,
    });
    let me = ActorRef::new("me", ActorKind::Agent).unwrap();
    let actor = Actor::new(me.clone(), selector, shelf);

    let deliberation = actor.deliberate(id.clone());
    let recalled = now(deliberation.recall(Query::new("anything").unwrap(), None)).unwrap();
    assert_eq!(recalled.len(), 1);
    let intent = IntentDraft {
        body: IntentBody::new("note.keep").unwrap(),
        schema_hash: "schema".to_owned(),
        intent_id: "intent-1".to_owned(),
        projection_id: "test".to_owned(),
        source: SourceKind::Agent,
        event_id: "event-1".to_owned(),
    };
    let intent = intent.by(&me).unwrap();
    let proposal = deliberation
        .propose(intent, "keeps it", "prop-1", at(3))
        .unwrap();

    let trace = from_proposal(&proposal).unwrap().unwrap();
    let [memory] = trace.selected() else {
        panic!("{trace:?}")
    };
    assert_eq!(memory.memory_ref().world_id(), &id);
    assert_eq!(memory.evidence().unwrap().method().as_str(), "snapshot");
}
