//! An opened capsule: a proof with its header and its content (M-8; `belief.md` §3).
//!
//! A proof names header and content by their addresses. With both disclosed, an authority reads them and verifies that
//! they were recorded: the content under its salt, the header with agent and time under the agent's signature.

mod header;
mod record;

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

use counterfoil_types::document::{self, Fault};
use counterfoil_types::json::{Limits, Value, admit};
use counterfoil_types::{Blake3Hash, DidKey, VerificationProof};
use serde::{Deserialize, Deserializer, Serialize, de};

pub(crate) use header::OpenedHeader;
pub use record::{OpenedRecord, RecordContent};

use crate::anchors::Anchors;
use crate::digest::payload_hash;
use crate::entry::Entry;
use crate::fingerprint::KeyFingerprint;
use crate::methods::{Examiner, Expected, MerkleVerifier};
pub use crate::payload::EntrySignature;
use crate::proven::Proven;
use crate::refusal::Refusal;
use crate::session::Session;

/// A capsule as it is disclosed. It proves nothing until [`open`](Self::open) has verified it.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenedCapsule {
    /// The canonical header, without signature.
    pub header: String,
    /// The canonical content.
    pub content: String,
    /// The salt of its address.
    #[serde(with = "document::base64")]
    pub salt: [u8; 32],
    /// The signature over the entry.
    pub signature: EntrySignature,
    /// The proof of method `merkle`.
    #[serde(deserialize_with = "closed_proof")]
    pub proof: VerificationProof,
}

/// Content of a verified capsule. Made by [`OpenedCapsule::open`] only.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Opened {
    /// Log index and checkpoint.
    pub proven: Proven,
    /// The entry that was recorded and signed.
    pub entry: Entry,
    /// The author.
    pub agent: DidKey,
    /// Number in its chain, from 0.
    pub seq: u64,
    /// Time of recording by the author's clock, in microseconds since 1970.
    pub timestamp_us: u64,
    /// Kind of the content; `None` for a World.
    pub kind: Option<String>,
    /// Tag of the line of a claim unit (`ext.line`), by which the map counts the units: [`LineStanding`](crate::map::LineStanding).
    pub line: Option<Blake3Hash>,
    /// The content.
    pub content: Value,
}

impl OpenedCapsule {
    /// Writes it: closed members, texts as they were hashed.
    pub fn to_value(&self) -> Value {
        document::write(self)
    }

    /// Reads what [`to_value`](Self::to_value) wrote.
    ///
    /// # Errors
    /// [`Refusal::CapsuleMember`] for another shape.
    pub fn from_value(value: &Value) -> Result<Self, Refusal> {
        Ok(document::read(value)?)
    }
}

/// Beside method and data a proof has no member here.
fn closed_proof<'de, D: Deserializer<'de>>(from: D) -> Result<VerificationProof, D::Error> {
    let value = Value::deserialize(from)?;
    let known = |name: &String| matches!(name.as_str(), "method" | "proof");
    let closed = value.as_object().is_some_and(|it| it.keys().all(known));
    let proof = closed.then(|| VerificationProof::try_from(value).ok());
    let must = "a proof: a method and its data, and nothing else";
    proof.flatten().ok_or_else(|| de::Error::custom(must))
}

/// Content and salt stay out of log lines.
impl fmt::Debug for OpenedCapsule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedCapsule")
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

impl OpenedCapsule {
    /// Verifies the capsule under the logs and agents among the anchors.
    ///
    /// `Ok` guarantees: an anchored log recorded the entry, an anchored agent signed it, and header and content are
    /// those that the entry names. Time and agent are then the signer's claim, unchanged since.
    ///
    /// A later key of an agent (`ext.key` above 0) counts as the agent's because it is anchored and because the
    /// log has let it in: the key chain is not checked.
    ///
    /// # Errors
    /// The first fault, cheap checks before expensive ones.
    pub fn open(&self, anchors: &Arc<Anchors>, session: &mut Session) -> Result<Opened, Refusal> {
        let header = OpenedHeader::parse(&self.header)?;
        let log = MerkleVerifier::new(Arc::clone(anchors));
        let proven = log.examine(&self.proof, Expected::AnyWorld, session)?;
        let entry = proven.entry().cloned();
        let entry = entry.ok_or_else(|| Fault::new("/proof", "about an entry"))?;
        header.is_named_by(&self.header, &entry)?;
        let bytes = self.content.as_bytes();
        let same_size = u64::try_from(bytes.len()) == Ok(entry.content_size);
        if !same_size || payload_hash(&self.salt, bytes) != entry.content {
            return Err(Refusal::ContentChanged);
        }
        let content = admit(bytes, Limits::CONTENT).map_err(Refusal::CapsuleContent)?;
        let world = content.get("worldId").and_then(Value::as_str);
        if world.map(str::as_bytes) != Some(entry.world.opaque_bytes()) {
            return Err(Refusal::ContentOfAnother);
        }
        if header.key_number == 0 && self.signature.key_id != KeyFingerprint::of(&header.agent) {
            return Err(Refusal::KeyOfAnother);
        }
        let key = anchors.agent_key(&self.signature.key_id)?;
        self.signature.check(key, &entry.to_text())?;
        Ok(Opened {
            proven,
            entry,
            agent: header.agent,
            seq: header.seq,
            timestamp_us: header.timestamp_us,
            kind: header.kind,
            line: header.line,
            content,
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use counterfoil_types::VerificationMethod;
    use serde_json::json;

    use super::*;

    fn capsule() -> OpenedCapsule {
        let proof = VerificationProof::new(VerificationMethod::Merkle, Some(json!({"entry": "e"})));
        OpenedCapsule {
            header: "{}".into(),
            content: r#"{"what":"a blue pot"}"#.into(),
            salt: [165; 32],
            signature: EntrySignature {
                key_id: KeyFingerprint::of(&DidKey::from_public_key([7; 32])),
                value: [8; 64],
            },
            proof: proof.unwrap(),
        }
    }

    #[test]
    fn a_capsule_survives_its_json_and_its_proof_is_closed() {
        let value = capsule().to_value();
        assert_eq!(OpenedCapsule::from_value(&value), Ok(capsule()));
        let (mut in_proof, mut beside) = (value.clone(), value);
        in_proof["proof"]["note"] = json!(1);
        beside["note"] = json!(1);
        for value in [in_proof, beside] {
            assert!(OpenedCapsule::from_value(&value).is_err(), "{value}");
        }
    }

    #[test]
    fn a_log_line_does_not_open_the_content() {
        let shown = format!("{:?}", capsule());
        assert!(shown.starts_with("OpenedCapsule {"), "{shown}");
        assert!(
            !shown.contains("165") && !shown.contains("blue pot"),
            "{shown}"
        );
    }
}
