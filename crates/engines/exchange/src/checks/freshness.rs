//! The freshness check (R12; docs/format/exchange.md §8.2).

use super::{CheckResult, FailCode, SkipReason};
use crate::documents::{AttestationParts, ClaimKind, Decay};

const DAY_US: u64 = 86_400_000_000;
/// How far clocks may go apart.
const SKEW_US: u64 = 300_000_000;

/// For how many days a memory is current, by its type. Events do not age.
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

/// How long a memory is current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Currency {
    /// It does not age.
    Always,
    /// Up to this time, exclusive, microseconds since 1970.
    Until(u64),
    /// Nobody here can tell.
    Unknown(SkipReason),
}

/// Is it current at `now_us`, having been received at `received_us`? Both are microseconds since 1970.
///
/// What is dated more than 300 s after its receipt fails, however long it claims to last.
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
    match currency(attestation, received_us, limits) {
        Currency::Until(end) if end <= now_us => CheckResult::Fail(FailCode::Stale),
        Currency::Always | Currency::Until(_) => CheckResult::Pass,
        Currency::Unknown(reason) => CheckResult::Skip(reason),
    }
}

/// How long it is current: by its own word, else by its type from `created_at` on, and never from later than its receipt.
#[must_use]
pub fn currency(
    attestation: &AttestationParts,
    received_us: u64,
    limits: &FreshnessLimits,
) -> Currency {
    let decay = attestation
        .salience
        .as_ref()
        .and_then(|salience| salience.expected_decay.as_ref());
    match decay {
        Some(Decay::Permanent) => return Currency::Always,
        Some(Decay::TimeBound(until)) => return Currency::Until(until.micros()),
        Some(Decay::Conditional(_)) => return Currency::Unknown(SkipReason::Conditional),
        None => {}
    }
    let Some(created) = attestation.created_at else {
        return Currency::Unknown(SkipReason::Undated);
    };
    let days = match attestation.claim.kind {
        ClaimKind::Event => return Currency::Always,
        ClaimKind::Fact => limits.fact_days,
        ClaimKind::Observation => limits.observation_days,
        ClaimKind::Insight => limits.insight_days,
        ClaimKind::Relationship => limits.relationship_days,
    };
    let age = u64::from(days).saturating_mul(DAY_US);
    Currency::Until(created.micros().min(received_us).saturating_add(age))
}
