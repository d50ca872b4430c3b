//! Partial disclosure: the chosen fields are readable and bound, the others stay closed (Appendix E).

use counterfoil_capsule::{FieldTree, Receipt, World};
use counterfoil_prover::{HashProver, MemoryVerifier, MerkleProver, SignatureProver};
use counterfoil_types::VerificationProof;
use counterfoil_types::json::Value;
use counterfoil_verifier::{
    Examiner, Expected, HashVerifier, MerkleVerifier, Session, SignatureVerifier, VerifierSet,
};
use proptest::prelude::*;
use serde_json::json;

use crate::fixture::{anchors, any_json, bare, logged, recalled, reference};

const WHOLE: [&str; 1] = [""];

fn disclosing(pointers: &[&str]) -> MerkleProver {
    MerkleProver::new(MerkleVerifier::new(anchors())).disclosing(pointers.iter().copied())
}

/// Fields that a proof of `world` shows, as an authority reads them.
fn shown(prover: &impl MemoryVerifier, world: &World) -> Vec<(String, Value)> {
    let proof = prover.prove(&reference("world-1"), world);
    let proof: VerificationProof = proof.into_proof().unwrap();
    // As it comes over the wire.
    let wire = serde_json::to_vec(&proof).unwrap();
    assert_eq!(VerificationProof::from_json(&wire).unwrap(), proof);
    assert!(prover.verify_proof(&proof));
    let set = VerifierSet::new(anchors());
    let expected = Expected::World(world.world_id());
    let proven = set.examine(&proof, expected, &mut Session::new()).unwrap();
    proven.disclosed().to_vec()
}

fn paths(prover: &impl MemoryVerifier, world: &World) -> Vec<String> {
    let fields = shown(prover, world).into_iter();
    fields.map(|(path, _)| path).collect()
}

fn fields_of(world: &World) -> Vec<String> {
    let salt = *Receipt::of(world).unwrap().unwrap().salt();
    let tree = FieldTree::build(world.content_value(), &salt).unwrap();
    tree.fields().map(|(path, _)| path.to_owned()).collect()
}

#[test]
fn the_other_fields_stay_closed() {
    let proof = disclosing(&["/data/kind"]).prove(&reference("world-1"), &recalled());
    let text = serde_json::to_string(&proof.into_proof().unwrap()).unwrap();
    assert!(text.contains(r#"\"note\""#));
    assert!(!text.contains("blue pot") && !text.contains("home"));
}

#[test]
fn a_pointer_names_a_field_and_all_below_it_and_nothing_else() {
    let world = recalled();
    assert_eq!(paths(&disclosing(&WHOLE), &world), fields_of(&world));
    let tags = paths(&disclosing(&["/data/tags"]), &world);
    assert!(!tags.is_empty() && tags.iter().all(|path| path.starts_with("/data/tags/")));
    for pointer in ["/nothing", "data/text", "/dat", "/metadata/receipt/salt"] {
        assert_eq!(shown(&disclosing(&[pointer]), &world), [], "{pointer}");
    }
}

#[test]
fn what_is_withheld_is_shown_by_no_method() {
    let world = recalled();
    let keeping = ["/data/tags", "/data/kind"];
    let all = fields_of(&world).into_iter();
    let kept = |path: &String| path.starts_with("/data/tags/") || path == "/data/kind";
    let rest: Vec<String> = all.filter(|path| !kept(path)).collect();
    let merkle = disclosing(&WHOLE).withholding(keeping);
    let signature = SignatureProver::new(SignatureVerifier::new(anchors()));
    let signature = signature.disclosing(WHOLE).withholding(keeping);
    let hash = HashProver::new(HashVerifier)
        .disclosing(WHOLE)
        .withholding(keeping);
    assert_eq!(paths(&merkle, &world), rest);
    assert_eq!(paths(&signature, &world), rest);
    assert_eq!(paths(&hash, &world), rest);
    // Asked for by name, too.
    let asked = disclosing(&["/data/kind"]).withholding(["/data"]);
    assert_eq!(shown(&asked, &world), []);
}

fn large(data: Value) -> World {
    logged(bare("world-1", data), 2, 5)
}

/// Of a content above 64 KiB the fields with a word of the recall are shown, and those that are asked for.
#[test]
fn a_large_content_shows_what_matched_and_what_was_asked_for() {
    let filler = "x".repeat(70_000);
    let world = large(
        json!({"text": filler, "note": "The Walking tour", "secret": "walking", "other": "y"}),
    );
    let prover = || disclosing(&WHOLE).matching(["walking"]);
    assert_eq!(paths(&prover(), &world), ["/data/note", "/data/secret"]);
    let kept = prover().withholding(["/data/secret"]);
    assert_eq!(paths(&kept, &world), ["/data/note"]);
    let inflected = disclosing(&WHOLE).matching(["walked"]);
    assert_eq!(paths(&inflected, &world), ["/data/note", "/data/secret"]);
    let asked = disclosing(&["", "/data/text", "/data/other"]).matching(["tour"]);
    let expected = ["/data/note", "/data/other", "/data/text"];
    assert_eq!(paths(&asked, &world), expected);
    assert_eq!(shown(&disclosing(&WHOLE).matching(["nowhere"]), &world), []);
}

/// Fields that do not fit into a proof are left out, and the proof still verifies.
#[test]
fn a_proof_never_grows_beyond_its_limit() {
    let parts: Vec<String> = (0..18)
        .map(|n| format!("{n} word {}", "z".repeat(50_000)))
        .collect();
    let world = large(json!(parts));
    let some = paths(&disclosing(&WHOLE).matching(["word"]), &world);
    assert!((5..18).contains(&some.len()), "{some:?}");
    let many = large(json!(vec![1; 9000]));
    assert_eq!(shown(&disclosing(&WHOLE).matching(["nowhere"]), &many), []);
    let fitting = large(json!(vec![1; 2000]));
    assert_eq!(paths(&disclosing(&WHOLE), &fitting), fields_of(&fitting));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_field_of_every_memory_can_be_disclosed(data in any_json()) {
        let world = logged(bare("world-1", data), 2, 5);
        let canonical = counterfoil_types::json::canonical;
        for pointer in fields_of(&world) {
            let fields = shown(&disclosing(&[&pointer]), &world);
            let [(path, disclosed)] = fields.as_slice() else {
                panic!("{fields:?}");
            };
            prop_assert_eq!(path, &pointer);
            let value = world.content_value().pointer(&pointer).unwrap();
            prop_assert_eq!(canonical(disclosed).unwrap(), canonical(value).unwrap());
        }
        prop_assert_eq!(paths(&disclosing(&WHOLE), &world), fields_of(&world));
    }
}
