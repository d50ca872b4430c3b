//! Writes what the gate lets in: the only place where something is [`Approved`] (I5).

use alloc::vec::Vec;

use counterfoil_types::{DidKey, MAX_SAFE_INTEGER};

use crate::document::{Document, Entry, Format, Kind};
use crate::unit::Keyed;
use crate::{
    Act, Anchor, Approved, ClaimError, ClaimRef, Disposition, GateDecision, LineName, LineState,
    Provenance, Reasons,
};

/// Decision about an act, without its place on the line.
pub(super) struct Ruling {
    pub(super) act: Act,
    pub(super) provenance: Provenance,
    pub(super) via: Vec<DidKey>,
    pub(super) disposition: Disposition,
    pub(super) row: u8,
    pub(super) because: Reasons,
    pub(super) anchors: Vec<Anchor>,
    pub(super) derived_from: Vec<ClaimRef>,
    pub(super) key: Option<Keyed>,
}

impl Ruling {
    /// Writes it behind the last unit of the line.
    pub(super) fn write(
        self,
        name: LineName<'_>,
        line: &LineState,
    ) -> Result<GateDecision, ClaimError> {
        if line.last.is_some() != (line.units > 0) {
            let error = "the line has units, but no last one".into();
            return Err(ClaimError::View(error));
        }
        let (key, request) = self.key.map(|keyed| (keyed.key, keyed.request)).unzip();
        let entry = Entry {
            kind: Kind::Claim,
            format: Format::V1,
            act_kind: self.act.kind(),
            subject: name.subject.clone(),
            predicate: name.predicate.clone(),
            scope: name.scope.clone(),
            // A number that a unit from elsewhere has used up is shared: the line goes on.
            number: line.units.min(MAX_SAFE_INTEGER),
            previous: line.last.clone(),
            provenance: self.provenance,
            via: self.via,
            disposition: self.disposition,
            row: self.row,
            because: self.because,
            anchors: self.anchors,
            derived_from: self.derived_from,
            key,
            request,
        };
        let act = self.act;
        let document = Document { entry, act };
        Ok(GateDecision::Write(Approved {
            document: document.write(),
            disposition: document.entry.disposition,
            because: document.entry.because,
        }))
    }
}
