//! What is no document of ours is refused, by the member that is wrong (R19).

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use counterfoil_types::json::Value;
use serde_json::json;

use super::samples::{attestation, bytes, did, request, response};
use super::spoilt::{assert_good, assert_names, error, kind_of, with, without};
use crate::documents::{DocumentError, DocumentKind};

/// Adversarial case F83: one type in the place of another is refused, whatever else it says.
#[test]
fn one_type_is_not_taken_for_another() {
    for document in [request(), response(), attestation()] {
        let is = document["type"].as_str().unwrap();
        for kind in DocumentKind::ALL
            .into_iter()
            .filter(|kind| kind.name() != is)
        {
            match error(kind, bytes(&document).as_bytes()) {
                Some(DocumentError::Type { expected, found }) => {
                    assert_eq!((expected, found.as_str()), (kind, is))
                }
                other => panic!("{is} as {kind}: {other:?}"),
            }
            let renamed = with(&document, "/type", json!(kind.name()));
            assert!(
                error(kind, bytes(&renamed).as_bytes()).is_some(),
                "{is} called {kind}"
            );
        }
    }
    for kind in DocumentKind::ALL {
        for odd in [
            json!([]),
            json!("memory_request"),
            json!({}),
            json!({ "type": 1 }),
            json!({ "type": null }),
        ] {
            assert!(
                error(kind, bytes(&odd).as_bytes()).is_some(),
                "{odd} as {kind}"
            );
        }
    }
}

/// Adversarial case F83, R19: another version is refused with the list of those that are read; there is no downgrade.
#[test]
fn another_version_is_told_what_is_supported() {
    for found in [
        json!("0.0"),
        json!("2"),
        json!(1),
        json!("1.0"),
        json!(null),
        json!(["1"]),
    ] {
        for document in [request(), response(), attestation()] {
            let kind = kind_of(&document);
            match error(
                kind,
                bytes(&with(&document, "/version", found.clone())).as_bytes(),
            ) {
                Some(DocumentError::Version { supported, .. }) => {
                    assert_eq!(supported, ["1", "0.1"])
                }
                other => panic!("{found}: {other:?}"),
            }
        }
    }
    match error(
        DocumentKind::Request,
        bytes(&without(&request(), "/version")).as_bytes(),
    ) {
        Some(error @ DocumentError::Version { .. }) => {
            assert!(error.to_string().contains("none"), "{error}")
        }
        other => panic!("{other:?}"),
    }
    let vouch = json!({ "type": "vouch", "version": "0.1" });
    match error(DocumentKind::Vouch, bytes(&vouch).as_bytes()) {
        Some(DocumentError::Version { supported, .. }) => assert_eq!(supported, ["1"]),
        other => panic!("{other:?}"),
    }
}

/// Unknown members are refused on every level, and named.
#[test]
fn unknown_members_are_refused_on_every_level() {
    for (kind, document, places) in [
        (
            DocumentKind::Request,
            request(),
            &[
                "",
                "/header",
                "/requester",
                "/query",
                "/query/time_range",
                "/query/filters",
                "/preferences",
            ][..],
        ),
        (
            DocumentKind::Response,
            response(),
            &[
                "",
                "/header",
                "/responder",
                "/status",
                "/meta",
                "/results/0",
                "/results/0/attestation",
                "/results/0/attestation/claim",
                "/results/0/attestation/salience/expected_decay",
            ],
        ),
        (
            DocumentKind::Attestation,
            attestation(),
            &["", "/agent", "/salience", "/provenance", "/evidence/0"],
        ),
    ] {
        for place in places {
            let mut more = document.clone();
            more.pointer_mut(place).unwrap()["trust/score"] = json!(1.0);
            match error(kind, bytes(&more).as_bytes()) {
                Some(DocumentError::Unknown { at, .. }) => {
                    assert_eq!(at.to_string(), format!("{place}/trust~1score"))
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
            &[
                "/header",
                "/header/request_id",
                "/header/nonce",
                "/header/timestamp",
                "/header/expires",
                "/requester",
                "/requester/agent_id",
                "/audience",
                "/query",
                "/query/natural",
            ][..],
        ),
        (
            response(),
            &[
                "/header",
                "/header/response_id",
                "/in_response_to",
                "/audience",
                "/responder",
                "/status",
                "/status/code",
                "/results",
                "/meta",
                "/results/0/memory_id",
                "/results/0/attestation",
            ],
        ),
        (
            attestation(),
            &[
                "/id",
                "/claim",
                "/claim/type",
                "/claim/content",
                "/provenance/source",
                "/evidence/0/url",
            ],
        ),
    ] {
        let kind = kind_of(&document);
        for place in places {
            let mut less = document.clone();
            let (outer, name) = place.rsplit_once('/').unwrap();
            less.pointer_mut(outer)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .remove(name)
                .unwrap();
            assert_names(kind, &less, place);
        }
    }
}

/// Ids, keys, times, domains, hashes and nonces have one spelling.
#[test]
fn each_thing_has_one_spelling() {
    let key = did(1);
    for (document, place, wrong) in [
        (
            request(),
            "/header/request_id",
            json!("0198C0DE-0000-7000-8000-000000000001"),
        ),
        (request(), "/header/request_id", json!("../../etc/passwd")),
        (request(), "/header/nonce", json!("AAAAAAAAAAAAAAAAAAAAAB")),
        (
            request(),
            "/header/nonce",
            json!("AAAAAAAAAAAAAAAAAAAAAA=="),
        ),
        (
            request(),
            "/header/timestamp",
            json!("2026-02-10T00:00:00Z"),
        ),
        (request(), "/header/timestamp", json!(1_770_681_600)),
        (request(), "/audience", json!("")),
        (
            request(),
            "/audience",
            json!(key.replace("did:key:", "did:web:")),
        ),
        (request(), "/audience", json!(format!("{key}#{key}"))),
        (request(), "/requester/public_key", json!("optional")),
        (request(), "/query/domain", json!("Memory Systems")),
        (request(), "/query/domain", json!("a//b")),
        (request(), "/query/domain", json!("a/b/c/d/e/f/g/h/i")),
        (response(), "/in_response_to", json!("AB".repeat(32))),
        (
            attestation(),
            "/claim/valid_from",
            json!("2026-02-10T00:00:00+01:00"),
        ),
        (attestation(), "/claim/subject", json!("cafe\u{301}")),
        (attestation(), "/claim/subject", json!(" pruning")),
        (attestation(), "/evidence/0/hash", json!("sha256:00")),
    ] {
        let kind = kind_of(&document);
        assert_names(
            kind,
            &with(&with(&document, place, json!("x")), place, wrong),
            place,
        );
    }
}

/// A structured claim is whole, or there is none.
#[test]
fn a_structured_claim_is_whole() {
    let kind = DocumentKind::Attestation;
    assert_good(kind, &attestation());
    for place in ["/claim/subject", "/claim/predicate", "/claim/value"] {
        assert_names(kind, &without(&attestation(), place), "/claim");
    }
    assert_good(kind, &with(&attestation(), "/claim/value", json!(null)));
    let mut deep = json!(1);
    for _ in 0..62 {
        deep = json!([deep]);
    }
    assert!(
        error(
            kind,
            bytes(&with(&attestation(), "/claim/value", deep)).as_bytes()
        )
        .is_none()
    );
    let wide = json!(Vec::from_iter(core::iter::repeat_n(0, 8192)));
    assert_names(
        kind,
        &with(&attestation(), "/claim/value", wide),
        "/claim/value",
    );
}

/// Adversarial case H106: `until` is a time: "never" is a fault of form, and a condition is no time.
#[test]
fn until_never_is_refused() {
    let kind = DocumentKind::Attestation;
    let place = "/salience/expected_decay";
    let decay = |decay: Value| with(&attestation(), place, decay);
    for never in [json!("never"), json!("2026-02-10"), json!(null), json!(0)] {
        let document = decay(json!({ "type": "time-bound", "until": never }));
        assert_names(kind, &document, "/salience/expected_decay/until");
    }
    assert_names(
        kind,
        &decay(json!({ "type": "never" })),
        "/salience/expected_decay/type",
    );
    for wrong in [
        json!({ "type": "time-bound" }),
        json!({ "type": "permanent", "until": "2027-01-01T00:00:00.000000Z" }),
        json!({ "type": "permanent", "condition": "if it rains" }),
    ] {
        assert_names(kind, &decay(wrong), place);
    }
    assert_good(
        kind,
        &decay(json!({ "type": "conditional", "condition": "until it rains" })),
    );
    assert_good(kind, &decay(json!({ "type": "conditional" })));
    let past = json!({ "type": "time-bound", "until": "1999-01-01T00:00:00.000000Z" });
    assert_good(kind, &decay(past));
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
    let kind = DocumentKind::Vouch;
    assert_names(kind, &vouch, "/proof");
    assert_names(
        kind,
        &without(&vouch, "/subject/public_key"),
        "/subject/public_key",
    );
    assert_names(
        kind,
        &without(&vouch, "/voucher/public_key"),
        "/voucher/public_key",
    );
    let place = "/subject/public_key";
    assert_names(kind, &with(&vouch, place, json!("djclawd")), place);
}

/// A receipt is an opened capsule under an inclusion proof; a hash or a signature alone is none.
#[test]
fn a_receipt_is_under_an_inclusion_proof() {
    let receipt = json!({
        "header": "{}", "content": "{}", "salt": STANDARD.encode([7; 32]),
        "signature": { "keyId": "00".repeat(32), "value": STANDARD.encode([7; 64]) },
        "proof": { "method": "merkle", "proof": {} },
    });
    let (kind, place) = (DocumentKind::Response, "/results/0/receipt");
    assert_good(kind, &with(&response(), place, receipt.clone()));
    for wrong in [
        with(&receipt, "/proof/method", json!("signature")),
        with(&receipt, "/proof/method", json!("none")),
        with(&receipt, "/salt", json!("00")),
        with(&receipt, "/more", json!(1)),
        without(&receipt, "/header"),
        json!(null),
        json!("receipt"),
    ] {
        assert_names(kind, &with(&response(), place, wrong), place);
    }
}
