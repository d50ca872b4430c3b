//! Claims in a proposal: each comes with the belief of its line, which the authority folds again (docs/format/attestation.md).
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic too")]

use std::fs;

use counterfoil_authority::types::json::Value;
use counterfoil_authority::types::{MemoryRef, Proposal, UnixMillis};
use counterfoil_authority::verifier::attestations::{Attestations, Authorship};
use counterfoil_authority::verifier::opened::EntrySignature;
use counterfoil_authority::verifier::{Anchors, KeyFingerprint, MerkleVerifier, VerifierSet};
use counterfoil_authority::{Authority, Policy, ReviewReport};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use counterfoil_claim_memory::ClaimMemory;
use counterfoil_claims::ClaimRef;
use counterfoil_claims::ports::OracleVerdict;
use counterfoil_prover::{MemoryVerifier, MerkleProver};
use counterfoil_store::{CapsuleLog, MemoryStore};
use counterfoil_verify::{VerifyArgs, decide};
use serde_json::json;

use crate::support::{Rig, document, done, folder, ready};

/// A proposal of claims of Ann, each with the belief of its predicate.
struct Proposed {
    selected: Vec<Value>,
    attestations: Attestations,
}

impl Proposed {
    fn new() -> Self {
        Self {
            selected: Vec::new(),
            attestations: Attestations::default(),
        }
    }

    fn claim(mut self, rig: &Rig, claim: &ClaimRef, belief: Option<Value>) -> Self {
        let index = ready(rig.store.index_of(claim)).unwrap().unwrap();
        let stored = ready(rig.store.capsule(index)).unwrap().unwrap();
        let world = ready(rig.store.get(claim)).unwrap().unwrap();
        let prover = MerkleProver::new(MerkleVerifier::new(rig.anchors())).disclosing([""]);
        let proof = prover.prove(&MemoryRef::new(claim.clone()), &world);
        let mut evidence = serde_json::to_value(proof.into_proof().unwrap()).unwrap();
        let members = evidence.as_object_mut().unwrap();
        members.insert("verifiedAt".into(), json!(1000));
        members.insert("verifiedBy".into(), planner());
        self.selected.push(
            json!({"ref": {"worldId": claim}, "reason": "says so", "confidence": 0.5,
            "verified": true, "evidence": evidence}),
        );
        let author = Authorship {
            header: stored.header.canonical().to_owned(),
            signature: EntrySignature {
                key_id: KeyFingerprint::of(&stored.key),
                value: stored.signature,
            },
        };
        let standings = ready(rig.store.standings(std::slice::from_ref(claim))).unwrap();
        let standing = standings.unwrap().of.pop().flatten();
        self.attestations.insert(claim.clone(), author, standing);
        if let Some(belief) = belief {
            self.attestations.insert_belief(belief, [claim]);
        }
        self
    }

    fn at(self, now: UnixMillis) -> Proposal {
        let memory = json!({"selector": planner(), "query": "ann", "selectedAt": 1001,
            "atWorldId": "base", "selected": self.selected});
        let context = json!({"memory": memory, "attestations": self.attestations.to_value()});
        let proposal = json!({
            "proposalId": "prop-1", "actor": planner(), "baseWorld": "base", "status": "submitted",
            "submittedAt": now.value(),
            "intent": {"body": {"type": "note.add"}, "intentId": "intent-1", "intentKey": "key",
                "meta": {"origin": {"projectionId": "test", "actor": planner(),
                    "source": {"kind": "agent", "eventId": "e"}}}},
            "trace": {"summary": "s", "context": context},
        });
        Proposal::from_json(proposal.to_string().as_bytes()).unwrap()
    }
}

fn planner() -> Value {
    json!({"actorId": "planner", "kind": "agent"})
}

/// The report of `counterfoil-verify` about the proposal, which is not signed.
fn reviewed(rig: &Rig, anchors: &Anchors, proposal: &Proposal, policy: &str) -> ReviewReport {
    decision(rig, anchors, proposal, policy).0
}

/// That report, and the decision record.
fn decision(
    rig: &Rig,
    anchors: &Anchors,
    proposal: &Proposal,
    policy: &str,
) -> (ReviewReport, Value) {
    let folder = folder();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let args = VerifyArgs {
        document: file("proposal.json", serde_json::to_string(proposal).unwrap()),
        anchors: file("anchors.json", anchors.to_json()),
        policy: Some(file(
            "policy.toml",
            format!("require_signed = false\n{policy}"),
        )),
        nonces: None,
        now: Some(rig.now()),
    };
    let key = AgentSigner::new(SecretKey::from_seed([9; 32]));
    decide(&args, key.key(), |bytes| key.sign(bytes)).unwrap()
}

fn outcome(rig: &Rig, anchors: &Anchors, proposal: &Proposal, policy: &str) -> &'static str {
    let report = reviewed(rig, anchors, proposal, policy);
    let outcome = &report.memories.first().unwrap().outcome;
    outcome.code().unwrap_or(outcome.name())
}

fn belief(rig: &Rig, predicate: &str) -> Value {
    document(&done(rig.user().prove("ann", predicate)))
}

fn say(memory: &ClaimMemory, predicate: &str, value: &str, from: &str) -> ClaimRef {
    done(memory.remember("ann", predicate, value).from(from)).reference
}

const HIGH_RISK: &str = "preset = \"high-risk\"\nmaximum_age_ms = 86400000000000";
const STANDARD: &str = "preset = \"standard\"";

/// Each state of a claim, and what an authority makes of it.
#[test]
fn each_state_of_a_claim_is_told_and_judged() {
    let rig = Rig::new();
    let (user, model) = (rig.user(), rig.memory(0, rig.channels.model()));
    let letter = rig.remember("letter", &Value::from("a letter"));
    let believed = say(&user, "born in", "Faro", "1990");
    let guess = say(&model, "born in", "Lagos", "1990");
    let agreed = say(&model, "likes", "tea", "2020");
    let past = say(&user, "lives in", "Lisbon", "2020");
    let moved = user.remember("ann", "lives in", "Porto").from("2024");
    let present = done(moved.superseding([past.clone()])).reference;
    let later = say(&user, "works at", "Acme", "2040");
    let ended = say(&user, "rents", "a flat", "2020");
    done(user.end(ended.clone(), Some("2022")));
    let [one, other] = ["Évora", "Beja"].map(|value| say(&user, "owns land in", value, "2020"));
    let wrong = say(&user, "mother tongue", "Dutch", "2020");
    say(&user, "mother tongue", "German", "2020");
    done(user.adjudicate(wrong.clone(), OracleVerdict::Deny, [letter]));
    let anchors = rig.anchors();
    for (predicate, claim, state, [high_risk, standard]) in [
        ("born in", &believed, "believed", ["proven", "proven"]),
        (
            "born in",
            &guess,
            "not-believed",
            ["not-believed", "not-believed"],
        ),
        ("likes", &agreed, "believed", ["not-external", "proven"]),
        ("lives in", &past, "superseded", ["superseded", "proven"]),
        ("lives in", &present, "believed", ["proven", "proven"]),
        ("works at", &later, "scheduled", ["scheduled", "proven"]),
        ("rents", &ended, "ended", ["ended", "proven"]),
        (
            "owns land in",
            &one,
            "contested",
            ["contested", "contested"],
        ),
        (
            "owns land in",
            &other,
            "contested",
            ["contested", "contested"],
        ),
        ("mother tongue", &wrong, "denied", ["denied", "denied"]),
    ] {
        let proposed = Proposed::new().claim(&rig, claim, Some(belief(&rig, predicate)));
        let proposal = proposed.at(rig.now());
        for (policy, expected) in [
            (HIGH_RISK, high_risk),
            (STANDARD, standard),
            ("preset = \"manifesto\"", "proven"),
        ] {
            assert_eq!(
                outcome(&rig, &anchors, &proposal, policy),
                expected,
                "{predicate} {state} {policy}"
            );
        }
        let (report, record) = decision(&rig, &anchors, &proposal, STANDARD);
        assert_eq!(report.memories[0].claim().map(|it| it.name()), Some(state));
        let is_current = state == "believed";
        let word = if is_current { "current" } else { state };
        assert_eq!(record.pointer("/memories/0/standing"), Some(&json!(word)));
        let written = serde_json::to_value(&report).unwrap();
        let current = written.pointer("/memories/0/standing/current");
        assert_eq!(current, Some(&json!(is_current)));
    }
}

/// The table `belief` of a policy counts for claims, too.
#[test]
fn a_claim_answers_to_the_rules_about_beliefs() {
    let rig = Rig::new();
    let claim = say(&rig.user(), "born in", "Faro", "1990");
    let anchors = rig.anchors();
    let proposed = Proposed::new().claim(&rig, &claim, Some(belief(&rig, "born in")));
    let sources = format!("{STANDARD}\n[belief]\nminimum_sources = 2\n");
    let found = outcome(&rig, &anchors, &proposed.at(rig.now()), &sources);
    assert_eq!(found, "too-few-sources");
}

/// What is not shown is open, and what is shown falsely is refused under every policy.
#[test]
fn a_belief_is_of_this_claim_whole_and_at_its_checkpoint() {
    let rig = Rig::new();
    let user = rig.user();
    let claim = say(&user, "born in", "Faro", "1990");
    let early = belief(&rig, "born in");
    let lone = Proposed::new()
        .claim(&rig, &claim, Some(early.clone()))
        .at(rig.now());
    let anchors = rig.anchors();
    assert_eq!(outcome(&rig, &anchors, &lone, HIGH_RISK), "proven");
    // The line goes on: what was shown before is of another checkpoint, and a belief that leaves it out does not hold.
    say(&user, "born in", "Lagos", "1990");
    let earlier = belief(&rig, "born in");
    say(&user, "likes", "tea", "2020");
    let (whole, likes) = (belief(&rig, "born in"), belief(&rig, "likes"));
    let mut cut = whole.clone();
    cut["units"].as_array_mut().unwrap().pop();
    cut["belief"] = early["belief"].clone();
    let mut open = whole.clone();
    open.as_object_mut().unwrap().remove("line");
    let of = |belief: Option<&Value>| {
        let proposed = Proposed::new().claim(&rig, &claim, belief.cloned());
        proposed.at(rig.now())
    };
    for (case, belief, expected) in [
        ("whole", Some(&whole), "contested"),
        ("none", None, "belief-missing"),
        ("of another checkpoint", Some(&earlier), "belief-missing"),
        ("of another line", Some(&likes), "belief-missing"),
        ("without the word of the map", Some(&open), "belief-missing"),
        ("without its last unit", Some(&cut), "belief-refused"),
    ] {
        let proposal = of(belief);
        assert_eq!(
            outcome(&rig, &anchors, &proposal, HIGH_RISK),
            expected,
            "{case}"
        );
        let manifesto = match expected {
            "belief-refused" => "belief-refused",
            _ => "proven",
        };
        assert_eq!(
            outcome(&rig, &anchors, &proposal, "preset = \"manifesto\""),
            manifesto,
            "{case}"
        );
        // An application that supplies no fold, and one whose anchors know no key of the author, know nothing.
        let policy =
            Policy::from_json(br#"{"preset": "standard", "require_signed": false}"#).unwrap();
        let alone = Authority::new(VerifierSet::new(rig.anchors()), policy);
        let report = alone.review(&proposal, rig.now());
        assert_eq!(
            report.memories[0].outcome.code(),
            Some("belief-missing"),
            "{case}"
        );
        let strangers = rig.anchors_of_a_stranger();
        assert_eq!(
            outcome(&rig, &strangers, &proposal, STANDARD),
            "belief-missing",
            "{case}"
        );
    }
}

#[test]
fn each_rule_that_asks_for_a_belief_does_so_alone() {
    let rig = Rig::new();
    let claim = say(&rig.user(), "born in", "Faro", "1990");
    let missing = Proposed::new().claim(&rig, &claim, None).at(rig.now());
    for (rule, expected) in [
        ("refuse_contested", "belief-missing"),
        ("require_current", "belief-missing"),
        ("refuse_forked", "proven"),
    ] {
        let policy = format!("preset = \"manifesto\"\n{rule} = true");
        assert_eq!(
            outcome(&rig, &rig.anchors(), &missing, &policy),
            expected,
            "{rule}"
        );
    }
}
