//! The Merkle tree hash of RFC 9162 §2.1 over SHA-256: leaves and nodes can't be confused.

use counterfoil_types::Sha256Hash;
use sha2::{Digest, Sha256};

/// The log of entries, in refusals.
pub(crate) const LOG: &str = "log";
/// The field tree over the content of one World, in refusals.
pub(crate) const FIELDS: &str = "field tree";
const LEAF: u8 = 0x00;
const NODE: u8 = 0x01;

/// The root of a tree without leaves: SHA-256 of nothing.
pub const EMPTY_ROOT: Sha256Hash = Sha256Hash::from_bytes([
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
    0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
]);

/// `SHA-256(0x00 || data)`.
pub fn leaf_hash(data: &[u8]) -> Sha256Hash {
    let digest = Sha256::new().chain_update([LEAF]).chain_update(data);
    Sha256Hash::from_bytes(digest.finalize().into())
}

/// `SHA-256(0x01 || left || right)`.
pub fn node_hash(left: &Sha256Hash, right: &Sha256Hash) -> Sha256Hash {
    let digest = Sha256::new()
        .chain_update([NODE])
        .chain_update(left.as_bytes())
        .chain_update(right.as_bytes());
    Sha256Hash::from_bytes(digest.finalize().into())
}

/// The root of a tree over leaf hashes (RFC 9162 §2.1.1): the left part holds the largest power of two below their number.
pub fn root(leaves: &[Sha256Hash]) -> Sha256Hash {
    match leaves {
        [] => EMPTY_ROOT,
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            node_hash(&root(left), &root(right))
        }
    }
}

/// The largest power of two below a number of leaves, which is at least 2.
pub const fn split(leaves: usize) -> usize {
    leaves.div_ceil(2).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_hashes_of_rfc_6962_hold() {
        assert_eq!(root(&[]), EMPTY_ROOT);
        assert_eq!(
            EMPTY_ROOT.as_bytes().as_slice(),
            Sha256::digest([]).as_slice()
        );
        assert_eq!(
            leaf_hash(b"").to_hex(),
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
        );
    }

    /// The tree of the reference tests of Certificate Transparency.
    #[test]
    fn the_published_roots_hold_at_each_shape() {
        let leaves: [&[u8]; 8] = [
            b"",
            b"\x00",
            b"\x10",
            b" !",
            b"01",
            b"@ABC",
            b"PQRSTUVW",
            b"`abcdefghijklmno",
        ];
        let leaves = leaves.map(leaf_hash);
        for (size, published) in [
            (
                1,
                "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            ),
            (
                2,
                "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            ),
            (
                3,
                "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            ),
            (
                5,
                "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            ),
            (
                7,
                "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            ),
            (
                8,
                "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
            ),
        ] {
            assert_eq!(root(&leaves[..size]).to_hex(), published, "{size}");
        }
    }
}
