//! Receipts of a responder's log (R11, MRP-23, MRP-44; §8.3).

use std::sync::Arc;

use counterfoil_exchange::answering::claim_of_world;
use counterfoil_exchange::checks::{
    CheckResult, Disposition, FailCode, JudgedMemory, SkipReason, says,
};
use counterfoil_exchange::documents::{Claim, ResultParts};
use counterfoil_verifier::opened::OpenedCapsule;
use serde_json::{Value, json};

use crate::support::log::{Log, Unit};
use crate::support::scene::{PEER, Scene};
use crate::support::words::{attestation_parts, attested, result, text};

const UNIT: &str = "counterfoil/claim/v1";

fn note(words: &str) -> Value {
    json!({"kind": "note", "text": words})
}

fn unit(value: &str, act: &str) -> Value {
    json!({"kind": "claim", "format": UNIT, "subject": "ann", "predicate": "lives in", "number": 0, "act": act,
        "provenance": {"class": "user_asserted"}, "disposition": "accepted", "row": "1", "value": value,
        "valid": {"from": "2020", "confidence": 1}, "cardinality": {"said": "one"}})
}

fn content(data: &Value) -> Value {
    json!({"worldId": "w", "data": data})
}

fn with_receipt(claim: Claim, receipt: OpenedCapsule) -> ResultParts {
    let attestation = attested(attestation_parts("a", claim, PEER), PEER);
    ResultParts {
        receipt: Some(receipt),
        ..result(attestation)
    }
}

fn scene(anchored: Option<&Log>) -> Scene {
    Scene {
        anchors: anchored.map(|log| Arc::new(log.anchors())),
        ..Scene::trusting(&[PEER])
    }
}

fn log() -> Log {
    Log::new(PEER, "peer.example")
}

fn judged(log: &Log, claim: Claim, receipt: OpenedCapsule) -> JudgedMemory {
    scene(Some(log)).judged_result(with_receipt(claim, receipt))
}

/// Adversarial case H122 (MRP-44): what the log shows is evidence, where its key is pinned; no store is asked, and none is linked.
#[test]
fn a_receipt_of_the_pinned_log_is_evidence() {
    let mut log = log();
    let at = log.remember("w1", note("tea"), Unit::Memory);
    log.remember("w2", note("other"), Unit::Memory);
    let claim = Claim::of_text(text("tea"));
    let memory = judged(&log, claim.clone(), log.open(at));
    assert_eq!(
        (memory.checks.evidence, memory.disposition),
        (CheckResult::Pass, Disposition::StoredHigh)
    );
    let mut demanding = scene(Some(&log));
    demanding.demands.require_evidence = true;
    let kept = demanding.judged_result(with_receipt(claim.clone(), log.open(at)));
    assert_eq!(kept.disposition, Disposition::StoredHigh);
    let unknown = scene(None).judged_result(with_receipt(claim.clone(), log.open(at)));
    assert_eq!(
        unknown.checks.evidence,
        CheckResult::Skip(SkipReason::UnknownLog)
    );
    let other = Log::new(3, "other.example");
    let foreign = scene(Some(&other)).judged_result(with_receipt(claim, log.open(at)));
    assert_eq!(
        foreign.checks.evidence,
        CheckResult::Skip(SkipReason::UnknownLog)
    );
}

/// A receipt of something else, changed, or under a log that only bears the name.
#[test]
fn a_receipt_of_something_else_rejects_the_memory() {
    let mut log = log();
    let (tea, milk) = (
        log.remember("w1", note("tea"), Unit::Memory),
        log.remember("w2", note("milk"), Unit::Memory),
    );
    let mut namesake = Log::new(9, "peer.example");
    let foreign = namesake.remember("w1", note("tea"), Unit::Memory);
    let mut edited = log.open(tea);
    edited.content = edited.content.replace("tea", "sea");
    let mut salted = log.open(tea);
    salted.salt = [9; 32];
    let mut headed = log.open(tea);
    headed.header = log.open(milk).header;
    for receipt in [
        log.open(milk),
        namesake.open(foreign),
        edited,
        salted,
        headed,
    ] {
        let memory = judged(&log, Claim::of_text(text("tea")), receipt);
        assert_eq!(
            memory.checks.evidence,
            CheckResult::Fail(FailCode::Mismatch)
        );
        assert_eq!(memory.disposition, Disposition::Reject);
    }
}

/// §8.3: the words of a note, and line, value and window of a unit; no less and nothing else.
#[test]
fn a_receipt_says_what_the_claim_says_or_it_does_not_fit() {
    let mut log = log();
    let at = log.remember("w1", unit("Lisbon", "claim"), Unit::Claim);
    let claim = claim_of_world(&content(&unit("Lisbon", "claim"))).unwrap();
    assert_eq!(
        judged(&log, claim.clone(), log.open(at)).checks.evidence,
        CheckResult::Pass
    );
    let other = claim_of_world(&content(&unit("Porto", "claim"))).unwrap();
    let structured = claim.structured.clone().unwrap();
    let mut dated = structured.clone();
    dated.valid_from = None;
    let mut named = structured;
    named.predicate = counterfoil_claims::Identifier::new("predicate", "works in").unwrap();
    for wrong in [
        other.clone(),
        Claim {
            structured: other.structured,
            ..claim.clone()
        },
        Claim {
            structured: Some(dated),
            ..claim.clone()
        },
        Claim {
            structured: Some(named),
            ..claim.clone()
        },
        Claim {
            structured: None,
            ..claim.clone()
        },
        Claim {
            content: text("ann never lived in Lisbon"),
            ..claim.clone()
        },
    ] {
        let memory = judged(&log, wrong, log.open(at));
        assert_eq!(
            memory.checks.evidence,
            CheckResult::Fail(FailCode::Mismatch)
        );
    }
    let free = Claim {
        context: Some(text("as I heard")),
        ..claim
    };
    assert_eq!(
        judged(&log, free, log.open(at)).checks.evidence,
        CheckResult::Pass,
        "circumstances are the attester's"
    );
}

/// What only looks like a unit is none, and what denies a claim does not say it.
#[test]
fn data_like_that_of_a_unit_is_none() {
    let (claimed, denied) = (
        content(&unit("Lisbon", "claim")),
        content(&unit("Lisbon", "deny")),
    );
    let claim = claim_of_world(&claimed).unwrap();
    assert!(says(&claimed, Some("claim"), &claim));
    assert!(!says(&claimed, None, &claim));
    assert!(!says(&denied, Some("claim"), &claim));
    assert!(!says(
        &content(&note("ann lives in Lisbon")),
        Some("claim"),
        &Claim::of_text(text("ann lives in Lisbon"))
    ));
    assert!(says(
        &content(&note("tea")),
        None,
        &Claim::of_text(text("tea"))
    ));
}

/// Adversarial case H110: a receipt does not make up for a URL whose content has changed, nor for one that is gone.
#[test]
fn a_receipt_does_not_make_up_for_evidence_that_fails() {
    let mut log = log();
    let at = log.remember("w1", note("tea"), Unit::Memory);
    let mut scene = scene(Some(&log));
    let mut of = |evidence| {
        scene.found = evidence;
        scene
            .judged_result(with_receipt(Claim::of_text(text("tea")), log.open(at)))
            .checks
            .evidence
    };
    for (found, result) in [
        (
            CheckResult::Fail(FailCode::Mismatch),
            CheckResult::Fail(FailCode::Mismatch),
        ),
        (
            CheckResult::Fail(FailCode::Dead),
            CheckResult::Fail(FailCode::Dead),
        ),
        (CheckResult::UNREACHABLE, CheckResult::Pass),
        (CheckResult::NOT_FETCHED, CheckResult::Pass),
    ] {
        assert_eq!(of(found), result);
    }
}
