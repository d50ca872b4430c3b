//! Assertions and the decisions about them (docs/format/claims.md 6). Verdicts settle queued or contested claims, on evidence
//! from outside (I5, I7).

use alloc::string::String;
use alloc::vec::Vec;

use super::references;
use super::rivals::{self, MAX_COUNTED, is_pending};
use super::writing::Ruling;
use crate::assertion::AssertionKind;
use crate::effective::{Effective, Extent, effects_in_force, instant_of};
use crate::limits::MAX_AFFECTED;
use crate::ports::OracleVerdict;
use crate::submission::readable;
use crate::time::Boundary;
use crate::unit::Keyed;
use crate::{
    Act, Anchor, Assertion, ClaimError, ClaimInView, ClaimOutcome, ClaimRef, Disposition,
    GateDecision, LineName, LineView, ProvenanceClass, Reasons, Settings, Target, Unit,
};

/// The most live claims of a line that are counted.
const MAX_LIVE: usize = 1024;

/// Assertion of a claim of the agent.
struct Asserting<'a> {
    settings: &'a Settings,
    stamp_us: u64,
    view: &'a dyn LineView,
    assertion: &'a Assertion,
    target: ClaimInView,
    keyed: Option<Keyed>,
}

pub(super) fn decide<'a>(
    view: &'a dyn LineView,
    assertion: &'a Assertion,
    settings: &'a Settings,
    stamp_us: u64,
    keyed: Option<Keyed>,
) -> Result<GateDecision, ClaimError> {
    let target = match &assertion.target {
        Target::Claim(reference) => references::claim(view, reference)?,
        // The one claim that is live on the line, or on those of the other names. Claims of models count only without any others.
        Target::Line { subject, predicate } => {
            let now = instant_of(stamp_us);
            let mut live = Vec::new();
            for name in settings.aliases.names(subject, stamp_us) {
                let line = LineName {
                    subject: &name,
                    predicate,
                    scope: &assertion.scope,
                };
                live.extend(view.live(line, now, MAX_LIVE)?);
            }
            live.retain(|claim| {
                Effective::of_view(claim, u64::MAX).is_some_and(|known| known.is_live(now))
            });
            let is_external = |claim: &ClaimInView| claim.claim.provenance().is_external();
            if live.iter().any(is_external) {
                live.retain(is_external);
            }
            let found = u64::try_from(live.len()).unwrap_or(u64::MAX);
            let last = live.pop().filter(|_| found == 1);
            last.ok_or(ClaimError::Ambiguous { found })?
        }
    };
    let asserting = Asserting {
        settings,
        stamp_us,
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
        AssertionKind::Retract { reason } => asserting.retract(reason.as_ref()),
        AssertionKind::Verdict(OracleVerdict::Affirm) => asserting.affirm(),
        AssertionKind::Verdict(OracleVerdict::Deny) => asserting.deny(),
        // Target and rivals stay, and the claim is not asked about again.
        AssertionKind::Verdict(OracleVerdict::Unknown) => {
            asserting.contest()?;
            let target = asserting.reference().clone();
            asserting.write_verdict(Act::Undecided { target }, Disposition::Contested)
        }
    }
}

impl Asserting<'_> {
    /// Settings, and the time as of which they count.
    const fn asking(&self) -> (&Settings, u64) {
        (self.settings, self.stamp_us)
    }

    fn end(&self, at: Option<Boundary>) -> Result<GateDecision, ClaimError> {
        let now = Boundary::instant(instant_of(self.stamp_us));
        let at = readable(at.unwrap_or(now))?;
        let Some(known) = Effective::of_view(&self.target, u64::MAX) else {
            return Err(ClaimError::ClaimNotFound(self.reference().clone()));
        };
        let own = Extent::own(known.body.valid.as_ref(), known.claim.stamp().micros());
        if known.dated && own.start.is_some_and(|start| at.begin() < start.begin()) {
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
            rivals::rivals(self.view, &reopened, MAX_COUNTED, self.asking())?
        } else {
            Vec::new()
        };
        let disposition = match rivals.as_slice() {
            [] => Disposition::Reinstated,
            _ => Disposition::Contested,
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
            return Err(self.not_entitled(&self.target.claim));
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

    /// Takes the target back; the claims whose place it took when it was stated hold again. Between other agents a rank is not
    /// enough: each takes back its own word.
    fn retract(&self, reason: Option<&String>) -> Result<GateDecision, ClaimError> {
        let (by, of) = (self.assertion.provenance, self.target.claim.provenance());
        let is_anothers = match (by.class(), of.class()) {
            (ProvenanceClass::Peer { agent, .. }, ProvenanceClass::Peer { agent: other, .. }) => {
                agent != other
            }
            (by, _) => matches!(by, ProvenanceClass::Peer { .. }),
        };
        if is_anothers {
            return Err(self.not_entitled(&self.target.claim));
        }
        let known = Effective::of_view(&self.target, u64::MAX);
        if known.is_none_or(|known| known.retracted_by.is_some()) {
            return Ok(self.no_change());
        }
        let Act::Claim(body) = self.target.claim.act() else {
            return Ok(self.no_change());
        };
        let ignored = &self.target.claim.because().ignored;
        let mut frees = body.supersedes.clone();
        frees.retain(|freed| !ignored.contains(freed));
        let act = Act::Retract {
            target: self.reference().clone(),
            frees,
            reason: reason.cloned(),
        };
        self.write(act, Disposition::Retracted, Reasons::default())
    }

    /// Decides for the target: all its rivals lose at once.
    fn affirm(&self) -> Result<GateDecision, ClaimError> {
        let mut rivals = self.contest()?;
        let elsewhere = rivals.pop_if(|rival| rival.line() != self.target.claim.line());
        if let Some(rival) = elsewhere {
            return Err(ClaimError::OtherLine(rival.reference().clone()));
        }
        at_most_affected("rivals", rivals.len())?;
        for rival in &rivals {
            self.is_entitled_to(rival)?;
        }
        let act = Act::Affirm {
            target: self.reference().clone(),
            rivals: rivals
                .iter()
                .map(|rival| rival.reference().clone())
                .collect(),
        };
        self.write_verdict(act, Disposition::Affirmed)
    }

    /// Decides against the target. A belief that rests on a model alone may be denied without a contradiction.
    fn deny(&self) -> Result<GateDecision, ClaimError> {
        let target = &self.target;
        let denies_a_model = self.assertion.provenance.is_external()
            && !target.claim.provenance().is_external()
            && Effective::of_view(target, u64::MAX).is_some_and(|known| known.in_force());
        if !denies_a_model {
            self.contest()?;
        }
        let target = self.reference().clone();
        self.write_verdict(Act::Deny { target }, Disposition::Denied)
    }

    /// The rivals of a target that is pending, or contested: those of its line, then those under other names of its subject.
    fn contest(&self) -> Result<Vec<Unit>, ClaimError> {
        let target = &self.target;
        let limit = MAX_AFFECTED.saturating_add(1);
        let mut rivals = Vec::new();
        if target.claim.provenance().is_external() {
            rivals = rivals::rivals(self.view, target, limit, self.asking())?;
            rivals.extend(rivals::under_other_names(self.view, target, self.asking())?);
        }
        if rivals.is_empty() && is_pending(target, self.stamp_us, self.settings).is_none() {
            return Err(ClaimError::HandleNotFound(self.reference().clone()));
        }
        Ok(rivals)
    }

    fn write_verdict(
        &self,
        act: Act,
        disposition: Disposition,
    ) -> Result<GateDecision, ClaimError> {
        let cited = &self.assertion.anchors;
        let (anchors, claims) = references::evidence(self.view, self.reference(), cited)?;
        self.write_citing(act, disposition, Reasons::default(), anchors, claims)
    }

    const fn reference(&self) -> &ClaimRef {
        self.target.claim.reference()
    }

    /// Refuses an assertion of a lower rank than the unit whose effect it changes; a model changes only units of models.
    ///
    /// # Errors
    /// [`ClaimError::InsufficientProvenance`].
    fn is_entitled_to(&self, unit: &Unit) -> Result<(), ClaimError> {
        let provenance = self.assertion.provenance;
        let is_model = matches!(provenance.class(), ProvenanceClass::ModelDerived);
        let is_admitted = provenance.is_external() || is_model;
        if is_admitted && provenance.rank() >= unit.provenance().rank() {
            return Ok(());
        }
        Err(self.not_entitled(unit))
    }

    fn not_entitled(&self, unit: &Unit) -> ClaimError {
        ClaimError::InsufficientProvenance {
            provenance: self.assertion.provenance.class().name(),
            reference: unit.reference().clone(),
        }
    }

    fn no_change(&self) -> GateDecision {
        GateDecision::Nothing(ClaimOutcome {
            disposition: Disposition::NoChange,
            row: 0,
            because: Reasons::default(),
            reference: self.reference().clone(),
            written: None,
        })
    }

    fn write(
        &self,
        act: Act,
        disposition: Disposition,
        because: Reasons,
    ) -> Result<GateDecision, ClaimError> {
        let anchors = references::anchors(self.view, &self.assertion.anchors)?;
        self.write_citing(act, disposition, because, anchors, Vec::new())
    }

    fn write_citing(
        &self,
        act: Act,
        disposition: Disposition,
        because: Reasons,
        anchors: Vec<Anchor>,
        derived_from: Vec<ClaimRef>,
    ) -> Result<GateDecision, ClaimError> {
        let line = self.target.claim.line().name();
        let ruling = Ruling {
            act,
            provenance: self.assertion.provenance,
            via: Vec::new(),
            disposition,
            row: 0,
            because,
            anchors,
            derived_from,
            key: self.keyed.clone(),
        };
        ruling.write(line, &self.view.line(line)?)
    }
}

/// Refuses an assertion that changes more than [`MAX_AFFECTED`] units.
fn at_most_affected(what: &'static str, found: usize) -> Result<(), ClaimError> {
    if found <= MAX_AFFECTED {
        return Ok(());
    }
    Err(ClaimError::TooMany {
        what,
        limit: MAX_AFFECTED,
        found,
    })
}
