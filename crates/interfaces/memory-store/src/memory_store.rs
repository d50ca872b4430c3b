//! Fetching Worlds (§6.1; M-5, CR-13). Cannot verify anything.

use async_trait::async_trait;
use counterfoil_types::{BoxError, World, WorldId};

/// Fetches Worlds by their id. Every application implements it (M-5, CR-13). Only an Actor may
/// hold one: no Projection, Verifier, Host, Core or Authority (FP-03, FP-09, FP-13, FP-14, FP-16).
#[async_trait]
pub trait MemoryStore: Send + Sync {
    /// The World under `world_id`, with all that its prover needs in `metadata`; `None` when there is none.
    ///
    /// `Some` says that the store holds it, not that it is unmodified: that is for `prove`.
    ///
    /// # Errors
    /// Failure of the store, which is never an empty result.
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, BoxError>;

    /// The World under each of `world_ids`, in their order, as [`get`](Self::get) gives it. A store that reads them faster together
    /// has its own.
    async fn get_each(&self, world_ids: &[WorldId]) -> Vec<Result<Option<World>, BoxError>> {
        let mut each = Vec::with_capacity(world_ids.len());
        for world_id in world_ids {
            each.push(self.get(world_id).await);
        }
        each
    }

    /// Returns whether there is a World under `world_id`.
    ///
    /// # Errors
    /// Failure of the store.
    async fn exists(&self, world_id: &WorldId) -> Result<bool, BoxError> {
        Ok(self.get(world_id).await?.is_some())
    }
}
