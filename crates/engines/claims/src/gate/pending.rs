//! Claims that wait for a verdict (docs/format/claims.md 6).

use alloc::vec::Vec;

use super::rivals::Contender;
use crate::effective::{Effective, cardinality};
use crate::limits::MAX_AFFECTED;
use crate::{
    Act, ActKind, Cardinality, ClaimInView, ClaimRef, Disposition, LineView, OraclePresence,
    Settings, Unit, ViewError,
};

/// Default time that a claim waits for a verdict, in days.
const EXPIRES_DAYS: u32 = 30;
/// Microseconds of a day.
const DAY_US: u64 = 86_400_000_000;

/// Until when a claim waits for a verdict, microseconds since 1970; `None` when it waits for none at `now_us`.
///
/// It waits while it was queued, no verdict names it as its target or as a rival, and it has not expired.
#[must_use]
pub fn is_pending(claim: &ClaimInView, now_us: u64, settings: &Settings) -> Option<u64> {
    let known = |unit: &&Unit| unit.stamp().micros() <= now_us;
    let mut assertions = claim.assertions.iter().filter(known);
    let judged = assertions.any(|unit| is_verdict_on(unit, claim.claim.reference()));
    let queued = claim.claim.disposition() == Disposition::QueuedForAdjudication;
    let days = match settings.oracle {
        OraclePresence::Present { expires_days } => expires_days,
        OraclePresence::Absent => EXPIRES_DAYS,
    };
    let wait = u64::from(days).saturating_mul(DAY_US);
    let expires_us = claim.claim.stamp().micros().saturating_add(wait);
    (queued && !judged && now_us < expires_us).then_some(expires_us)
}

/// Returns whether a verdict names the claim, as target or as a rival that loses.
fn is_verdict_on(unit: &Unit, claim: &ClaimRef) -> bool {
    let loses = matches!(unit.act(), Act::Affirm { rivals, .. } if rivals.contains(claim));
    let verdict = matches!(
        unit.act().kind(),
        ActKind::Affirm | ActKind::Deny | ActKind::Undecided
    );
    loses || (verdict && unit.act().target() == Some(claim))
}

/// The rivals of a claim: external claims in force, of another value, that overlap it; the newest 256, in the order of
/// their numbers. None when it is not in force, or its line may hold many values.
///
/// # Errors
/// When the view cannot answer.
pub fn rivals_of(view: &dyn LineView, claim: &Unit) -> Result<Vec<Unit>, ViewError> {
    match view.claim(claim.reference())? {
        Some(claim) => rivals(view, &claim, MAX_AFFECTED),
        None => Ok(Vec::new()),
    }
}

pub(super) fn rivals(
    view: &dyn LineView,
    claim: &ClaimInView,
    limit: usize,
) -> Result<Vec<Unit>, ViewError> {
    let line = claim.claim.line();
    let state = view.line(&line.subject, &line.predicate)?;
    if cardinality(state.registered, state.said_one, state.said_many) == Cardinality::Many {
        return Ok(Vec::new());
    }
    match Effective::of_view(claim, u64::MAX).and_then(|known| Contender::of(&known)) {
        Some(contender) => contender.rivals(view, &[], limit),
        None => Ok(Vec::new()),
    }
}
