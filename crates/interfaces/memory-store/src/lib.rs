//! Layer 1 of the memory protocol: the interface of a store (specification §6.1, M-5, CR-13).
//!
//! ```
//! use counterfoil_memory_store::{MemoryStore, async_trait};
//! use counterfoil_types::{BoxError, World, WorldId};
//!
//! /// A shelf in memory.
//! struct Shelf(Vec<World>);
//!
//! #[async_trait]
//! impl MemoryStore for Shelf {
//!     async fn get(&self, world_id: &WorldId) -> Result<Option<World>, BoxError> {
//!         Ok(self.0.iter().find(|world| world.world_id() == world_id).cloned())
//!     }
//! }
//! ```

mod memory_store;

pub use async_trait::async_trait;
pub use memory_store::MemoryStore;
