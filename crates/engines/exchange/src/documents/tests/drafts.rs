//! Version "0.1": both shapes are read, nothing of their signatures is believed (docs/format/exchange.md §7; R2).

use counterfoil_types::json::Value;
use serde_json::json;

use super::arbitrary::signer;
use super::samples::{answered, bytes, party, said, text, time};
use super::spoilt::{assert_incoherent, assert_names, assert_wrong, with, without};
use crate::documents::{
    Attestation, AttestationParts, Audience, Category, Claim, ClaimKind, Decay, DocumentError,
    EvidenceLink, MemoryQuery, Preferences, Request, RequestHeader, RequestParts, RequestedCheck,
    Response, Salience, Signature, StatusCode, Testimony, VerifyRequest, VerifyResult,
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
    assert_eq!(
        (read.is_draft(), read.signature()),
        (true, Signature::NotLookedAt)
    );
    let meant = RequestParts {
        header: RequestHeader {
            request_id: "0198c0de-0000-7000-8000-000000000001".parse().unwrap(),
            nonce: None,
            timestamp: time("2026-02-10T00:00:00.000000Z"),
            expires: time("2026-02-10T00:05:00.000000Z"),
        },
        requester: party("Babel"),
        audience: Audience::Everyone,
        query: MemoryQuery {
            domain: "memory-systems".parse().ok(),
            keywords: [text("pruning"), text("strategies")].into(),
            ..MemoryQuery::new(text(
                "what do you know about pruning strategies for agent memory?",
            ))
        },
        preferences: Preferences {
            include_vouches: true,
            ..Preferences::default()
        },
    };
    assert_eq!(read.parts(), &meant);
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
    document["header"] = json!({ "request_id": id, "timestamp": at });
    document["trust_context"] = json!({ "vouchers": ["djclawd"], "trust_score": 1.0 });
    let mut expires = |seconds: i64| {
        document["header"]["ttl_seconds"] = json!(seconds);
        read_request(&document).map(|read| read.parts().header.expires)
    };
    assert_eq!(expires(60), Ok(time("2026-02-10T00:01:00.000000Z")));
    assert_eq!(expires(86_400), Ok(time("2026-02-10T00:05:00.000000Z")));
    assert!(matches!(expires(-1), Err(DocumentError::Member(_))));
}

/// MRP-42, MRP-35: the notes' answer is read, and its memory is a text with a link.
#[test]
fn the_response_of_the_notes_is_read() {
    let read = read(&response()).unwrap();
    let asked = read_request(&request()).unwrap();
    assert_eq!(
        (read.is_draft(), read.signature_for(&asked)),
        (true, Signature::NotLookedAt)
    );
    let parts = read.parts();
    assert_eq!(
        (parts.status.code, parts.in_response_to),
        (StatusCode::Success, None)
    );
    let [memory] = parts.results.as_slice() else {
        panic!()
    };
    let context = Some(text("From my discussion with djclawd"));
    assert_eq!((memory.relevance, &memory.context), (Some(0.85), &context));
    let attestation = &memory.attestation;
    assert_eq!(
        (attestation.is_draft(), attestation.signature()),
        (true, Signature::NotLookedAt)
    );
    let content = "pruning is identity — what you forget defines who you become";
    let hash = attestation.claim_hash();
    assert_eq!(hash, said(content, 1).claim_hash());
    assert_eq!(memory.memory_id.as_str(), hash.digest().to_hex());
    let parts = attestation.parts();
    assert_eq!(parts.claim, Claim::of_text(text(content)));
    assert_eq!(parts.evidence[0].url.as_str(), "https://example.org/note");
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
    assert_eq!(first.context, Some(text("why")));
    let link = |url| EvidenceLink {
        url: text(url),
        media_type: None,
        hash: None,
    };
    let meant = AttestationParts {
        agent: Some(party("djclawd")),
        created_at: Some(time("2026-02-09T12:00:00.000000Z")),
        salience: Some(Salience {
            category: Some(Category::Foundational),
            expected_decay: Some(Decay::Permanent),
            ..Salience::default()
        }),
        evidence: [link("https://example.org/1"), link("https://example.org/2")].into(),
        ..AttestationParts::of_claim(
            text("a1"),
            Claim {
                kind: ClaimKind::Insight,
                ..Claim::of_text(text("pruning is identity"))
            },
        )
    };
    assert_eq!(second.attestation.parts(), &meant);
}

/// Adversarial case F70, R2: what is not among the signed fields can be edited, and a verifier of drafts would not see it; so nothing of
/// their signatures is looked at, edited or not.
#[test]
fn an_edited_draft_is_no_better_and_no_worse_than_an_unsigned_one() {
    let mut signed = response();
    signed["signature"] =
        json!({ "value": "AAAA", "signed_fields": ["memories"], "public_key": "z6Mk" });
    let asked = read_request(&request()).unwrap();
    for (member, edited) in [
        ("request_id", json!("0198c0de-0000-7000-8000-00000000beef")),
        ("responder", json!({ "agent_id": "Somebody else" })),
        ("status", json!("partial")),
        (
            "proof",
            json!({ "type": "DataIntegrityProof", "proofValue": "z1" }),
        ),
    ] {
        let read = read(&with(&signed, &["/", member].concat(), edited)).unwrap();
        assert_eq!(read.signature_for(&asked), Signature::NotLookedAt);
    }
}

/// A draft may carry an attestation of ours, which is then as strict as ever, and signed.
#[test]
fn an_attestation_of_ours_keeps_its_proof_in_a_draft() {
    let mut document = response();
    document["memories"][0]["attestation"] = said("pruning is identity", 2).to_value().unwrap();
    let read_back = read(&document).unwrap();
    let attestation = &read_back.parts().results[0].attestation;
    assert!(!attestation.is_draft());
    assert!(matches!(attestation.signature(), Signature::Holds(_)));
    document["memories"][0]["attestation"]["trust"] = json!(1);
    let Err(DocumentError::Unknown { at, .. }) = read(&document) else {
        panic!()
    };
    assert_eq!(at, "/memories/0/attestation/trust");
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
        assert_wrong(&response(), place, [wrong]);
    }
    for (place, wrong) in [
        ("/meta/returned", json!(5)),
        ("/meta/total_matches", json!(0)),
        ("/status", json!("declined")),
    ] {
        assert_incoherent(&with(&response(), place, wrong));
    }
    for missing in ["/request_id", "/timestamp", "/responder", "/status"] {
        assert_names(&without(&response(), missing), missing);
    }
}

/// Drafts are never written: what is signed is of version 1, whatever it answers.
#[test]
fn the_answer_to_a_draft_is_ours() {
    let asked = read_request(&request()).unwrap();
    let answer = Response::sign(answered().parts().clone(), &asked, &signer(2)).unwrap();
    assert_eq!(
        (answer.is_draft(), answer.parts().audience),
        (false, Audience::Everyone)
    );
    assert!(matches!(answer.signature_for(&asked), Signature::Holds(_)));
    let draft = json!({ "type": "attestation", "version": "0.1", "claim": "pruning is identity" });
    assert!(
        Attestation::parse(bytes(&draft).as_bytes())
            .unwrap()
            .is_draft()
    );
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
    assert_eq!(asked.parts().checks_requested, RequestedCheck::ALL);
    assert_eq!(asked.signature(), Signature::NotLookedAt);
    let result = VerifyResult::parse(bytes(&json!({
        "type": "verify_result", "version": "0.1", "header": document["header"], "attestation_id": "w1",
        "responder": { "agent_id": "Agent-A" }, "checks": { "signature_valid": "PASS", "taste": "PASS" },
        "aggregate": { "trust_score": 1.0 },
    })).as_bytes()).unwrap();
    let stated = [(RequestedCheck::SignatureValid, Testimony::Pass)];
    assert_eq!(result.parts().checks, stated.into());
    assert_eq!(result.signature_for(&asked), Signature::NotLookedAt);
}
