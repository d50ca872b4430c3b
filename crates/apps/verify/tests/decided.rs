//! What an authority signs of its decision (docs/format/decision.md).
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic too")]

mod support;

use std::collections::BTreeSet;

use counterfoil_authority::types::{Proposal, UnixMillis};
use counterfoil_authority::verifier::VerifierSet;
use counterfoil_authority::verifier::decision::{DecisionRecord, open};
use counterfoil_authority::{Authority, Policy, ReviewReport};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use serde_json::{Value, json};
use support::{Log, NOW, outcomes, proposal, proposal_with, signed, trace};

fn policy(json: &str) -> Policy {
    Policy::from_json(json.as_bytes()).unwrap()
}

/// The report, and the decision as whoever trusts the authority opens it.
fn decided(log: &Log, rules: &str, proposal: &Value) -> (ReviewReport, DecisionRecord) {
    let proposal = Proposal::try_from(signed(proposal)).unwrap();
    let signer = AgentSigner::new(SecretKey::from_seed([9; 32]));
    let authority = Authority::new(VerifierSet::new(log.anchors()), policy(rules));
    let now = UnixMillis::new(NOW).unwrap();
    let decided = authority.decide(&proposal, now, signer.key(), |bytes| signer.sign(bytes));
    let (report, document) = decided.unwrap();
    assert_eq!(report, authority.review(&proposal, now));
    let record = open(&document, &[signer.key()], Some(&proposal)).unwrap();
    (report, record)
}

#[test]
fn a_decision_says_what_the_report_says() {
    let log = Log::of(3);
    let selected = [
        log.memory(0, "merkle"),
        log.memory(1, "hash"),
        log.memory(2, "signature"),
    ];
    let rules = r#"{"minimum_method": "signature", "require_standing": false}"#;
    let (report, record) = decided(&log, rules, &proposal(&selected));
    assert_eq!(record.verdict(), report.decision().verdict());
    assert_eq!(record.decided_at().value(), NOW);
    let memories: Vec<_> = record.memories().collect();
    let expected = report
        .memories
        .iter()
        .map(|it| (&it.world_id, it.outcome.name()));
    assert_eq!(memories, expected.collect::<Vec<_>>());
    assert_eq!(outcomes(&report), ["proven", "too-weak", "proven"]);
    let document = record.to_value();
    let codes: Vec<_> = report
        .decision()
        .reasons()
        .iter()
        .map(|it| it.code())
        .collect();
    assert_eq!(document["reasons"], json!(codes));
    assert_eq!(
        document.pointer("/memories/1/code"),
        Some(&json!("too-weak"))
    );
    assert_eq!(document["authorityName"], json!("local"));
}

/// A World that stands in several recalls is one memory of the decision, with the worst of its outcomes.
#[test]
fn a_memory_is_named_once_with_its_worst_outcome() {
    let log = Log::of(1);
    let good = log.memory(0, "merkle");
    let mut false_one = good.clone();
    false_one["confidence"] = json!(0.1);
    false_one["evidence"]["proof"]["expectedRoot"] = json!("sha256:00");
    let mut unverified = good.clone();
    unverified["verified"] = json!(false);
    let merged = trace(std::slice::from_ref(&good));
    let refusal = |one: &Value, other: &Value| {
        let parts = [one, other].map(|it| trace(std::slice::from_ref(it)));
        let context = json!({"memory": merged, "memoryTraces": parts});
        let rules = r#"{"refuse_claimed_unverified": true}"#;
        let (report, record) = decided(&log, rules, &proposal_with(Some(context)));
        assert!(report.memories.len() > 1, "{report:?}");
        let memories: Vec<_> = record.memories().map(|(_, outcome)| outcome).collect();
        assert_eq!(memories, ["refused"]);
        let document = record.to_value();
        let code = document.pointer("/memories/0/code");
        code.and_then(|it| it.as_str()).unwrap().to_owned()
    };
    let [of_false, of_unverified] = [&false_one, &unverified].map(|it| refusal(&good, it));
    assert_ne!(of_false, of_unverified);
    assert_eq!(refusal(&false_one, &good), of_false);
    // Of two that are equally bad the first one.
    assert_eq!(refusal(&false_one, &unverified), of_false);
    assert_eq!(refusal(&unverified, &false_one), of_unverified);
}

/// Equal rules have equal digests, and each rule counts.
#[test]
fn the_digest_of_a_policy_is_over_every_rule() {
    let rules = [
        "{}",
        r#"{"preset": "permissive"}"#,
        r#"{"preset": "high-risk"}"#,
        r#"{"name": "bakery.example"}"#,
        r#"{"require_signed": false}"#,
        r#"{"require_trace": false}"#,
        r#"{"no_memory": "refuse"}"#,
        r#"{"minimum_method": "merkle"}"#,
        r#"{"require_disclosed": ["/data/text"]}"#,
        r#"{"unproven": "refuse"}"#,
        r#"{"minimum_confidence": 0.5}"#,
        r#"{"minimum_memories": 2}"#,
        r#"{"maximum_memories": 2}"#,
        r#"{"maximum_age_ms": 2}"#,
        r#"{"allowed_skew_ms": 2}"#,
        r#"{"allowed_selectors": ["a"]}"#,
        r#"{"allowed_methods": ["merkle"]}"#,
        r#"{"trusted_methods": ["own"]}"#,
        r#"{"verifier_ranks": {"own": "hash"}}"#,
        r#"{"require_at_base_world": false}"#,
        r#"{"require_same_actor": false}"#,
        r#"{"selectors": ["a"]}"#,
        r#"{"require_time_order": false}"#,
        r#"{"refuse_duplicates": false}"#,
        r#"{"refuse_claimed_unverified": true}"#,
        r#"{"belief": {"require_resolved": false}}"#,
        r#"{"belief": {"require_external": true}}"#,
        r#"{"belief": {"minimum_sources": 2}}"#,
        r#"{"belief": {"maximum_age_days": 2}}"#,
        r#"{"belief": {"refused_markers": ["model_dissent"]}}"#,
        r#"{"high_risk": {"intents": ["a"]}}"#,
        r#"{"high_risk": {"intents": ["b"]}}"#,
        r#"{"high_risk": {"intents": ["a"], "minimum_memories": 3}}"#,
    ];
    let digests = rules.map(|rules| policy(rules).digest().unwrap());
    assert_eq!(BTreeSet::from(digests).len(), rules.len());
    let digest = |rules| policy(rules).digest().unwrap();
    assert_eq!(digest(r#"{"preset": "standard"}"#), digest("{}"));
}
