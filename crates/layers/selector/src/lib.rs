//! Layer 3: chooses memories and wraps their proofs into evidence (specification §5.3, §6.3).
//!
//! [`MemorySelector`] is the interface (M-6, CR-14); [`TextSelector`] is the default behind it,
//! full text, with models where an application brings them. A selector finds candidates, fetches each World from the store,
//! has it proven, and is the only one that adds a time and an actor to a proof (M-9, CR-17).
//! What it returns is relevant by its own lights and proven by the prover's; it is not thereby
//! true (M-1).

mod answers;
mod beliefs;
mod budget;
mod candidate;
mod confidence;
pub mod content;
mod error;
pub mod metrics;
mod names;
mod query;
mod reason;
mod received;
mod rerank;
mod shortlist;
mod text_selector;

pub use confidence::{LIKELY, MAX_LEAD, confidence, lead, share};
pub use counterfoil_memory_selector::{
    AnnotatedSelection, Annotation, BeliefStanding, DrawnClaim, LeftOut, MemorySelector,
    PeerSource, all_verified, filter_by_confidence, has_required_evidence, meets_constraints,
    wrap_proof,
};
pub use error::SelectError;
pub use query::{content_words, plain_query, text_query, with_times};
pub use text_selector::{DEFAULT_MAX_RESULTS, MAX_EXAMINED, TextSelector};
