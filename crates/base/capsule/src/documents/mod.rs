//! The documents of records that are not about keys: closed, strictly read, one spelling (capsules 4.6, 4.8; MEM-MAINT).

mod archive_manifest;
mod archive_receipt;
mod clock_correction;
mod contradiction;
mod forget_decision;
mod redaction;
mod tombstone;
mod trust_record;

use counterfoil_types::json::Value;

use crate::document::Document;
use crate::error::CapsuleError;
use crate::keys::{ForkResolution, KeyDocument};
use crate::record::RecordKind;

pub use archive_manifest::{ArchiveManifest, MAX_SEGMENT};
pub use archive_receipt::ArchiveReceipt;
pub use clock_correction::ClockCorrection;
pub use contradiction::{
    CapsuleName, Contradiction, ContradictionKind, Evidence, Observation, Observed, Source, Suspect,
};
pub use forget_decision::{ApprovedForgetting, ForgetDecision};
pub use redaction::{RedactedField, Redaction};
pub use tombstone::Tombstone;
pub use trust_record::TrustRecord;

/// Checks that a payload is a document of its kind.
pub(crate) fn read(kind: RecordKind, payload: &Value) -> Result<(), CapsuleError> {
    match kind {
        RecordKind::ForkResolution => ForkResolution::parse(payload).map(drop),
        RecordKind::ArchiveReceipt => ArchiveReceipt::parse(payload).map(drop),
        RecordKind::Redaction => Redaction::parse(payload).map(drop),
        RecordKind::Tombstone => Tombstone::parse(payload).map(drop),
        RecordKind::ClockCorrection => ClockCorrection::parse(payload).map(drop),
        RecordKind::Trust => TrustRecord::parse(payload).map(drop),
        RecordKind::Contradiction => Contradiction::is_well_formed(payload),
        kind => match KeyDocument::parse(kind, payload) {
            Some(read) => read.map(drop),
            None => Ok(()),
        },
    }
}
