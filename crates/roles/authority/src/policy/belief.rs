//! Rules for proofs of belief (I7, I11; docs/format/policy.md, `belief`).

use alloc::vec::Vec;

use counterfoil_trace::types::words;
use serde::de::{Deserialize, Deserializer, Error, Unexpected};

use super::Policy;

words! {
    /// A marker of a belief (docs/format/claims.md 7).
    #[derive(PartialOrd, Ord)]
    pub enum BeliefMarker {
        /// A deciding value is not fresh.
        AgingUnconfirmed = "aging_unconfirmed",
        /// A member of a set is not fresh.
        AgedSetMember = "aged_set_member",
        /// An ancestor of a derived claim no longer holds.
        PendingReview = "pending_review",
        /// A model claims another value.
        ModelDissent = "model_dissent",
        /// Other agents are the only sources.
        PeerSourced = "peer_sourced",
    }
}

/// The table as written.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BeliefDocument {
    require_resolved: Option<bool>,
    require_external: Option<bool>,
    minimum_sources: Option<u32>,
    #[serde(default, deserialize_with = "not_zero")]
    maximum_age_days: Option<u32>,
    refused_markers: Option<Vec<BeliefMarker>>,
}

impl BeliefDocument {
    /// Overrides of the rules for beliefs.
    pub(super) fn over(self, base: Policy) -> Policy {
        Policy {
            require_resolved: self.require_resolved.unwrap_or(base.require_resolved),
            require_external: self.require_external.unwrap_or(base.require_external),
            minimum_sources: self.minimum_sources.unwrap_or(base.minimum_sources),
            maximum_confirmed_days: self.maximum_age_days.or(base.maximum_confirmed_days),
            refused_markers: self.refused_markers.unwrap_or(base.refused_markers),
            ..base
        }
    }
}

/// A limit of 0 would refuse everything.
pub(super) fn not_zero<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default + PartialEq>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let limit = T::deserialize(from)?;
    if limit == T::default() {
        return Err(D::Error::invalid_value(
            Unexpected::Unsigned(0),
            &"a whole number above 0; leave it out for no limit",
        ));
    }
    Ok(Some(limit))
}
