//! Valid time of a received claim, and the time for which a memory is current (docs/format/exchange.md §11; R12, I11).

use counterfoil_capsule::Timestamp;
use counterfoil_claims::time::{Boundary, Micros, ValidTime};
use counterfoil_exchange::checks::{FreshnessLimits, lifetime};
use counterfoil_exchange::documents::{AttestationParts, Decay, StructuredClaim};
use counterfoil_types::Confidence;

/// Age of a memory at its receipt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Age<'a> {
    pub(super) received_us: u64,
    pub(super) limits: &'a FreshnessLimits,
    /// Result of the freshness check.
    pub(super) is_stale: bool,
}

/// Error of a window that ends before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Incoherent;

/// Returns the end of the time for which a memory is current; `None` if it is unknown, or the memory does not age.
pub(super) fn current_until(attestation: &AttestationParts, age: &Age<'_>) -> Option<u64> {
    lifetime(attestation, age.received_us, age.limits).ok()?
}

/// Returns the valid time of a structured claim; `None` is from its receipt on.
pub(super) fn valid_time(
    attestation: &AttestationParts,
    claim: &StructuredClaim,
    age: &Age<'_>,
) -> Result<Option<ValidTime>, Incoherent> {
    let is_time_bound = attestation
        .salience
        .as_ref()
        .is_some_and(|salience| matches!(salience.expected_decay, Some(Decay::TimeBound(_))));
    let ends = (is_time_bound || age.is_stale)
        .then(|| current_until(attestation, age))
        .flatten()
        .map(instant);
    let until = match (claim.valid_until, ends) {
        // The claim's own end comes before the expected one, unless that has passed.
        (Some(own), Some(ends)) if age.is_stale && ends.end() < own.end() => Some(ends),
        (own, ends) => own.or(ends),
    };
    let from = match (claim.valid_from, until == claim.valid_until) {
        (None, false) => {
            // A claim is attested no later than it is received.
            let created = attestation.created_at.map(Timestamp::micros);
            let received_us = age.received_us;
            Some(instant(created.unwrap_or(received_us).min(received_us)))
        }
        (from, _) => from,
    };
    if from.is_none() && until.is_none() {
        return Ok(None);
    }
    let valid = ValidTime {
        from,
        until,
        confidence: Confidence::ONE,
    };
    if valid.is_empty() {
        Err(Incoherent)
    } else {
        Ok(Some(valid))
    }
}

/// Converts microseconds since 1970.
pub(super) fn micros(at_us: u64) -> Micros {
    Micros::try_from(at_us).unwrap_or(Micros::MAX)
}

fn instant(at_us: u64) -> Boundary {
    Boundary::instant(micros(at_us))
}
