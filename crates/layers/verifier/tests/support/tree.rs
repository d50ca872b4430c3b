//! The reference tree: RFC 6962 §2.1 word for word, recursive and slow.

use counterfoil_types::Sha256Hash;
use counterfoil_verifier::merkle::{EMPTY_ROOT, node_hash};

/// Largest power of two below `n`.
fn split(n: usize) -> usize {
    n.next_power_of_two() / 2
}

/// MTH of §2.1 over leaf hashes.
pub(crate) fn root(leaves: &[Sha256Hash]) -> Sha256Hash {
    match leaves {
        [] => EMPTY_ROOT,
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            node_hash(&root(left), &root(right))
        }
    }
}

/// PATH of §2.1.1.
pub(crate) fn inclusion(index: usize, leaves: &[Sha256Hash]) -> Vec<Sha256Hash> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    let k = split(leaves.len());
    let (left, right) = leaves.split_at(k);
    let (mut path, sibling) = if index < k {
        (inclusion(index, left), root(right))
    } else {
        (inclusion(index - k, right), root(left))
    };
    path.push(sibling);
    path
}

/// PROOF of §2.1.2.
pub(crate) fn consistency(from: usize, leaves: &[Sha256Hash]) -> Vec<Sha256Hash> {
    subproof(from, leaves, true)
}

fn subproof(from: usize, leaves: &[Sha256Hash], whole: bool) -> Vec<Sha256Hash> {
    if from == leaves.len() {
        return if whole {
            Vec::new()
        } else {
            vec![root(leaves)]
        };
    }
    let k = split(leaves.len());
    let (left, right) = leaves.split_at(k);
    let (mut hashes, sibling) = if from <= k {
        (subproof(from, left, whole), root(right))
    } else {
        (subproof(from - k, right, false), root(left))
    };
    hashes.push(sibling);
    hashes
}
