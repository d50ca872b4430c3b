//! Properties: every tree up to 70 leaves against a slow reference, every bit of a proof.

#[cfg(test)]
#[expect(dead_code, unused_imports, reason = "the attacks need more of it")]
mod support;

use counterfoil_types::{Sha256Hash, VerificationMethod, VerificationProof};
use counterfoil_verifier::dangerous::{root_from_inclusion_proof, verify_consistency};
use counterfoil_verifier::merkle::leaf_hash;
use counterfoil_verifier::{
    Anchors, Consistency, Examiner, Expected, MerkleVerifier, Session, VerifierSet,
};
use proptest::prelude::*;
use support::tree::root;
use support::{Case, consistency, inclusion};

const LARGEST: usize = 70;

#[cfg(test)]
fn leaves(count: usize) -> Vec<Sha256Hash> {
    (0..count).map(|n| leaf_hash(&n.to_le_bytes())).collect()
}

#[test]
fn every_leaf_of_every_tree_is_included_at_its_index_alone() {
    let all = leaves(LARGEST);
    for size in 1..=LARGEST {
        let tree = &all[..size];
        let expected = root(tree);
        for index in 0..size {
            let path = inclusion(index, tree);
            let at = |claimed: usize| {
                root_from_inclusion_proof(
                    claimed.try_into().unwrap(),
                    size.try_into().unwrap(),
                    &tree[index],
                    &path,
                )
            };
            assert_eq!(at(index), Ok(expected));
            for other in (0..size + 2).filter(|other| *other != index) {
                assert_ne!(at(other), Ok(expected), "{index} as {other} of {size}");
            }
        }
    }
}

#[test]
fn a_path_of_another_size_gives_another_root() {
    let all = leaves(LARGEST);
    for size in 1..=LARGEST {
        let path = inclusion(size / 2, &all[..size]);
        for other in (1..=LARGEST).filter(|other| *other != size) {
            let leaf = &all[size / 2];
            let found = root_from_inclusion_proof(
                (size / 2).try_into().unwrap(),
                other.try_into().unwrap(),
                leaf,
                &path,
            );
            assert_ne!(found, Ok(root(&all[..other])), "{size} as {other}");
        }
    }
}

#[test]
fn every_tree_extends_every_earlier_one_and_no_other() {
    let all = leaves(LARGEST);
    let mut forked = all.clone();
    forked[0] = leaf_hash(b"forked");
    for to in 1..=LARGEST {
        for from in 1..=to {
            let hashes = consistency(from, &all[..to]);
            let (old, new) = (root(&all[..from]), root(&all[..to]));
            let check = |old, new, hashes: &[Sha256Hash]| {
                verify_consistency(
                    (from.try_into().unwrap(), old),
                    (to.try_into().unwrap(), new),
                    hashes,
                )
            };
            assert_eq!(check(old, new, &hashes), Ok(()), "{from} to {to}");
            assert!(check(root(&forked[..from]), new, &hashes).is_err());
            assert!(check(old, root(&forked[..to]), &hashes).is_err());
            for cut in 0..hashes.len() {
                assert!(check(old, new, &hashes[..cut]).is_err());
            }
            let more = [hashes.as_slice(), &[new]].concat();
            assert!(check(old, new, &more).is_err());
        }
    }
}

/// A proof whose meaning changed with one bit would be a proof of something else.
#[cfg(test)]
fn every_bit_counts(case: &Case) {
    let proof = case.wire();
    let wire = serde_json::to_vec(&proof).unwrap();
    let verifiers = VerifierSet::new(case.anchors.clone());
    let mut session = Session::new();
    let mut examine = |proof: &VerificationProof| {
        verifiers.examine(proof, Expected::World(&case.world), &mut session)
    };
    assert!(examine(&proof).is_ok());
    // To have judged the checkpoint, or another note, changes no verdict.
    let judging = |note: &str| MerkleVerifier::new(case.anchors.clone()).judging(note);
    let of_log = [
        judging(&case.cosigned_note(&[])),
        judging(""),
        judging(&case.text()),
    ];
    let is_merkle = *proof.method() == VerificationMethod::Merkle;
    assert!(of_log.iter().all(|it| it.verifies(&proof) == is_merkle));
    for at in 0..wire.len() {
        for bit in 0..8 {
            let mut flipped = wire.clone();
            flipped[at] ^= 1 << bit;
            if let Ok(other) = VerificationProof::from_json(&flipped) {
                assert_ne!(other, proof, "byte {at}, bit {bit}");
                assert!(examine(&other).is_err(), "byte {at}, bit {bit}");
                assert!(
                    !of_log.iter().any(|it| it.verifies(&other)),
                    "byte {at}, bit {bit}"
                );
            }
        }
    }
}

#[test]
fn every_bit_of_a_proof_counts() {
    every_bit_counts(&Case::disclosing(&["/city", "/none"]));
    every_bit_counts(&Case::above_floor(7));
    every_bit_counts(&Case::signed());
}

#[test]
fn what_is_proven_is_what_was_recorded() {
    let case = Case::disclosing(&["/city", "/none"]);
    let proven = case.verdict().unwrap();
    let entry = &case.target().entry;
    assert_eq!(proven.entry(), Some(entry));
    assert_eq!(proven.world(), Some(&case.world));
    assert_eq!(proven.index(), Some(5));
    let checkpoint = proven.checkpoint().unwrap();
    assert_eq!(checkpoint.to_text(), case.text());
    let signed = Case::signed().verdict().unwrap();
    assert!(signed.agent().is_some() && signed.strength() < proven.strength());
    let hashed = Case::hashed().verdict().unwrap();
    assert!(hashed.checkpoint().is_none() && hashed.strength() < signed.strength());
}

proptest! {
    #[test]
    fn consistency_round_trips(from: u64, hashes in prop::collection::vec(any::<[u8; 32]>(), 0..=65)) {
        let hashes = hashes.into_iter().map(Sha256Hash::from_bytes).collect();
        let consistency = Consistency { from, hashes };
        prop_assert_eq!(serde_json::from_value::<Consistency>(serde_json::json!(consistency)).unwrap(), consistency);
    }

    #[test]
    fn anchors_round_trip(size in 1_u64..1 << 62, root: [u8; 32], witnesses in 0_u8..5, quorum in 0_u64..5) {
        let root = Sha256Hash::from_bytes(root);
        let case = Case::witnessed(witnesses, quorum.min(witnesses.into()));
        let log = case.log.anchor().with_origin("another origin, with spaces").unwrap();
        let witnesses = case.anchors.witnesses().to_vec();
        let anchors = Anchors::new(vec![log.with_floor(size, root).unwrap()]).unwrap();
        let anchors = anchors.with_witnesses(witnesses, case.anchors.quorum().try_into().unwrap()).unwrap();
        let anchors = anchors.with_agents([0, 1, 1, 2, 0].map(support::agent)).unwrap();
        prop_assert_eq!(anchors.agents().count(), 3);
        let json = anchors.to_json();
        prop_assert_eq!(Anchors::from_json(json.as_bytes()), Ok(anchors));
    }
}
