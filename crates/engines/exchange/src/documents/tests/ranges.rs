//! Numbers, counts, times and lengths: what is within its range is read, and nothing else (R5, R20, R22).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use serde_json::json;

use super::arbitrary::signer;
use super::samples::{answered, asked, attestation, bytes, request, response};
use super::spoilt::{assert_good, assert_incoherent, assert_names, error, kind_of, with, without};
use crate::documents::{DocumentError, DocumentKind, Response};

/// Adversarial case F80, R20: numbers are what they must be.
#[test]
fn numbers_out_of_range_are_refused() {
    let kind = DocumentKind::Response;
    assert_good(kind, &response());
    for wrong in [
        json!(1.000_001),
        json!(-0.1),
        json!(1e308),
        json!("0.5"),
        json!("NaN"),
        json!(2),
        json!(null),
    ] {
        assert_names(
            kind,
            &with(&response(), "/results/0/relevance", wrong.clone()),
            "/results/0/relevance",
        );
        let place = "/results/0/attestation/salience/confidence";
        assert_names(kind, &with(&response(), place, wrong), place);
    }
    for wrong in [json!(-1), json!(1.5), json!("12"), json!(101), json!(null)] {
        assert_names(
            kind,
            &with(&response(), "/meta/returned", wrong),
            "/meta/returned",
        );
    }
    for wrong in [json!(-1), json!(1.5), json!("12"), json!(null)] {
        assert_names(
            kind,
            &with(&response(), "/meta/total_matches", wrong.clone()),
            "/meta/total_matches",
        );
        assert_names(
            kind,
            &with(&response(), "/meta/processing_time_ms", wrong),
            "/meta/processing_time_ms",
        );
    }
    for wrong in [
        json!(0),
        json!(101),
        json!(-5),
        json!(2.5),
        json!("5"),
        json!(1e308),
    ] {
        let place = "/preferences/max_results";
        assert_names(
            DocumentKind::Request,
            &with(&request(), place, wrong),
            place,
        );
    }
    let level = "/query/filters/min_trust_level";
    assert_names(
        DocumentKind::Request,
        &with(&request(), level, json!(4)),
        level,
    );
    let not_a_number = bytes(&response()).replace("0.85", "NaN");
    assert!(matches!(
        error(kind, not_a_number.as_bytes()),
        Some(DocumentError::Json(_))
    ));
}

/// Adversarial case F80, R22: counts are true, and an answer says no more than was asked for.
#[test]
fn counts_that_lie_are_refused() {
    let kind = DocumentKind::Response;
    assert_incoherent(kind, &with(&response(), "/meta/returned", json!(0)));
    assert_incoherent(kind, &with(&response(), "/meta/returned", json!(2)));
    assert_incoherent(kind, &with(&response(), "/meta/total_matches", json!(0)));
    assert_names(
        kind,
        &without(&response(), "/meta/returned"),
        "/meta/returned",
    );
    let one = response()["results"][0].clone();
    let many = with(
        &response(),
        "/results",
        json!(Vec::from_iter(core::iter::repeat_n(&one, 101))),
    );
    assert_names(kind, &with(&many, "/meta/returned", json!(100)), "/results");
    let six = with(
        &response(),
        "/results",
        json!(Vec::from_iter(core::iter::repeat_n(&one, 6))),
    );
    let six = with(&six, "/meta/returned", json!(6));
    let six = Response::parse(bytes(&six).as_bytes()).unwrap();
    assert!(matches!(
        six.fits(&asked()),
        Err(DocumentError::Incoherent(_))
    ));
    assert!(Response::sign(six.parts().clone(), &asked(), &signer(2)).is_err());
    assert_eq!(answered().fits(&asked()), Ok(()));
}

/// R22: what a status says, the rest says too.
#[test]
fn a_status_and_its_answer_agree() {
    let kind = DocumentKind::Response;
    let none = with(
        &with(&response(), "/results", json!([])),
        "/meta",
        json!({ "returned": 0 }),
    );
    for code in ["no_match", "declined", "error"] {
        assert_incoherent(kind, &with(&response(), "/status/code", json!(code)));
        assert_good(kind, &with(&none, "/status/code", json!(code)));
    }
    assert_incoherent(kind, &with(&response(), "/status/code", json!("partial")));
    let partial = with(
        &response(),
        "/status",
        json!({ "code": "partial", "message": "there is more" }),
    );
    assert_good(kind, &with(&partial, "/meta/cursor", json!("c")));
    assert_incoherent(kind, &with(&response(), "/meta/cursor", json!("c")));
    assert_incoherent(
        kind,
        &with(&response(), "/status/problem", json!("overloaded")),
    );
    assert_good(
        kind,
        &with(
            &none,
            "/status",
            json!({ "code": "error", "problem": "overloaded" }),
        ),
    );
    assert_names(
        kind,
        &with(&response(), "/status/code", json!("ok")),
        "/status/code",
    );
}

/// R5: a request waits for 300 s at most, and not backwards.
#[test]
fn a_request_expires_in_time() {
    let kind = DocumentKind::Request;
    for (expires, good) in [
        ("2026-02-10T00:00:00.000000Z", true),
        ("2026-02-10T00:05:00.000000Z", true),
        ("2026-02-10T00:05:00.000001Z", false),
        ("2026-02-09T23:59:59.999999Z", false),
        ("9999-12-31T23:59:59.999999Z", false),
    ] {
        let document = with(&request(), "/header/expires", json!(expires));
        if good {
            assert_good(kind, &document)
        } else {
            assert_incoherent(kind, &document)
        }
    }
    let same =
        json!({ "from": "2026-01-01T00:00:00.000000Z", "until": "2026-01-01T00:00:00.000000Z" });
    assert_incoherent(kind, &with(&request(), "/query/time_range", same));
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
        let kind = kind_of(&document);
        let (outer, name) = place.rsplit_once('/').unwrap();
        let put = |value: Value| {
            let mut document = document.clone();
            match (document.pointer_mut(outer).unwrap(), name.parse::<usize>()) {
                (Value::Array(items), Ok(at)) => items[at] = value,
                (members, _) => members[name] = value,
            }
            document
        };
        assert_good(kind, &put(long(most)));
        for wrong in [
            long(most + 1),
            json!(""),
            json!("a\0b"),
            json!(7),
            json!(null),
        ] {
            assert_names(kind, &put(wrong), place);
        }
    }
    for (document, place, most) in [
        (request(), "/query/keywords", 16),
        (attestation(), "/claim/references", 16),
        (attestation(), "/salience/supersedes", 16),
        (attestation(), "/provenance/witnesses", 16),
    ] {
        let kind = kind_of(&document);
        let words = |count: usize| {
            json!(
                (0..count)
                    .map(|word| word.to_string())
                    .collect::<Vec<String>>()
            )
        };
        assert_good(kind, &with(&document, place, words(most)));
        assert_names(kind, &with(&document, place, words(most + 1)), place);
        assert_names(kind, &with(&document, place, json!([])), place);
    }
}

/// A document is at most 1 MiB, and 64 deep.
#[test]
fn a_document_has_limits() {
    let huge = ["{\"type\":\"", &"x".repeat(1 << 20), "\"}"].concat();
    assert!(matches!(
        error(DocumentKind::Request, huge.as_bytes()),
        Some(DocumentError::Json(_))
    ));
    let deep = ["{\"type\":", &"[".repeat(64), &"]".repeat(64), "}"].concat();
    assert!(matches!(
        error(DocumentKind::Request, deep.as_bytes()),
        Some(DocumentError::Json(_))
    ));
    let many = ["{\"type\":[", &"0,".repeat(100_000), "0]}"].concat();
    assert!(matches!(
        error(DocumentKind::Request, many.as_bytes()),
        Some(DocumentError::Json(_))
    ));
    let twice = bytes(&request()).replace(
        "\"audience\":\"*\"",
        "\"audience\":\"*\",\"audience\":\"*\"",
    );
    assert!(matches!(
        error(DocumentKind::Request, twice.as_bytes()),
        Some(DocumentError::Json(_))
    ));
}
