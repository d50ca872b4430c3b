//! `redaction`: which bytes of which capsule were erased, why and by whom (capsules 4.6, C20).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey, WorldId};

use crate::error::CapsuleError;
use crate::keys::reading::{REASON, Reading, document, is_reason, written};
use crate::record::RecordKind;

const KIND: RecordKind = RecordKind::Redaction;
const MEMBERS: [&str; 6] = ["by", "capsule", "fields", "index", "reason", "world"];

/// A part of a capsule that can be erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RedactedField {
    /// The content.
    Payload,
    /// The salt of its address, without which the address says nothing.
    PayloadSalt,
    /// What changed against the version before.
    Delta,
    /// The salt of its address.
    DeltaSalt,
    /// The delta of the version after, which holds what it replaced.
    NextDelta,
    /// The salt of its address.
    NextDeltaSalt,
}

impl RedactedField {
    /// All of them, in the order in which they are written.
    pub const ALL: [Self; 6] = [
        Self::Payload,
        Self::PayloadSalt,
        Self::Delta,
        Self::DeltaSalt,
        Self::NextDelta,
        Self::NextDeltaSalt,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Payload => "payload",
            Self::PayloadSalt => "payload_salt",
            Self::Delta => "delta",
            Self::DeltaSalt => "delta_salt",
            Self::NextDelta => "next.delta",
            Self::NextDeltaSalt => "next.delta_salt",
        }
    }
}

/// ```json
/// {"type":"redaction","version":"1","capsule":"blake3:…","world":"…","index":12,
///  "fields":["payload","payload_salt"],"reason":"…","by":"did:key:…"}
/// ```
/// Header, entry and place in the log stay: that something was there remains provable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    capsule: Blake3Hash,
    world: Option<WorldId>,
    index: u64,
    fields: Vec<RedactedField>,
    reason: String,
    by: DidKey,
}

impl Redaction {
    /// Says what of `capsule`, the entry `index` of its log, was erased. `world` is its WorldId;
    /// `None` for a record. Fields are put into the order of [`RedactedField::ALL`], each once.
    ///
    /// # Errors
    /// [`CapsuleError::Member`] without any field, and for a reason that is empty, longer than 1024
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
        if fields.is_empty() {
            return Err(wrong("fields", FIELDS));
        }
        if !is_reason(reason) {
            return Err(wrong("reason", REASON));
        }
        Ok(Self {
            capsule,
            world,
            index,
            fields,
            reason: reason.to_string(),
            by,
        })
    }

    /// Reads one: closed members, each what it must be, fields in their order.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(value: &Value) -> Result<Self, CapsuleError> {
        let reading = Reading::of(KIND, value, &MEMBERS)?;
        let fields = fields(reading.value("fields")).ok_or(wrong("fields", FIELDS))?;
        let world = reading.value("world").is_some();
        Ok(Self {
            capsule: reading.hash("capsule")?,
            world: world.then(|| reading.world("world")).transpose()?,
            index: reading.number("index")?,
            fields,
            reason: reading.reason()?,
            by: reading.key("by")?,
        })
    }

    /// The document.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let fields: Vec<Value> = self
            .fields
            .iter()
            .map(|field| field.name().into())
            .collect();
        let members = [
            ("capsule", written(self.capsule)),
            ("index", self.index.into()),
            ("fields", fields.into()),
            ("reason", self.reason.as_str().into()),
            ("by", written(self.by)),
        ];
        let world = self.world.as_ref().map(|world| ("world", written(world)));
        document(KIND.name(), members.into_iter().chain(world))
    }

    /// The capsule of which something was erased.
    #[must_use]
    pub const fn capsule(&self) -> Blake3Hash {
        self.capsule
    }

    /// Its World; `None` for a record.
    #[must_use]
    pub const fn world(&self) -> Option<&WorldId> {
        self.world.as_ref()
    }

    /// Its entry in the log.
    #[must_use]
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// What was erased, in the order of [`RedactedField::ALL`].
    #[must_use]
    pub fn fields(&self) -> &[RedactedField] {
        &self.fields
    }

    /// Why, for people.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Who erased it.
    #[must_use]
    pub const fn by(&self) -> DidKey {
        self.by
    }
}

const FIELDS: &str = "one or more of payload, payload_salt, delta, delta_salt, next.delta and next.delta_salt, in that order";

fn fields(value: Option<&Value>) -> Option<Vec<RedactedField>> {
    let named = |name: &Value| {
        let name = name.as_str()?;
        RedactedField::ALL
            .into_iter()
            .find(|field| field.name() == name)
    };
    let fields = value?.as_array()?.iter().map(named);
    let fields: Vec<_> = fields.collect::<Option<_>>()?;
    let ordered = fields.is_sorted_by(|a, b| a < b);
    (ordered && !fields.is_empty()).then_some(fields)
}

const fn wrong(member: &'static str, must: &'static str) -> CapsuleError {
    CapsuleError::Member {
        what: "redaction",
        member,
        must,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn redaction(world: Option<WorldId>) -> Redaction {
        Redaction::new(
            Blake3Hash::from_bytes([1; 32]),
            world,
            12,
            RedactedField::ALL.into_iter().rev().collect(),
            "asked to",
            DidKey::from_public_key([2; 32]),
        )
        .unwrap()
    }

    #[test]
    fn a_redaction_comes_back_as_it_was_written() {
        for world in [None, Some(WorldId::new("world-1").unwrap())] {
            let redaction = redaction(world);
            assert_eq!(redaction.fields(), RedactedField::ALL);
            assert_eq!(Redaction::parse(&redaction.to_value()), Ok(redaction));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for (member, value) in [
            ("fields", json!([])),
            ("fields", json!(["payload_salt", "payload"])),
            ("fields", json!(["payload", "payload"])),
            ("fields", json!(["header"])),
            ("capsule", json!("sha256:00")),
            ("index", json!(-1)),
            ("reason", json!("line\nline")),
            ("by", json!("alice")),
            ("world", json!(null)),
            ("more", json!(1)),
        ] {
            let mut bad = redaction(None).to_value();
            bad[member] = value;
            assert!(Redaction::parse(&bad).is_err(), "{member}");
        }
    }
}
