//! Decisions about assertions (docs/format/claims.md 6).

use alloc::vec::Vec;

use super::asserting::{Asserting, at_most_affected};
use super::rivals::{self, MAX_COUNTED};
use super::{GateContext, pending, references, verdicts};
use crate::assertion::AssertionKind;
use crate::effective::{Effective, Extent, effects_in_force, instant_of};
use crate::submission::readable;
use crate::time::Boundary;
use crate::unit::Keyed;
use crate::{
    Act, Assertion, ClaimError, ClaimInView, ClaimRef, Disposition, GateDecision, Identifier,
    LineView, Reasons, Target,
};

/// The most live claims of a line that are counted.
const MAX_LIVE: usize = 1024;

pub(super) fn decide<'a>(
    context: GateContext<'a>,
    view: &'a dyn LineView,
    assertion: &'a Assertion,
    keyed: Option<Keyed>,
) -> Result<GateDecision, ClaimError> {
    let target = match &assertion.target {
        Target::Claim(reference) => references::claim(view, reference)?,
        Target::Line { subject, predicate } => live(context, view, subject, predicate)?,
    };
    let asserting = Asserting {
        context,
        view,
        assertion,
        target,
        keyed,
    };
    asserting.is_entitled_to(&asserting.target.claim)?;
    match &assertion.asserted {
        AssertionKind::End { at } => asserting.end(*at),
        AssertionKind::Reopen => asserting.reopen(),
        AssertionKind::Supersede { by } => asserting.supersede(by),
        AssertionKind::Release => asserting.release(),
        AssertionKind::Affirm => verdicts::affirm(&asserting),
        AssertionKind::Deny => verdicts::deny(&asserting),
        AssertionKind::Undecided => verdicts::undecided(&asserting),
    }
}

/// Returns the one claim that is live on a line. Claims of models count only without any others.
fn live(
    context: GateContext<'_>,
    view: &dyn LineView,
    subject: &Identifier,
    predicate: &Identifier,
) -> Result<ClaimInView, ClaimError> {
    let now = instant_of(context.stamp_us);
    let mut live = view.live(subject, predicate, now, MAX_LIVE)?;
    live.retain(|claim| {
        Effective::of_view(claim, u64::MAX).is_some_and(|known| known.is_live(now))
    });
    let is_external = |claim: &ClaimInView| claim.claim.provenance().is_external();
    if live.iter().any(is_external) {
        live.retain(is_external);
    }
    let found = u64::try_from(live.len()).unwrap_or(u64::MAX);
    match (live.pop(), found) {
        (Some(claim), 1) => Ok(claim),
        _ => Err(ClaimError::Ambiguous { found }),
    }
}

impl Asserting<'_> {
    fn end(&self, at: Option<Boundary>) -> Result<GateDecision, ClaimError> {
        let now = Boundary::instant(instant_of(self.context.stamp_us));
        let at = readable(at.unwrap_or(now))?;
        let Some(known) = Effective::of_view(&self.target, u64::MAX) else {
            return Err(ClaimError::ClaimNotFound(self.reference().clone()));
        };
        let own = Extent::own(known.body.valid.as_ref(), known.claim.stamp().micros());
        if known.dated && own.start().is_some_and(|start| at.begin() < start.begin()) {
            return Err(ClaimError::IncoherentWindow);
        }
        let end = known.extent.window().end;
        if end.is_some_and(|end| at.begin() >= end) {
            return Ok(self.no_change());
        }
        let target = self.reference().clone();
        self.write(
            Act::Bound { target, at },
            Disposition::Bounded,
            Reasons::default(),
        )
    }

    fn reopen(&self) -> Result<GateDecision, ClaimError> {
        let undoes = effects_in_force(&self.target);
        if undoes.is_empty() {
            return Ok(self.no_change());
        }
        at_most_affected("undoes", undoes.len())?;
        for unit in &self.target.assertions {
            if undoes.contains(unit.reference()) {
                self.is_entitled_to(unit)?;
            }
        }
        let mut reopened = self.target.clone();
        reopened
            .assertions
            .retain(|unit| !undoes.contains(unit.reference()));
        let rivals = if reopened.claim.provenance().is_external() {
            pending::rivals(self.view, &reopened, MAX_COUNTED)?
        } else {
            Vec::new()
        };
        let disposition = if rivals.is_empty() {
            Disposition::Reinstated
        } else {
            Disposition::Contested
        };
        let mut because = Reasons::default();
        rivals::name(&mut because, &rivals);
        let target = self.reference().clone();
        self.write(Act::Reopen { target, undoes }, disposition, because)
    }

    fn supersede(&self, by: &ClaimRef) -> Result<GateDecision, ClaimError> {
        let target = self.reference();
        if by == target {
            return Err(ClaimError::Itself(by.clone()));
        }
        let taker = references::claim(self.view, by)?;
        if taker.claim.line() != self.target.claim.line() {
            return Err(ClaimError::OtherLine(by.clone()));
        }
        let in_force = effects_in_force(&self.target);
        let is_said = self.target.assertions.iter().any(|unit| {
            in_force.contains(unit.reference())
                && matches!(unit.act(), Act::Supersede { by: before, .. } if before == by)
        });
        if is_said {
            return Ok(self.no_change());
        }
        let act = Act::Supersede {
            target: target.clone(),
            by: by.clone(),
        };
        self.write(act, Disposition::Superseded, Reasons::default())
    }

    fn release(&self) -> Result<GateDecision, ClaimError> {
        if !self.assertion.provenance.is_external() {
            return Err(ClaimError::InsufficientProvenance {
                provenance: self.assertion.provenance.class().name(),
                reference: self.reference().clone(),
            });
        }
        let known = Effective::of_view(&self.target, u64::MAX);
        if !known.is_some_and(|known| known.in_quarantine) {
            return Ok(self.no_change());
        }
        let target = self.reference().clone();
        self.write(
            Act::Release { target },
            Disposition::Released,
            Reasons::default(),
        )
    }
}
