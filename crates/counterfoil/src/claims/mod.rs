//! Claims and beliefs of a store: what is stated, and what is believed at any time, as known at any time.

pub mod access;
mod answer;
mod beliefs;
pub mod bulk;
pub mod dates;
mod records;
pub mod refusals;
pub mod settings;
mod state;
pub mod telling;
mod timeline;

pub use answer::why;
pub use beliefs::{BeliefQuery, Beliefs, LineHistory, WhyBelief};
use counterfoil_claims::{Act, FactValue, Unit};
pub use timeline::{Timeline, TimelineLine};

/// Returns the value of a claim; `None` for a unit that is no claim.
#[must_use]
pub const fn value_of(unit: &Unit) -> Option<&FactValue> {
    match unit.act() {
        Act::Claim(body) => Some(&body.value),
        _ => None,
    }
}
