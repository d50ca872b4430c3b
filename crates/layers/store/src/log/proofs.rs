//! Roots, inclusion and consistency proofs of any size of the log (RFC 6962, section 2.1).

use counterfoil_types::Sha256Hash;
use counterfoil_verifier::merkle;

use crate::StoreError;

/// Reads the hashes of complete subtrees.
pub trait NodeReader {
    /// The hash of the complete subtree over the leaves
    /// `index * 2^level .. (index + 1) * 2^level`. Level 0 is the leaf hash itself.
    ///
    /// # Errors
    /// When the node cannot be read, or lies outside of the log.
    fn node(&self, level: u32, index: u64) -> Result<Sha256Hash, StoreError>;
}

/// The leaf whose row holds the node `index` at `level`, in a store that keeps one row a leaf: the row of the leaf that
/// completes a subtree holds the hashes of all subtrees which end there, at the position of their level.
///
/// # Errors
/// [`StoreError::Bug`] beyond 2^63 leaves.
pub fn row_of(level: u32, index: u64) -> Result<u64, StoreError> {
    let leaf = || {
        let end = index.checked_add(1)?;
        let shifted = end.checked_shl(level)?;
        (shifted >> level == end).then(|| shifted.checked_sub(1))?
    };
    leaf().ok_or(StoreError::Bug("a node beyond 2^63"))
}

/// The root of the log at `size`.
///
/// # Errors
/// When a node cannot be read.
pub fn root(reader: &dyn NodeReader, size: u64) -> Result<Sha256Hash, StoreError> {
    if size == 0 {
        return Ok(merkle::EMPTY_ROOT);
    }
    subtree(reader, 0, size)
}

/// The inclusion proof of the leaf `index` in the log at `size` (RFC 6962, 2.1.1), lowest first.
///
/// # Errors
/// [`StoreError::OutOfRange`] unless `index < size`; otherwise when a node cannot be read.
pub fn inclusion(
    reader: &dyn NodeReader,
    index: u64,
    size: u64,
) -> Result<Vec<Sha256Hash>, StoreError> {
    if index >= size {
        return Err(StoreError::OutOfRange {
            what: "index",
            asked: index,
            size,
        });
    }
    let (mut start, mut end) = (0, size);
    let mut path = Vec::new();
    while end - start > 1 {
        let split = split(start, end);
        if index < split {
            path.push(subtree(reader, split, end)?);
            end = split;
        } else {
            path.push(subtree(reader, start, split)?);
            start = split;
        }
    }
    path.reverse();
    Ok(path)
}

/// The proof that the log at `to` begins with the log at `from` (RFC 6962, 2.1.2), lowest first.
/// Empty for `from == to`, and for `from == 0`, which begins every log.
///
/// # Errors
/// [`StoreError::OutOfRange`] unless `from <= to`; otherwise when a node cannot be read.
pub fn consistency(
    reader: &dyn NodeReader,
    from: u64,
    to: u64,
) -> Result<Vec<Sha256Hash>, StoreError> {
    if from > to {
        return Err(StoreError::OutOfRange {
            what: "size",
            asked: from,
            size: to,
        });
    }
    let mut path = Vec::new();
    if from == 0 {
        return Ok(path);
    }
    let (mut start, mut end) = (0, to);
    while from != end {
        let split = split(start, end);
        if from <= split {
            path.push(subtree(reader, split, end)?);
            end = split;
        } else {
            path.push(subtree(reader, start, split)?);
            start = split;
        }
    }
    if start != 0 {
        path.push(subtree(reader, start, end)?);
    }
    path.reverse();
    Ok(path)
}

/// Returns the index at which RFC 6962 divides a range of at least two leaves: after the largest power of two that is
/// smaller than its length.
fn split(start: u64, end: u64) -> u64 {
    start + (1 << (end - start - 1).ilog2())
}

/// The hash of a range that starts where a subtree of the tree starts.
fn subtree(reader: &dyn NodeReader, start: u64, end: u64) -> Result<Sha256Hash, StoreError> {
    let mut peaks = Vec::new();
    let mut at = start;
    while at < end {
        let level = (end - at).ilog2();
        peaks.push(reader.node(level, at >> level)?);
        at += 1 << level;
    }
    let mut hash = peaks
        .pop()
        .ok_or(StoreError::Bug("the hash of an empty range"))?;
    while let Some(left) = peaks.pop() {
        hash = merkle::node_hash(&left, &hash);
    }
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use counterfoil_verifier::dangerous::{root_from_inclusion_proof, verify_consistency};
    use proptest::prelude::*;

    use super::*;
    use crate::log::Frontier;

    /// Rows as a store keeps them, made by appending.
    #[derive(Default)]
    struct Rows {
        frontier: Frontier,
        rows: Vec<Vec<Sha256Hash>>,
        roots: Vec<Sha256Hash>,
    }

    impl Rows {
        fn of(size: u64) -> Self {
            let mut rows = Self {
                roots: vec![merkle::EMPTY_ROOT],
                ..Self::default()
            };
            for index in 0..size {
                rows.rows.push(rows.frontier.append(leaf(index)));
                rows.roots.push(rows.frontier.root());
            }
            rows
        }
    }

    impl NodeReader for Rows {
        fn node(&self, level: u32, index: u64) -> Result<Sha256Hash, StoreError> {
            let hashes = &self.rows[at(row_of(level, index)?)];
            Ok(hashes[usize::try_from(level).unwrap()])
        }
    }

    fn leaf(index: u64) -> Sha256Hash {
        merkle::leaf_hash(&index.to_be_bytes())
    }

    fn at(size: u64) -> usize {
        usize::try_from(size).unwrap()
    }

    /// RFC 6962, 2.1, word for word: `MTH(D[n])`.
    fn naive_root(leaves: &[Sha256Hash]) -> Sha256Hash {
        match leaves {
            [] => merkle::EMPTY_ROOT,
            [leaf] => *leaf,
            _ => {
                let (left, right) = leaves.split_at(naive_split(leaves.len()));
                merkle::node_hash(&naive_root(left), &naive_root(right))
            }
        }
    }

    /// RFC 6962, 2.1.1: `PATH(m, D[n])`.
    fn naive_path(index: usize, leaves: &[Sha256Hash]) -> Vec<Sha256Hash> {
        if leaves.len() < 2 {
            return Vec::new();
        }
        let split = naive_split(leaves.len());
        let (left, right) = leaves.split_at(split);
        let (mut path, sibling) = if index < split {
            (naive_path(index, left), naive_root(right))
        } else {
            (naive_path(index - split, right), naive_root(left))
        };
        path.push(sibling);
        path
    }

    /// RFC 6962, 2.1.2: `SUBPROOF(m, D[n], b)`.
    fn naive_subproof(from: usize, leaves: &[Sha256Hash], whole: bool) -> Vec<Sha256Hash> {
        if from == leaves.len() {
            return if whole {
                Vec::new()
            } else {
                vec![naive_root(leaves)]
            };
        }
        let split = naive_split(leaves.len());
        let (left, right) = leaves.split_at(split);
        let (mut proof, sibling) = if from <= split {
            (naive_subproof(from, left, whole), naive_root(right))
        } else {
            (naive_subproof(from - split, right, false), naive_root(left))
        };
        proof.push(sibling);
        proof
    }

    /// The largest power of two below `leaves`.
    fn naive_split(leaves: usize) -> usize {
        let powers = (0..).map(|bits| 1 << bits);
        powers.take_while(|power| *power < leaves).last().unwrap()
    }

    proptest! {
        #[test]
        fn every_proof_is_the_one_of_the_rfc_and_verifies(
            size in 1_u64..300,
            index in 0_u64..300,
            from in 1_u64..300,
        ) {
            let (index, from) = (index % size, from % size + 1);
            let rows = Rows::of(size);
            let leaves: Vec<_> = (0..size).map(leaf).collect();
            let whole = root(&rows, size).unwrap();
            prop_assert_eq!(whole, naive_root(&leaves));
            prop_assert_eq!(whole, rows.roots[at(size)]);

            let path = inclusion(&rows, index, size).unwrap();
            prop_assert_eq!(&path, &naive_path(at(index), &leaves));
            let found = root_from_inclusion_proof(index, size, &leaf(index), &path).unwrap();
            prop_assert_eq!(found, whole);

            let hashes = consistency(&rows, from, size).unwrap();
            prop_assert_eq!(&hashes, &naive_subproof(at(from), &leaves, true));
            let before = (from, rows.roots[at(from)]);
            prop_assert!(verify_consistency(before, (size, whole), &hashes).is_ok());
        }

        /// The twin: a proof for one place is no proof for another.
        #[test]
        fn a_proof_holds_in_its_own_place_only(size in 2_u64..300, index: u64, other: u64) {
            let (index, other) = (index % size, other % size);
            prop_assume!(index != other);
            let rows = Rows::of(size);
            let path = inclusion(&rows, index, size).unwrap();
            let whole = root(&rows, size).unwrap();
            let moved = root_from_inclusion_proof(other, size, &leaf(index), &path);
            prop_assert!(moved != Ok(whole));
        }

        #[test]
        fn a_frontier_that_is_loaded_goes_on_like_one_that_was_kept(size in 0_u64..300, more in 1_u64..40) {
            let rows = Rows::of(size + more);
            let mut loaded = Frontier::load(&rows, size).unwrap();
            prop_assert_eq!(loaded.root(), rows.roots[at(size)]);
            for index in size..size + more {
                prop_assert_eq!(&loaded.append(leaf(index)), &rows.rows[at(index)]);
            }
            prop_assert_eq!(loaded, rows.frontier);
        }
    }

    #[test]
    fn what_lies_outside_the_log_is_refused() {
        let rows = Rows::of(3);
        for (index, size) in [(0, 0), (3, 3), (u64::MAX, 3)] {
            let refused = inclusion(&rows, index, size).unwrap_err();
            assert!(matches!(refused, StoreError::OutOfRange { .. }), "{index}");
        }
        let refused = consistency(&rows, 3, 2).unwrap_err();
        assert!(matches!(refused, StoreError::OutOfRange { .. }));
        assert!(consistency(&rows, 0, 3).unwrap().is_empty());
        assert!(consistency(&rows, 3, 3).unwrap().is_empty());
    }

    #[test]
    fn a_node_is_kept_with_the_leaf_that_completes_it() {
        for (level, index, leaf) in [(0, 5, 5), (3, 0, 7), (1, 3, 7), (63, 0, (1 << 63) - 1)] {
            assert_eq!(row_of(level, index).unwrap(), leaf, "{level}, {index}");
        }
        for (level, index) in [(63, 1), (64, 0), (0, u64::MAX)] {
            assert!(row_of(level, index).is_err(), "{level}, {index}");
        }
    }
}
