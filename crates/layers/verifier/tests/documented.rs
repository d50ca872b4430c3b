//! The examples of `docs/format` are what this crate reads and writes.

use counterfoil_types::json::Value;
use counterfoil_types::{VerificationProof, WorldId};
use counterfoil_verifier::Examiner;
use counterfoil_verifier::note::cosigned_message;
use counterfoil_verifier::{
    Anchors, Checkpoint, Entry, Expected, Session, Strength, TlogProof, VerifierKey, VerifierSet,
};
use serde_json::json;

const PROOF: &str = include_str!("../../../../docs/format/proof.md");
const LOG: &str = include_str!("../../../../docs/format/log.md");
const ANCHORS: &str = include_str!("../../../../docs/format/anchors.md");

/// The fenced blocks of a page, by their language.
#[cfg(test)]
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fences = page.split("```").skip(1).step_by(2);
    let opening = format!("{language}\n");
    fences
        .filter_map(|block| block.strip_prefix(opening.as_str()))
        .collect()
}

#[cfg(test)]
fn example() -> (VerifierSet, Value) {
    let blocks = blocks(PROOF, "json");
    let [anchors, proof] = blocks.as_slice() else {
        panic!("two JSON examples");
    };
    let anchors = Anchors::from_json(anchors.as_bytes()).unwrap();
    (
        VerifierSet::new(anchors),
        serde_json::from_str(proof).unwrap(),
    )
}

#[test]
fn the_example_proof_verifies() {
    let (verifiers, value) = example();
    let proof = VerificationProof::try_from(value).unwrap();
    let world = WorldId::new("world-123").unwrap();
    let expected = Expected::World(&world);
    let proven = verifiers
        .examine(&proof, expected, &mut Session::new())
        .unwrap();
    assert_eq!(proven.strength(), Strength::Merkle);
    assert_eq!(proven.index(), Some(1));
    assert_eq!(proven.disclosed(), [("/city".into(), json!("Berlin"))]);
    let leaf = proven.entry().unwrap().leaf_hash().to_string();
    assert!(PROOF.contains(&leaf), "{leaf}");
}

#[test]
fn the_example_log_proof_is_the_proof_s() {
    let (_, value) = example();
    let text = value["proof"]["tlogProof"].as_str().unwrap();
    let fenced = blocks(LOG, "");
    assert!(fenced.contains(&text), "log.md shows the log proof");
    let proof = TlogProof::parse(text).unwrap();
    let text = Checkpoint::from_note(&proof.checkpoint).unwrap().to_text();
    assert!(
        fenced.contains(&text.as_str()),
        "log.md shows the checkpoint"
    );
    let cosigned = cosigned_message(1_700_000_000, &text);
    assert!(
        fenced.contains(&cosigned.as_str()),
        "log.md shows what a witness signs"
    );
    let line = proof.checkpoint.strip_prefix(&text).unwrap().trim_start();
    assert!(fenced.contains(&line), "log.md shows the signature line");
    assert!(Entry::parse(value["proof"]["entry"].as_str().unwrap()).is_ok());
}

#[test]
fn the_example_anchors_are_read() {
    let blocks = blocks(ANCHORS, "json");
    let anchors = Anchors::from_json(blocks[0].as_bytes()).unwrap();
    assert_eq!(anchors.quorum(), 1);
    let witness: &VerifierKey = &anchors.witnesses()[0];
    assert_eq!(witness.name(), "witness.example");
    assert_eq!(anchors.logs()[0].floor().unwrap().0, 2);
    let again = Anchors::from_json(anchors.to_json().as_bytes());
    assert_eq!(again, Ok(anchors));
}
