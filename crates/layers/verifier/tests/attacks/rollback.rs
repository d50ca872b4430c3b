//! Rollback and split view: above an anchored floor a log has one past and no way back.

use counterfoil_types::{Sha256Hash, VerificationMethod, VerificationProof};
use counterfoil_verifier::Examiner;
use counterfoil_verifier::equivocation::{self, Equivocation};
use counterfoil_verifier::{Anchors, Consistency, Expected, Proven, Refusal, Session, VerifierSet};
use serde_json::json;

use crate::support::{Case, TestWorld, consistency, merkle_data};

const FLOOR: usize = 7;

/// The case's log with another leaf at an index, signed by the same key.
fn forked(case: &Case, at: usize) -> Case {
    let mut fork = Case::merkle();
    fork.log.leaves = case.log.leaves.clone();
    fork.log.leaves[at] = TestWorld::new("forked").entry.leaf_hash();
    fork
}

fn broken(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::ConsistencyRoot { .. })
}

#[test]
fn every_floor_is_reached_by_its_consistency_proof() {
    for floor in 1..13 {
        Case::above_floor(floor);
    }
    let mut case = Case::merkle();
    case.set_floor(13);
    assert!(case.verdict().is_ok());
}

#[test]
fn a_checkpoint_below_the_floor_is_refused() {
    let case = Case::above_floor(12);
    let refusal = case.refusal_of(|data| {
        *data = merkle_data(&case.target().entry, &case.log.proof(5, 11));
    });
    assert_eq!(
        refusal,
        Refusal::BelowFloor {
            floor: 12,
            size: 11
        }
    );
}

#[test]
fn no_consistency_proof_is_refused() {
    let case = Case::above_floor(FLOOR);
    let refusal = case.refusal_of(|data| {
        data.as_object_mut().unwrap().remove("consistency");
    });
    assert_eq!(refusal, Refusal::ConsistencyMissing { floor: 7, size: 13 });
}

#[test]
fn a_truncated_or_extended_consistency_proof_is_refused() {
    let case = Case::above_floor(FLOOR);
    let honest = consistency(FLOOR, &case.log.leaves);
    let (from, to) = (7, 13);
    for found in (0..honest.len()).chain([honest.len() + 1, 65]) {
        let mut hashes = honest.clone();
        hashes.resize(found, case.log.root_at(13));
        let refusal = case.refusal_of(|data| {
            data["consistency"] = json!(Consistency { from, hashes });
        });
        assert_eq!(refusal, Refusal::ConsistencyLength { from, to, found });
    }
    let hashes = vec![case.log.root_at(13); 66];
    let refusal = case.refusal_of(|data| data["consistency"] = json!(Consistency { from, hashes }));
    assert!(matches!(refusal, Refusal::TooMuch { max: 65, .. }));
}

#[test]
fn a_foreign_consistency_proof_is_refused() {
    let case = Case::above_floor(FLOOR);
    let refusal = case.refusal_of(|data| data["consistency"] = case.consistency_from(6));
    assert_eq!(refusal, Refusal::ConsistencyFrom { floor: 7, found: 6 });
    let foreign = forked(&case, 2).consistency_from(FLOOR);
    assert!(broken(
        &case.refusal_of(|data| data["consistency"] = foreign)
    ));
    let refusal = case.refusal_of(|data| {
        data["consistency"]["hashes"]
            .as_array_mut()
            .unwrap()
            .swap(0, 1);
    });
    assert!(broken(&refusal));
    for hash in ["", "AAAA", "not base64"] {
        let refusal = case.refusal_of(|data| data["consistency"]["hashes"][0] = json!(hash));
        let (place, expected) = ("consistency.hashes[]", "32 bytes in base64");
        assert_eq!(refusal, Refusal::Misspelled { place, expected });
    }
    for from in ["07", "+7", " 7", ""] {
        let refusal = case.refusal_at("/consistency/from", |_| from.into());
        let (place, expected) = ("consistency.from", "a decimal number in a string");
        assert_eq!(refusal, Refusal::Misspelled { place, expected });
    }
}

/// Anchors of different age ask for different floors, and a proof carries one consistency proof:
/// who has no use for it accepts the proof for what else it shows, and no more.
#[test]
fn a_consistency_proof_made_for_another_authority_changes_nothing() {
    let mut at_floor = Case::merkle();
    at_floor.set_floor(13);
    for (case, from) in [(Case::merkle(), FLOOR), (at_floor, 13)] {
        let mut data = case.data.clone();
        data["consistency"] = case.consistency_from(from);
        let verdict = case.with(|it| it.data = data).verdict();
        assert_eq!(verdict, case.verdict());
        assert!(verdict.is_ok());
    }
}

/// Every consistency proof that the forked log can offer contradicts the floor or its own root.
#[test]
fn a_fork_before_the_floor_is_refused() {
    let case = Case::above_floor(FLOOR);
    let fork = forked(&case, 2);
    let data = merkle_data(&case.target().entry, &fork.log.proof(5, 13));
    for proof in [fork.consistency_from(FLOOR), case.consistency_from(FLOOR)] {
        let refusal = case.refusal_of(|own| {
            *own = data.clone();
            own["consistency"] = proof;
        });
        assert!(broken(&refusal));
    }
}

#[test]
fn a_fork_at_the_floor_s_size_is_refused() {
    let mut case = Case::merkle();
    case.set_floor(13);
    let fork = forked(&case, 2);
    let refusal = case.refusal_of(|data| {
        *data = merkle_data(&case.target().entry, &fork.log.proof(5, 13));
    });
    let (anchored, shown) = (case.log.root_at(13), fork.log.root_at(13));
    assert_eq!(
        refusal,
        Refusal::ForkAtFloor {
            size: 13,
            anchored,
            shown
        }
    );
}

/// A store that was restored from a backup signs a second tree of a size that it had signed.
#[test]
fn a_restored_backup_that_signs_a_size_again_is_caught() {
    let case = Case::merkle();
    let restored = forked(&case, 12);
    let data = merkle_data(&case.target().entry, &restored.log.proof(5, 13));
    let second = case.with(|it| it.data = data).verdict().unwrap();
    let first = case.verdict().unwrap();
    assert_eq!(equivocation::find(&[first.clone(), first.clone()]), None);
    let found = equivocation::find(&[first, second]);
    let roots: [Sha256Hash; 2] = [case.log.root_at(13), restored.log.root_at(13)];
    let origin = "example.com/memory".into();
    assert_eq!(
        found,
        Some(Equivocation::Log {
            origin,
            size: 13,
            roots
        })
    );
}

/// One tree with two maps is equivocation: its signer made two statements about the same memories. A checkpoint without a
/// map makes none.
#[test]
fn two_maps_at_one_size_are_equivocation() {
    let case = Case::merkle();
    let shown = |map: Option<&str>| -> Proven {
        let line = map.map(|root| format!("counterfoil-map/v1 {root}\n"));
        let mut proof = case.log.proof(5, 13);
        proof.checkpoint = case.log.note(&(case.text() + &line.unwrap_or_default()));
        let data = merkle_data(&case.target().entry, &proof);
        case.with(|it| it.data = data).verdict().unwrap()
    };
    let [one, two] = ["A", "B"].map(|digit| digit.repeat(42) + "A=");
    let proofs = [shown(Some(&one)), shown(None), shown(Some(&one))];
    assert_eq!(equivocation::find(&proofs), None);
    let found = equivocation::find(&[shown(Some(&one)), shown(None), shown(Some(&two))]);
    let Some(Equivocation::Map { size, roots, .. }) = found else {
        panic!("{found:?}");
    };
    assert_eq!(
        (size, roots[0].as_bytes()[0], roots[1].as_bytes()[0]),
        (13, 0, 4)
    );
}

/// Two sizes, two histories: no size is shown twice, but one index is.
#[test]
fn two_entries_at_one_index_are_equivocation() {
    let case = Case::merkle();
    let shown = |leaves: &[TestWorld], size: usize| -> Proven {
        let mut log = case.log.clone();
        log.leaves = leaves.iter().map(|world| world.entry.leaf_hash()).collect();
        let data = merkle_data(&leaves[5].entry, &log.proof(5, size));
        let proof = VerificationProof::new(VerificationMethod::Merkle, Some(data)).unwrap();
        let verifiers = VerifierSet::new(case.anchors.clone());
        let expected = Expected::World(&leaves[5].entry.world);
        verifiers
            .examine(&proof, expected, &mut Session::new())
            .unwrap()
    };
    let mut second = case.worlds.clone();
    second[5] = TestWorld::new("forked");
    let proven = [shown(&case.worlds, 13), shown(&second, 12)];
    let leaves = [
        case.worlds[5].entry.leaf_hash(),
        second[5].entry.leaf_hash(),
    ];
    let origin = "example.com/memory".into();
    assert_eq!(
        equivocation::find(&proven),
        Some(Equivocation::Index {
            origin,
            index: 5,
            leaves
        })
    );
    assert_eq!(
        equivocation::find(&[shown(&case.worlds, 13), shown(&case.worlds, 12)]),
        None
    );
}

#[test]
fn a_floor_of_no_size_or_too_large_is_refused() {
    let root = Sha256Hash::from_bytes([1; 32]);
    for size in [0, (1 << 62) + 1, u64::MAX] {
        assert!(Case::merkle().log.anchor().with_floor(size, root).is_err());
    }
    let case = Case::merkle();
    let json = case.anchors.to_json();
    assert_eq!(Anchors::from_json(json.as_bytes()), Ok(case.anchors));
}
