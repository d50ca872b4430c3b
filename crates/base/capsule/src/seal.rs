//! Seals a World or a record into a capsule: canonical once, hashed once, signed once (capsules 4.1, 4.2).

use alloc::string::String;

use counterfoil_types::DidKey;
use counterfoil_types::json::{self, Limits, Value};

use crate::error::CapsuleError;
use crate::field_tree::FieldTree;
use crate::header::{BodyRef, Header, Position, Subject};
use crate::key::Signer;
use crate::log_entry::LogEntry;
use crate::receipt::Receipt;
use crate::record::RecordKind;
use counterfoil_types::World;

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
    let (subject, content) = (
        Subject::World(world.world_id().clone()),
        world.content_value(),
    );
    seal(subject, (world.content()?, content), position, salt, signer)
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
    let (subject, content) = (
        Subject::Claim(world.world_id().clone()),
        world.content_value(),
    );
    seal(subject, (world.content()?, content), position, salt, signer)
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
    let what = "record";
    let refused = |source| CapsuleError::Json { what, source };
    let payload = json::canonical(document).map_err(refused)?;
    let document = json::admit(payload.as_bytes(), Limits::CONTENT).map_err(refused)?;
    seal(
        Subject::Record(kind),
        (payload, &document),
        position,
        salt,
        signer,
    )
}

/// `payload` is the canonical form of `content`.
fn seal(
    subject: Subject,
    (payload, content): (String, &Value),
    position: &Position,
    salt: [u8; 32],
    signer: &dyn Signer,
) -> Result<SealedCapsule, CapsuleError> {
    let fields = FieldTree::build(content, &salt)?;
    let header = Header::of(signer, position, BodyRef::payload(&salt, &payload), subject)?;
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
