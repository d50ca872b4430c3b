//! An opened capsule: a proof with its header and its content (M-8; `belief.md` §3).
//!
//! A proof names header and content by their addresses. With both disclosed, an authority reads them and verifies that
//! they were recorded: the content under its salt, the header with agent and time under the agent's signature.

mod error;
mod header;

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

use counterfoil_types::json::{Limits, Map, Value, admit};
use counterfoil_types::{VerificationMethod, VerificationProof};
use serde_json::json;

pub use error::OpenedError;
pub use header::{HEADER_MEMBERS, OpenedHeader};

use crate::anchors::Anchors;
use crate::digest::{header_hash, payload_hash};
use crate::entry::Entry;
use crate::fingerprint::KeyFingerprint;
use crate::limits::quoted;
use crate::methods::{Expected, MerkleVerifier, MethodVerifier, SignatureVerifier};
use crate::payload::SignaturePayload;
use crate::proven::Proven;
use crate::session::Session;
use crate::text::{base64_array, to_base64};

const MEMBERS: [&str; 5] = ["content", "header", "proof", "salt", "signature"];
const SIGNATURE_MEMBERS: [&str; 2] = ["keyId", "value"];
const PROOF_MEMBERS: [&str; 2] = ["method", "proof"];

/// A capsule as it is disclosed. It proves nothing until [`open`](Self::open) has verified it.
#[derive(Clone, PartialEq)]
pub struct OpenedCapsule {
    /// The canonical header, without signature.
    pub header: String,
    /// The canonical content.
    pub content: String,
    /// The salt of its address.
    pub salt: [u8; 32],
    /// Fingerprint of the signing key.
    pub key_id: KeyFingerprint,
    /// The signature over the entry.
    pub signature: [u8; 64],
    /// The proof of method `merkle`.
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
    /// Agent, time and kind, as the agent wrote them.
    pub header: OpenedHeader,
    /// The content.
    pub content: Value,
}

impl OpenedCapsule {
    /// Writes it: closed members, texts as they were hashed.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({
            "header": self.header,
            "content": self.content,
            "salt": to_base64(&self.salt),
            "signature": {"keyId": self.key_id, "value": to_base64(&self.signature)},
            "proof": self.proof,
        })
    }

    /// Reads what [`to_value`](Self::to_value) wrote.
    ///
    /// # Errors
    /// [`OpenedError::Member`], [`OpenedError::Unknown`] for another shape.
    pub fn from_value(value: &Value) -> Result<Self, OpenedError> {
        let members = closed(value, &MEMBERS)?;
        let signature = closed(
            members
                .get("signature")
                .ok_or_else(|| wrong("signature", "there"))?,
            &SIGNATURE_MEMBERS,
        )?;
        let key_id = text(signature, "keyId")?.parse();
        let proof = members
            .get("proof")
            .ok_or_else(|| wrong("proof", "there"))?;
        closed(proof, &PROOF_MEMBERS)?;
        Ok(Self {
            header: text(members, "header")?.into(),
            content: text(members, "content")?.into(),
            salt: base64_array(text(members, "salt")?)
                .ok_or_else(|| wrong("salt", "32 bytes in base64"))?,
            key_id: key_id
                .map_err(|_| wrong("signature.keyId", "64 lower-case hexadecimal digits"))?,
            signature: base64_array(text(signature, "value")?)
                .ok_or_else(|| wrong("signature.value", "64 bytes in base64"))?,
            proof: VerificationProof::try_from(proof.clone())
                .map_err(|_| wrong("proof", "a proof: a method and its data"))?,
        })
    }
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
    pub fn open(
        &self,
        anchors: &Arc<Anchors>,
        session: &mut Session,
    ) -> Result<Opened, OpenedError> {
        let header = OpenedHeader::parse(&self.header)?;
        let log = MerkleVerifier::new(Arc::clone(anchors));
        let proven = log.examine(&self.proof, Expected::AnyWorld, session)?;
        let entry = proven.entry().cloned();
        let entry = entry.ok_or_else(|| wrong("proof", "about an entry"))?;
        if header_hash(self.header.as_bytes()) != entry.capsule {
            return Err(OpenedError::HeaderChanged);
        }
        let same_payload = header.payload == (entry.content, entry.content_size);
        if header.world.as_ref() != Some(&entry.world) || !same_payload {
            return Err(OpenedError::HeaderOfAnother);
        }
        let content = self.same_content(&entry)?;
        if header.key_number == 0 && self.key_id != KeyFingerprint::of(&header.agent) {
            return Err(OpenedError::KeyOfAnother);
        }
        let data = SignaturePayload {
            entry: &entry.to_text(),
            key_id: self.key_id,
            signature: self.signature,
        };
        let signature =
            VerificationProof::new(VerificationMethod::Signature, Some(data.to_value()))
                .map_err(|_| wrong("signature", "64 bytes in base64"))?;
        let agent = SignatureVerifier::new(Arc::clone(anchors));
        agent.examine(&signature, Expected::World(&entry.world), session)?;
        Ok(Opened {
            proven,
            entry,
            header,
            content,
        })
    }

    /// Content of the entry, if salt and text give its address and it names the entry's World.
    fn same_content(&self, entry: &Entry) -> Result<Value, OpenedError> {
        let bytes = self.content.as_bytes();
        let same_size = u64::try_from(bytes.len()) == Ok(entry.content_size);
        if !same_size || payload_hash(&self.salt, bytes) != entry.content {
            return Err(OpenedError::ContentChanged);
        }
        let content = admit(bytes, Limits::CONTENT).map_err(OpenedError::Content)?;
        let world = content.get("worldId").and_then(Value::as_str);
        if world.map(str::as_bytes) != Some(entry.world.opaque_bytes()) {
            return Err(OpenedError::ContentOfAnother);
        }
        Ok(content)
    }
}

fn closed<'a>(value: &'a Value, names: &[&str]) -> Result<&'a Map, OpenedError> {
    let members = value
        .as_object()
        .ok_or_else(|| wrong("a unit", "an object"))?;
    match members.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(OpenedError::Unknown {
            member: quoted(name),
        }),
        None => Ok(members),
    }
}

fn text<'a>(members: &'a Map, name: &'static str) -> Result<&'a str, OpenedError> {
    let value = members.get(name).and_then(Value::as_str);
    value.ok_or_else(|| wrong(name, "a string"))
}

const fn wrong(member: &'static str, must: &'static str) -> OpenedError {
    OpenedError::Member { member, must }
}
