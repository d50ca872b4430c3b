//! `redaction`: the bytes of a capsule that were erased, why and by whom (capsules 4.6, C20).

use alloc::vec::Vec;

use counterfoil_types::document::{Fault, Line};
use counterfoil_types::{Blake3Hash, DidKey, WorldId};
use serde::{Deserialize, Serialize};

use crate::document::{Document, checked};
use crate::error::{CapsuleError, line};
use crate::keys::MAX_REASON;
use crate::record::RecordKind;

counterfoil_types::words! {
    /// A part of a capsule that can be erased.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum RedactedField {
        /// The content.
        Payload = "payload",
        /// The salt of its address, without which the address says nothing.
        PayloadSalt = "payload_salt",
        /// The change against the version before.
        Delta = "delta",
        /// The salt of its address.
        DeltaSalt = "delta_salt",
        /// The delta of the version after, which holds the values that it replaced.
        NextDelta = "next.delta",
        /// The salt of its address.
        NextDeltaSalt = "next.delta_salt",
    }
}

/// Statement that parts of a capsule were erased.
///
/// ```json
/// {"type":"redaction","version":"1","capsule":"blake3:…","world":"…","index":12,
///  "fields":["payload","payload_salt"],"reason":"…","by":"did:key:…"}
/// ```
/// Header, entry and place in the log stay: that something was there remains provable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Redaction {
    /// Hash of the capsule.
    pub capsule: Blake3Hash,
    /// World of the capsule; `None` for a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world: Option<WorldId>,
    /// Index of its entry in the log.
    pub index: u64,
    /// Erased parts: at least one, in the order of [`RedactedField::ALL`], each once.
    pub fields: Vec<RedactedField>,
    /// Reason, for people.
    pub reason: Line<MAX_REASON>,
    /// Agent that erased them.
    pub by: DidKey,
}

impl Document for Redaction {
    const TYPE: &'static str = RecordKind::Redaction.name();

    fn check(&self) -> Result<(), Fault> {
        if self.fields.is_empty() || !self.fields.is_sorted_by(|a, b| a < b) {
            let must = "one or more of payload, payload_salt, delta, delta_salt, next.delta and next.delta_salt, in that order";
            return Err(Fault::new("/fields", must));
        }
        Ok(())
    }
}

impl Redaction {
    /// States that `fields` of `capsule`, the entry `index` of its log, were erased. `world` is its WorldId;
    /// `None` for a record. Fields are put into the order of [`RedactedField::ALL`], each once.
    ///
    /// # Errors
    /// [`CapsuleError::Document`] without any field, and for a reason that is empty, longer than 1024
    /// bytes or has control characters.
    pub fn new(
        capsule: Blake3Hash,
        world: Option<WorldId>,
        index: u64,
        mut fields: Vec<RedactedField>,
        reason: &str,
        by: DidKey,
    ) -> Result<Self, CapsuleError> {
        fields.sort_unstable();
        fields.dedup();
        checked(Self {
            capsule,
            world,
            index,
            fields,
            reason: line(Self::TYPE, "/reason", reason)?,
            by,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::tests::is_closed;

    #[test]
    fn a_redaction_comes_back_as_it_was_written_and_nothing_else_does() {
        let good = [None, Some(WorldId::new("world-1").unwrap())].map(|world| {
            let fields = RedactedField::ALL.into_iter().rev().collect();
            let by = DidKey::from_public_key([2; 32]);
            let capsule = Blake3Hash::from_bytes([1; 32]);
            let redaction = Redaction::new(capsule, world, 12, fields, "asked to", by).unwrap();
            assert_eq!(redaction.fields, RedactedField::ALL);
            redaction
        });
        let wrong = [
            ("/fields", json!([])),
            ("/fields", json!(["payload_salt", "payload"])),
            ("/fields", json!(["payload", "payload"])),
            ("/fields", json!(["header"])),
            ("/capsule", json!("sha256:00")),
            ("/index", json!(-1)),
            ("/reason", json!("line\nline")),
            ("/by", json!("alice")),
            ("/world", json!(null)),
            ("/more", json!(1)),
        ];
        is_closed(&good, &wrong);
    }
}
