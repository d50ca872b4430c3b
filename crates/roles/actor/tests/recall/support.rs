//! A store and a selector of a few Worlds, and an executor for futures that are ready at once.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use counterfoil_actor::capsule::World;
use counterfoil_actor::selector::MemorySelector;
use counterfoil_actor::store::{MemoryStore, async_trait};
use counterfoil_actor::types::{
    ActorKind, ActorRef, BoxError, Confidence, IntentBody, IntentInstance, MemoryRef, Query,
    Reason, SelectedMemory, SelectionRequest, SelectionResult, UnixMillis, WorldId,
};
use counterfoil_actor::{Actor, IntentDraft, SourceKind};
use serde_json::json;

/// When every selection is made.
pub(crate) const SELECTED_AT: u64 = 1_800_000_000_000;

/// Runs a future that never waits.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
    .expect("a future of these tests waits for nothing")
}

/// Worlds by id.
#[derive(Default)]
pub(crate) struct Shelf(pub(crate) BTreeMap<WorldId, World>);

impl Shelf {
    pub(crate) fn of(names: &[&str]) -> Self {
        Self(names.iter().map(|name| (id(name), world(name))).collect())
    }
}

#[async_trait]
impl MemoryStore for Shelf {
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, BoxError> {
        Ok(self.0.get(world_id).cloned())
    }

    async fn exists(&self, world_id: &WorldId) -> Result<bool, BoxError> {
        Ok(self.0.contains_key(world_id))
    }
}

/// Selects the Worlds whose names stand in the query, earlier words with more confidence.
pub(crate) struct ByName;

#[async_trait]
impl MemorySelector for ByName {
    async fn select(&self, request: &SelectionRequest) -> Result<SelectionResult, BoxError> {
        let names = request.query().as_str().split_whitespace().enumerate();
        let selected = names.map(|(rank, name)| selected(name, rank)).collect();
        Ok(SelectionResult::new(selected, millis(SELECTED_AT)).expect("few memories"))
    }
}

fn selected(name: &str, rank: usize) -> SelectedMemory {
    let confidence = 0.5_f64.powi(i32::try_from(rank).expect("a small rank"));
    SelectedMemory::new(
        MemoryRef::new(id(name)),
        Reason::new(format!("is called {name}")).expect("a reason"),
        Confidence::new(confidence).expect("a confidence"),
    )
}

pub(crate) fn world(name: &str) -> World {
    counterfoil_capsule::remember(id(name), millis(SELECTED_AT - 1000), json!({"text": name}))
        .expect("a World")
}

pub(crate) fn id(name: &str) -> WorldId {
    WorldId::new(name).expect("an id")
}

pub(crate) fn millis(value: u64) -> UnixMillis {
    UnixMillis::new(value).expect("a time")
}

pub(crate) fn query(text: &str) -> Query {
    Query::new(text).expect("a query")
}

pub(crate) fn actor_ref(name: &str) -> ActorRef {
    ActorRef::new(name, ActorKind::Agent).expect("an actor")
}

/// `planner`, with a shelf of the Worlds a, b and c.
pub(crate) fn planner() -> Actor {
    let shelf = Arc::new(Shelf::of(&["a", "b", "c"]));
    Actor::new(actor_ref("planner"), Arc::new(ByName), shelf)
}

/// An intent in the name of this actor.
pub(crate) fn intent_of(name: &str) -> IntentInstance {
    let draft = IntentDraft {
        body: IntentBody::new("note.add").expect("a type"),
        schema_hash: "schema".into(),
        intent_id: "intent-1".into(),
        projection_id: "test".into(),
        source: SourceKind::Agent,
        event_id: "event-1".into(),
    };
    draft.by(&actor_ref(name)).expect("an intent")
}
