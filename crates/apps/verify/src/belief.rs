//! A belief that is proven: its units are checked one by one and folded again (I3, I8; docs/format/belief.md).
//!
//! The fold is the engine's own, a pure function; it stands here and not in the authority's crate, whose reach stays what
//! it is. Nothing of this needs a store.

mod check;
mod document;
mod error;
mod fold;
mod judge;
mod report;
mod run;
mod trust;

pub use document::{BELIEF_FORMAT, BeliefDocument, MAX_BELIEF_BYTES, MAX_BELIEF_UNITS};
pub use error::BeliefError;
pub use fold::EngineFold;
pub use report::BeliefReport;
pub use run::{review, review_belief, review_trusting, verify_belief};
pub use trust::{Decided, ReadTrust};
