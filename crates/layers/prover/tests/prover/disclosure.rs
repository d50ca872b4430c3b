//! Partial disclosure: the one field is readable and bound, the others stay closed (Appendix E).

use counterfoil_capsule::FieldTree;
use counterfoil_prover::{MemoryVerifier, MerkleProver, ProofVerifier, ProveError, ProveResult};
use counterfoil_types::VerificationProof;
use counterfoil_types::json::Value;
use counterfoil_verifier::{Expected, MerkleVerifier, Session, VerifierSet};
use proptest::prelude::*;
use serde_json::json;

use crate::fixture::{anchors, any_json, bare, logged, note, recalled, reference};

fn disclosing(pointer: &str) -> MerkleProver {
    MerkleProver::new(MerkleVerifier::new(anchors())).disclosing(pointer)
}

fn proof(pointer: &str) -> VerificationProof {
    disclosing(pointer)
        .prove(&reference("world-1"), &recalled())
        .into_proof()
        .unwrap()
}

#[test]
fn a_disclosed_field_is_read_from_the_proof_alone() {
    let proof = proof("/data/text");
    let set = VerifierSet::new(anchors());
    let world = reference("world-1");
    let expected = Expected::World(world.world_id());
    let proven = set.examine(&proof, expected, &mut Session::new()).unwrap();
    let text = json!("the key is under the blue pot");
    assert_eq!(proven.disclosed(), Some(("/data/text", &text)));
}

#[test]
fn the_other_fields_stay_closed() {
    let text = serde_json::to_string(&proof("/data/kind")).unwrap();
    assert!(text.contains(r#"\"note\""#));
    assert!(!text.contains("blue pot") && !text.contains("home"));
}

#[test]
fn only_a_field_can_be_disclosed() {
    for pointer in [
        "/data",
        "/data/tags",
        "/nothing",
        "data/text",
        "",
        "/metadata/receipt/salt",
    ] {
        let result = disclosing(pointer).prove(&reference("world-1"), &recalled());
        let expected = ProveError::NoSuchField {
            pointer: pointer.into(),
        };
        assert_eq!(result, ProveResult::Invalid(expected), "{pointer}");
    }
}

/// Whatever is changed in what is disclosed, the proof is refused.
#[test]
fn a_changed_disclosure_is_refused() {
    let good = proof("/data/text");
    let changes: [(&str, Value); 6] = [
        (
            "/disclosed/value",
            json!("\"the key is under the red pot\""),
        ),
        ("/disclosed/path", json!("/data/kind")),
        ("/disclosed/index", json!("0")),
        ("/disclosed/salt", json!("AAAAAAAAAAAAAAAAAAAAAA==")),
        ("/pathProof/leafHash", json!("0".repeat(64))),
        ("/pathProof/siblings/0/hash", json!("0".repeat(64))),
    ];
    for (place, value) in changes {
        let mut data = good.proof().unwrap().clone();
        *data.pointer_mut(place).unwrap() = value;
        let changed = VerificationProof::new(good.method().clone(), Some(data)).unwrap();
        assert!(!disclosing("").verify_proof(&changed), "{place}");
    }
    assert!(disclosing("").verify_proof(&good));
}

/// `/a/b` is a member of a member, `/a~1b` one member with a slash in its name.
#[test]
fn pointers_do_not_run_together() {
    let world = logged(bare("world-1", json!({ "a": { "b": 1 }, "a/b": 2 })), 0, 1);
    for (pointer, value) in [("/data/a/b", "1"), ("/data/a~1b", "2")] {
        let result = disclosing(pointer).prove(&reference("world-1"), &world);
        let proof = result.into_proof().unwrap();
        assert_eq!(proof.proof().unwrap()["disclosed"]["value"], value);
        assert!(disclosing(pointer).verify_proof(&proof));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_field_of_every_memory_can_be_disclosed(data in any_json()) {
        let world = logged(bare("world-1", data), 2, 5);
        let salt = *world.receipt().unwrap().unwrap().salt();
        let set = VerifierSet::new(anchors());
        let mut session = Session::new();
        for pointer in FieldTree::build(world.content_value(), &salt).unwrap().paths() {
            let result = disclosing(pointer).prove(&reference("world-1"), &world);
            let proof = result.into_proof().unwrap();
            let proven = set.examine(&proof, Expected::World(world.world_id()), &mut session);
            let proven = proven.unwrap();
            let (path, disclosed) = proven.disclosed().unwrap();
            prop_assert_eq!(path, pointer);
            let value = world.content_value().pointer(pointer).unwrap();
            let canonical = counterfoil_types::json::canonical;
            prop_assert_eq!(
                canonical(disclosed).unwrap(),
                canonical(value).unwrap()
            );
        }
    }

    #[test]
    fn prove_with_the_data_of_the_sample_is_the_same_each_time(index in 0..11_u64) {
        let world = logged(bare("world-1", note()), index, 11);
        let prove = || disclosing("/data/tags/1").prove(&reference("world-1"), &world);
        prop_assert_eq!(prove(), prove());
    }
}
