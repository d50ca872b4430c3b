//! The actor: its identity, selector and store (§9.2.1; M-5, M-6).

use std::sync::Arc;

use counterfoil_memory_selector::MemorySelector;
use counterfoil_memory_store::MemoryStore;
use counterfoil_types::{ActorRef, WorldId};

use crate::{Deliberation, NeedsIntent};

/// Someone who proposes, and may recall before it does.
#[derive(Clone)]
pub struct Actor {
    actor: ActorRef,
    pub(crate) selected_by: ActorRef,
    pub(crate) selector: Arc<dyn MemorySelector>,
    pub(crate) store: Arc<dyn MemoryStore>,
}

impl Actor {
    /// An actor that selects with `selector` and reads the selected Worlds from `store`.
    pub fn new(
        actor: ActorRef,
        selector: Arc<dyn MemorySelector>,
        store: Arc<dyn MemoryStore>,
    ) -> Self {
        Self {
            selected_by: actor.clone(),
            actor,
            selector,
            store,
        }
    }

    /// Names another actor as selector of its recalls, such as a memory service (§11). An authority's policy says who may
    /// select for others.
    #[must_use]
    pub fn selected_by(self, selected_by: ActorRef) -> Self {
        Self {
            selected_by,
            ..self
        }
    }

    /// Its identity: the actor of its proposals, and the selector of its recalls unless that is another.
    pub const fn actor_ref(&self) -> &ActorRef {
        &self.actor
    }

    /// Begins to think about one proposal, on the ground of `base_world`.
    pub fn deliberate(&self, base_world: WorldId) -> Deliberation<'_, NeedsIntent> {
        Deliberation::new(self, base_world)
    }
}
