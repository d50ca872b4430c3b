//! An assertion with its target, and the rules that all assertions share (docs/format/claims.md 6).

use alloc::vec::Vec;

use super::GateContext;
use super::writing::{Place, Ruling};
use crate::limits::MAX_AFFECTED;
use crate::unit::Keyed;
use crate::{
    Act, Anchor, Assertion, ClaimError, ClaimInView, ClaimRef, Disposition, GateDecision, GateRow,
    LineView, Reasons, Unit,
};

/// Assertion of a claim of the agent.
pub(super) struct Asserting<'a> {
    pub(super) context: GateContext<'a>,
    pub(super) view: &'a dyn LineView,
    pub(super) assertion: &'a Assertion,
    pub(super) target: ClaimInView,
    pub(super) keyed: Option<Keyed>,
}

impl Asserting<'_> {
    pub(super) const fn reference(&self) -> &ClaimRef {
        self.target.claim.reference()
    }

    /// Refuses an assertion of a lower rank than the unit whose effect it changes; a model changes only units of models.
    ///
    /// # Errors
    /// [`ClaimError::InsufficientProvenance`].
    pub(super) fn is_entitled_to(&self, unit: &Unit) -> Result<(), ClaimError> {
        let provenance = self.assertion.provenance;
        let is_model = matches!(provenance.class(), crate::ProvenanceClass::ModelDerived);
        let is_admitted = provenance.is_external() || is_model;
        if is_admitted && provenance.rank() >= unit.provenance().rank() {
            return Ok(());
        }
        Err(ClaimError::InsufficientProvenance {
            provenance: provenance.class().name(),
            reference: unit.reference().clone(),
        })
    }

    pub(super) fn no_change(&self) -> GateDecision {
        GateDecision::Nothing {
            disposition: Disposition::NoChange,
            row: GateRow(0),
            because: Reasons::default(),
            reference: self.reference().clone(),
        }
    }

    pub(super) fn write(
        &self,
        act: Act,
        disposition: Disposition,
        because: Reasons,
    ) -> Result<GateDecision, ClaimError> {
        self.write_citing(act, disposition, because, Vec::new(), Vec::new())
    }

    pub(super) fn write_citing(
        &self,
        act: Act,
        disposition: Disposition,
        because: Reasons,
        anchors: Vec<Anchor>,
        claims: Vec<ClaimRef>,
    ) -> Result<GateDecision, ClaimError> {
        let line = self.target.claim.line();
        let place = Place::find(self.view, &line.subject, &line.predicate)?;
        Ok(place.write(Ruling {
            act,
            provenance: self.assertion.provenance,
            disposition,
            row: GateRow(0),
            because,
            anchors,
            derived_from: claims,
            key: self.keyed.clone(),
        }))
    }
}

/// Refuses an assertion that changes more than [`MAX_AFFECTED`] units.
pub(super) fn at_most_affected(what: &'static str, found: usize) -> Result<(), ClaimError> {
    if found <= MAX_AFFECTED {
        return Ok(());
    }
    Err(ClaimError::TooMany {
        what,
        limit: MAX_AFFECTED,
        found,
    })
}
