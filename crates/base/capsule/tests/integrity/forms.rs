//! The one form of a proof (adversarial cases A of the capsule format).

use counterfoil_capsule::integrity::{Binding, ProofError, sign};
use counterfoil_types::json::Value;
use serde_json::json;

use crate::common::{alice, at, check, code, document, signed_by, with};

/// Adversarial case A10: other multibases, lengths and spellings of a signature.
#[test]
fn a_signature_has_one_spelling() {
    let good = signed_by(&alice(), document())["proof"]["proofValue"].clone();
    let good = good.as_str().unwrap();
    let bytes = bs58::decode(&good[1..]).into_vec().unwrap();
    let z = |bytes: &[u8]| format!("z{}", bs58::encode(bytes).into_string());
    assert_eq!(z(&bytes), good);
    for bad in [
        format!("z1{}", &good[1..]),
        format!("z111{}", &good[1..]),
        format!("Z{}", &good[1..]),
        format!("f{}", hex::encode(&bytes)),
        good[1..].to_owned(),
        z(&bytes[..63]),
        z(&[&bytes[..], &[0]].concat()),
        z(&[&[0], &bytes[..]].concat()),
        format!("{good} "),
        format!("{good}\n"),
        format!(" {good}"),
        good.replace(&good[4..5], "0"),
        format!("z{}", "1".repeat(64)[..63].to_owned()),
        format!("z{}", "2".repeat(1 << 20)),
        "z".to_owned(),
        String::new(),
    ] {
        let shown: String = bad.chars().take(100).collect();
        assert_eq!(code(&with("proofValue", bad)), "E_SCHEMA", "{shown:?}");
    }
    // 64 zeros are 64 bytes in their one spelling: a signature, of nothing.
    let zeros = format!("z{}", "1".repeat(64));
    assert_eq!(code(&with("proofValue", zeros)), "E_SIGNATURE");
}

#[test]
fn a_proof_is_closed_and_its_members_are_what_they_must_be() {
    for (member, value) in [
        ("expires", json!("2030-01-01T00:00:00Z")),
        ("previousProof", json!("urn:1")),
        ("Created", json!("2026-01-01T00:00:00Z")),
        ("created", json!(1_770_000_000)),
        ("created", json!("2026-01-01T00:00:00+01:00")),
        ("proofPurpose", json!(["assertionMethod"])),
        ("proofValue", Value::Null),
        ("domain", json!(["a", "b"])),
        ("cryptosuite", Value::Null),
        ("type", json!(["DataIntegrityProof"])),
    ] {
        assert_eq!(code(&with(member, value)), "E_SCHEMA", "{member}");
    }
    for member in ["type", "cryptosuite", "proofPurpose", "proofValue"] {
        let mut document = signed_by(&alice(), document());
        document["proof"].as_object_mut().unwrap().remove(member);
        assert_eq!(code(&document), "E_SCHEMA", "{member}");
    }
}

/// A context that was laid over the document after it was signed changes what its words mean.
#[test]
fn the_context_is_the_one_that_was_signed() {
    let mut plain = document();
    plain["@context"] = json!(["https://one.example"]);
    let signed = signed_by(&alice(), plain);
    assert!(check(&signed).is_ok());
    let mut longer = signed.clone();
    longer["@context"] = json!(["https://one.example", "https://evil.example"]);
    assert_eq!(code(&longer), "E_CONTEXT");
    let mut without = signed;
    without.as_object_mut().unwrap().remove("@context");
    assert_eq!(code(&without), "E_CONTEXT");
}

#[test]
fn only_an_object_with_a_canonical_form_is_signed() {
    let refused = |document| sign(document, &alice(), at(), &Binding::ASSERTION).unwrap_err();
    assert_eq!(refused(json!([1])), ProofError::NotAnObject);
    assert_eq!(
        refused(json!({"n": 9_007_199_254_740_993_u64})).code(),
        "E_NOT_CANONICAL"
    );
    assert_eq!(refused(json!({"proof": "z"})).code(), "E_SCHEMA");
    assert_eq!(check(&json!("text")).unwrap_err(), ProofError::NotAnObject);
}
