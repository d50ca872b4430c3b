//! The actor: its identity, selector and store (§9.2.1; M-5, M-6), and its memories.

use std::sync::Arc;

use counterfoil_capsule::{Signer, World};
use counterfoil_selector::MemorySelector;
use counterfoil_store::{AppendReport, CapsuleLog, Draft, MemoryStore};
use counterfoil_types::json::Value;
use counterfoil_types::{ActorRef, UnixMillis, WorldId};

use crate::{ActError, Deliberation, NeedsIntent};

/// Remembers `data` as the World `world_id`, sealed in the name of `signer`. It is on disk and in the log when this returns.
///
/// # Errors
/// [`ActError::Content`] for data that is no content of a World; [`ActError::Store`], as
/// [`append`](CapsuleLog::append) has them.
pub async fn remember(
    log: &dyn CapsuleLog,
    signer: Arc<dyn Signer>,
    world_id: WorldId,
    created_at: UnixMillis,
    data: Value,
) -> Result<AppendReport, ActError> {
    let world = World::remember(world_id, created_at, data)?;
    Ok(log.append_one(signer, Draft::new(world)).await?)
}

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
