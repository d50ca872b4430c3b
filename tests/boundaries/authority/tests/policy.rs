//! An Authority decides with what its package may reach: a trace, anchors, a policy (specification 7.4, 9.2.3).
#![cfg(test)]

use counterfoil_authority::{Authority, Policy, Verdict};
use counterfoil_types::{Proposal, UnixMillis};
use counterfoil_verifier::{Anchors, LogAnchor, VerifierSet};
use counterfoil_verify::belief::{BeliefDocument, review};

/// The example key of the signed-note format.
const LOG_KEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

/// One memory, of confidence 0.5 and without evidence.
const PROPOSAL: &str = r#"{
    "proposalId": "prop-1",
    "actor": {"actorId": "me", "kind": "agent"},
    "intent": {
        "body": {"type": "note.keep"},
        "intentId": "intent-1",
        "intentKey": "key",
        "meta": {"origin": {
            "projectionId": "test",
            "source": {"kind": "agent", "eventId": "event-1"},
            "actor": {"actorId": "me", "kind": "agent"}
        }}
    },
    "baseWorld": "world-0",
    "trace": {"summary": "keeps it", "context": {"memory": {
        "selector": {"actorId": "me", "kind": "agent"},
        "query": "anything",
        "selectedAt": 2,
        "atWorldId": "world-0",
        "selected": [{
            "ref": {"worldId": "world-1"},
            "reason": "it is all there is",
            "confidence": 0.5,
            "verified": false
        }]
    }}},
    "submittedAt": 3,
    "status": "submitted"
}"#;

/// A proof of belief whose one unit is no capsule.
const BELIEF: &str = r#"{
    "format": "counterfoil/belief/v1",
    "question": {
        "agent": "did:key:z6Mkv9WMHQD8qwxombLiBsJDJbGiH5WiUpR5jGZrPMy7sB7Q",
        "subject": "ann", "predicate": "lives in",
        "validAt": "1", "asOf": "1", "freshDays": "90", "agingDays": "365"
    },
    "belief": {"status": "no_belief"},
    "units": [{
        "header": "{}", "content": "{}",
        "salt": "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=",
        "signature": {
            "keyId": "0101010101010101010101010101010101010101010101010101010101010101",
            "value": "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ=="
        },
        "proof": {"method": "merkle", "proof": {}}
    }]
}"#;

fn anchors() -> Anchors {
    let log = LogAnchor::new(LOG_KEY.parse().unwrap());
    Anchors::new(vec![log]).unwrap()
}

fn verdict(policy: &str) -> Verdict {
    let policy = Policy::from_json(policy.as_bytes()).unwrap();
    let proposal = Proposal::from_json(PROPOSAL.as_bytes()).unwrap();
    let authority = Authority::new(VerifierSet::new(anchors()), policy);
    let report = authority.review(&proposal, UnixMillis::new(4).unwrap());
    report.decision().verdict()
}

/// MR-01: what follows from a trace is the policy's to say. M-4: nothing but the proposal was looked at.
#[test]
fn one_trace_is_judged_by_the_policy_of_whoever_decides() {
    assert_eq!(verdict(r#"{"preset": "permissive"}"#), Verdict::Approved);
    assert_eq!(verdict(r#"{"preset": "standard"}"#), Verdict::Indeterminate);
    let confident = r#"{"preset": "permissive", "minimum_confidence": 0.9}"#;
    assert_eq!(verdict(confident), Verdict::Rejected);
}

/// Section 9.2.3: a belief is folded again from its proof, by the library of authorities, and no store is asked.
#[test]
fn a_proof_of_belief_is_judged_within_the_role() {
    let document = BeliefDocument::from_json(BELIEF.as_bytes()).unwrap();
    let policy = Policy::from_json(br#"{"preset": "standard"}"#).unwrap();
    let report = review(document, anchors(), &policy, UnixMillis::new(4).unwrap());
    assert_eq!(report.verdict(), Verdict::Rejected);
    let codes: Vec<_> = report.reasons().map(|(code, _)| code).collect();
    assert_eq!(codes, ["unit-refused"]);
}
