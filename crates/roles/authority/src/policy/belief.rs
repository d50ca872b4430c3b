//! What an authority asks of a belief that is proven to it (I7, I11; docs/format/policy.md, `belief`).

use alloc::vec::Vec;

use serde::Deserialize;

use super::PolicyError;

/// Rules for beliefs. A proof that does not hold is refused under all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeliefPolicy {
    require_resolved: bool,
    require_external: bool,
    minimum_sources: u32,
    maximum_age_days: Option<u32>,
    refused_markers: Vec<BeliefMarker>,
}

/// A marker of a belief, as policies name it (docs/format/claims.md 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BeliefMarker {
    /// A value that decides is not fresh.
    AgingUnconfirmed,
    /// A member of a set is not fresh.
    AgedSetMember,
    /// Something that it was derived from no longer stands.
    PendingReview,
    /// A model says otherwise.
    ModelDissent,
    /// Only other agents say so.
    PeerSourced,
}

/// The table as written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BeliefDocument {
    require_resolved: Option<bool>,
    require_external: Option<bool>,
    minimum_sources: Option<u32>,
    maximum_age_days: Option<u32>,
    refused_markers: Option<Vec<BeliefMarker>>,
}

impl BeliefPolicy {
    /// What holds where a policy says nothing of beliefs.
    pub(super) const fn preset(require_resolved: bool, require_external: bool) -> Self {
        Self {
            require_resolved,
            require_external,
            minimum_sources: 0,
            maximum_age_days: None,
            refused_markers: Vec::new(),
        }
    }

    /// `require_resolved`: the status is `resolved`; what is contested, ended, uncertain in time or not believed at all
    /// is rejected.
    #[must_use]
    pub const fn require_resolved(&self) -> bool {
        self.require_resolved
    }

    /// `require_external`: something outside of the agent decides; what models alone say is rejected.
    #[must_use]
    pub const fn require_external(&self) -> bool {
        self.require_external
    }

    /// `minimum_sources`: how many independent sources each value that decides must have.
    #[must_use]
    pub const fn minimum_sources(&self) -> u32 {
        self.minimum_sources
    }

    /// `maximum_age_days`: how many days before the review each value that decides was confirmed at most; `None` is no
    /// limit.
    #[must_use]
    pub const fn maximum_age_days(&self) -> Option<u32> {
        self.maximum_age_days
    }

    /// `refused_markers`: a belief that has one of them is rejected.
    #[must_use]
    pub fn refused_markers(&self) -> &[BeliefMarker] {
        &self.refused_markers
    }
}

impl BeliefMarker {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AgingUnconfirmed => "aging_unconfirmed",
            Self::AgedSetMember => "aged_set_member",
            Self::PendingReview => "pending_review",
            Self::ModelDissent => "model_dissent",
            Self::PeerSourced => "peer_sourced",
        }
    }
}

impl BeliefDocument {
    /// The rules, over those of a preset.
    ///
    /// # Errors
    /// [`PolicyError::MaximumBeliefAge`] for a limit of no day.
    pub(super) fn over(self, base: BeliefPolicy) -> Result<BeliefPolicy, PolicyError> {
        if self.maximum_age_days == Some(0) {
            return Err(PolicyError::MaximumBeliefAge);
        }
        Ok(BeliefPolicy {
            require_resolved: self.require_resolved.unwrap_or(base.require_resolved),
            require_external: self.require_external.unwrap_or(base.require_external),
            minimum_sources: self.minimum_sources.unwrap_or(base.minimum_sources),
            maximum_age_days: self.maximum_age_days.or(base.maximum_age_days),
            refused_markers: self.refused_markers.unwrap_or(base.refused_markers),
        })
    }
}
