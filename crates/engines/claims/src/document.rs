//! The unit on the wire: `data` of its World, closed and strict (docs/format/claims.md 2).

mod read;

#[cfg(test)]
mod arbitrary;
#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, Scope, words};
use serde::{Deserialize, Serialize};

use crate::limits::{MAX_REFS, distinct, key, scope};
use crate::unit::Fingerprint;
use crate::{Act, ActKind, Anchor, ClaimRef, Disposition, Identifier, Provenance, Reasons};

words! {
    /// Member `kind`.
    pub(crate) enum Kind {
        /// The only kind.
        Claim = "claim",
    }

    /// Member `format`.
    pub(crate) enum Format {
        /// The only format.
        V1 = "counterfoil/claim/v1",
    }
}

/// The member `format`.
pub const UNIT_FORMAT: &str = Format::V1.name();

/// Document of a unit; the rest of a unit is in its capsule. Written as it is; read as its parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Document {
    #[serde(flatten)]
    pub(crate) entry: Entry,
    #[serde(flatten)]
    pub(crate) act: Act,
}

impl Document {
    /// Returns the `data` of the World that becomes the unit. The order of members is free: their canonical form is sealed.
    pub(crate) fn write(&self) -> Value {
        // Every part is JSON, so there is no error to report.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Members that every unit has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    pub(crate) format: Format,
    pub(crate) subject: Identifier,
    pub(crate) predicate: Identifier,
    #[serde(
        default,
        deserialize_with = "scope",
        skip_serializing_if = "Scope::is_empty"
    )]
    pub(crate) scope: Scope,
    pub(crate) number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) previous: Option<ClaimRef>,
    #[serde(rename = "act")]
    pub(crate) act_kind: ActKind,
    pub(crate) provenance: Provenance,
    #[serde(
        default,
        deserialize_with = "distinct::<_, _, MAX_REFS>",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) via: Vec<DidKey>,
    pub(crate) disposition: Disposition,
    pub(crate) row: u8,
    #[serde(default, skip_serializing_if = "Reasons::is_empty")]
    pub(crate) because: Reasons,
    #[serde(
        default,
        deserialize_with = "distinct::<_, _, MAX_REFS>",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) anchors: Vec<Anchor>,
    #[serde(
        default,
        deserialize_with = "distinct::<_, _, MAX_REFS>",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(crate) derived_from: Vec<ClaimRef>,
    #[serde(
        default,
        deserialize_with = "key",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) request: Option<Fingerprint>,
}

/// Returns whether the gate decides so about such an act of such a provenance (docs/format/claims.md 5 and 6).
fn is_decided(act: ActKind, provenance: Provenance, disposition: Disposition, row: u8) -> bool {
    let by_model = !provenance.is_external();
    match (act, disposition, row) {
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
        | (ActKind::Release, Disposition::Released, 0)
        | (ActKind::Retract, Disposition::Retracted, 0) => true,
        (ActKind::Confirm, Disposition::Confirmed, 1) => !by_model,
        _ => false,
    }
}
