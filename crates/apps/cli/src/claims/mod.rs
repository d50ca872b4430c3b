//! Claims and beliefs at the rim: dates, settings, names of claims, and how beliefs are told.

pub(crate) mod answer;

pub(crate) use counterfoil::internal::claims::{bulk, dates, desk, refusals, telling};
use counterfoil_claims::{Act, FactValue, Unit};

/// The value of a claim; `None` for what is said of one.
pub(crate) const fn value_of(unit: &Unit) -> Option<&FactValue> {
    match unit.act() {
        Act::Claim(body) => Some(&body.value),
        _ => None,
    }
}
