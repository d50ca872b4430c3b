//! Partial disclosure: the one field is readable and bound, the others stay closed (Appendix E).

use counterfoil_capsule::{FieldTree, Receipt};
use counterfoil_prover::{MemoryVerifier, MerkleProver, ProveError};
use counterfoil_types::VerificationProof;
use counterfoil_verifier::{Examiner, Expected, MerkleVerifier, Session, VerifierSet};
use proptest::prelude::*;

use crate::fixture::{anchors, any_json, bare, error, logged, recalled, reference};

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
        assert_eq!(error(&result), &expected, "{pointer}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_field_of_every_memory_can_be_disclosed(data in any_json()) {
        let world = logged(bare("world-1", data), 2, 5);
        let salt = *Receipt::of(&world).unwrap().unwrap().salt();
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
}
