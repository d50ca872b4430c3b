//! Whose proof counts: the right key's, for the right purpose (adversarial cases B of the capsule format).

use counterfoil_capsule::integrity::{
    Binding, MAX_PROOFS, ProofError, Purpose, sign, verification_method, verify,
};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use counterfoil_types::DidKey;
use counterfoil_types::json::Value;
use proptest::prelude::*;
use serde_json::json;

use crate::common::{alice, at, check, code, document, mallory, signed_by, with};

#[test]
fn what_is_signed_is_verified_and_names_its_key() {
    let signed = signed_by(&alice(), document());
    assert_eq!(check(&signed), Ok(alice().agent()));
    assert_eq!(signed["proof"]["created"], at().to_string());
}

/// After a rotation the proof names the key that signs, and the document the agent (C12).
#[test]
fn a_rotated_key_signs_for_its_agent() {
    let agent = alice().agent();
    let later = AgentSigner::rotated(agent, 1, SecretKey::from_seed([9; 32]));
    let document = signed_by(&later, document());
    let keys = [agent, later.key()];
    let verified = verify(&document, agent, &keys, &Binding::ASSERTION).unwrap();
    assert_eq!(verified, later.key());
    assert_eq!(code(&document), "E_KEY_NOT_AUTHORISED");
}

/// Adversarial case B17: the verification method is another's, while the document names the victim.
#[test]
fn a_proof_by_another_key_does_not_count() {
    assert_eq!(
        code(&signed_by(&mallory(), document())),
        "E_KEY_NOT_AUTHORISED"
    );
    let (own, others) = (alice().agent().to_string(), mallory().agent().to_string());
    for method in [
        own.clone(),
        format!("{own}#{}", &others[8..]),
        format!("{others}#{}", &own[8..]),
        format!("{own}#key-1"),
        format!(" {}", verification_method(&alice().agent())),
        String::new(),
    ] {
        assert_eq!(
            code(&with("verificationMethod", method.as_str())),
            "E_KEY_NOT_AUTHORISED",
            "{method}"
        );
    }
    // Under the victim's name, the stranger's signature does not hold.
    let mut forged = signed_by(&mallory(), document());
    forged["proof"]["verificationMethod"] = verification_method(&alice().agent()).into();
    assert_eq!(code(&forged), "E_SIGNATURE");
}

/// Adversarial case B18: the proof of a request is pasted on an attestation.
#[test]
fn a_proof_for_another_purpose_does_not_count() {
    let binding = Binding {
        purpose: Purpose::Authentication,
        ..Binding::ASSERTION
    };
    let request = sign(document(), &alice(), at(), &binding).unwrap();
    assert_eq!(code(&request), "E_PURPOSE");
    assert_eq!(code(&with("proofPurpose", "authentication")), "E_PURPOSE");
    let mut pasted = request;
    pasted["proof"]["proofPurpose"] = "assertionMethod".into();
    assert_eq!(
        code(&pasted),
        "E_SIGNATURE",
        "the purpose is signed with it"
    );
}

/// Adversarial case B19: a suite that is not known leaves the document open; a JWS without
/// algorithm, and any other type of proof, is refused.
#[test]
fn an_unknown_suite_is_open_and_another_type_is_refused() {
    for suite in ["eddsa-rdfc-2022", "ecdsa-jcs-2019", "mldsa-jcs-2030", ""] {
        let error = check(&with("cryptosuite", suite)).unwrap_err();
        assert!(error.is_indeterminate(), "{suite}");
        assert_eq!(error.code(), "E_UNKNOWN_SUITE");
    }
    let card = json!({"type": "JsonWebSignature2020", "jws": "eyJhbGciOiJub25lIn0..",
        "verificationMethod": verification_method(&alice().agent())});
    let mut document = document();
    document["proof"] = card;
    assert_eq!(check(&document), Err(ProofError::ProofType));
    assert_eq!(code(&with("alg", "none")), "E_SCHEMA");
}

/// Adversarial case B20: a proof that was taken away is missing, and nothing is skipped.
#[test]
fn a_removed_proof_is_missing() {
    assert_eq!(code(&document()), "E_SIGNATURE_MISSING");
    for none in [json!([]), json!(null), json!("z"), json!([null])] {
        let mut document = document();
        document["proof"] = none;
        assert_eq!(code(&document), "E_SCHEMA");
    }
}

/// Adversarial case B21: one good proof by the right key is enough, and a stranger's is ignored,
/// before or behind it, valid or not.
#[test]
fn one_good_proof_by_the_right_key_suffices() {
    let mine = signed_by(&alice(), document())["proof"].clone();
    let strangers = signed_by(&mallory(), document())["proof"].clone();
    let mut bad = mine.clone();
    bad["created"] = "1999-01-01T00:00:00Z".into();
    let proofs = |proofs: Vec<&Value>| {
        let mut document = document();
        document["proof"] = json!(proofs);
        document
    };
    for good in [
        vec![&mine],
        vec![&bad, &mine],
        vec![&mine, &bad],
        vec![&strangers, &mine],
        vec![&mine, &strangers, &bad],
    ] {
        assert!(check(&proofs(good)).is_ok());
    }
    assert_eq!(code(&proofs(vec![&strangers, &bad])), "E_SIGNATURE");
    assert_eq!(code(&proofs(vec![&strangers])), "E_KEY_NOT_AUTHORISED");
    let mut open = mine.clone();
    open["cryptosuite"] = "later-2031".into();
    let undecided = check(&proofs(vec![&bad, &open])).unwrap_err();
    assert!(undecided.is_indeterminate());
    assert!(check(&proofs(vec![&open, &mine])).is_ok());
    let many = vec![&mine; MAX_PROOFS + 1];
    assert_eq!(code(&proofs(many)), "E_SCHEMA");
}

/// A second signer adds a proof; each is over the document without the other.
#[test]
fn proofs_are_added_and_hold_apart() {
    let both = signed_by(&mallory(), signed_by(&alice(), document()));
    assert_eq!(both["proof"].as_array().unwrap().len(), 2);
    assert!(check(&both).is_ok());
    let (alice, mallory) = (alice().agent(), mallory().agent());
    assert!(verify(&both, mallory, &[mallory], &Binding::ASSERTION).is_ok());
    let refused = verify(&both, alice, &[], &Binding::ASSERTION).unwrap_err();
    assert_eq!(refused.code(), "E_KEY_NOT_AUTHORISED");
}

/// Adversarial case B22: the time of the proof is whatever its signer says, and nothing follows from it.
#[test]
fn any_time_is_accepted_and_none_is_used() {
    for created in ["1990-01-01T00:00:00Z", "2090-12-31T23:59:59.999999Z"] {
        let created: counterfoil_capsule::integrity::Created = created.parse().unwrap();
        let document = sign(document(), &alice(), created, &Binding::ASSERTION).unwrap();
        assert!(check(&document).is_ok());
    }
}

/// Adversarial case B14: keys of small order, for which many messages share a signature.
#[test]
fn a_weak_key_verifies_nothing() {
    let mut identity = [0; 32];
    identity[0] = 1;
    for weak in [identity, [0; 32]] {
        let weak = DidKey::from_public_key(weak);
        let document = with("verificationMethod", verification_method(&weak));
        let error = verify(&document, weak, &[weak], &Binding::ASSERTION).unwrap_err();
        assert_eq!(error.code(), "E_KEY_WEAK");
    }
}

/// A proof that was made for one audience or one question proves nothing to another.
#[test]
fn audience_and_nonce_are_compared() {
    let binding = |domain: Option<&str>, challenge: Option<&str>| Binding {
        purpose: Purpose::Authentication,
        domain: domain.map(String::from),
        challenge: challenge.map(String::from),
    };
    let made = binding(Some("did:key:bob"), Some("nonce-1"));
    let request = sign(document(), &alice(), at(), &made).unwrap();
    let agent = alice().agent();
    let ask = |domain, challenge| {
        let asked = verify(&request, agent, &[agent], &binding(domain, challenge));
        asked.map_err(|error| error.code())
    };
    assert!(ask(Some("did:key:bob"), Some("nonce-1")).is_ok());
    for (domain, challenge) in [
        (Some("did:key:carol"), Some("nonce-1")),
        (Some("did:key:bob"), Some("nonce-2")),
        (None, Some("nonce-1")),
        (Some("did:key:bob"), None),
    ] {
        assert_eq!(ask(domain, challenge), Err("E_BINDING"));
    }
}

proptest! {
    /// Whatever one member of the document becomes, the proof does not hold for it.
    #[test]
    fn every_member_is_signed(member in "[a-z]{1,5}", number in 0..1000_u32) {
        let mut changed = signed_by(&alice(), document());
        changed[&member] = number.into();
        prop_assert_eq!(code(&changed), "E_SIGNATURE");
    }

    /// No signature of 64 other bytes holds.
    #[test]
    fn no_other_signature_holds(bytes in prop::array::uniform32(any::<u8>())) {
        let value = format!("z{}", bs58::encode([bytes, bytes].concat()).into_string());
        prop_assert_eq!(code(&with("proofValue", value)), "E_SIGNATURE");
    }
}
