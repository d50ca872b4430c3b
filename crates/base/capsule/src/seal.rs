//! Seals a World into a capsule: canonical once, hashed once, signed once (capsules 4.1, 4.2).

use alloc::string::String;

use counterfoil_types::DidKey;
use counterfoil_verifier::entry::{Entry, EntryParts};

use crate::error::SealError;
use crate::field_tree::FieldTree;
use crate::header::{BodyRef, Header, SignedHeader};
use crate::key::Signer;
use crate::position::Position;
use crate::receipt::Receipt;
use crate::world::World;

/// A capsule that is signed and not yet written anywhere.
#[derive(Clone)]
#[non_exhaustive]
pub struct SealedCapsule {
    /// What the agent says beside the content.
    pub header: Header,
    /// What is signed, and what becomes the log leaf.
    pub entry: Entry,
    /// The agent's signature over the text of the entry.
    pub signature: [u8; 64],
    /// The canonical JSON of the content.
    pub payload: String,
    /// The salt of the content address; erased together with the payload.
    pub salt: [u8; 32],
}

impl SealedCapsule {
    /// Who signed.
    #[must_use]
    pub const fn agent(&self) -> DidKey {
        self.header.agent()
    }

    /// The header with the signature in it, as capsules are exported.
    #[must_use]
    pub fn signed_header(&self) -> SignedHeader {
        SignedHeader::new(self.header.clone(), self.signature)
    }

    /// The receipt, before the capsule has a place in a log.
    #[must_use]
    pub fn receipt(&self) -> Receipt {
        Receipt::new(self.entry.clone(), self.agent(), self.signature, self.salt)
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
    let payload = world.content().map_err(SealError::Content)?;
    let fields = FieldTree::build(world.content_value(), &salt).map_err(SealError::Content)?;
    let body = BodyRef::payload(&salt, &payload);
    let id = world.world_id().clone();
    let header = Header::of_world(signer.agent(), position, body, id).map_err(SealError::Header)?;
    let entry = Entry::new(EntryParts {
        world: world.world_id().clone(),
        capsule: header.hash(),
        content: header.payload().hash(),
        content_size: header.payload().size(),
        field_root: fields.root(),
        field_count: fields.len(),
    });
    let signature = signer.sign(entry.to_text().as_bytes());
    Ok(SealedCapsule {
        header,
        entry,
        signature,
        payload,
        salt,
    })
}
