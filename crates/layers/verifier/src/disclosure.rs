//! Step 10 of `proof.md` §5: fields of the content, proven against the entry's field root by one multi-proof.

use alloc::string::String;
use alloc::vec::Vec;
use core::slice::Iter;

use counterfoil_types::Sha256Hash;
use counterfoil_types::json::Value;

use crate::entry::Entry;
use crate::field;
use crate::limits::MAX_TREE_SIZE;
use crate::merkle::{FIELDS, node_hash};
use crate::payload::{DisclosedField, DisclosurePayload};
use crate::refusal::Refusal;

/// Returns the pointer and the value of each field iff all are leaves of the entry's field tree, at their indexes, spelled
/// canonically, in the order of the tree, under exactly the hashes that the rest of the tree takes.
///
/// The cost is linear in the length of the proof: each node that is computed has a disclosed field below it, and has a hash
/// of the proof or another such node beside it.
pub(crate) fn check(
    disclosed: &DisclosurePayload,
    entry: &Entry,
) -> Result<Vec<(String, Value)>, Refusal> {
    let (tree, size) = (FIELDS, entry.field_count);
    if size > MAX_TREE_SIZE {
        return Err(Refusal::TreeTooLarge { tree, size });
    }
    let fields = &disclosed.fields;
    let after = fields.iter().skip(1);
    let ascending = |(one, next): (&DisclosedField, &DisclosedField)| {
        one.index < next.index && one.path.as_bytes() < next.path.as_bytes()
    };
    if !fields.iter().zip(after).all(ascending) {
        return Err(Refusal::FieldOrder);
    }
    if let Some(last) = fields.last().filter(|last| last.index >= size) {
        let index = last.index;
        return Err(Refusal::IndexOutOfRange { tree, index, size });
    }
    let mut leaves = Vec::with_capacity(fields.len());
    let mut shown = Vec::with_capacity(fields.len());
    for field in fields {
        shown.push((field.path.clone(), field::leaf_value(&field.value)?));
        let leaf = field::leaf_hash(&field.path, &field.salt, &field.value);
        leaves.push((field.index, leaf));
    }
    let found = disclosed.hashes.len();
    let mut hashes = disclosed.hashes.iter();
    let computed = root((0, size), &leaves, &mut hashes);
    let (Some(computed), None) = (computed, hashes.next()) else {
        return Err(Refusal::FieldHashes { found });
    };
    let signed = entry.field_root;
    if computed != signed {
        return Err(Refusal::NotInFields { computed, signed });
    }
    Ok(shown)
}

/// Root of the subtree over the leaves `from..to`, of which `leaves` are known; the next hash if none is. `None` if the
/// hashes run out. It goes at most 62 levels deep.
fn root(
    (from, to): (u64, u64),
    leaves: &[(u64, Sha256Hash)],
    hashes: &mut Iter<'_, Sha256Hash>,
) -> Option<Sha256Hash> {
    let size = to.checked_sub(from)?;
    match leaves {
        [] => hashes.next().copied(),
        [(_, leaf)] if size == 1 => Some(*leaf),
        _ => {
            let middle = from.checked_add(size.div_ceil(2).next_power_of_two())?;
            let right = leaves.partition_point(|(index, _)| *index < middle);
            let (left, right) = leaves.split_at_checked(right)?;
            let left = root((from, middle), left, hashes)?;
            let right = root((middle, to), right, hashes)?;
            Some(node_hash(&left, &right))
        }
    }
}
