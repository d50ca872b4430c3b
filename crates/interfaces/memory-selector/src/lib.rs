//! Layer 3 of the memory protocol: the interface of a selector (specification §6.3, M-6, CR-14).
//!
//! A selector is the only one that adds a time and an actor to a proof ([`wrap_proof`], M-9, CR-17). What it returns
//! is relevant by its own lights and proven by the prover's; it is not thereby true (M-1).

mod annotation;
mod constraints;
mod evidence;
mod memory_selector;

pub use annotation::{
    AnnotatedSelection, Annotation, BeliefStanding, DrawnClaim, LeftOut, PeerSource,
};
pub use async_trait::async_trait;
pub use constraints::{
    all_verified, filter_by_confidence, has_required_evidence, meets_constraints,
};
pub use evidence::wrap_proof;
pub use memory_selector::MemorySelector;
