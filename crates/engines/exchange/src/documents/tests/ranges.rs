//! Numbers, counts, times and lengths: what is within its range is read, and nothing else (R5, R20, R22).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use serde_json::json;

use super::arbitrary::signer;
use super::samples::{answered, asked, attestation, bytes, request, response};
use super::spoilt::{
    assert_good, assert_incoherent, assert_names, assert_wrong, error_of, with, without,
};
use crate::documents::{DocumentError, DocumentKind, Response};

/// Adversarial case F80, R20: numbers are what they must be.
#[test]
fn numbers_out_of_range_are_refused() {
    assert_good(&response());
    for place in [
        "/results/0/relevance",
        "/results/0/attestation/salience/confidence",
    ] {
        let texts = [json!("0.5"), json!("NaN"), json!(null)];
        assert_wrong(&response(), place, texts);
        let numbers = [1.000_001, -0.1, 1e308, 2.0].map(Value::from);
        assert_wrong(&response(), place, numbers);
    }
    for place in [
        "/meta/returned",
        "/meta/total_matches",
        "/meta/processing_time_ms",
    ] {
        let wrong = [json!(-1), json!(1.5), json!("12"), json!(null)];
        assert_wrong(&response(), place, wrong);
    }
    assert_wrong(&response(), "/meta/returned", [json!(101)]);
    for wrong in json!([0, 101, -5, 2.5, "5", 1e308]).as_array().unwrap() {
        assert_wrong(&request(), "/preferences/max_results", [wrong.clone()]);
    }
    assert_wrong(&request(), "/query/filters/min_trust_level", [json!(4)]);
    let not_a_number = bytes(&response()).replace("0.85", "NaN");
    let found = error_of(DocumentKind::Response, not_a_number.as_bytes());
    assert!(matches!(found, Some(DocumentError::Json(_))));
}

/// Adversarial case F80, R22: counts are true, and an answer says no more than was asked for.
#[test]
fn counts_that_lie_are_refused() {
    for (place, count) in [
        ("/meta/returned", 0),
        ("/meta/returned", 2),
        ("/meta/total_matches", 0),
    ] {
        assert_incoherent(&with(&response(), place, json!(count)));
    }
    assert_names(&without(&response(), "/meta/returned"), "/meta/returned");
    let one = response()["results"][0].clone();
    let so_many = |count: usize| {
        let results = json!(Vec::from_iter(core::iter::repeat_n(&one, count)));
        with(&response(), "/results", results)
    };
    let many = with(&so_many(101), "/meta/returned", json!(100));
    assert_names(&many, "/results");
    let six = with(&so_many(6), "/meta/returned", json!(6));
    let six = Response::parse(bytes(&six).as_bytes()).unwrap();
    assert!(matches!(
        six.fits(&asked()),
        Err(DocumentError::Incoherent(_))
    ));
    assert!(Response::sign(six.parts().clone(), &asked(), &signer(2)).is_err());
    assert_eq!(answered().fits(&asked()), Ok(()));
}

/// R22, MRP-37: what a status says, the rest says too.
#[test]
fn a_status_and_its_answer_agree() {
    let none = with(&response(), "/results", json!([]));
    let none = with(&none, "/meta", json!({ "returned": 0 }));
    for code in ["no_match", "declined", "error"] {
        assert_incoherent(&with(&response(), "/status/code", json!(code)));
        assert_good(&with(&none, "/status/code", json!(code)));
    }
    for (place, value) in [
        ("/status/code", "partial"),
        ("/meta/cursor", "c"),
        ("/status/problem", "overloaded"),
    ] {
        assert_incoherent(&with(&response(), place, json!(value)));
    }
    let partial = json!({ "code": "partial", "message": "there is more" });
    let partial = with(&response(), "/status", partial);
    assert_good(&with(&partial, "/meta/cursor", json!("c")));
    let error = json!({ "code": "error", "problem": "overloaded" });
    assert_good(&with(&none, "/status", error));
    assert_wrong(&response(), "/status/code", [json!("ok")]);
}

/// R5: a request waits for 300 s at most, and not backwards.
#[test]
fn a_request_expires_in_time() {
    for (expires, good) in [
        ("2026-02-10T00:00:00.000000Z", true),
        ("2026-02-10T00:05:00.000000Z", true),
        ("2026-02-10T00:05:00.000001Z", false),
        ("2026-02-09T23:59:59.999999Z", false),
        ("9999-12-31T23:59:59.999999Z", false),
    ] {
        let document = with(&request(), "/header/expires", json!(expires));
        if good {
            assert_good(&document)
        } else {
            assert_incoherent(&document)
        }
    }
    let same =
        json!({ "from": "2026-01-01T00:00:00.000000Z", "until": "2026-01-01T00:00:00.000000Z" });
    assert_incoherent(&with(&request(), "/query/time_range", same));
}

/// What is counted is counted in bytes; at its limit a text is good, one byte more is refused.
#[test]
fn texts_and_lists_have_limits() {
    let long = |bytes: usize| json!("é".repeat(bytes / 2) + if bytes % 2 == 1 { "x" } else { "" });
    for (document, place, most) in [
        (request(), "/requester/agent_id", 128),
        (request(), "/query/natural", 4096),
        (request(), "/query/keywords/0", 64),
        (request(), "/preferences/cursor", 1024),
        (response(), "/results/0/memory_id", 1024),
        (response(), "/results/0/context", 1024),
        (response(), "/status/message", 1024),
        (attestation(), "/id", 1024),
        (attestation(), "/claim/content", 65_536),
        (attestation(), "/claim/context", 4096),
        (attestation(), "/salience/why_kept", 1024),
        (attestation(), "/evidence/0/url", 2048),
        (attestation(), "/provenance/witnesses/0", 128),
    ] {
        let (outer, name) = place.rsplit_once('/').unwrap();
        let put = |value: Value| {
            let mut document = document.clone();
            match (document.pointer_mut(outer).unwrap(), name.parse::<usize>()) {
                (Value::Array(items), Ok(at)) => items[at] = value,
                (members, _) => members[name] = value,
            }
            document
        };
        assert_good(&put(long(most)));
        for wrong in json!([long(most + 1), "", "a\0b", 7, null])
            .as_array()
            .unwrap()
        {
            assert_names(&put(wrong.clone()), place);
        }
    }
    for (document, place, most) in [
        (request(), "/query/keywords", 16),
        (attestation(), "/claim/references", 16),
        (attestation(), "/salience/supersedes", 16),
        (attestation(), "/provenance/witnesses", 16),
    ] {
        let words = |count: usize| {
            let words = (0..count).map(|word| word.to_string());
            json!(words.collect::<Vec<String>>())
        };
        assert_good(&with(&document, place, words(most)));
        assert_names(&with(&document, place, words(most + 1)), place);
        assert_names(&with(&document, place, json!([])), place);
    }
}

/// A document is at most 1 MiB, and 64 deep.
#[test]
fn a_document_has_limits() {
    let audience = "\"audience\":\"*\"";
    for wrong in [
        ["{\"type\":\"", &"x".repeat(1 << 20), "\"}"].concat(),
        ["{\"type\":", &"[".repeat(64), &"]".repeat(64), "}"].concat(),
        ["{\"type\":[", &"0,".repeat(100_000), "0]}"].concat(),
        bytes(&request()).replace(audience, &[audience, audience].join(",")),
    ] {
        let found = error_of(DocumentKind::Request, wrong.as_bytes());
        assert!(matches!(found, Some(DocumentError::Json(_))));
    }
}
