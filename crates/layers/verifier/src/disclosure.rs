//! Step 10 of `proof.md` §3: one field of the content, proven against the entry's field root.

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::Sha256Hash;
use counterfoil_types::json::Value;

use crate::entry::Entry;
use crate::field;
use crate::inclusion::{self, Route, Side};
use crate::merkle::FIELDS;
use crate::payload::DisclosurePayload;
use crate::refusal::Refusal;

/// Returns `Ok` iff the field is a leaf of the entry's field tree, at its index, and spelled canonically.
pub(crate) fn check(field: &DisclosurePayload, entry: &Entry) -> Result<(String, Value), Refusal> {
    let value = field::leaf_value(&field.value)?;
    let computed = field::leaf_hash(&field.path, &field.salt, &field.value);
    if computed != field.leaf_hash {
        let claimed = field.leaf_hash;
        return Err(Refusal::LeafMismatch { claimed, computed });
    }
    // The sides are Appendix E's and redundant: index and size give them.
    let route = Route::new(FIELDS, field.index, entry.field_count)?;
    let misplaced = |(level, (_, side)): &(u32, &(_, Side))| *side != route.side(*level);
    if let Some((level, _)) = (0..).zip(&field.siblings).find(misplaced) {
        return Err(Refusal::SiblingSide { level });
    }
    let path: Vec<Sha256Hash> = field.siblings.iter().map(|(hash, _)| *hash).collect();
    let count = entry.field_count;
    let computed = inclusion::fold(FIELDS, field.index, count, &computed, &path)?;
    let signed = entry.field_root;
    if computed != signed {
        return Err(Refusal::NotInFields { computed, signed });
    }
    Ok((field.path.clone(), value))
}
