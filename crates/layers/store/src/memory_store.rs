//! Layer 1: fetching Worlds (specification 6.1). Cannot verify anything, and does not try (CR-01).

use async_trait::async_trait;
use counterfoil_capsule::World;
use counterfoil_types::WorldId;

use crate::StoreError;

/// Fetches Worlds by their id. Only an Actor may hold one (FP-08, FP-12..FP-17).
#[async_trait]
pub trait MemoryStore: Send + Sync {
    /// The World under `world_id` with its receipt at the current checkpoint in
    /// `metadata.receipt`; `None` when there is none.
    ///
    /// `Some` says that the store holds it, not that it is unmodified: that is for `prove`.
    ///
    /// # Errors
    /// When the store cannot tell. A failure is never an empty result.
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, StoreError>;

    /// Whether there is a World under `world_id`.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn exists(&self, world_id: &WorldId) -> Result<bool, StoreError>;
}
