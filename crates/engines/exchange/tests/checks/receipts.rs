//! Receipts of a responder's log (R11, MRP-44; §8.3).

use std::sync::Arc;

use counterfoil_claims::Identifier;
use counterfoil_exchange::answering::claim_of_world;
use counterfoil_exchange::checks::{
    CheckResult, Disposition, FailCode, JudgedMemory, SkipReason, says,
};
use counterfoil_exchange::documents::{Claim, DocumentHash, EvidenceLink, ResultParts};
use counterfoil_verifier::opened::OpenedCapsule;
use serde_json::{Value, json};

use crate::support::log::{Log, Unit};
use crate::support::scene::{PEER, Scene};
use crate::support::words::{attestation_parts, attested, result, text};

const MISMATCH: CheckResult = CheckResult::Fail(FailCode::Mismatch);
const UNIT: &str = "counterfoil/claim/v1";

fn works_in() -> Identifier {
    Identifier::new("predicate", "works in").unwrap()
}

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

/// Adversarial case H122 (MRP-44), MRP-23: what the log shows is recorded, where its key is pinned; no store is asked, and none is
/// linked. It is no evidence: an agent records what it likes, and `--require-evidence` is not met by it.
#[test]
fn a_receipt_of_the_pinned_log_is_a_record_and_no_evidence() {
    let mut log = log();
    let at = log.remember("w1", note("tea"), Unit::Memory);
    log.remember("w2", note("other"), Unit::Memory);
    let claim = Claim::of_text(text("tea"));
    let memory = judged(&log, claim.clone(), log.open(at));
    let told = (memory.checks.record, memory.disposition);
    assert_eq!(told, (CheckResult::Pass, Disposition::StoredHigh));
    let none = CheckResult::Skip(SkipReason::NoEvidence);
    assert_eq!(memory.checks.evidence, none);
    let mut demanding = scene(Some(&log));
    demanding.demands.require_evidence = true;
    let recorded = demanding.judged_result(with_receipt(claim.clone(), log.open(at)));
    assert_eq!(recorded.disposition, Disposition::Reject);
    let other = Log::new(3, "other.example");
    for anchored in [None, Some(&other)] {
        let unknown = scene(anchored).judged_result(with_receipt(claim.clone(), log.open(at)));
        let record = unknown.checks.record;
        assert_eq!(record, CheckResult::Skip(SkipReason::UnknownLog));
    }
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
    let other = [log.open(milk), namesake.open(foreign)];
    for receipt in other.into_iter().chain([edited, salted, headed]) {
        let memory = judged(&log, Claim::of_text(text("tea")), receipt);
        let told = (memory.checks.record, memory.disposition);
        assert_eq!(told, (MISMATCH, Disposition::Reject));
    }
}

/// §8.3: the words of a note, and line, value and window of a unit; no less and nothing else.
#[test]
fn a_receipt_says_what_the_claim_says_or_it_does_not_fit() {
    let mut log = log();
    let at = log.remember("w1", unit("Lisbon", "claim"), Unit::Claim);
    let claim = claim_of_world(&content(&unit("Lisbon", "claim"))).unwrap();
    assert_eq!(
        judged(&log, claim.clone(), log.open(at)).checks.record,
        CheckResult::Pass
    );
    let other = claim_of_world(&content(&unit("Porto", "claim"))).unwrap();
    let edits: [fn(&mut Claim, Claim); 6] = [
        |claim, other| *claim = other,
        |claim, other| claim.structured = other.structured,
        |claim, _| claim.structured.as_mut().unwrap().valid_from = None,
        |claim, _| claim.structured.as_mut().unwrap().predicate = works_in(),
        |claim, _| claim.structured = None,
        |claim, _| claim.content = text("ann never lived in Lisbon"),
    ];
    for edit in edits {
        let mut wrong = claim.clone();
        edit(&mut wrong, other.clone());
        let memory = judged(&log, wrong, log.open(at));
        assert_eq!(memory.checks.record, MISMATCH);
    }
    // Circumstances are the attester's.
    let free = Claim {
        context: Some(text("as I heard")),
        ..claim
    };
    let record = judged(&log, free, log.open(at)).checks.record;
    assert_eq!(record, CheckResult::Pass);
}

/// What only looks like a unit is none, and what denies a claim does not say it.
#[test]
fn data_like_that_of_a_unit_is_none() {
    let (claimed, tea) = (unit("Lisbon", "claim"), note("ann lives in Lisbon"));
    let claim = claim_of_world(&content(&claimed)).unwrap();
    let words = Claim::of_text(text("ann lives in Lisbon"));
    for (data, kind, claim, fits) in [
        (&claimed, Some("claim"), &claim, true),
        (&claimed, None, &claim, false),
        (&unit("Lisbon", "deny"), Some("claim"), &claim, false),
        (&tea, Some("claim"), &words, false),
        (&tea, None, &words, true),
    ] {
        assert_eq!(says(&content(data), kind, claim), fits, "{data} {kind:?}");
    }
}

/// Adversarial case H110: a receipt makes up for no evidence, whether it fails, is away or was not looked at; and what fits is
/// evidence without one.
#[test]
fn record_and_evidence_are_checked_apart() {
    let mut log = log();
    let at = log.remember("w1", note("tea"), Unit::Memory);
    let mut scene = scene(Some(&log));
    scene.demands.require_evidence = true;
    let url = text("https://example.com/tea");
    let mut cited = attestation_parts("a", Claim::of_text(text("tea")), PEER);
    cited.evidence = vec![EvidenceLink {
        url,
        media_type: None,
        hash: Some(DocumentHash::of(b"tea")),
    }];
    let cited = result(attested(cited, PEER));
    let receipt = Some(log.open(at));
    for found in [
        CheckResult::Pass,
        CheckResult::UNREACHABLE,
        CheckResult::NOT_FETCHED,
        CheckResult::Fail(FailCode::Dead),
        MISMATCH,
    ] {
        scene.found = found;
        for (receipt, record) in [
            (receipt.clone(), CheckResult::Pass),
            (None, CheckResult::Skip(SkipReason::NoReceipt)),
        ] {
            let memory = scene.judged_result(ResultParts {
                receipt,
                ..cited.clone()
            });
            assert_eq!(
                (memory.checks.record, memory.checks.evidence),
                (record, found)
            );
            let kept = memory.disposition != Disposition::Reject;
            assert_eq!(kept, found.is_pass(), "{found}");
        }
    }
}
