//! An Authority decides with what its package may reach: a trace, anchors, a policy (specification 7.4, 9.2.3).
#![cfg(test)]

use counterfoil_authority::{Authority, Policy, Verdict};
use counterfoil_types::{Proposal, UnixMillis};
use counterfoil_verifier::{Anchors, LogAnchor, VerifierSet};

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

fn verdict(policy: &str) -> Verdict {
    let log = LogAnchor::new(LOG_KEY.parse().unwrap());
    let anchors = Anchors::new(vec![log]).unwrap();
    let policy = Policy::from_json(policy.as_bytes()).unwrap();
    let proposal = Proposal::from_json(PROPOSAL.as_bytes()).unwrap();
    let authority = Authority::new(VerifierSet::new(anchors), policy);
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
