//! Shape: what is not exactly a proof is none (CR-19, CR-20, CR-21, M-8, M-12).

use counterfoil_types::json::{JsonError, Value};
use counterfoil_types::{ReadError, VerificationMethod, VerificationProof};
use counterfoil_verifier::{Examiner, Expected, Refusal, Session, VerifierSet};
use serde_json::json;

use crate::support::Case;

/// Appendix E's verifier accepts a proof that holds nothing but a root of the prover's making.
#[test]
fn computed_root_alone_proves_nothing() {
    let case = Case::merkle();
    let refusal = case.refusal_of(|data| *data = json!({"computedRoot": data["computedRoot"]}));
    assert_eq!(refusal, missing("entry"));
}

/// Appendix E's verifier accepts two equal roots.
#[test]
fn equal_roots_without_an_anchored_log_prove_nothing() {
    let case = Case::merkle();
    let refusal = case.refusal_of(|data| {
        let root = data["computedRoot"].clone();
        *data = json!({"computedRoot": root, "expectedRoot": root});
    });
    assert_eq!(refusal, missing("entry"));
    let refusal = case.refusal_of(|data| {
        data.as_object_mut().unwrap().remove("tlogProof");
    });
    assert_eq!(refusal, missing("tlogProof"));
}

#[test]
fn a_method_in_another_spelling_is_another_method() {
    let case = Case::merkle();
    for method in [
        "Merkle",
        "MERKLE",
        "merkle ",
        " merkle",
        "merk1e",
        "m\u{435}rkle",
        "merkle\0",
    ] {
        let method = VerificationMethod::new(method).unwrap();
        let refusal = case.refusal(|case| case.method = method.clone());
        assert_eq!(refusal, Refusal::UnknownMethod { method });
    }
}

#[test]
fn the_data_of_one_method_is_not_that_of_another() {
    let case = Case::merkle();
    let under = |method| {
        let method = VerificationMethod::new(method).unwrap();
        case.refusal(|case| case.method = method)
    };
    for method in ["hash", "signature"] {
        assert_eq!(under(method), unknown("proof", "computedRoot"));
    }
    assert_eq!(under("existence"), Refusal::DataUnexpected);
    assert_eq!(under("none"), Refusal::NeverVerifies);
}

#[test]
fn proof_data_must_be_an_object() {
    for case in [Case::merkle(), Case::signed(), Case::hashed()] {
        for data in [json!(null), json!([]), json!("x"), json!(1), json!(true)] {
            let refusal = case.refusal_of(|own| *own = data);
            let expected = "an object";
            assert_eq!(refusal, wrong_type("proof", expected));
        }
    }
}

#[test]
fn proof_data_must_be_there() {
    for case in [Case::merkle(), Case::signed(), Case::hashed()] {
        let proof = VerificationProof::new(case.method.clone(), None).unwrap();
        let verifiers = VerifierSet::new(case.anchors);
        let verdict = verifiers.examine(&proof, Expected::AnyWorld, &mut Session::new());
        assert_eq!(verdict, Err(Refusal::DataMissing));
        assert!(!verifiers.verifies(&proof));
    }
}

/// FP-10, FP-11: such a value can't even be made.
#[test]
fn a_time_or_an_actor_inside_a_proof_is_refused() {
    let case = Case::merkle();
    for (name, value) in [
        ("verifiedAt", json!(1)),
        ("verifiedBy", json!({"actorId": "a", "kind": "agent"})),
        ("timestamp", json!(1)),
        ("actor", json!("a")),
    ] {
        let mut data = case.data.clone();
        data[name] = value;
        let error = VerificationProof::new(VerificationMethod::Merkle, Some(data)).unwrap_err();
        let expected = format!("proof must not contain {name}");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

/// CR-21, FP-17: evidence has to be taken apart first (M-12).
#[test]
fn evidence_is_not_proof_data() {
    let case = Case::merkle();
    let refusal = case.refusal_of(|data| *data = json!({"method": "merkle", "proof": data}));
    assert_eq!(refusal, unknown("proof", "method"));
}

#[test]
fn an_unknown_member_is_refused_wherever_it_stands() {
    let case = Case::disclosing(&["/city", "/none"]);
    for (at, place) in [
        ("", "proof"),
        ("/disclosed", "disclosed"),
        ("/disclosed/fields/0", "disclosed.fields[]"),
    ] {
        let refusal = case.refusal_of(|data| {
            data.pointer_mut(at).unwrap()["more"] = json!("x");
        });
        let member = "more".into();
        assert_eq!(refusal, Refusal::UnknownMember { place, member });
    }
    let refusal = Case::above_floor(7).refusal_of(|data| data["consistency"]["more"] = json!(1));
    assert_eq!(refusal, unknown("consistency", "more"));
}

/// M-8, CR-19, CR-20: a clock, a counter or an actor under a name of the prover's own is data of no method.
#[test]
fn what_a_method_does_not_define_is_refused_whatever_its_name() {
    for member in ["checkedBy", "counter", "clock", "nonce"] {
        for case in [Case::merkle(), Case::signed(), Case::hashed()] {
            let refusal = case.refusal_of(|data| data[member] = json!("1"));
            assert_eq!(refusal, unknown("proof", member));
        }
        let refusal = Case::hashed().refusal(|case| {
            case.method = VerificationMethod::Existence;
            case.data = json!({ member: "1" });
        });
        assert_eq!(refusal, Refusal::DataUnexpected);
    }
}

#[test]
fn an_unknown_member_is_repeated_in_part_only() {
    let case = Case::merkle();
    let refusal = case.refusal_of(|data| data["€".repeat(1000)] = json!(1));
    let member = "€".repeat(21);
    assert_eq!(refusal, unknown("proof", &member));
}

#[test]
fn numbers_for_strings_are_refused() {
    let expected = "a string";
    let case = Case::merkle();
    for place in ["computedRoot", "expectedRoot", "entry", "tlogProof"] {
        for value in [json!(7), json!(null), json!(["x"]), json!({})] {
            let refusal = case.refusal_of(|data| data[place] = value);
            assert_eq!(refusal, Refusal::WrongType { place, expected });
        }
    }
    let refusal = Case::disclosing(&["/city", "/none"])
        .refusal_of(|data| data["disclosed"]["fields"][0]["index"] = json!(2));
    assert_eq!(refusal, wrong_type("disclosed.fields[].index", expected));
    let refusal = Case::above_floor(7).refusal_of(|data| data["consistency"]["from"] = json!(7));
    assert_eq!(refusal, wrong_type("consistency.from", expected));
    let expected = "an array";
    let refusal =
        Case::above_floor(7).refusal_of(|data| data["consistency"]["hashes"] = json!("x"));
    assert_eq!(refusal, wrong_type("consistency.hashes", expected));
}

/// `null` is not absent.
#[test]
fn null_members_are_refused() {
    let expected = "an object";
    let refusal = Case::merkle().refusal_of(|data| data["consistency"] = json!(null));
    assert_eq!(refusal, wrong_type("consistency", expected));
    for case in [Case::merkle(), Case::signed(), Case::hashed()] {
        let refusal = case.refusal_of(|data| data["disclosed"] = json!(null));
        assert_eq!(refusal, wrong_type("disclosed", expected));
    }
}

#[test]
fn a_string_of_a_hundred_megabytes_is_refused_unread() {
    let huge = "x".repeat(100 << 20);
    let limit = 1 << 20;
    let found = huge.len();
    assert_eq!(
        read(huge.as_bytes()),
        Err(ReadError::Json(JsonError::TooLarge { limit, found }))
    );
    let case = Case::merkle();
    for member in ["entry", "tlogProof", "computedRoot"] {
        let refusal = case.refusal_of(|data| data[member] = Value::String(huge.clone()));
        assert!(
            matches!(refusal, Refusal::TooMuch { max: 524_288, .. }),
            "{refusal}"
        );
    }
}

/// Strings that fit alone do not fit together.
#[test]
fn the_limit_is_for_the_proof_as_a_whole() {
    let case = Case::merkle();
    let refusal = case.refusal_of(|data| {
        data["entry"] = Value::String("x".repeat(300_000));
        data["tlogProof"] = Value::String("x".repeat(300_000));
    });
    assert!(
        matches!(refusal, Refusal::TooMuch { max: 524_288, .. }),
        "{refusal}"
    );
}

#[test]
fn bytes_that_are_no_strict_json_are_refused() {
    let wire = wire(&Case::merkle());
    let deep = ["[".repeat(30_000), "]".repeat(30_000)].concat();
    let name = "entry".into();
    for (bytes, error) in [
        (
            wire.replacen("\"entry\":", "\"entry\":\"x\",\"entry\":", 1),
            JsonError::DuplicateMember { name },
        ),
        (
            format!("{{\"method\":\"merkle\",\"proof\":{deep}}}"),
            JsonError::TooDeep { limit: 64 },
        ),
        (["\u{feff}", &wire].concat(), JsonError::ByteOrderMark),
        (
            wire.replacen("\"entry\":\"", "\"entry\":\"\\ud800", 1),
            JsonError::LoneSurrogate,
        ),
    ] {
        assert_eq!(read(bytes.as_bytes()), Err(ReadError::Json(error)));
    }
    let syntax =
        |read: Result<_, ReadError>| matches!(read, Err(ReadError::Json(JsonError::Syntax { .. })));
    assert!(syntax(read([&wire, "{}"].concat().as_bytes())));
    assert!(syntax(read([&wire, "\0"].concat().as_bytes())));
    assert!(syntax(read(&wire.as_bytes()[..wire.len() - 1])));
}

const fn wrong_type(place: &'static str, expected: &'static str) -> Refusal {
    Refusal::WrongType { place, expected }
}

const fn missing(member: &'static str) -> Refusal {
    let place = "proof";
    Refusal::MissingMember { place, member }
}

fn unknown(place: &'static str, member: &str) -> Refusal {
    let member = member.into();
    Refusal::UnknownMember { place, member }
}

/// The proof in its JSON form; it is read back and passes.
fn wire(case: &Case) -> String {
    let proof = case.wire();
    let wire = serde_json::to_string(&proof).unwrap();
    let proof = read(wire.as_bytes()).unwrap();
    assert!(VerifierSet::new(case.anchors.clone()).verifies(&proof));
    wire
}

fn read(bytes: &[u8]) -> Result<VerificationProof, ReadError> {
    VerificationProof::from_json(bytes)
}
