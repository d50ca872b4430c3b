//! A proof holds for its purpose, its audience and its question alone (R1, R3; vc-di-eddsa §3.3).

use alloc::vec;

use counterfoil_capsule::Signer as _;
use counterfoil_capsule::integrity::{Binding, Created, Purpose, sign};
use counterfoil_types::json::{Limits, Value, parse};
use serde_json::json;

use super::arbitrary::signer;
use super::samples::{
    answered, asked, attestation, bytes, did, header, party, request, response, text,
};
use crate::documents::{
    Attestation, Audience, DocumentError, Request, RequestedCheck, Response, Signature, Testimony,
    VerifyParts, VerifyRequest, VerifyResult, VerifyResultParts,
};

const NONCE: &str = "AAAAAAAAAAAAAAAAAAAAAA";

fn created() -> Created {
    "2026-02-10T00:00:00.000000Z".parse().unwrap()
}

fn options(purpose: Purpose, domain: Option<&str>, challenge: Option<&str>) -> Binding {
    Binding {
        purpose,
        domain: domain.map(Into::into),
        challenge: challenge.map(Into::into),
    }
}

/// Such a request of agent 1, under such a proof.
fn proved(options: &Binding) -> Signature {
    let mut document = request();
    document["requester"]["public_key"] = json!(did(1));
    let document = sign(document, &signer(1), created(), options).unwrap();
    Request::parse(bytes(&document).as_bytes())
        .unwrap()
        .signature()
}

/// Another nonce than that of the samples.
const OTHER: &str = "AAAAAAAAAAAAAAAAAAAAAQ";

/// One binding holds, by the key of agent `by`, and each of the others is broken.
#[track_caller]
fn assert_bound(
    by: u8,
    good: &Binding,
    wrong: &[(Purpose, Option<&str>, Option<&str>)],
    proved: impl Fn(&Binding) -> Signature,
) {
    assert_eq!(proved(good), Signature::Holds(signer(by).key()));
    for (purpose, domain, challenge) in wrong {
        let found = proved(&options(*purpose, *domain, *challenge));
        assert_eq!(
            found,
            Signature::Broken,
            "{purpose} {domain:?} {challenge:?}"
        );
    }
}

/// R1: a request's proof is one of presence, for its audience, under its nonce.
#[test]
fn a_request_is_bound_to_audience_and_nonce() {
    use Purpose::{Assertion, Authentication};
    let audience = did(2);
    let wrong = [
        (Assertion, Some("*"), Some(NONCE)),
        (Authentication, Some(audience.as_str()), Some(NONCE)),
        (Authentication, None, Some(NONCE)),
        (Authentication, Some("*"), Some(OTHER)),
        (Authentication, Some("*"), None),
        (Authentication, None, None),
    ];
    let good = options(Authentication, Some("*"), Some(NONCE));
    assert_bound(1, &good, &wrong, proved);
}

/// R1, adversarial case F69: a response's proof is an assertion to the requester, under the nonce of the request.
#[test]
fn a_response_is_bound_to_requester_and_nonce() {
    use Purpose::{Assertion, Authentication};
    let (asker, other) = (did(1), did(3));
    let asker = Some(asker.as_str());
    let wrong = [
        (Authentication, asker, Some(NONCE)),
        (Assertion, Some(other.as_str()), Some(NONCE)),
        (Assertion, Some("*"), Some(NONCE)),
        (Assertion, asker, Some(OTHER)),
        (Assertion, None, None),
    ];
    let good = options(Assertion, asker, Some(NONCE));
    assert_bound(2, &good, &wrong, |options| {
        let mut document = response();
        document["responder"]["public_key"] = json!(did(2));
        document["audience"] = json!(did(1));
        let document = sign(document, &signer(2), created(), options).unwrap();
        let response = Response::parse(bytes(&document).as_bytes()).unwrap();
        response.signature_for(&asked())
    });
}

/// R1: an attestation is for everyone; a proof made for one is none.
#[test]
fn an_attestation_is_bound_to_nobody() {
    use Purpose::{Assertion, Authentication};
    let wrong = [
        (Authentication, None, None),
        (Assertion, Some("*"), None),
        (Assertion, None, Some(NONCE)),
    ];
    let good = options(Assertion, None, None);
    assert_bound(2, &good, &wrong, |options| {
        let mut document = attestation();
        document["agent"]["public_key"] = json!(did(2));
        let document = sign(document, &signer(2), created(), options).unwrap();
        let attestation = Attestation::parse(bytes(&document).as_bytes());
        attestation.unwrap().signature()
    });
}

/// R3: the key of the proof is the key that the document names, or the proof is broken.
#[test]
fn another_key_than_the_named_one_does_not_hold() {
    let mut document = request();
    document["requester"]["public_key"] = json!(did(2));
    let good = options(Purpose::Authentication, Some("*"), Some(NONCE));
    let document = sign(document, &signer(1), created(), &good).unwrap();
    let request = Request::parse(bytes(&document).as_bytes()).unwrap();
    assert_eq!(request.signature(), Signature::Broken);
}

/// R3: a proof without a named key is refused, and a named key without a proof shows nothing.
#[test]
fn a_proof_stands_where_its_key_is_named() {
    let good = options(Purpose::Authentication, Some("*"), Some(NONCE));
    let document = sign(request(), &signer(1), created(), &good).unwrap();
    match Request::parse(bytes(&document).as_bytes()) {
        Err(DocumentError::Member(fault)) => {
            assert_eq!(fault.pointer(), "/requester/public_key")
        }
        other => panic!("{other:?}"),
    }
    let mut document = request();
    document["requester"]["public_key"] = json!(did(1));
    let request = Request::parse(bytes(&document).as_bytes()).unwrap();
    assert_eq!(request.signature(), Signature::Absent);
}

/// R1: a signed answer names what it answers, whatever its parts said before.
#[test]
fn an_answer_takes_its_binding_from_the_request() {
    let (request, answer) = (asked(), answered());
    assert_eq!(answer.parts().in_response_to, Some(request.hash()));
    assert_eq!(
        answer.parts().header.request_id,
        request.parts().header.request_id
    );
    assert_eq!(answer.parts().audience, Audience::One(signer(1).key()));
    let nobody = Request::anonymous(request.parts().clone()).unwrap();
    let answer = Response::sign(answer.parts().clone(), &nobody, &signer(2)).unwrap();
    assert_eq!(answer.parts().audience, Audience::Everyone);
    assert_eq!(
        answer.signature_for(&nobody),
        Signature::Holds(signer(2).key())
    );
    assert_eq!(answer.signature_for(&request), Signature::Broken);
    let document = parse(answer.bytes(), Limits::DOCUMENT).unwrap();
    assert_eq!(document.pointer("/proof/domain"), Some(&json!("*")));
}

/// The hash of a request is over all of it but its proof.
#[test]
fn the_hash_of_a_request_is_over_all_but_its_proof() {
    let request = asked();
    let mut unsigned: Value = parse(request.bytes(), Limits::DOCUMENT).unwrap();
    unsigned.as_object_mut().unwrap().remove("proof");
    let hash = |document: &Value| Request::parse(bytes(document).as_bytes()).unwrap().hash();
    assert_eq!(hash(&unsigned), request.hash());
    unsigned["query"]["natural"] = json!("another question");
    assert_ne!(hash(&unsigned), request.hash());
}

/// R9: a result says what was asked of the responder, each check once, and no other.
#[test]
fn a_result_answers_what_was_asked() {
    use RequestedCheck::{EvidenceAccessible, SignatureValid};
    let asked = VerifyParts {
        header: asked().parts().header.clone(),
        requester: party("Babel"),
        audience: Audience::One(signer(2).key()),
        attestation_id: text("w1"),
        checks_requested: [SignatureValid, EvidenceAccessible].into(),
    };
    let request = VerifyRequest::sign(asked.clone(), &signer(1)).unwrap();
    let said = |checks: &[(RequestedCheck, Testimony)]| {
        let parts = VerifyResultParts {
            header: header(),
            in_response_to: None,
            audience: Audience::Everyone,
            responder: party("djclawd"),
            attestation_id: text("something else"),
            checks: checks.iter().copied().collect(),
        };
        VerifyResult::sign(parts, &request, &signer(2))
    };
    let pass = |check| (check, Testimony::Pass);
    let result = said(&[pass(EvidenceAccessible), pass(SignatureValid)]).unwrap();
    assert_eq!(result.parts().attestation_id, asked.attestation_id);
    let holds = Signature::Holds(signer(2).key());
    assert_eq!(result.signature_for(&request), holds);
    for wrong in [
        vec![pass(SignatureValid)],
        vec![pass(SignatureValid), pass(RequestedCheck::VouchesPresent)],
        vec![pass(SignatureValid), (SignatureValid, Testimony::Fail)],
    ] {
        let refused = said(&wrong);
        assert!(
            matches!(refused, Err(DocumentError::Incoherent(_))),
            "{wrong:?}"
        );
    }
    let twice = VerifyParts {
        checks_requested: [SignatureValid, SignatureValid].into(),
        ..asked
    };
    assert!(matches!(
        VerifyRequest::sign(twice, &signer(1)),
        Err(DocumentError::Incoherent(_))
    ));
}
