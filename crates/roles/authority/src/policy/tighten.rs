//! The stricter of two policies, so that a high-risk part can only tighten (SR-01, SR-03).

use alloc::vec::Vec;

use super::Policy;

impl Policy {
    /// The stricter of two policies, knob by knob: a high-risk part can only tighten.
    pub(super) fn tightened_by(&self, other: &Self) -> Self {
        Self {
            require_trace: self.require_trace || other.require_trace,
            minimum_method: self.minimum_method.max(other.minimum_method),
            unproven: self.unproven.max(other.unproven),
            minimum_confidence: self.minimum_confidence.max(other.minimum_confidence),
            maximum_memories: self.maximum_memories.min(other.maximum_memories),
            maximum_age_ms: match (self.maximum_age_ms, other.maximum_age_ms) {
                (Some(left), Some(right)) => Some(left.min(right)),
                (one, other) => one.or(other),
            },
            allowed_skew_ms: self.allowed_skew_ms.min(other.allowed_skew_ms),
            allowed_selectors: common(&self.allowed_selectors, &other.allowed_selectors),
            allowed_methods: common(&self.allowed_methods, &other.allowed_methods),
            trusted_methods: intersection(&self.trusted_methods, &other.trusted_methods),
            require_at_base_world: self.require_at_base_world || other.require_at_base_world,
            require_same_actor: self.require_same_actor || other.require_same_actor,
            require_time_order: self.require_time_order || other.require_time_order,
            refuse_duplicates: self.refuse_duplicates || other.refuse_duplicates,
            refuse_claimed_unverified: self.refuse_claimed_unverified
                || other.refuse_claimed_unverified,
            // Beliefs are proven without an intent, so no intent tightens what they must be.
            beliefs: self.beliefs.clone(),
            high_risk: None,
        }
    }
}

fn common<T: PartialEq + Clone>(left: &Option<Vec<T>>, right: &Option<Vec<T>>) -> Option<Vec<T>> {
    match (left, right) {
        (Some(left), Some(right)) => Some(intersection(left, right)),
        (one, other) => one.clone().or_else(|| other.clone()),
    }
}

fn intersection<T: PartialEq + Clone>(left: &[T], right: &[T]) -> Vec<T> {
    left.iter()
        .filter(|item| right.contains(item))
        .cloned()
        .collect()
}
