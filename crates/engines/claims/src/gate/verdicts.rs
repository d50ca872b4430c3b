//! Verdicts settle queued or contested claims, on evidence from outside (I5, I7; docs/format/claims.md 6).

use alloc::vec::Vec;

use super::asserting::{Asserting, at_most_affected};
use super::pending::{self, is_pending};
use super::references;
use crate::effective::Effective;
use crate::limits::MAX_AFFECTED;
use crate::{Act, ClaimError, Disposition, GateDecision, Reasons, Unit};

/// Decides for the target: all its rivals lose at once.
pub(super) fn affirm(asserting: &Asserting<'_>) -> Result<GateDecision, ClaimError> {
    let rivals = contest(asserting)?;
    at_most_affected("rivals", rivals.len())?;
    for rival in &rivals {
        asserting.is_entitled_to(rival)?;
    }
    let act = Act::Affirm {
        target: asserting.reference().clone(),
        rivals: rivals
            .iter()
            .map(|rival| rival.reference().clone())
            .collect(),
    };
    write(asserting, act, Disposition::Affirmed)
}

/// Decides against the target. A belief that rests on a model alone may be denied without a contradiction.
pub(super) fn deny(asserting: &Asserting<'_>) -> Result<GateDecision, ClaimError> {
    let target = &asserting.target;
    let denies_a_model = asserting.assertion.provenance.is_external()
        && !target.claim.provenance().is_external()
        && Effective::of_view(target, u64::MAX).is_some_and(|known| known.in_force());
    if !denies_a_model {
        contest(asserting)?;
    }
    let target = asserting.reference().clone();
    write(asserting, Act::Deny { target }, Disposition::Denied)
}

/// Records that there is no verdict: target and rivals stay, and the claim is not asked about again.
pub(super) fn undecided(asserting: &Asserting<'_>) -> Result<GateDecision, ClaimError> {
    contest(asserting)?;
    let target = asserting.reference().clone();
    write(asserting, Act::Undecided { target }, Disposition::Contested)
}

/// The rivals of a target that is pending, or contested.
fn contest(asserting: &Asserting<'_>) -> Result<Vec<Unit>, ClaimError> {
    let target = &asserting.target;
    let rivals = if target.claim.provenance().is_external() {
        pending::rivals(asserting.view, target, MAX_AFFECTED.saturating_add(1))?
    } else {
        Vec::new()
    };
    let context = asserting.context;
    if rivals.is_empty() && is_pending(target, context.stamp_us, context.settings).is_none() {
        return Err(ClaimError::HandleNotFound(asserting.reference().clone()));
    }
    Ok(rivals)
}

fn write(
    asserting: &Asserting<'_>,
    act: Act,
    disposition: Disposition,
) -> Result<GateDecision, ClaimError> {
    let evidence = references::evidence(
        asserting.view,
        asserting.reference(),
        &asserting.assertion.anchors,
    )?;
    asserting.write_citing(
        act,
        disposition,
        Reasons::default(),
        evidence.anchors,
        evidence.claims,
    )
}
