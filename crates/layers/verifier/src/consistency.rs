//! Consistency proofs (RFC 9162 §2.1.4.2): the older tree is the beginning of the newer one.

use alloc::vec::Vec;

use counterfoil_types::Sha256Hash;
use counterfoil_types::json::Value;
use serde::{Deserialize, Serialize};

use crate::limits::{MAX_CONSISTENCY_HASHES, MAX_TREE_SIZE};
use crate::merkle::{LOG, node_hash};
use crate::refusal::Refusal;

/// A consistency proof from an older tree, as a member of a proof (`proof.md` §2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Value", try_from = "Value")]
pub struct Consistency {
    /// The size of the older tree, in leaves.
    pub from: u64,
    /// The hashes of RFC 9162 §2.1.4.1, at most 65.
    pub hashes: Vec<Sha256Hash>,
}

/// Size of a tree in leaves, and its root.
pub(crate) type Head = (u64, Sha256Hash);

/// Returns `Ok` iff `new` extends `old`. A proof from an empty tree is refused, since it says nothing.
pub(crate) fn verify(old: Head, new: Head, hashes: &[Sha256Hash]) -> Result<(), Refusal> {
    if hashes.len() > MAX_CONSISTENCY_HASHES {
        return Err(Refusal::too_much(
            "hashes in a consistency proof",
            MAX_CONSISTENCY_HASHES,
        ));
    }
    let (from, to) = (old.0, new.0);
    if to > MAX_TREE_SIZE {
        return Err(Refusal::TreeTooLarge {
            tree: LOG,
            size: to,
        });
    }
    if from == 0 || from > to {
        return Err(Refusal::ConsistencyRange { from, to });
    }
    let length = Refusal::ConsistencyLength {
        from,
        to,
        found: hashes.len(),
    };
    if from == to {
        return match hashes {
            [] => compare(old, new.1),
            _ => Err(length),
        };
    }
    let (old_root, new_root) = roots(old, to, hashes).ok_or(length)?;
    compare(old, old_root)?;
    compare(new, new_root)
}

fn compare((size, expected): Head, computed: Sha256Hash) -> Result<(), Refusal> {
    if expected == computed {
        return Ok(());
    }
    Err(Refusal::ConsistencyRoot {
        size,
        expected,
        computed,
    })
}

/// Folds the hashes into the roots of both trees; `None` if there are too few or too many.
fn roots((from, root): Head, to: u64, hashes: &[Sha256Hash]) -> Option<(Sha256Hash, Sha256Hash)> {
    // A full older tree is a node of the newer one, and left out of the proof.
    let (first, rest) = match hashes.split_first()? {
        _ if from.is_power_of_two() => (root, hashes),
        (first, rest) => (*first, rest),
    };
    let (mut old_at, mut new_at) = (from.checked_sub(1)?, to.checked_sub(1)?);
    let shared = old_at.trailing_ones();
    old_at = old_at.checked_shr(shared)?;
    new_at = new_at.checked_shr(shared)?;
    let (mut old_root, mut new_root) = (first, first);
    for hash in rest {
        if new_at == 0 {
            return None;
        }
        if old_at & 1 == 1 || old_at == new_at {
            old_root = node_hash(hash, &old_root);
            new_root = node_hash(hash, &new_root);
            let full = if old_at == 0 {
                0
            } else {
                old_at.trailing_zeros()
            };
            old_at >>= full;
            new_at >>= full;
        } else {
            new_root = node_hash(&new_root, hash);
        }
        old_at >>= 1;
        new_at >>= 1;
    }
    (new_at == 0).then_some((old_root, new_root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merkle::EMPTY_ROOT;

    #[test]
    fn sizes_that_nothing_leads_between_are_named() {
        let verify = |from, to| verify((from, EMPTY_ROOT), (to, EMPTY_ROOT), &[]);
        for (from, to) in [(0, 0), (0, 1), (2, 1)] {
            assert_eq!(
                verify(from, to),
                Err(Refusal::ConsistencyRange { from, to })
            );
        }
        let above = MAX_TREE_SIZE + 1;
        assert_eq!(verify(MAX_TREE_SIZE, MAX_TREE_SIZE), Ok(()));
        assert_eq!(
            verify(1, above),
            Err(Refusal::TreeTooLarge {
                tree: LOG,
                size: above
            })
        );
    }
}
