//! When a received claim is taken to hold, and until when a memory is current (docs/format/exchange.md §11; R12, I11).

use counterfoil_capsule::Timestamp;
use counterfoil_claims::time::{Boundary, Micros, ValidTime, Window};
use counterfoil_exchange::checks::{Currency, FreshnessLimits, currency};
use counterfoil_exchange::documents::{AttestationParts, Decay, StructuredClaim};
use counterfoil_types::Confidence;

/// How current a memory is, as of its receipt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Age<'a> {
    pub(super) received_us: u64,
    pub(super) limits: &'a FreshnessLimits,
    /// What the freshness check found.
    pub(super) stale: Staleness,
}

/// Whether a memory is past its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Staleness {
    Current,
    Stale,
}

/// A window that ends before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Incoherent;

/// Until when a memory is current; `None`: nobody can say, or it does not age.
pub(super) fn current_until(attestation: &AttestationParts, age: &Age<'_>) -> Option<u64> {
    match currency(attestation, age.received_us, age.limits) {
        Currency::Until(until_us) => Some(until_us),
        Currency::Always | Currency::Unknown(_) => None,
    }
}

/// When a structured claim is taken to hold; `None`: from its receipt on.
pub(super) fn valid_time(
    attestation: &AttestationParts,
    claim: &StructuredClaim,
    age: &Age<'_>,
) -> Result<Option<ValidTime>, Incoherent> {
    let is_time_bound = attestation
        .salience
        .as_ref()
        .is_some_and(|salience| matches!(salience.expected_decay, Some(Decay::TimeBound(_))));
    let ends = (is_time_bound || age.stale == Staleness::Stale)
        .then(|| current_until(attestation, age))
        .flatten()
        .map(instant);
    let until = match (claim.valid_until, ends) {
        // What the claim says of itself counts before what is expected of it, unless that has come.
        (Some(said), Some(ends)) if age.stale == Staleness::Stale && ends.end() < said.end() => {
            Some(ends)
        }
        (said, ends) => said.or(ends),
    };
    let from = match (claim.valid_from, until == claim.valid_until) {
        (None, false) => Some(instant(attested(attestation, age))),
        (said, _) => said,
    };
    if from.is_none() && until.is_none() {
        return Ok(None);
    }
    let valid = ValidTime {
        from,
        until,
        confidence: Confidence::ONE,
    };
    if valid.is_incoherent() {
        Err(Incoherent)
    } else {
        Ok(Some(valid))
    }
}

/// The window of valid time; `None`: it begins with the receipt and is open.
pub(super) fn window(valid: Option<&ValidTime>) -> Option<Window> {
    valid.map(|valid| Window {
        start: valid.from.map(|from| from.begin()),
        end: valid.until.map(|until| until.end()),
    })
}

/// An instant as boundaries have it.
pub(super) fn micros(at_us: u64) -> Micros {
    Micros::try_from(at_us).unwrap_or(Micros::MAX)
}

/// When it was attested, and never later than it was received.
fn attested(attestation: &AttestationParts, age: &Age<'_>) -> u64 {
    let created = attestation.created_at.map(Timestamp::micros);
    created.unwrap_or(age.received_us).min(age.received_us)
}

fn instant(at_us: u64) -> Boundary {
    Boundary::instant(micros(at_us))
}
