//! Writes what the gate lets in: the only place where something is [`Approved`] (I5).

use alloc::vec::Vec;

use counterfoil_types::MAX_SAFE_INTEGER;

use crate::document::{Document, Entry, Format, Kind};
use crate::unit::Keyed;
use crate::{
    Act, Anchor, Approved, ClaimError, ClaimRef, Disposition, GateDecision, GateRow, Identifier,
    LineState, LineView, Provenance, Reasons, ViewError,
};

/// The next place of a line.
pub(super) struct Place<'a> {
    subject: &'a Identifier,
    predicate: &'a Identifier,
    number: u64,
    previous: Option<ClaimRef>,
}

/// Decision about an act, without its place on the line.
pub(super) struct Ruling {
    pub(super) act: Act,
    pub(super) provenance: Provenance,
    pub(super) disposition: Disposition,
    pub(super) row: GateRow,
    pub(super) because: Reasons,
    pub(super) anchors: Vec<Anchor>,
    pub(super) derived_from: Vec<ClaimRef>,
    pub(super) key: Option<Keyed>,
}

impl<'a> Place<'a> {
    /// Behind the last unit of the line.
    pub(super) fn after(
        subject: &'a Identifier,
        predicate: &'a Identifier,
        state: &LineState,
    ) -> Result<Self, ClaimError> {
        if state.last.is_some() != (state.units > 0) {
            let error = "the line has units, but no last one".into();
            return Err(ClaimError::View(ViewError(error)));
        }
        Ok(Self {
            subject,
            predicate,
            // A number that a unit from elsewhere has used up is shared: the line goes on.
            number: state.units.min(MAX_SAFE_INTEGER),
            previous: state.last.clone(),
        })
    }

    pub(super) fn find(
        view: &dyn LineView,
        subject: &'a Identifier,
        predicate: &'a Identifier,
    ) -> Result<Self, ClaimError> {
        Self::after(subject, predicate, &view.line(subject, predicate)?)
    }

    pub(super) fn write(self, ruling: Ruling) -> GateDecision {
        let (key, request) = ruling.key.map(|keyed| (keyed.key, keyed.request)).unzip();
        let entry = Entry {
            kind: Kind::Claim,
            format: Format::V1,
            act_kind: ruling.act.kind(),
            subject: self.subject.clone(),
            predicate: self.predicate.clone(),
            number: self.number,
            previous: self.previous,
            provenance: ruling.provenance,
            disposition: ruling.disposition,
            row: ruling.row,
            because: ruling.because,
            anchors: ruling.anchors,
            derived_from: ruling.derived_from,
            key,
            request,
        };
        let document = Document {
            entry,
            act: ruling.act,
        };
        GateDecision::Write(Approved {
            document: document.write(),
            disposition: document.entry.disposition,
            row: document.entry.row,
            because: document.entry.because,
        })
    }
}
