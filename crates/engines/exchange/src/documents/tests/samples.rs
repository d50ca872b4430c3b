//! Documents with all their members, to be spoilt one by one.

use alloc::string::String;

use counterfoil_capsule::{Signer as _, Timestamp};
use counterfoil_types::json::{Value, canonical};
use serde_json::json;

use super::arbitrary::signer;
use crate::documents::{
    Attestation, AttestationParts, Claim, Party, Request, Response, ResponseHeader, ResponseParts,
    Text,
};

/// The bytes of a document in its canonical form.
pub(super) fn bytes(document: &Value) -> String {
    canonical(document).unwrap()
}

pub(super) fn text<const MAX: usize>(text: &str) -> Text<MAX> {
    Text::new(text).unwrap()
}

pub(super) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(super) fn party(name: &str) -> Party {
    Party::named(text(name))
}

/// A request without proof.
pub(super) fn request() -> Value {
    json!({
        "type": "memory_request", "version": "1",
        "header": {
            "request_id": "0198c0de-0000-7000-8000-000000000001", "nonce": "AAAAAAAAAAAAAAAAAAAAAA",
            "timestamp": "2026-02-10T00:00:00.000000Z", "expires": "2026-02-10T00:00:30.000000Z",
        },
        "requester": { "agent_id": "Babel" },
        "audience": "*",
        "query": {
            "natural": "what do you know about pruning strategies for agent memory?",
            "domain": "memory-systems/pruning", "keywords": ["pruning", "strategies"],
            "time_range": { "from": "2026-01-01T00:00:00.000000Z", "until": "2026-02-01T00:00:00.000000Z" },
            "filters": { "min_trust_level": 2, "require_evidence": true, "require_vouches": false },
        },
        "preferences": {
            "format": "attestation", "include_evidence": true, "include_vouches": true, "max_results": 5,
            "cursor": "c",
        },
    })
}

/// A request of agent 1 to everyone.
pub(super) fn asked() -> Request {
    let parts = Request::parse(bytes(&request()).as_bytes())
        .unwrap()
        .parts()
        .clone();
    Request::sign(parts, &signer(1)).unwrap()
}

/// An attestation without proof.
pub(super) fn attestation() -> Value {
    json!({
        "type": "attestation", "version": "1", "id": "w1",
        "agent": { "agent_id": "djclawd" },
        "created_at": "2026-02-09T00:00:00.000000Z",
        "claim": {
            "type": "insight", "content": "pruning is identity", "context": "a talk", "references": ["w0"],
            "subject": "pruning", "predicate": "is", "value": { "what": ["identity", 1.5] },
            "valid_from": "2026-02", "valid_until": "2027",
        },
        "salience": {
            "why_kept": "it stuck", "category": "foundational", "confidence": 0.9,
            "expected_decay": { "type": "time-bound", "until": "2027-01-01T00:00:00.000000Z" },
            "supersedes": ["w-1"],
        },
        "provenance": { "source": "received", "class": "tool", "witnesses": ["JustMote"] },
        "evidence": [{ "url": "https://example.org/note", "media_type": "text/plain", "hash": "00".repeat(32) }],
        "pass_on": true,
    })
}

/// A response without proof, whose `results` are to be filled in.
pub(super) fn response() -> Value {
    json!({
        "type": "memory_response", "version": "1",
        "header": {
            "request_id": "0198c0de-0000-7000-8000-000000000001",
            "response_id": "0198c0de-0000-7000-8000-000000000002", "timestamp": "2026-02-10T00:00:01.000000Z",
        },
        "in_response_to": "00".repeat(32),
        "audience": "*",
        "responder": { "agent_id": "djclawd" },
        "status": { "code": "success" },
        "results": [{
            "memory_id": "w1", "attestation": attestation(), "relevance": 0.85, "context": "from my notes",
        }],
        "meta": { "returned": 1, "total_matches": 12, "processing_time_ms": 150 },
    })
}

/// The answer of agent 2 to [`asked`], with one signed memory.
pub(super) fn answered() -> Response {
    let mut parts: ResponseParts = Response::parse(bytes(&response()).as_bytes())
        .unwrap()
        .parts()
        .clone();
    for result in &mut parts.results {
        result.attestation =
            Attestation::sign(result.attestation.parts().clone(), &signer(2)).unwrap();
    }
    Response::sign(parts, &asked(), &signer(2)).unwrap()
}

/// An attestation that says nothing but a text, as of agent `seed`.
pub(super) fn said(content: &str, seed: u8) -> Attestation {
    let parts = AttestationParts {
        id: text("w2"),
        agent: Some(party("somebody")),
        created_at: Some(time("2026-02-09T00:00:00.000000Z")),
        claim: Claim::of_text(text(content)),
        salience: None,
        provenance: None,
        evidence: [].into(),
        pass_on: false,
    };
    Attestation::sign(parts, &signer(seed)).unwrap()
}

/// The header of an answer.
pub(super) fn header() -> ResponseHeader {
    answered().parts().header.clone()
}

/// The key of agent `seed`, as it is written.
pub(super) fn did(seed: u8) -> String {
    alloc::format!("{}", signer(seed).key())
}
