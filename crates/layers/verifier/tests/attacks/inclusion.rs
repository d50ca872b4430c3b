//! Inclusion: index, size and path leave nothing to choose (RFC 9162 §2.1.3.2).

use counterfoil_types::Sha256Hash;
use counterfoil_verifier::merkle::{leaf_hash, node_hash};
use counterfoil_verifier::{Checkpoint, Refusal};
use serde_json::json;

use crate::support::{Case, inclusion};

const TREE: &str = "log";

const fn path_length(expected: u32, found: usize) -> Refusal {
    let tree = TREE;
    Refusal::PathLength {
        tree,
        expected,
        found,
    }
}

const fn out_of_range(index: u64, size: u64) -> Refusal {
    let tree = TREE;
    Refusal::IndexOutOfRange { tree, index, size }
}

fn not_in_log(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::NotInLog { .. })
}

/// The log proof with another text in place of a part of it.
fn edited(case: &Case, from: &str, to: &str) -> Refusal {
    case.refusal_at("/tlogProof", |text| {
        assert!(text.contains(from));
        text.replacen(from, to, 1)
    })
}

/// The proof under a checkpoint of any size that the log really signed.
fn under_size(case: &Case, size: u64) -> Refusal {
    let checkpoint = Checkpoint::new(&*case.log.origin, size, case.log.root_at(13)).unwrap();
    case.refusal_of_note(&case.log.note(&checkpoint.to_text()))
}

#[test]
fn another_index_is_refused() {
    let case = Case::merkle();
    let at = |index| case.refusal_of_proof(|proof| proof.index = index);
    for index in [6, 4, 7, 0] {
        assert!(not_in_log(&at(index)), "{index}");
    }
    // The last leaf's path is shorter.
    assert_eq!(at(12), path_length(2, 4));
    for index in [13, 14, 1 << 62, u64::MAX] {
        assert_eq!(at(index), out_of_range(index, 13));
    }
}

#[test]
fn an_edited_size_breaks_the_signature() {
    let case = Case::merkle();
    for size in ["12", "14", "0", "18446744073709551615"] {
        let refusal = edited(&case, "\n13\n", &format!("\n{size}\n"));
        let name = "example.com/memory".into();
        match size {
            "18446744073709551615" => {
                let size = u64::MAX;
                assert_eq!(refusal, Refusal::TreeTooLarge { tree: TREE, size });
            }
            _ => assert_eq!(refusal, Refusal::SignatureInvalid { name }),
        }
    }
}

#[test]
fn a_size_that_does_not_fit_the_path_is_refused_though_it_is_signed() {
    let case = Case::merkle();
    assert_eq!(under_size(&case, 0), out_of_range(5, 0));
    assert_eq!(under_size(&case, 5), out_of_range(5, 5));
    assert_eq!(under_size(&case, 8), path_length(3, 4));
    assert_eq!(under_size(&case, 1 << 62), path_length(62, 4));
}

#[test]
fn a_path_of_another_length_is_refused() {
    let case = Case::merkle();
    let root = case.log.root_at(13);
    for length in [0, 3, 5, 63] {
        let refusal = case.refusal_of_proof(|proof| proof.hashes.resize(length, root));
        assert_eq!(refusal, path_length(4, length));
    }
}

#[test]
fn swapped_hashes_are_refused() {
    let case = Case::merkle();
    for (one, two) in [(0, 1), (1, 2), (2, 3), (0, 3)] {
        assert!(not_in_log(
            &case.refusal_of_proof(|proof| proof.hashes.swap(one, two))
        ));
    }
}

#[test]
fn one_bit_on_any_level_is_refused() {
    let case = Case::merkle();
    for level in 0..4 {
        for bit in [0, 7, 128, 255] {
            let refusal = case.refusal_of_proof(|proof| {
                let mut bytes = *proof.hashes[level].as_bytes();
                bytes[bit / 8] ^= 1 << (bit % 8);
                proof.hashes[level] = Sha256Hash::from_bytes(bytes);
            });
            assert!(not_in_log(&refusal));
        }
    }
}

#[test]
fn sixty_four_hashes_and_a_million_are_refused_before_any_is_hashed() {
    let case = Case::merkle();
    let root = case.log.root_at(13);
    for (hashes, most) in [(64, 63), (2_000, 65_536), (1_000_000, 524_288)] {
        let refusal = case.refusal_of_proof(|proof| proof.hashes.resize(hashes, root));
        assert!(matches!(refusal, Refusal::TooMuch { max, .. } if max == most));
    }
}

/// The node above leaves 4 and 5, offered as if it were a leaf of a smaller tree.
#[test]
fn an_interior_node_is_not_a_leaf() {
    let case = Case::merkle();
    let (left, right) = (case.log.leaves[4], case.log.leaves[5]);
    let preimage = [left.as_bytes().as_slice(), right.as_bytes()].concat();
    assert_ne!(leaf_hash(&preimage), node_hash(&left, &right));
    // Its bytes are no UTF-8, so no entry at all; its digits are not in the log.
    let refusal = case.refusal_of(|data| {
        data["entry"] = json!(hex::encode(&preimage));
        let mut proof = case.proof();
        proof.hashes.remove(0);
        proof.index = 2;
        data["tlogProof"] = json!(proof.to_text());
    });
    assert_eq!(refusal, path_length(4, 3));
    let refusal = case.refusal_at("/entry", |_| hex::encode(&preimage));
    assert!(not_in_log(&refusal));
}

/// Whoever knows a leaf's hash alone does not know what was recorded.
#[test]
fn a_leaf_hash_without_its_preimage_is_refused() {
    let case = Case::merkle();
    let leaf = case.log.leaves[5];
    for entry in [leaf.to_hex(), leaf.to_string()] {
        assert!(not_in_log(&case.refusal_at("/entry", |_| entry)));
    }
    let member = "leafHash".into();
    let refusal = case.refusal_of(|data| data["leafHash"] = json!(leaf.to_hex()));
    assert_eq!(
        refusal,
        Refusal::UnknownMember {
            place: "proof",
            member
        }
    );
}

#[test]
fn another_leaf_s_path_is_refused() {
    let case = Case::merkle();
    let refusal = case.refusal_of_proof(|proof| {
        proof.hashes = inclusion(6, &case.log.leaves);
        proof.index = 6;
    });
    assert!(not_in_log(&refusal));
}

/// A blank line ends the path early, so the rest of it stands where the checkpoint should.
#[test]
fn a_blank_line_does_not_shorten_the_path() {
    let case = Case::merkle();
    for (from, to) in [("=\n", "=\n\n"), ("\n\nexample", "\n\n\nexample")] {
        assert_eq!(edited(&case, from, to), Refusal::ExtensionLine);
    }
}
