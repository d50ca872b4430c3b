//! Conformance of an application with the Memory specification (§13): its own store, selector, prover, verifier or authority is
//! run through cases, and each broken rule is named.
//!
//! ```
//! use counterfoil_conformance::{check_store, worlds};
//! use counterfoil_memory_store::{MemoryStore, async_trait};
//! use counterfoil_types::{BoxError, World, WorldId};
//!
//! /// A store that takes identifiers for the same that differ in case: it parses them (M-11).
//! struct Careless(Vec<World>);
//!
//! #[async_trait]
//! impl MemoryStore for Careless {
//!     async fn get(&self, world_id: &WorldId) -> Result<Option<World>, BoxError> {
//!         let name = |id: &WorldId| id.to_string().to_lowercase();
//!         let found = self.0.iter().find(|world| name(world.world_id()) == name(world_id));
//!         Ok(found.cloned())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let report = check_store(&Careless(worlds())).await;
//! assert!(report.broken().iter().any(|broken| broken.rule == "M-11"), "{report}");
//! # });
//! # Ok::<(), BoxError>(())
//! ```
//!
//! `cases.json` of this crate holds the cases for other languages; `docs/guide/conformance.md` says how to run them. A sound report says that
//! no case found a fault, and not that there is none. Rules about what a module can reach are for `cargo counterfoil check-boundaries`.

mod authority;
mod cases;
mod prover;
mod report;
mod selector;
mod store;
mod verifier;

pub use authority::check_authority;
pub use cases::worlds;
pub use prover::check_prover;
pub use report::{Broken, Report};
pub use selector::check_selector;
pub use store::check_store;
pub use verifier::check_verifier;
