//! Belief: the fold of the units of a line at an instant, as known at a time (I2, I3, I7, I8, I10, I11).
//!
//! - [`believe`] and [`history`] fold all units of a line; [`believe_from`] folds what a store has looked up.
//! - [`timeline`] cuts valid time where the belief changes; [`changes`] says which units changed it.
//! - A [`LookUp`] of the caller gives the claims that others were derived from.
//!
//! Everything is a pure function of the units: no clock, no order of arrival, no later unit has a part in it.

mod ancestor;
mod changes;
mod digest;
mod facts;
mod fold;
mod handover;
mod history;
mod json;
mod lineage;
mod outline;
mod partition;
mod reach;
mod side;
mod statement;
mod timeline;
mod trust;
mod types;

#[cfg(test)]
mod laws;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use ancestor::parents_in_view;
pub use changes::{BeliefChange, changes};
pub use facts::{believe_from, has_ended, own_window};
pub use history::history;
pub use json::{scope_to_json, segment_to_json, unit_to_json};
pub use lineage::{LookUp, MAX_ANCESTORS};
pub use outline::{MAX_OUTLINED, Outline};
pub use partition::cardinality_of;
pub use statement::statement;
pub use timeline::timeline;
pub use types::{
    Belief, BeliefSide, BeliefStatus, ClaimState, Currency, HistoryEntry, MAX_LISTED, Marker,
    Question, SideClaim, Support,
};

use crate::{Line, Settings, Unit};

/// Folds a line, and those of the other names of its subject. `units` are all units of them, each once, in any order; those recorded after the question's `as_of` are
/// left out. O(k log k) in their number.
///
/// A store that does not want to read the whole line asks [`believe_from`].
pub fn believe(
    line: &Line,
    units: &[Unit],
    question: Question,
    settings: &Settings,
    look_up: Option<LookUp<'_>>,
) -> Belief {
    let trust = trust::TrustContext::new(settings, line, question);
    let partition = partition::Partition::new(&trust, units);
    let claims = partition.effective().map(|claim| trust.weigh(claim));
    let cardinality = trust.cardinality(partition.cardinality());
    let fold = fold::Fold::of(cardinality, question, claims);
    fold.into_belief(&trust, look_up)
}
