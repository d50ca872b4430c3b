//! The unit on the wire: `data` of its World, closed and strict (docs/format/claims.md 2).

mod read;
mod reading;
mod write;

#[cfg(test)]
mod arbitrary;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use crate::unit::Keyed;
use crate::{
    Act, ActKind, Anchor, ClaimRef, Disposition, GateRow, Identifier, Provenance, ProvenanceClass,
    Reasons,
};

pub(crate) use read::parse;
pub(crate) use write::write;

/// The member `format`.
pub const UNIT_FORMAT: &str = "counterfoil/claim/v1";

/// The member `kind`.
const KIND: &str = "claim";
/// The most entries of `rivals` in `because`, and of every list that a caller gives.
pub(crate) const MAX_REFS: usize = 16;
/// The most claims that one verdict or reopening may name.
pub(crate) const MAX_AFFECTED: usize = 256;

/// What the document of a unit says; the rest of a unit is in its capsule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) subject: Identifier,
    pub(crate) predicate: Identifier,
    pub(crate) number: u64,
    pub(crate) previous: Option<ClaimRef>,
    pub(crate) act: Act,
    pub(crate) provenance: Provenance,
    pub(crate) disposition: Disposition,
    pub(crate) row: GateRow,
    pub(crate) because: Reasons,
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) derived_from: Vec<ClaimRef>,
    pub(crate) key: Option<Keyed>,
}

/// Whether the gate decides so about such an act of such a provenance (docs/format/claims.md 5 and 6).
fn is_decided(
    act: ActKind,
    provenance: Provenance,
    disposition: Disposition,
    row: GateRow,
) -> bool {
    let by_model = matches!(provenance.class(), ProvenanceClass::ModelDerived);
    match (act, disposition, row.number()) {
        (ActKind::Claim, Disposition::CommittedInferred, 4)
        | (ActKind::Claim, Disposition::Quarantined, 4) => by_model,
        (ActKind::Claim, Disposition::Committed, 5 | 6)
        | (ActKind::Claim, Disposition::Contested, 7)
        | (ActKind::Claim, Disposition::QueuedForAdjudication, 8) => !by_model,
        (ActKind::Claim, Disposition::Quarantined, 2)
        | (ActKind::Corroborate, Disposition::Corroborated, 1)
        | (ActKind::Bound, Disposition::Bounded, 0)
        | (ActKind::Reopen, Disposition::Reinstated | Disposition::Contested, 0)
        | (ActKind::Supersede, Disposition::Superseded, 0)
        | (ActKind::Affirm, Disposition::Affirmed, 0)
        | (ActKind::Deny, Disposition::Denied, 0)
        | (ActKind::Undecided, Disposition::Contested, 0)
        | (ActKind::Release, Disposition::Released, 0) => true,
        _ => false,
    }
}
