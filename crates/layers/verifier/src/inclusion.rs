//! Inclusion proofs (RFC 9162 §2.1.3.2): length and sides follow from index and size alone.

use counterfoil_types::Sha256Hash;

use crate::limits::MAX_TREE_SIZE;
use crate::merkle::node_hash;
use crate::refusal::Refusal;

/// Path from one leaf to the root of a tree of one size.
#[derive(Clone, Copy)]
struct Route {
    index: u64,
    /// Levels on which the path runs inside a full subtree: the side is a bit of the index.
    inner: u32,
    /// Levels on the right edge above: all siblings stand left.
    border: u32,
}

impl Route {
    const fn new(tree: &'static str, index: u64, size: u64) -> Result<Self, Refusal> {
        if size > MAX_TREE_SIZE {
            return Err(Refusal::TreeTooLarge { tree, size });
        }
        if index >= size {
            return Err(Refusal::IndexOutOfRange { tree, index, size });
        }
        // `size` is above `index`, so it is not 0.
        let differing = index ^ size.saturating_sub(1);
        let inner = u64::BITS.saturating_sub(differing.leading_zeros());
        let border = match index.checked_shr(inner) {
            Some(above) => above.count_ones(),
            None => 0,
        };
        Ok(Self {
            index,
            inner,
            border,
        })
    }

    /// Hashes a node with its sibling on a level, counted from the leaf.
    fn up(self, level: u32, node: &Sha256Hash, sibling: &Sha256Hash) -> Sha256Hash {
        let bit = self.index.checked_shr(level).unwrap_or(0) & 1;
        if level < self.inner && bit == 0 {
            node_hash(node, sibling)
        } else {
            node_hash(sibling, node)
        }
    }
}

/// Folds a leaf along its path; the caller compares the root.
pub(crate) fn fold(
    tree: &'static str,
    index: u64,
    size: u64,
    leaf: &Sha256Hash,
    path: &[Sha256Hash],
) -> Result<Sha256Hash, Refusal> {
    let route = Route::new(tree, index, size)?;
    let expected = route.inner.saturating_add(route.border);
    if u32::try_from(path.len()) != Ok(expected) {
        let found = path.len();
        return Err(Refusal::PathLength {
            tree,
            expected,
            found,
        });
    }
    let levels = (0..expected).zip(path);
    Ok(levels.fold(*leaf, |node, (level, sibling)| {
        route.up(level, &node, sibling)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merkle::{LOG, leaf_hash};

    #[test]
    fn the_largest_tree_is_handled_and_the_next_refused() {
        let leaf = leaf_hash(b"x");
        let path = [leaf; 62];
        assert!(fold(LOG, 0, MAX_TREE_SIZE, &leaf, &path).is_ok());
        assert!(fold(LOG, MAX_TREE_SIZE - 1, MAX_TREE_SIZE, &leaf, &path).is_ok());
        for size in [MAX_TREE_SIZE + 1, 1 << 63, (1 << 63) + 1, u64::MAX] {
            assert_eq!(
                fold(LOG, 0, size, &leaf, &path),
                Err(Refusal::TreeTooLarge { tree: LOG, size })
            );
        }
    }
}
