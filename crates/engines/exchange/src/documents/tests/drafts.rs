//! Version "0.1": both shapes are read, nothing of their signatures is believed (docs/format/exchange.md §7; R2).

use alloc::string::ToString;

use counterfoil_types::json::Value;
use serde_json::json;

use super::arbitrary::signer;
use super::samples::{bytes, said, time};
use crate::documents::{
    Attestation, Audience, ClaimKind, Decay, DocumentError, Request, RequestedCheck, Response,
    Signature, StatusCode, Testimony, VerifyRequest, VerifyResult,
};

/// The notes' request, with their example in it.
fn request() -> Value {
    json!({
        "type": "memory_request", "version": "0.1",
        "request_id": "0198c0de-0000-7000-8000-000000000001", "timestamp": "2026-02-10T00:00:00Z",
        "requester": { "agent_id": "Babel", "public_key": "optional" },
        "query": {
            "natural": "what do you know about pruning strategies for agent memory?",
            "domain": "memory-systems", "keywords": ["pruning", "strategies"],
        },
        "preferences": { "format": "attestation", "include_evidence": true, "include_vouches": true, "max_results": 5 },
    })
}

/// The notes' response, with their example in it.
fn response() -> Value {
    json!({
        "type": "memory_response", "version": "0.1",
        "request_id": "0198c0de-0000-7000-8000-000000000001", "timestamp": "2026-02-10T00:00:01Z",
        "responder": { "agent_id": "Agent-A", "public_key": "optional" },
        "status": "success",
        "memories": [{
            "attestation": {
                "claim": "pruning is identity — what you forget defines who you become",
                "evidence": { "url": "https://example.org/note" },
            },
            "relevance": 0.85,
            "context": "From my discussion with djclawd",
        }],
        "meta": { "total_matches": 12, "returned": 1, "processing_time_ms": 150 },
        "signature": "optional cryptographic signature",
    })
}

fn read_request(document: &Value) -> Result<Request, DocumentError> {
    Request::parse(bytes(document).as_bytes())
}

fn read(document: &Value) -> Result<Response, DocumentError> {
    Response::parse(bytes(document).as_bytes())
}

/// MRP-42, MRP-35: the notes' request is read, with its names at the top.
#[test]
fn the_request_of_the_notes_is_read() {
    let read = read_request(&request()).unwrap();
    let parts = read.parts();
    assert_eq!(
        (read.is_draft(), read.signature()),
        (true, Signature::NotLookedAt)
    );
    assert_eq!(parts.header.nonce, None);
    assert_eq!(parts.header.expires, time("2026-02-10T00:05:00.000000Z"));
    assert_eq!(
        (parts.requester.public_key, parts.audience),
        (None, Audience::Everyone)
    );
    assert_eq!(
        parts.query.domain.as_ref().unwrap().as_str(),
        "memory-systems"
    );
    assert_eq!(
        parts
            .query
            .keywords
            .iter()
            .map(|word| word.as_str())
            .collect::<alloc::vec::Vec<_>>(),
        ["pruning", "strategies"]
    );
    assert!(parts.preferences.include_vouches);
}

/// MRP-42: the later draft has a header with seconds to live.
#[test]
fn the_request_of_the_later_draft_is_read() {
    let mut document = request();
    let members = document.as_object_mut().unwrap();
    let (id, at) = (
        members.remove("request_id").unwrap(),
        members.remove("timestamp").unwrap(),
    );
    document["header"] = json!({ "request_id": id, "timestamp": at, "ttl_seconds": 60 });
    document["trust_context"] = json!({ "vouchers": ["djclawd"], "trust_score": 1.0 });
    let read = read_request(&document).unwrap();
    assert_eq!(
        read.parts().header.expires,
        time("2026-02-10T00:01:00.000000Z")
    );
    document["header"]["ttl_seconds"] = json!(86_400);
    let read = read_request(&document).unwrap();
    assert_eq!(
        read.parts().header.expires,
        time("2026-02-10T00:05:00.000000Z")
    );
    document["header"]["ttl_seconds"] = json!(-1);
    assert!(matches!(
        read_request(&document),
        Err(DocumentError::Member(_))
    ));
}

/// MRP-42, MRP-35: the notes' answer is read, and its memory is a text with a link.
#[test]
fn the_response_of_the_notes_is_read() {
    let read = read(&response()).unwrap();
    assert_eq!(read.is_draft(), true);
    assert_eq!(
        read.signature_for(&read_request(&request()).unwrap()),
        Signature::NotLookedAt
    );
    assert_eq!(
        (read.parts().status.code, read.parts().in_response_to),
        (StatusCode::Success, None)
    );
    let [memory] = read.parts().results.as_slice() else {
        panic!()
    };
    let attestation = memory.attestation.parts();
    assert_eq!(attestation.claim.kind, ClaimKind::Observation);
    assert!(
        attestation
            .claim
            .content
            .as_str()
            .starts_with("pruning is identity")
    );
    assert_eq!(
        attestation.evidence[0].url.as_str(),
        "https://example.org/note"
    );
    assert_eq!(
        memory.context.as_ref().unwrap().as_str(),
        "From my discussion with djclawd"
    );
    assert_eq!(memory.relevance, Some(0.85));
    assert_eq!(
        (
            memory.attestation.is_draft(),
            memory.attestation.signature()
        ),
        (true, Signature::NotLookedAt)
    );
    let hash = memory.attestation.claim_hash();
    assert_eq!(memory.memory_id.as_str(), hash.digest().to_hex());
    assert_eq!(
        said(attestation.claim.content.as_str(), 1).claim_hash(),
        hash
    );
}

/// MRP-42: the later draft calls the same things otherwise.
#[test]
fn the_response_of_the_later_draft_is_read() {
    let mut document = response();
    let members = document.as_object_mut().unwrap();
    members.remove("memories");
    members.remove("meta");
    document["status"] = json!({ "code": "partial" });
    document["results"] = json!([
        { "attestation": "a text alone", "relevance_score": 1, "match_context": "why", "memory_id": "m1" },
        { "attestation": {
            "type": "attestation", "version": "0.1", "id": "a1", "agent": { "agent_id": "djclawd" },
            "created_at": "2026-02-09T12:00:00+00:00",
            "claim": { "type": "insight", "content": "pruning is identity" },
            "salience": { "category": "foundational", "expected_decay": { "type": "permanent" }, "mood": "calm" },
            "evidence": ["https://example.org/1", { "url": "https://example.org/2", "hash": "sha1:00" }],
        } },
    ]);
    document["aggregate"] = json!({ "trust_score": 1.0, "recommendation": "accept" });
    let read = read(&document).unwrap();
    let [first, second] = read.parts().results.as_slice() else {
        panic!()
    };
    assert_eq!(
        (first.relevance, first.memory_id.as_str()),
        (Some(1.0), "m1")
    );
    assert_eq!(first.context.as_ref().unwrap().as_str(), "why");
    let second = second.attestation.parts();
    assert_eq!(
        (second.id.as_str(), second.claim.kind),
        ("a1", ClaimKind::Insight)
    );
    assert_eq!(second.created_at, Some(time("2026-02-09T12:00:00.000000Z")));
    assert_eq!(
        second.salience.as_ref().unwrap().expected_decay,
        Some(Decay::Permanent)
    );
    assert_eq!((second.evidence.len(), second.evidence[1].hash), (2, None));
}

/// Adversarial case F70, R2: what is not among the signed fields can be edited, and a verifier of drafts would not see it; so nothing of
/// their signatures is looked at, edited or not.
#[test]
fn an_edited_draft_is_no_better_and_no_worse_than_an_unsigned_one() {
    let mut signed = response();
    signed["signature"] =
        json!({ "value": "AAAA", "signed_fields": ["memories"], "public_key": "z6Mk" });
    let covered = |document: &Value| bytes(&document["memories"]);
    let asked = read_request(&request()).unwrap();
    for (member, edited) in [
        ("request_id", json!("0198c0de-0000-7000-8000-00000000beef")),
        ("responder", json!({ "agent_id": "Somebody else" })),
        ("status", json!("partial")),
    ] {
        let mut document = signed.clone();
        document[member] = edited;
        assert_eq!(
            covered(&document),
            covered(&signed),
            "what the draft's signature covers is the same"
        );
        let read = read(&document).unwrap();
        assert_eq!(read.signature_for(&asked), Signature::NotLookedAt);
    }
    let proof = json!({ "type": "DataIntegrityProof", "proofValue": "z1" });
    signed["proof"] = proof;
    assert_eq!(
        read(&signed).unwrap().signature_for(&asked),
        Signature::NotLookedAt
    );
}

/// A draft may carry an attestation of ours, which is then as strict as ever, and signed.
#[test]
fn an_attestation_of_ours_keeps_its_proof_in_a_draft() {
    let mut document = response();
    document["memories"][0]["attestation"] = said("pruning is identity", 2).to_value().unwrap();
    let read_back = read(&document).unwrap();
    let attestation = &read_back.parts().results[0].attestation;
    assert_eq!(attestation.is_draft(), false);
    assert!(matches!(attestation.signature(), Signature::Holds(_)));
    document["memories"][0]["attestation"]["trust"] = json!(1);
    match read(&document) {
        Err(DocumentError::Unknown { at, .. }) => {
            assert_eq!(at.to_string(), "/memories/0/attestation/trust")
        }
        other => panic!("{other:?}"),
    }
}

/// R20, R22: what a draft says is held to the same limits.
#[test]
fn drafts_are_held_to_the_same_limits() {
    for (place, wrong) in [
        ("/memories/0/relevance", json!(1e308)),
        ("/memories/0/relevance", json!("NaN")),
        ("/memories/0/context", json!("x".repeat(1025))),
        ("/meta/returned", json!(-1)),
        ("/status", json!("ok")),
        ("/timestamp", json!("yesterday")),
        ("/timestamp", json!("2026-02-10T00:00:00+01:00")),
        ("/request_id", json!("uuid")),
    ] {
        let mut document = response();
        *document.pointer_mut(place).unwrap() = wrong.clone();
        match read(&document) {
            Err(DocumentError::Member(fault)) => assert_eq!(fault.pointer(), place),
            other => panic!("{place} {wrong}: {other:?}"),
        }
    }
    for (place, wrong) in [
        ("/meta/returned", json!(5)),
        ("/meta/total_matches", json!(0)),
        ("/status", json!("declined")),
    ] {
        let mut document = response();
        *document.pointer_mut(place).unwrap() = wrong;
        assert!(
            matches!(read(&document), Err(DocumentError::Incoherent(_))),
            "{place}"
        );
    }
    for missing in ["request_id", "timestamp", "responder", "status"] {
        let mut document = response();
        document.as_object_mut().unwrap().remove(missing);
        assert!(
            matches!(read(&document), Err(DocumentError::Member(_))),
            "{missing}"
        );
    }
}

/// Drafts are never written: what is signed is of version 1, whatever it answers.
#[test]
fn the_answer_to_a_draft_is_ours() {
    let asked = read_request(&request()).unwrap();
    let answer = Response::sign(
        super::samples::answered().parts().clone(),
        &asked,
        &signer(2),
    )
    .unwrap();
    assert_eq!(
        (answer.is_draft(), answer.parts().audience),
        (false, Audience::Everyone)
    );
    assert!(matches!(answer.signature_for(&asked), Signature::Holds(_)));
    let attestation = Attestation::parse(
        bytes(&json!({
            "type": "attestation", "version": "0.1", "claim": "pruning is identity",
        }))
        .as_bytes(),
    );
    assert_eq!(attestation.unwrap().is_draft(), true);
}

/// MRP-40, R9: verifications of the drafts are read where they say who asks.
#[test]
fn verifications_of_drafts_are_read() {
    let mut document = json!({
        "type": "memory_verify", "version": "0.1", "attestation_id": "w1",
        "checks_requested": ["signature_valid", "evidence_accessible", "vouches_present"],
    });
    assert!(VerifyRequest::parse(bytes(&document).as_bytes()).is_err());
    document["header"] = json!({ "request_id": "0198c0de-0000-7000-8000-000000000001", "timestamp": "2026-02-10T00:00:00Z" });
    document["requester"] = json!({ "agent_id": "Babel" });
    let asked = VerifyRequest::parse(bytes(&document).as_bytes()).unwrap();
    assert_eq!(
        (asked.parts().checks_requested.len(), asked.signature()),
        (3, Signature::NotLookedAt)
    );
    let result = VerifyResult::parse(bytes(&json!({
        "type": "verify_result", "version": "0.1", "header": document["header"], "attestation_id": "w1",
        "responder": { "agent_id": "Agent-A" }, "checks": { "signature_valid": "PASS", "taste": "PASS" },
        "aggregate": { "trust_score": 1.0 },
    })).as_bytes()).unwrap();
    assert_eq!(
        result.parts().checks,
        [(RequestedCheck::SignatureValid, Testimony::Pass)]
            .into_iter()
            .collect()
    );
    assert_eq!(result.signature_for(&asked), Signature::NotLookedAt);
}
