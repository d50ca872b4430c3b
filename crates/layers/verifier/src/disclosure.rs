//! Step 10 of `proof.md` §3: one field of the content, proven against the entry's field root.

use alloc::vec::Vec;

use counterfoil_types::Sha256Hash;

use crate::entry::Entry;
use crate::field;
use crate::inclusion::{self, Route};
use crate::merkle::FIELDS;
use crate::payload::{DisclosurePayload, Sibling};
use crate::proven::Disclosed;
use crate::refusal::Refusal;

/// Returns `Ok` iff the field is a leaf of the entry's field tree, at its index, and spelled canonically.
pub(crate) fn check(field: &DisclosurePayload, entry: &Entry) -> Result<Disclosed, Refusal> {
    let value = field::leaf_value(&field.value)?;
    let computed = field::leaf_hash(&field.path, &field.salt, &field.value);
    if computed != field.leaf_hash {
        let claimed = field.leaf_hash;
        return Err(Refusal::LeafMismatch { claimed, computed });
    }
    // The sides are Appendix E's and redundant: index and size give them.
    let route = Route::new(FIELDS, field.index, entry.field_count)?;
    let misplaced = |(level, sibling): &(u32, &Sibling)| sibling.position != route.side(*level);
    if let Some((level, _)) = (0..).zip(&field.siblings).find(misplaced) {
        return Err(Refusal::SiblingSide { level });
    }
    let path: Vec<Sha256Hash> = field.siblings.iter().map(|sibling| sibling.hash).collect();
    let count = entry.field_count;
    let computed = inclusion::fold(FIELDS, field.index, count, &computed, &path)?;
    let signed = entry.field_root;
    if computed != signed {
        return Err(Refusal::NotInFields { computed, signed });
    }
    Ok(Disclosed {
        path: field.path.clone(),
        value,
    })
}
