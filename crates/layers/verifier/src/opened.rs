//! An opened capsule: a proof together with the header and the content that it is about (M-8; `belief.md` §3).
//!
//! A proof names header and content by their addresses alone. Who discloses both lets an authority read them and
//! know that they are what was recorded: the content under its salt, the header with agent and time under the
//! agent's own signature.

mod error;
mod header;

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

use counterfoil_types::json::{Limits, Map, Value, admit};
use counterfoil_types::{VerificationMethod, VerificationProof};

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

/// A capsule as it is disclosed. To hold one proves nothing; [`OpenedVerifier::examine`] does.
#[derive(Clone, PartialEq)]
pub struct OpenedCapsule {
    /// The canonical header, without signature.
    pub header: String,
    /// The canonical content.
    pub content: String,
    /// The salt of its address.
    pub salt: [u8; 32],
    /// Which key signed.
    pub key_id: KeyFingerprint,
    /// The signature over the entry.
    pub signature: [u8; 64],
    /// The proof of method `merkle`.
    pub proof: VerificationProof,
}

/// What an opened capsule has shown. Made by [`OpenedVerifier::examine`] alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    proven: Proven,
    entry: Entry,
    header: OpenedHeader,
    content: Value,
}

/// Checks opened capsules under what is trusted.
#[derive(Debug, Clone)]
pub struct OpenedVerifier {
    log: MerkleVerifier,
    agent: SignatureVerifier,
}

impl OpenedCapsule {
    /// Writes it: closed members, texts as they were hashed.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut signature = Map::new();
        signature.insert("keyId".into(), self.key_id.to_hex().into());
        signature.insert("value".into(), to_base64(&self.signature).into());
        let mut proof = Map::new();
        proof.insert("method".into(), self.proof.method().as_str().into());
        if let Some(data) = self.proof.proof() {
            proof.insert("proof".into(), data.clone());
        }
        let mut members = Map::new();
        members.insert("header".into(), self.header.as_str().into());
        members.insert("content".into(), self.content.as_str().into());
        members.insert("salt".into(), to_base64(&self.salt).into());
        members.insert("signature".into(), Value::Object(signature));
        members.insert("proof".into(), Value::Object(proof));
        Value::Object(members)
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

impl OpenedVerifier {
    /// A verifier that trusts the logs and the agents among the anchors.
    pub fn new(anchors: impl Into<Arc<Anchors>>) -> Self {
        let anchors = anchors.into();
        Self {
            log: MerkleVerifier::new(Arc::clone(&anchors)),
            agent: SignatureVerifier::new(anchors),
        }
    }

    /// `Ok` guarantees: an anchored log recorded the entry, an anchored agent signed it, and header and content are
    /// the ones that the entry names. Time and agent are then the signer's word, which nobody has changed since.
    ///
    /// A later key of an agent (`ext.key` above 0) is taken for the agent's because it is anchored and because the
    /// log has let it in: the key chain is not looked at.
    ///
    /// # Errors
    /// The first thing that is wrong, cheap checks before dear ones.
    pub fn examine(
        &self,
        capsule: &OpenedCapsule,
        session: &mut Session,
    ) -> Result<Opened, OpenedError> {
        let header = OpenedHeader::parse(&capsule.header)?;
        let proven = self
            .log
            .examine(&capsule.proof, Expected::AnyWorld, session)?;
        let entry = proven
            .entry()
            .cloned()
            .ok_or_else(|| wrong("proof", "about an entry"))?;
        same_header(capsule, &header, &entry)?;
        let content = same_content(capsule, &header, &entry)?;
        self.signed(capsule, &header, &entry, session)?;
        Ok(Opened {
            proven,
            entry,
            header,
            content,
        })
    }

    fn signed(
        &self,
        capsule: &OpenedCapsule,
        header: &OpenedHeader,
        entry: &Entry,
        session: &mut Session,
    ) -> Result<(), OpenedError> {
        if header.key_number() == 0 && capsule.key_id != KeyFingerprint::of(&header.agent()) {
            return Err(OpenedError::KeyOfAnother);
        }
        let data = SignaturePayload {
            entry: &entry.to_text(),
            key_id: capsule.key_id,
            signature: capsule.signature,
        };
        let method = VerificationMethod::Signature;
        let proof = VerificationProof::new(method, Some(data.to_value()))
            .map_err(|_| wrong("signature", "64 bytes in base64"))?;
        self.agent
            .examine(&proof, Expected::World(entry.world()), session)?;
        Ok(())
    }
}

impl Opened {
    /// What the log shows: index and checkpoint.
    #[must_use]
    pub const fn proven(&self) -> &Proven {
        &self.proven
    }

    /// The entry that was recorded and signed.
    #[must_use]
    pub const fn entry(&self) -> &Entry {
        &self.entry
    }

    /// What the agent said beside the content.
    #[must_use]
    pub const fn header(&self) -> &OpenedHeader {
        &self.header
    }

    /// The content.
    #[must_use]
    pub const fn content(&self) -> &Value {
        &self.content
    }
}

/// The header is the one of the entry, and speaks of the same World and content.
fn same_header(
    capsule: &OpenedCapsule,
    header: &OpenedHeader,
    entry: &Entry,
) -> Result<(), OpenedError> {
    if header_hash(capsule.header.as_bytes()) != entry.capsule() {
        return Err(OpenedError::HeaderChanged);
    }
    let same_world = header.world() == Some(entry.world());
    let same_payload = header.payload() == (entry.content(), entry.content_size());
    if same_world && same_payload {
        Ok(())
    } else {
        Err(OpenedError::HeaderOfAnother)
    }
}

fn same_content(
    capsule: &OpenedCapsule,
    header: &OpenedHeader,
    entry: &Entry,
) -> Result<Value, OpenedError> {
    let bytes = capsule.content.as_bytes();
    let same_size = u64::try_from(bytes.len()) == Ok(header.payload().1);
    if !same_size || payload_hash(&capsule.salt, bytes) != entry.content() {
        return Err(OpenedError::ContentChanged);
    }
    let content = admit(bytes, Limits::CONTENT).map_err(OpenedError::Content)?;
    let world = content.get("worldId").and_then(Value::as_str);
    if world.map(str::as_bytes) != Some(entry.world().opaque_bytes()) {
        return Err(OpenedError::ContentOfAnother);
    }
    Ok(content)
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
