//! The decision about a belief, by the rules of a policy (docs/format/policy.md, `belief`).

use std::collections::BTreeSet;

use counterfoil_authority::types::UnixMillis;
use counterfoil_authority::{BeliefMarker, Policy, Verdict};
use counterfoil_claims::belief::{BeliefSide, Support};
use counterfoil_claims::{Act, ClaimRef, Unit};

use super::check::ProvenBelief;
use super::error::BeliefError;

const MICROS_PER_DAY: u64 = 86_400_000_000;

/// A reason of the decision about a belief.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum BeliefReason {
    /// The belief is proven, and the policy asks for nothing that it has not.
    #[error("the belief is proven, and nothing in the policy speaks against it")]
    Proven,
    /// The proof does not hold.
    #[error("the proof is refused: {0}")]
    Refused(BeliefError),
    /// `require_resolved`.
    #[error("the status is {found}, and the policy asks for resolved")]
    NotResolved {
        /// The status.
        found: &'static str,
    },
    /// `require_external`.
    #[error("nothing outside of the agent decides, and the policy asks for that")]
    NotExternal,
    /// `minimum_sources`.
    #[error("{value} has {found} independent sources, and the policy asks for {needed}")]
    TooFewSources {
        /// The value.
        value: String,
        /// Number of its sources.
        found: usize,
        /// Required number.
        needed: u32,
    },
    /// `maximum_age_days`.
    #[error(
        "{value} was confirmed {days} days ago, and the policy allows {limit}: have it confirmed"
    )]
    TooOld {
        /// The value.
        value: String,
        /// Age in whole days.
        days: u64,
        /// Largest age in days.
        limit: u32,
    },
    /// A confirmation that lies ahead of the authority's clock.
    #[error("{value} was confirmed in the future; one of two clocks is wrong")]
    ConfirmedInFuture {
        /// The value.
        value: String,
    },
    /// `refused_markers`.
    #[error("the belief is marked {marker}, which the policy refuses")]
    Marked {
        /// The marker.
        marker: &'static str,
    },
    /// `require_standing`, and nothing shows that the line has no later unit.
    #[error(
        "nothing shows that the line has no other unit: have it proven as of now, by a store that has written the line since \
         its log has a map"
    )]
    LaterUnitsOpen,
    /// `require_standing`, and the belief depends on the trust in other agents, of which the proof holds no records.
    #[error(
        "the belief depends on the trust in other agents, which the proof does not show: have the claim confirmed by a source of its own"
    )]
    TrustOpen,
    /// `require_standing`, and the belief is a set, while the proof holds no record of how many values the predicate holds.
    #[error(
        "the belief is a set, and the proof does not show what the agent has decided of the predicate: where it holds one value, the \
         belief is contested"
    )]
    VocabularyOpen,
    /// `refused_markers` names a marker that the proof cannot show to be absent.
    #[error(
        "a claim that decides was derived from others, so that the proof does not show whether it is marked pending_review"
    )]
    ReviewOpen,
}

impl BeliefReason {
    /// Stable name for programs, in kebab-case.
    pub(super) const fn code(&self) -> &'static str {
        match self {
            Self::Proven => "belief-proven",
            Self::Refused(refusal) => refusal.code(),
            Self::NotResolved { .. } => "not-resolved",
            Self::NotExternal => "not-external",
            Self::TooFewSources { .. } => "too-few-sources",
            Self::TooOld { .. } => "confirmed-too-long-ago",
            Self::ConfirmedInFuture { .. } => "confirmed-in-future",
            Self::Marked { .. } => "marker-refused",
            Self::LaterUnitsOpen => "later-units-open",
            Self::TrustOpen => "trust-open",
            Self::VocabularyOpen => "vocabulary-open",
            Self::ReviewOpen => "review-open",
        }
    }

    /// The verdict of this reason alone.
    pub(super) const fn verdict(&self) -> Verdict {
        match self {
            Self::Proven => Verdict::Approved,
            Self::ReviewOpen | Self::LaterUnitsOpen | Self::TrustOpen | Self::VocabularyOpen => {
                Verdict::Indeterminate
            }
            _ => Verdict::Rejected,
        }
    }
}

/// Reasons against a proven belief, under these rules at this time; [`BeliefReason::Proven`] if there is none. Pure: the time is a parameter.
pub(super) fn judge(shown: &ProvenBelief, policy: &Policy, now: UnixMillis) -> Vec<BeliefReason> {
    let belief = shown.belief();
    let mut grounds = Vec::new();
    if policy.require_resolved && !belief.is_settled() {
        let found = belief.status.name();
        grounds.push(BeliefReason::NotResolved { found });
    }
    if policy.require_external && belief.support != Some(Support::External) {
        grounds.push(BeliefReason::NotExternal);
    }
    if policy.require_standing && !shown.is_whole() {
        grounds.push(BeliefReason::LaterUnitsOpen);
    }
    if policy.require_standing && shown.trust_is_open() {
        grounds.push(BeliefReason::TrustOpen);
    }
    if policy.require_standing && shown.vocabulary_is_open() {
        grounds.push(BeliefReason::VocabularyOpen);
    }
    for side in &belief.sides {
        grounds.extend(sources(side, shown.units(), policy.minimum_sources));
        grounds.extend(age(side, policy.maximum_confirmed_days, policy, now));
    }
    for marker in &policy.refused_markers {
        grounds.extend(marked(shown, *marker));
    }
    if grounds.is_empty() {
        grounds.push(BeliefReason::Proven);
    }
    grounds
}

fn sources(side: &BeliefSide, units: &[Unit], needed: u32) -> Option<BeliefReason> {
    let claims: BTreeSet<&ClaimRef> = side.claims.iter().map(|claim| &claim.reference).collect();
    let speaks = |unit: &&Unit| match unit.act() {
        Act::Claim(_) => claims.contains(unit.reference()),
        Act::Corroborate { target, .. } => claims.contains(target),
        _ => false,
    };
    let found: BTreeSet<_> = units
        .iter()
        .filter(speaks)
        .flat_map(Unit::sources)
        .collect();
    let found = found.len();
    let enough = u32::try_from(found).map_or(true, |found| found >= needed);
    (!enough).then(|| BeliefReason::TooFewSources {
        value: side.value.to_string(),
        found,
        needed,
    })
}

fn age(
    side: &BeliefSide,
    limit: Option<u32>,
    policy: &Policy,
    now: UnixMillis,
) -> Option<BeliefReason> {
    let limit = limit?;
    let confirmed_us = side.confirmed.micros();
    let now_us = now.value().saturating_mul(1000);
    let skew_us = policy.allowed_skew_ms.saturating_mul(1000);
    if confirmed_us > now_us.saturating_add(skew_us) {
        let value = side.value.to_string();
        return Some(BeliefReason::ConfirmedInFuture { value });
    }
    let age_us = now_us.saturating_sub(confirmed_us);
    (age_us > u64::from(limit).saturating_mul(MICROS_PER_DAY)).then(|| BeliefReason::TooOld {
        value: side.value.to_string(),
        days: age_us / MICROS_PER_DAY,
        limit,
    })
}

fn marked(shown: &ProvenBelief, marker: BeliefMarker) -> Option<BeliefReason> {
    if marker == BeliefMarker::PendingReview {
        return shown.review_is_open().then_some(BeliefReason::ReviewOpen);
    }
    let name = marker.name();
    let belief = shown.belief();
    let on_sides = belief.sides.iter().flat_map(|side| &side.markers);
    let mut found = belief.markers.iter().chain(on_sides);
    found
        .any(|found| found.name() == name)
        .then_some(BeliefReason::Marked { marker: name })
}
