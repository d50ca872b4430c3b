//! Seals a World or a record into a capsule: canonical once, hashed once, signed once (capsules 4.1, 4.2).

use alloc::string::String;

use counterfoil_types::json::{self, Limits, Value};
use counterfoil_types::{DidKey, WorldId};

use crate::error::{CapsuleError, SealError};
use crate::field_tree::FieldTree;
use crate::header::Position;
use crate::header::{BodyRef, Header, SignedHeader};
use crate::key::Signer;
use crate::log_entry::LogEntry;
use crate::receipt::Receipt;
use crate::record::RecordKind;
use crate::world::World;

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
    #[must_use]
    pub const fn agent(&self) -> DidKey {
        self.header.agent()
    }

    /// The header with the signature in it, as capsules are exported.
    #[must_use]
    pub fn signed_header(&self) -> SignedHeader {
        SignedHeader::new(self.header.clone(), self.signature)
    }

    /// The receipt, before the capsule has a place in a log; `None` for a record.
    #[must_use]
    pub fn receipt(&self) -> Option<Receipt> {
        let entry = self.entry.as_world()?.clone();
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
/// [`SealError::Content`] when the content has no canonical form or is too large,
/// [`SealError::Header`] when the header would be, as with a very long WorldId.
pub fn seal_world(
    world: &World,
    position: &Position,
    salt: [u8; 32],
    signer: &dyn Signer,
) -> Result<SealedCapsule, SealError> {
    seal_as(Header::of_world, world, position, salt, signer)
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
) -> Result<SealedCapsule, SealError> {
    seal_as(Header::of_claim, world, position, salt, signer)
}

/// Makes the header of a World's capsule.
type HeaderOf = fn(&dyn Signer, &Position, BodyRef, WorldId) -> Result<Header, CapsuleError>;

fn seal_as(
    header_of: HeaderOf,
    world: &World,
    position: &Position,
    salt: [u8; 32],
    signer: &dyn Signer,
) -> Result<SealedCapsule, SealError> {
    let payload = world.content().map_err(SealError::Content)?;
    let fields = FieldTree::build(world.content_value(), &salt).map_err(SealError::Content)?;
    let body = BodyRef::payload(&salt, &payload);
    let id = world.world_id().clone();
    let header = header_of(signer, position, body, id).map_err(SealError::Header)?;
    let entry = LogEntry::of(&header, fields.root(), fields.len()).map_err(SealError::Header)?;
    Ok(signed(signer, header, entry, payload, salt))
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
) -> Result<SealedCapsule, SealError> {
    let refused = |source| {
        SealError::Content(CapsuleError::Json {
            what: "record",
            source,
        })
    };
    let payload = json::canonical(document).map_err(refused)?;
    let document = json::admit(payload.as_bytes(), Limits::CONTENT).map_err(refused)?;
    let fields = FieldTree::build(&document, &salt).map_err(SealError::Content)?;
    let body = BodyRef::payload(&salt, &payload);
    let header = Header::of_record(signer, position, body, kind).map_err(SealError::Header)?;
    let entry = LogEntry::of(&header, fields.root(), fields.len()).map_err(SealError::Header)?;
    Ok(signed(signer, header, entry, payload, salt))
}

fn signed(
    signer: &dyn Signer,
    header: Header,
    entry: LogEntry,
    payload: String,
    salt: [u8; 32],
) -> SealedCapsule {
    let signature = signer.sign(entry.to_text().as_bytes());
    SealedCapsule {
        header,
        entry,
        key: signer.key(),
        signature,
        payload,
        salt,
    }
}
