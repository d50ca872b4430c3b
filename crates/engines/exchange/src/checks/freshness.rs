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

/// Checks that a memory received at `received_us` is current at `now_us`, both in microseconds since 1970.
///
/// A memory that is dated more than 300 s after its receipt fails, however long it claims to last.
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
        Ok(Some(end)) if end <= now_us => CheckResult::Fail(FailCode::Stale),
        Ok(_) => CheckResult::Pass,
        Err(reason) => CheckResult::Skip(reason),
    }
}

/// The end of the time for which a memory is current, exclusive, in microseconds since 1970: as it states itself, else by its kind
/// from `created_at` or from its receipt on; `None` if it does not age.
///
/// # Errors
/// The reason for which the end is unknown.
pub fn lifetime(
    attestation: &AttestationParts,
    received_us: u64,
    limits: &FreshnessLimits,
) -> Result<Option<u64>, SkipReason> {
    let decay = attestation
        .salience
        .as_ref()
        .and_then(|salience| salience.expected_decay.as_ref());
    match decay {
        Some(Decay::Permanent) => return Ok(None),
        Some(Decay::TimeBound(until)) => return Ok(Some(until.micros())),
        Some(Decay::Conditional(_)) => return Err(SkipReason::Conditional),
        None => {}
    }
    let Some(created) = attestation.created_at else {
        return Err(SkipReason::Undated);
    };
    let days = match attestation.claim.kind {
        ClaimKind::Event => return Ok(None),
        ClaimKind::Fact => limits.fact_days,
        ClaimKind::Observation => limits.observation_days,
        ClaimKind::Insight => limits.insight_days,
        ClaimKind::Relationship => limits.relationship_days,
    };
    let age = u64::from(days).saturating_mul(DAY_US);
    let begin = created.micros().min(received_us);
    Ok(Some(begin.saturating_add(age)))
}
