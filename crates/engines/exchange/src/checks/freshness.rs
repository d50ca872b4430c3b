//! The freshness check (R12; docs/format/exchange.md §8.2).

use super::{CheckResult, FailCode, SkipReason};
use crate::documents::{AttestationParts, ClaimKind, Decay};

const DAY_US: u64 = 86_400_000_000;
/// Allowed difference of clocks.
const SKEW_US: u64 = 300_000_000;

/// Days for which a memory is current, by its kind. Events do not age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreshnessLimits {
    /// Facts.
    pub fact_days: u32,
    /// Observations.
    pub observation_days: u32,
    /// Insights.
    pub insight_days: u32,
    /// Relationships.
    pub relationship_days: u32,
}

impl Default for FreshnessLimits {
    fn default() -> Self {
        Self {
            fact_days: 180,
            observation_days: 30,
            insight_days: 365,
            relationship_days: 180,
        }
    }
}

/// End of the time for which a memory is current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// None.
    Always,
    /// This time, exclusive, in microseconds since 1970.
    Until(u64),
    /// Unknown.
    Unknown(SkipReason),
}

/// Checks that a memory received at `received_us` is current at `now_us`, both in microseconds since 1970.
///
/// A memory that is dated more than 300 s after its receipt fails, however long it claims to last.
#[must_use]
pub fn freshness(
    attestation: &AttestationParts,
    received_us: u64,
    now_us: u64,
    limits: &FreshnessLimits,
) -> CheckResult {
    let latest = received_us.min(now_us).saturating_add(SKEW_US);
    if attestation
        .created_at
        .is_some_and(|at| at.micros() > latest)
    {
        return CheckResult::Fail(FailCode::Future);
    }
    match lifetime(attestation, received_us, limits) {
        Lifetime::Until(end) if end <= now_us => CheckResult::Fail(FailCode::Stale),
        Lifetime::Always | Lifetime::Until(_) => CheckResult::Pass,
        Lifetime::Unknown(reason) => CheckResult::Skip(reason),
    }
}

/// The time for which a memory is current: as it states itself, else by its kind from `created_at` or from its receipt on.
#[must_use]
pub fn lifetime(
    attestation: &AttestationParts,
    received_us: u64,
    limits: &FreshnessLimits,
) -> Lifetime {
    let decay = attestation
        .salience
        .as_ref()
        .and_then(|salience| salience.expected_decay.as_ref());
    match decay {
        Some(Decay::Permanent) => return Lifetime::Always,
        Some(Decay::TimeBound(until)) => return Lifetime::Until(until.micros()),
        Some(Decay::Conditional(_)) => return Lifetime::Unknown(SkipReason::Conditional),
        None => {}
    }
    let Some(created) = attestation.created_at else {
        return Lifetime::Unknown(SkipReason::Undated);
    };
    let days = match attestation.claim.kind {
        ClaimKind::Event => return Lifetime::Always,
        ClaimKind::Fact => limits.fact_days,
        ClaimKind::Observation => limits.observation_days,
        ClaimKind::Insight => limits.insight_days,
        ClaimKind::Relationship => limits.relationship_days,
    };
    let age = u64::from(days).saturating_mul(DAY_US);
    Lifetime::Until(created.micros().min(received_us).saturating_add(age))
}
