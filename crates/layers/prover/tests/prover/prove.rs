//! The five methods: proof if valid and only then, deterministic, without time and actor.

use counterfoil_capsule::{Receipt, World};
use counterfoil_prover::{
    ExistenceProver, HashProver, MemoryVerifier, MerkleProver, NoneProver, ProofVerifier,
    ProveError, SignatureProver, open,
};
use counterfoil_types::json::Value;
use counterfoil_types::{VerificationMethod, VerificationProof, WorldId};
use counterfoil_verifier::{
    Examiner, ExistenceVerifier, Expected, HashVerifier, MerkleVerifier, NoneVerifier, Session,
    SignatureVerifier, Strength, VerifierSet,
};
use proptest::prelude::*;
use serde_json::json;

use crate::fixture::{
    anchors, any_json, bare, error, foreign_anchors, header, logged, note, recalled, reference,
    sealed, with_consistency,
};

/// All methods that prove something.
fn provers() -> Vec<(VerificationMethod, Strength, Box<dyn MemoryVerifier>)> {
    vec![
        (
            VerificationMethod::Existence,
            Strength::Existence,
            Box::new(ExistenceProver::new(ExistenceVerifier)),
        ),
        (
            VerificationMethod::Hash,
            Strength::Hash,
            Box::new(HashProver::new(HashVerifier)),
        ),
        (
            VerificationMethod::Signature,
            Strength::Signature,
            Box::new(SignatureProver::new(SignatureVerifier::new(anchors()))),
        ),
        (
            VerificationMethod::Merkle,
            Strength::Merkle,
            Box::new(MerkleProver::new(MerkleVerifier::new(anchors()))),
        ),
    ]
}

fn merkle() -> MerkleProver {
    MerkleProver::new(MerkleVerifier::new(anchors()))
}

fn proof(prover: &dyn MemoryVerifier, world: &World) -> VerificationProof {
    let result = prover.prove(&reference("world-1"), world);
    result.into_proof().unwrap()
}

/// The header of the entry opens the capsule, and no other one does.
#[test]
fn a_capsule_is_opened_with_its_own_header() {
    let world = recalled();
    let opened = |header: &str| open(&reference("world-1"), &world, header);
    let capsule = opened(&header(&world)).unwrap();
    let logged = format!("{capsule:?}");
    assert!(logged.contains("did:key:"), "{logged}");
    assert!(!logged.contains(&capsule.content[..20]), "{logged}");
    let other = opened(&header(&bare("world-1", json!({}))));
    assert!(matches!(other, Err(ProveError::HeaderChanged)));
}

/// What every method says of a World; they must agree on why not.
fn refused(world: &World) -> ProveError {
    let provers = provers().into_iter();
    let results = provers.map(|(_, _, prover)| prover.prove(&reference("world-1"), world));
    let errors: Vec<ProveError> = results.map(|result| error(&result).clone()).collect();
    assert!(
        errors.windows(2).all(|pair| pair[0] == pair[1]),
        "{errors:?}"
    );
    errors[0].clone()
}

/// The same World with something put into its receipt.
fn with_member(world: &World, member: &str, value: Value) -> World {
    let mut whole = world.to_value();
    whole["metadata"]["receipt"][member] = value;
    World::try_from(whole).unwrap()
}

/// M-7, CR-21: what is proven verifies, by itself and for its reference.
#[test]
fn what_is_proven_verifies() {
    let (memory, world) = (reference("world-1"), recalled());
    for (method, strength, prover) in provers() {
        let proof = prover.prove(&memory, &world).into_proof().unwrap();
        assert_eq!(proof.method(), &method);
        assert!(prover.verify_proof(&proof), "{method}");
        let expected = Expected::World(memory.world_id());
        let set = VerifierSet::new(anchors());
        let proven = set.examine(&proof, expected, &mut Session::new()).unwrap();
        assert_eq!(proven.strength(), strength);
        let again = VerificationProof::from_json(&serde_json::to_vec(&proof).unwrap()).unwrap();
        assert_eq!(again, proof);
    }
}

/// A proof is worth what the verifier trusts: other anchors refuse the same bytes.
#[test]
fn a_proof_does_not_bring_its_own_trust() {
    let (memory, world) = (reference("world-1"), recalled());
    let stranger = MerkleProver::new(MerkleVerifier::new(foreign_anchors()));
    let proof = stranger.prove(&memory, &world).into_proof().unwrap();
    assert!(!stranger.verify_proof(&proof));
    assert!(merkle().verify_proof(&proof));
    let stranger = SignatureProver::new(SignatureVerifier::new(foreign_anchors()));
    assert!(!stranger.verify_proof(&stranger.prove(&memory, &world).into_proof().unwrap()));
}

/// M-8, CR-16: the same arguments give the same bytes, whichever prover and however often.
#[test]
fn prove_is_deterministic() {
    for ((_, _, one), (_, _, other)) in provers().iter().zip(provers()) {
        let (memory, world) = (reference("world-1"), recalled());
        let bytes = |prover: &dyn MemoryVerifier, world: &World| {
            serde_json::to_vec(&prover.prove(&memory, world)).unwrap()
        };
        let first = bytes(one.as_ref(), &world);
        assert_eq!(first, bytes(one.as_ref(), &world));
        assert_eq!(first, bytes(other.as_ref(), &recalled()));
    }
}

/// CR-19, CR-20, FP-10, FP-11: no time and no actor, under any name, in any proof.
#[test]
fn a_proof_holds_no_time_and_no_actor() {
    let world = recalled();
    let receipt = Receipt::of(&world).unwrap().unwrap();
    for (method, _, prover) in provers() {
        let proof = proof(prover.as_ref(), &world);
        let text = serde_json::to_string(&proof).unwrap();
        let words = "verifiedAt verifiedBy timestamp 2026- did:key actor 1770";
        for word in words.split(' ') {
            assert!(!text.contains(word), "{method}: {word} in {text}");
        }
        assert!(!text.contains(&receipt.agent().to_string()[8..]));
        assert!(!text.contains(&hex_of(receipt.agent().public_key())));
    }
}

/// The salt opens the content address, so it stays with the content.
#[test]
fn a_proof_does_not_open_the_content() {
    for (method, _, prover) in provers() {
        let proof = proof(prover.as_ref(), &recalled());
        let text = serde_json::to_string(&proof).unwrap();
        assert!(
            !text.contains("blue pot") && !text.contains("paWlpaWl"),
            "{method}: {text}"
        );
    }
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Another World, none that a store sealed, one with a receipt that is none, and one with the receipt of another.
#[test]
fn a_world_without_its_own_receipt_is_not_proven() {
    let other = logged(bare("world-2", note()), 4, 11);
    assert!(matches!(refused(&other), ProveError::OtherWorld { .. }));
    let bare = bare("world-1", note());
    assert_eq!(refused(&bare), ProveError::NoReceipt);
    let foreign = Receipt::of(&other).unwrap().unwrap().beside(bare);
    assert!(matches!(refused(&foreign), ProveError::EntryOfOther { .. }));
    let members = [
        "entry",
        "agent",
        "salt",
        "signature",
        "tlogProof",
        "verifiedAt",
    ];
    for member in members {
        let found = refused(&with_member(&recalled(), member, json!(7)));
        assert!(matches!(found, ProveError::Receipt(_)), "{member}");
    }
}

/// Every member of the content is bound, and those of `metadata` are not.
/// (NS-17)
#[test]
fn changed_content_is_not_proven() {
    let world = recalled();
    for (member, value) in [
        (
            "data",
            json!({ "kind": "note", "text": "the key is under the red pot" }),
        ),
        ("createdAt", json!(1)),
        ("createdBy", json!("prop-1")),
        ("schemaHash", json!("")),
        ("snapshotHash", json!("")),
        ("extra", json!(null)),
    ] {
        let mut whole = world.to_value();
        whole[member] = value;
        let changed = World::try_from(whole).unwrap();
        assert_eq!(refused(&changed), ProveError::ContentChanged, "{member}");
    }
    let mut whole = world.to_value();
    whole["metadata"]["note"] = json!("read twice");
    let same = World::try_from(whole).unwrap();
    assert!(merkle().prove(&reference("world-1"), &same).valid());
}

#[test]
fn another_salt_is_not_proven() {
    let salted = with_member(
        &recalled(),
        "salt",
        json!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    );
    assert_eq!(refused(&salted), ProveError::ContentChanged);
}

/// An entry that was regenerated for the content, but for its field root.
#[test]
fn another_field_root_is_not_proven() {
    let receipt = Receipt::of(&recalled()).unwrap().unwrap();
    let entry = receipt.entry().to_text();
    let root = receipt.entry().field_root.to_string();
    let forged = entry.replacen(&root, &format!("sha256:{}", "0".repeat(64)), 1);
    let world = with_member(&recalled(), "entry", forged.into());
    assert!(matches!(refused(&world), ProveError::FieldsChanged { .. }));
    let count = receipt.entry().field_count;
    let forged = entry.replacen(&format!(" {count}\n"), &format!(" {}\n", count + 1), 1);
    let world = with_member(&recalled(), "entry", forged.into());
    assert!(matches!(refused(&world), ProveError::FieldsChanged { .. }));
}

#[test]
fn a_world_that_is_not_in_a_log_has_no_inclusion_proof() {
    let world = sealed(bare("world-1", note()));
    let result = merkle().prove(&reference("world-1"), &world);
    assert_eq!(error(&result), &ProveError::NotInLog);
    let signature = SignatureProver::new(SignatureVerifier::new(anchors()));
    assert!(signature.prove(&reference("world-1"), &world).valid());
}

#[test]
fn a_consistency_proof_is_handed_on() {
    let world = with_consistency(recalled());
    let proof = proof(&merkle(), &world);
    assert_eq!(
        proof.proof().unwrap()["consistency"],
        json!({ "from": "11", "hashes": [] })
    );
}

/// The method `none` never proves and never verifies.
/// (NS-16)
#[test]
fn none_proves_nothing() {
    let prover = NoneProver::new(NoneVerifier);
    let result = prover.prove(&reference("world-1"), &recalled());
    assert_eq!(error(&result), &ProveError::NothingToProve);
    let none = VerificationProof::new(VerificationMethod::None, None).unwrap();
    assert!(!prover.verify_proof(&none));
}

/// Specification §5.2.1, and never both members.
/// (NS-08)
#[test]
fn a_result_has_the_wire_shape_of_the_specification() {
    let existence = ExistenceProver::new(ExistenceVerifier);
    let valid = existence.prove(&reference("world-1"), &recalled());
    assert_eq!(
        serde_json::to_value(&valid).unwrap(),
        json!({ "valid": true, "proof": { "method": "existence" } })
    );
    assert!(valid.valid() && valid.proof().is_some() && valid.error().is_none());
    let invalid = existence.prove(&reference("world-1"), &bare("world-1", note()));
    assert_eq!(
        serde_json::to_value(&invalid).unwrap(),
        json!({
            "valid": false,
            "error": "the World carries no receipt; fetch it from the store that sealed it",
        })
    );
    assert!(!invalid.valid() && invalid.proof().is_none() && invalid.into_proof().is_none());
}

/// The members are exactly those of the format.
#[test]
fn the_payloads_are_closed() {
    for (prover, members) in provers().into_iter().zip([
        &[][..],
        &["entry"],
        &["entry", "keyId", "signature"],
        &["computedRoot", "entry", "expectedRoot", "tlogProof"],
    ]) {
        let proof = proof(prover.2.as_ref(), &recalled());
        let object = proof.proof().map(|value| value.as_object().unwrap());
        let names: Vec<&String> = object.into_iter().flat_map(|it| it.keys()).collect();
        assert_eq!(names, members);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_memory_anywhere_in_a_log_is_proven(
        data in any_json(), id in "\\PC{1,20}", (index, size) in (1..40_u64).prop_flat_map(|size| (0..size, Just(size))),
    ) {
        let world = logged(bare(&id, data), index, size);
        let proof = merkle().prove(&reference(&id), &world).into_proof().unwrap();
        prop_assert!(merkle().verify_proof(&proof));
        let set = VerifierSet::new(anchors());
        let other = WorldId::new(format!("{id} ")).unwrap();
        let mut session = Session::new();
        prop_assert!(set.examine(&proof, Expected::World(world.world_id()), &mut session).is_ok());
        prop_assert!(set.examine(&proof, Expected::World(&other), &mut session).is_err());
    }
}
