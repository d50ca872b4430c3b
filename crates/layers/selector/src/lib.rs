//! Layer 3: chooses memories and wraps their proofs into evidence (specification §5.3, §6.3).
//!
//! [`MemorySelector`] is the interface (M-6, CR-14); [`TextSelector`] is the default behind it,
//! full text without a model. A selector finds candidates, fetches each World from the store,
//! has it proven, and is the only one that adds a time and an actor to a proof (M-9, CR-17).
//! What it returns is relevant by its own lights and proven by the prover's; it is not thereby
//! true (M-1).

mod annotation;
mod beliefs;
mod candidate;
mod confidence;
mod constraints;
mod error;
mod evidence;
mod memory_selector;
mod query;
mod reason;
mod received;
mod shortlist;
mod stop_words;
mod text_selector;

pub use annotation::{AnnotatedSelection, Annotation, BeliefStanding};
pub use confidence::confidence;
pub use constraints::{
    all_verified, filter_by_confidence, has_required_evidence, meets_constraints,
};
pub use error::SelectError;
pub use evidence::wrap_proof;
pub use memory_selector::MemorySelector;
pub use query::content_words;
pub use received::PeerSource;
pub use text_selector::{DEFAULT_MAX_RESULTS, MAX_EXAMINED, TextSelector};
