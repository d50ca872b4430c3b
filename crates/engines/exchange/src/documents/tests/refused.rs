//! What is no document of ours is refused, by the member that is wrong (R19).

use alloc::format;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use counterfoil_types::json::Value;
use serde_json::json;

use super::samples::{attestation, bytes, did, request, response};
use super::spoilt::{assert_good, assert_names, assert_wrong, error, error_of, with, without};
use crate::documents::{DocumentError, DocumentKind};

/// Adversarial case F83: one type in the place of another is refused, whatever else it says.
#[test]
fn one_type_is_not_taken_for_another() {
    for document in [request(), response(), attestation()] {
        let is = document["type"].as_str().unwrap();
        let others = DocumentKind::ALL.into_iter();
        for kind in others.filter(|kind| kind.name() != is) {
            match error_of(kind, bytes(&document).as_bytes()) {
                Some(DocumentError::Type { expected, found }) => {
                    assert_eq!((expected, found.as_str()), (kind, is))
                }
                other => panic!("{is} as {kind}: {other:?}"),
            }
            let renamed = with(&document, "/type", json!(kind.name()));
            assert!(error(&renamed).is_some(), "{is} called {kind}");
        }
    }
    for kind in DocumentKind::ALL {
        for odd in ["[]", "3", "{}", "{\"type\":1}", "{\"type\":null}"] {
            assert!(error_of(kind, odd.as_bytes()).is_some(), "{odd} as {kind}");
        }
    }
}

/// Adversarial case F83, R19: another version is refused with the list of those that are read; there is no downgrade.
#[test]
fn another_version_is_told_what_is_supported() {
    let read = |document: &Value| match error(document) {
        Some(DocumentError::Version { supported, found }) => (supported, found),
        other => panic!("{document}: {other:?}"),
    };
    for document in [request(), response(), attestation()] {
        for found in json!(["0.0", "2", 1, "1.0", null, ["1"]])
            .as_array()
            .unwrap()
        {
            let other = with(&document, "/version", found.clone());
            assert_eq!(read(&other).0, ["1", "0.1"]);
        }
    }
    assert_eq!(read(&without(&request(), "/version")).1, "none");
    assert_eq!(read(&json!({ "type": "vouch", "version": "0.1" })).0, ["1"]);
}

/// Unknown members are refused on every level, and named.
#[test]
fn unknown_members_are_refused_on_every_level() {
    for (document, places) in [
        (
            request(),
            " /header /requester /query /query/time_range /query/filters /preferences",
        ),
        (
            response(),
            " /header /responder /status /meta /results/0 /results/0/attestation \
             /results/0/attestation/claim /results/0/attestation/salience/expected_decay",
        ),
        (attestation(), " /agent /salience /provenance /evidence/0"),
    ] {
        for place in places.split(' ') {
            let mut more = document.clone();
            more.pointer_mut(place).unwrap()["trust/score"] = json!(1.0);
            match error(&more) {
                Some(DocumentError::Unknown { at, .. }) => {
                    assert_eq!(at, format!("{place}/trust~1score"))
                }
                other => panic!("{place}: {other:?}"),
            }
        }
    }
}

/// What must be there is missed by its name.
#[test]
fn missing_members_are_named() {
    for (document, places) in [
        (
            request(),
            "/header /header/request_id /header/nonce /header/timestamp /header/expires /requester \
             /requester/agent_id /audience /query /query/natural",
        ),
        (
            response(),
            "/header /header/response_id /in_response_to /audience /responder /status /status/code \
             /results /meta /results/0/memory_id /results/0/attestation",
        ),
        (
            attestation(),
            "/id /claim /claim/type /claim/content /provenance/source /evidence/0/url",
        ),
    ] {
        for place in places.split(' ') {
            assert_names(&without(&document, place), place);
        }
    }
}

/// Ids, keys, times, domains, hashes and nonces have one spelling.
#[test]
fn each_thing_has_one_spelling() {
    let key = did(1);
    let (web, twice) = (key.replace("did:key:", "did:web:"), format!("{key}#{key}"));
    let hash = "AB".repeat(32);
    let requests = [
        ("/header/request_id", "0198C0DE-0000-7000-8000-000000000001"),
        ("/header/request_id", "../../etc/passwd"),
        ("/header/nonce", "AAAAAAAAAAAAAAAAAAAAAB"),
        ("/header/nonce", "AAAAAAAAAAAAAAAAAAAAAA=="),
        ("/header/timestamp", "2026-02-10T00:00:00Z"),
        ("/audience", ""),
        ("/audience", &web),
        ("/audience", &twice),
        ("/requester/public_key", "optional"),
        ("/query/domain", "Memory Systems"),
        ("/query/domain", "a//b"),
        ("/query/domain", "a/b/c/d/e/f/g/h/i"),
    ];
    let attestations = [
        ("/claim/valid_from", "2026-02-10T00:00:00+01:00"),
        ("/claim/subject", "cafe\u{301}"),
        ("/claim/subject", " pruning"),
        ("/evidence/0/hash", "sha256:00"),
    ];
    for (document, wrongs) in [
        (request(), &requests[..]),
        (response(), &[("/in_response_to", hash.as_str())]),
        (attestation(), &attestations),
    ] {
        for (place, wrong) in wrongs {
            assert_wrong(&document, place, [json!(wrong)]);
        }
    }
    assert_wrong(&request(), "/header/timestamp", [json!(1_770_681_600)]);
}

/// A structured claim is whole, or there is none.
#[test]
fn a_structured_claim_is_whole() {
    assert_good(&attestation());
    for place in ["/claim/subject", "/claim/predicate", "/claim/value"] {
        assert_names(&without(&attestation(), place), "/claim");
    }
    let place = "/claim/value";
    let deep = (0..62).fold(json!(1), |deep, _| json!([deep]));
    for good in [json!(null), deep] {
        assert_good(&with(&attestation(), place, good));
    }
    let wide = json!(Vec::from_iter(core::iter::repeat_n(0, 8192)));
    assert_wrong(&attestation(), place, [wide]);
}

/// Adversarial case H106: `until` is a time: "never" is a fault of form, and a condition is no time.
#[test]
fn until_never_is_refused() {
    let place = "/salience/expected_decay";
    let decay = |decay: Value| with(&attestation(), place, decay);
    for never in [json!("never"), json!("2026-02-10"), json!(null), json!(0)] {
        let document = decay(json!({ "type": "time-bound", "until": never }));
        assert_names(&document, "/salience/expected_decay/until");
    }
    let never = decay(json!({ "type": "never" }));
    assert_names(&never, "/salience/expected_decay/type");
    let wrong = [
        json!({ "type": "time-bound" }),
        json!({ "type": "permanent", "until": "2027-01-01T00:00:00.000000Z" }),
        json!({ "type": "permanent", "condition": "if it rains" }),
    ];
    assert_wrong(&attestation(), place, wrong);
    for good in [
        json!({ "type": "conditional", "condition": "until it rains" }),
        json!({ "type": "conditional" }),
        json!({ "type": "time-bound", "until": "1999-01-01T00:00:00.000000Z" }),
    ] {
        assert_good(&decay(good));
    }
}

/// Adversarial case G94: a vouch for a name, without a key, is for nobody.
#[test]
fn a_vouch_for_a_name_alone_is_refused() {
    let vouch = json!({
        "type": "vouch", "version": "1", "id": "0198c0de-0000-7000-8000-000000000003",
        "created_at": "2026-02-09T00:00:00.000000Z",
        "voucher": { "agent_id": "Babel", "public_key": did(1) },
        "subject": { "agent_id": "djclawd", "public_key": did(2) },
        "claim": { "domain": "memory-systems", "statement": "knows it", "level": "expert" },
        "confidence": { "level": "high" },
    });
    assert_names(&vouch, "/proof");
    for place in ["/subject/public_key", "/voucher/public_key"] {
        assert_names(&without(&vouch, place), place);
    }
    assert_wrong(&vouch, "/subject/public_key", [json!("djclawd")]);
}

/// A receipt is an opened capsule under an inclusion proof; a hash or a signature alone is none.
#[test]
fn a_receipt_is_under_an_inclusion_proof() {
    let receipt = json!({
        "header": "{}", "content": "{}", "salt": STANDARD.encode([7; 32]),
        "signature": { "keyId": "00".repeat(32), "value": STANDARD.encode([7; 64]) },
        "proof": { "method": "merkle", "proof": {} },
    });
    let place = "/results/0/receipt";
    assert_good(&with(&response(), place, receipt.clone()));
    let wrong = [
        with(&receipt, "/proof/method", json!("signature")),
        with(&receipt, "/proof/method", json!("none")),
        with(&receipt, "/salt", json!("00")),
        with(&receipt, "/more", json!(1)),
        without(&receipt, "/header"),
        json!(null),
        json!("receipt"),
    ];
    assert_wrong(&response(), place, wrong);
}
