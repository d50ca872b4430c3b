//! A belief without its evidence: what changes when a belief changes.

use alloc::vec::Vec;

use super::fold::{Fold, Parts};
use super::{BeliefStatus, Support};
use crate::{ClaimRef, FactValue};

/// The most values and claims that an outline lists.
pub const MAX_OUTLINED: usize = 16;

/// Belief in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// Certainty.
    pub status: BeliefStatus,
    /// Ground; `None` without a value.
    pub support: Option<Support>,
    /// The values that decide in the order of their first claims: the first [`MAX_OUTLINED`].
    pub values: Vec<FactValue>,
    /// Number of values that decide, listed or not.
    pub value_count: usize,
    /// The claims that decide in the order of their numbers: the first [`MAX_OUTLINED`].
    pub claims: Vec<ClaimRef>,
    /// Number of claims that decide, listed or not.
    pub claim_count: usize,
}

impl Outline {
    /// Returns the outline of a line without units.
    pub(super) const fn of_nothing() -> Self {
        Self {
            status: BeliefStatus::NoBelief,
            support: None,
            values: Vec::new(),
            value_count: 0,
            claims: Vec::new(),
            claim_count: 0,
        }
    }

    /// Returns the outline of a fold.
    pub(super) fn of(fold: &Fold<'_>, parts: &Parts<'_, '_>) -> Self {
        let orders = parts.orders();
        let values = parts.deciding.iter().take(MAX_OUTLINED);
        let claims = orders.iter().take(MAX_OUTLINED);
        Self {
            status: fold.status(parts),
            support: parts.support,
            values: values.map(|group| group.value.clone()).collect(),
            value_count: parts.deciding.len(),
            claims: claims.map(|(.., reference)| (*reference).clone()).collect(),
            claim_count: orders.len(),
        }
    }
}
