//! Seals a World or a record into a capsule: canonical once, hashed once, signed once (capsules 4.1, 4.2).

use alloc::string::String;

use counterfoil_types::json::{self, Limits, Value};
use counterfoil_types::{DidKey, World, WorldId};

use crate::error::CapsuleError;
use crate::field_tree::FieldTree;
use crate::header::{BodyRef, Header, Kind, Position};
use crate::key::Signer;
use crate::log_entry::LogEntry;
use crate::receipt::Receipt;
use crate::record::RecordKind;

/// A capsule that is signed and not yet written anywhere.
#[derive(Clone)]
#[non_exhaustive]
pub struct SealedCapsule {
    /// Header of the capsule.
    pub header: Header,
    /// Entry that is signed and becomes the log leaf.
    pub entry: LogEntry,
    /// The key that signed.
    pub key: DidKey,
    /// That key's signature over the text of the entry.
    pub signature: [u8; 64],
    /// The canonical JSON of the content.
    pub payload: String,
    /// The salt of the content address; erased together with the payload.
    pub salt: [u8; 32],
}

impl SealedCapsule {
    /// In whose name.
    pub const fn agent(&self) -> DidKey {
        self.header.agent()
    }

    /// The receipt, before the capsule has a place in a log; `None` for a record.
    pub fn receipt(&self) -> Option<Receipt> {
        let entry = self.entry.as_world()?;
        Some(Receipt::new(entry, self.key, self.signature, self.salt))
    }
}

/// Content and salt stay out of log lines.
impl core::fmt::Debug for SealedCapsule {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SealedCapsule")
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

/// Seals the content of a World (its `metadata` is left out) at a position, in the name of `signer`.
///
/// `salt` is 32 fresh random bytes. Given the same arguments and an Ed25519 signer the capsule is
/// the same, byte for byte. The signature is made by the signer and not checked again here.
///
/// # Errors
/// When the content has no canonical form or is too large, and when the header would be too large, as with a very long
/// WorldId. Nothing was signed then.
pub fn seal_world(
    world: &World,
    position: &Position,
    salt: [u8; 32],
    signer: &dyn Signer,
) -> Result<SealedCapsule, CapsuleError> {
    let subject = (Kind::World, Some(world.world_id()));
    let content = (world.content()?, world.content_value());
    seal(subject, content, position, salt, signer)
}

/// Seals a World that came through the gate as a claim unit; the position is that of a seed.
///
/// The caller that appends it must have passed it through the gate (docs/format/claims.md 4).
///
/// # Errors
/// As [`seal_world`].
pub fn seal_claim(
    world: &World,
    position: &Position,
    salt: [u8; 32],
    signer: &dyn Signer,
) -> Result<SealedCapsule, CapsuleError> {
    let subject = (Kind::Claim, Some(world.world_id()));
    let content = (world.content()?, world.content_value());
    seal(subject, content, position, salt, signer)
}

/// Seals a record: a JSON document of its kind, at most 1 MiB.
///
/// The document is not checked: the caller makes one of its kind.
///
/// # Errors
/// As [`seal_world`].
pub fn seal_record(
    kind: RecordKind,
    document: &Value,
    position: &Position,
    salt: [u8; 32],
    signer: &dyn Signer,
) -> Result<SealedCapsule, CapsuleError> {
    let content = (record_content(document)?, document);
    seal((Kind::Record(kind), None), content, position, salt, signer)
}

/// Canonical JSON of the document of a record.
///
/// # Errors
/// [`CapsuleError::Json`] when it has no canonical form or is larger than a content may be.
pub fn record_content(document: &Value) -> Result<String, CapsuleError> {
    let what = "record";
    let refused = |source| CapsuleError::Json { what, source };
    let content = json::canonical(document).map_err(refused)?;
    json::admit(content.as_bytes(), Limits::CONTENT).map_err(refused)?;
    Ok(content)
}

fn seal(
    subject: (Kind<'_>, Option<&WorldId>),
    (payload, content): (String, &Value),
    position: &Position,
    salt: [u8; 32],
    signer: &dyn Signer,
) -> Result<SealedCapsule, CapsuleError> {
    let body = BodyRef::payload(&salt, &payload);
    let header = Header::of(signer, position, body, subject)?;
    sign_capsule((header, payload), content, salt, signer)
}

/// Signs a header with the text of its payload; `content` is the value of which the text is the canonical form.
///
/// # Errors
/// [`CapsuleError::ContentTooWide`] for a content with more values than a field tree holds.
pub fn sign_capsule(
    (header, payload): (Header, String),
    content: &Value,
    salt: [u8; 32],
    signer: &dyn Signer,
) -> Result<SealedCapsule, CapsuleError> {
    let fields = FieldTree::build(content, &salt)?;
    let entry = LogEntry::of(&header, fields.root(), fields.len())?;
    let signature = signer.sign(entry.to_text().as_bytes());
    Ok(SealedCapsule {
        header,
        entry,
        key: signer.key(),
        signature,
        payload,
        salt,
    })
}
