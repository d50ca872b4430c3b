//! Purity: one verdict for one input, no panic, bounded work (M-8, CR-21).

use counterfoil_types::json::Value;
use counterfoil_types::{VerificationMethod, VerificationProof};
use counterfoil_verifier::{
    Anchors, Examiner, Expected, Proven, Refusal, Session, TlogProof, VerifierSet,
};
use proptest::prelude::*;
use serde_json::json;

use crate::support::Case;

fn examine(anchors: &Anchors, data: Value) -> Result<Proven, Refusal> {
    let proof = VerificationProof::new(VerificationMethod::Merkle, Some(data)).unwrap();
    VerifierSet::new(anchors.clone()).examine(&proof, Expected::AnyWorld, &mut Session::new())
}

#[test]
fn the_verdict_is_the_same_in_every_thread_and_at_every_time() {
    let case = Case::disclosing(&["/city", "/none"]);
    let good = case.verdict().unwrap();
    let mut bad = case.data.clone();
    bad["disclosed"]["fields"][0]["value"] = json!("\"Paris\"");
    let refusal = examine(&case.anchors, bad.clone()).unwrap_err();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..10 {
                    assert_eq!(examine(&case.anchors, case.data.clone()), Ok(good.clone()));
                    assert_eq!(examine(&case.anchors, bad.clone()), Err(refusal.clone()));
                }
            });
        }
    });
}

/// Members come in any order; what is refused first does not depend on it.
#[test]
fn the_verdict_does_not_depend_on_the_order_of_members() {
    let case = Case::disclosing(&["/city", "/none"]);
    let reversed = |value: &Value| -> Value {
        let members = value.as_object().unwrap().iter().rev();
        members
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    assert_eq!(
        examine(&case.anchors, reversed(&case.data)),
        examine(&case.anchors, case.data.clone())
    );
    let mut bad = case.data.clone();
    bad["computedRoot"] = json!(1);
    bad["entry"] = json!(1);
    assert_eq!(
        examine(&case.anchors, reversed(&bad)),
        examine(&case.anchors, bad)
    );
}

/// The order in which anchors were added makes no difference either.
#[test]
fn the_verdict_does_not_depend_on_the_order_of_anchors() {
    let case = Case::witnessed(3, 2);
    let mut other = Case::witnessed(3, 2);
    let keys = other.witnesses.iter().rev().map(|it| it.key.clone());
    other.anchors = other.anchors.with_witnesses(keys.collect(), 2).unwrap();
    assert_eq!(case.verdict(), other.verdict());
}

/// A session only remembers: a bad proof between good ones changes no verdict.
#[test]
fn a_shared_session_changes_no_verdict() {
    let case = Case::merkle();
    let verifiers = VerifierSet::new(case.anchors.clone());
    let mut session = Session::new();
    for round in 0..200_usize {
        let (index, size) = (round % 5, 5 + round % 9);
        let world = &case.worlds[index].entry;
        let mut proof = case.log.proof(index, size);
        if round % 3 == 0 {
            proof.checkpoint = proof.checkpoint.replace("=\n", "\n");
        }
        let data = crate::support::merkle_data(world, &proof);
        let proof = VerificationProof::new(VerificationMethod::Merkle, Some(data.clone())).unwrap();
        let shared = verifiers.examine(&proof, Expected::World(&world.world), &mut session);
        assert_eq!(shared, examine(&case.anchors, data));
        assert_eq!(shared.is_ok(), round % 3 != 0);
    }
}

/// The dearest 64 KiB that we can think of, one by one: refused by a limit, not by patience. What
/// they take is measured by `cargo xtask bench`.
#[test]
fn the_dearest_inputs_are_refused() {
    let case = Case::witnessed(31, 31);
    let full = "x".repeat(64 << 10);
    let newlines = "\n".repeat(64 << 10);
    let lines = "— a AAAAAAAA\n".repeat(4_000);
    let path = ["c2sp.org/tlog-proof@v1\nindex 0\n", &"A".repeat(44), "\n"]
        .concat()
        .repeat(900);
    let mut inputs = Vec::new();
    for text in [full, newlines, lines, path] {
        for member in ["entry", "tlogProof", "computedRoot"] {
            let mut data = case.data.clone();
            data[member] = json!(text);
            inputs.push(data);
        }
        let mut proof = case.proof();
        proof.checkpoint = case.log.note(&(case.text() + &text));
        let mut data = case.data.clone();
        data["tlogProof"] = json!(proof.to_text());
        inputs.push(data);
    }
    for data in inputs {
        assert!(examine(&case.anchors, data).is_err());
    }
}

fn any_data() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        ".{0,60}",
        "[ -~\n—]{0,2000}",
        "c2sp.org/tlog-proof@v1\nindex [0-9]{1,3}\n([A-Za-z0-9+/]{43}=\n){0,70}\n.{0,40}\n[0-9]{1,20}\n[A-Za-z0-9+/]{43}=\n\n(— [a-z ]{0,5} [A-Za-z0-9+/=]{0,90}\n){0,40}",
        "counterfoil/capsule/v1\n(world|capsule|content|fields) .{0,90}\n",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from)
    ];
    let nested = leaf.prop_recursive(3, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(member(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    prop::collection::btree_map(member(), nested, 0..7)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn member() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "computedRoot",
        "expectedRoot",
        "entry",
        "tlogProof",
        "disclosed",
        "consistency",
        "fields",
        "index",
        "path",
        "salt",
        "value",
        "from",
        "hashes",
        "keyId",
        "signature",
    ])
    .prop_map(String::from)
}

proptest! {
    #[test]
    fn no_data_makes_a_verifier_panic_or_agree(data in any_data()) {
        let case = Case::merkle();
        let verifiers = VerifierSet::new(case.anchors);
        for method in ["merkle", "signature", "none", "x"] {
            let method = VerificationMethod::new(method).unwrap();
            let proof = VerificationProof::new(method, Some(data.clone())).unwrap();
            prop_assert!(!verifiers.verifies(&proof));
        }
    }

    #[test]
    fn no_bytes_make_a_parser_panic(bytes: Vec<u8>, text in "[ -~\n—]{0,4000}") {
        let _ = VerificationProof::from_json(&bytes);
        let _ = Anchors::from_json(&bytes);
        let lossy = String::from_utf8_lossy(&bytes);
        for text in [&*lossy, &text] {
            let _ = counterfoil_verifier::Checkpoint::from_note(text);
            let _ = TlogProof::parse(text);
            let _ = counterfoil_verifier::Entry::parse(text);
            let _ = counterfoil_verifier::Checkpoint::parse(text);
            let _ = text.parse::<counterfoil_verifier::VerifierKey>();
        }
    }

    #[test]
    fn a_spliced_proof_is_refused(at in 0_usize..1200, cut in 0_usize..40, paste in "[ -~\n]{0,20}") {
        let case = Case::disclosing(&["/city", "/none"]);
        let wire = serde_json::to_string(&case.data).unwrap();
        let start = wire.char_indices().map(|(at, _)| at).nth(at % wire.chars().count()).unwrap();
        let end = wire[start..].char_indices().map(|(at, _)| at + start).nth(cut).unwrap_or(wire.len());
        let spliced = [&wire[..start], &paste, &wire[end..]].concat();
        let value = serde_json::from_str::<Value>(&spliced).unwrap_or(Value::Null);
        if value != case.data {
            prop_assert!(VerificationProof::new(VerificationMethod::Merkle, Some(value.clone())).is_err()
                || examine(&case.anchors, value).is_err());
        }
    }
}
