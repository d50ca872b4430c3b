//! First step of every method: recompute the members of the entry from the World that was given.

use counterfoil_capsule::{FieldTree, Receipt, World, payload_hash};
use counterfoil_types::MemoryRef;

use crate::error::ProveError;

/// A World whose content is the one in the entry of its receipt. Made by [`examine`] alone.
pub(crate) struct Examined<'w> {
    pub(crate) receipt: Receipt,
    pub(crate) fields: FieldTree<'w>,
}

/// Compares reference, World and receipt. Nothing of the receipt is believed: content address and
/// field root come from the content and the salt.
pub(crate) fn examine<'w>(
    memory: &MemoryRef,
    world: &'w World,
) -> Result<Examined<'w>, ProveError> {
    if memory.world_id() != world.world_id() {
        let (expected, found) = (memory.world_id().clone(), world.world_id().clone());
        return Err(ProveError::OtherWorld { expected, found });
    }
    let receipt = Receipt::of(world).map_err(ProveError::Receipt)?;
    let receipt = receipt.ok_or(ProveError::NoReceipt)?;
    if receipt.entry().world != *world.world_id() {
        return Err(ProveError::EntryOfOther {
            found: receipt.entry().world.clone(),
        });
    }
    let content = world
        .content()
        .map_err(|error| ProveError::Content(error.into()))?;
    let entry = receipt.entry();
    let same_size = u64::try_from(content.len()) == Ok(entry.content_size);
    if !same_size || payload_hash(receipt.salt(), content.as_bytes()) != entry.content {
        return Err(ProveError::ContentChanged);
    }
    let fields = FieldTree::build(world.content_value(), receipt.salt());
    let fields = fields.map_err(ProveError::Content)?;
    let (computed, expected) = (fields.root(), entry.field_root);
    if computed != expected || fields.len() != entry.field_count {
        return Err(ProveError::FieldsChanged { computed, expected });
    }
    Ok(Examined { receipt, fields })
}
