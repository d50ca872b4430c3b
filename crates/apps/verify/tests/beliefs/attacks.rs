//! Attacks on a proof of belief (docs/format/belief.md 4), each refused for its own reason.

use counterfoil_authority::types::json::{Limits, Value, parse};
use counterfoil_authority::verifier::Anchors;
use counterfoil_authority::{Policy, Preset};
use counterfoil_claims::Settings;
use counterfoil_claims::belief::{believe, statement};
use serde_json::json;

use crate::support::{PROVEN, Rig, check, codes, document, done, read, report, text, units, with};

/// A log, and the honest proof of where Ann lives.
pub(crate) fn honest() -> (Rig, Value) {
    let rig = Rig::new();
    let memory = rig.moved_house();
    let proof = document(&done(memory.prove("ann", "lives in")));
    (rig, proof)
}

/// Refused, with exactly this code.
#[track_caller]
fn refused(rig: &Rig, attack: &Value, code: &str, message: &str) {
    refused_by(rig.anchors(), attack, code, message);
}

#[track_caller]
fn refused_by(anchors: Anchors, attack: &Value, code: &str, message: &str) {
    let report = check(anchors, attack);
    assert_eq!(codes(&report), [code], "{report}");
    assert!(
        text(&report, "/reasons/0/message").contains(message),
        "{report}"
    );
}

/// CLM-50: units and receipts suffice, without the store.
#[test]
fn the_honest_proof_shows_the_belief_and_what_follows_does_not() {
    let (rig, proof) = honest();
    let report = check(rig.anchors(), &proof);
    assert_eq!(codes(&report), PROVEN);
    assert_eq!(report["belief"], proof["belief"]);
    assert_eq!(shown(&report), (3, rig.checkpoint().0));
}

/// Units that are missing, moved or given twice: without its second unit Ann would live in Lisbon still.
#[test]
fn units_that_are_not_one_after_the_other_are_refused() {
    type Change = fn(&mut Vec<Value>);
    let (rig, proof) = honest();
    let cases: [(Change, &str); 4] = [
        (|units| drop(units.remove(1)), "units[1] has the number 2"),
        (|units| drop(units.remove(0)), "units[0] has the number 1"),
        (|units| units.swap(0, 1), "units[0] has the number 1"),
        (
            |units| units.insert(2, units[1].clone()),
            "units[2] has the number 1",
        ),
    ];
    for (change, message) in cases {
        let mut attack = proof.clone();
        change(units(&mut attack));
        refused(&rig, &attack, "unit-missing", message);
    }
}

/// A member of a unit that was changed, or comes from another unit, is not what was recorded and signed: the content lies
/// under a salted address in the entry, the time in the header, whose one spelling the agent signed with the entry. Only
/// the strongest method shows when a unit was recorded.
#[test]
fn a_changed_or_moved_member_of_a_unit_is_refused() {
    let (rig, proof) = honest();
    let replaced = |pointer: &str, from: &str, to: &str| {
        let old = text(&proof, pointer);
        let new = old.replace(from, to);
        assert_ne!(new, old);
        Value::from(new)
    };
    let first = |member: &str| proof["units"][0][member].clone();
    for (pointer, value, message) in [
        (
            "/units/1/content",
            replaced("/units/1/content", "Porto", "Paris"),
            "units[1]: content and salt",
        ),
        ("/units/1/salt", first("salt"), "units[1]: content and salt"),
        (
            "/units/1/header",
            replaced("/units/1/header", "2027-01-16T", "2027-01-15T"),
            "units[1]: the header is not the one",
        ),
        (
            "/units/0/header",
            replaced("/units/0/header", "\"seq\":0", "\"seq\": 0"),
            "units[0]: the header cannot be read",
        ),
        (
            "/units/1/proof",
            first("proof"),
            "units[1]: the header is not the one",
        ),
        (
            "/units/1/signature",
            first("signature"),
            "over the entry is invalid",
        ),
        (
            "/units/0/proof/method",
            json!("hash"),
            "a proof of method \"hash\"",
        ),
    ] {
        refused(
            &rig,
            &with(proof.clone(), pointer, value),
            "unit-refused",
            message,
        );
    }
}

/// An answer is of one question: about another time it is another one (Ann lived in Lisbon on 2025-01-01), units that the
/// question leaves out have no place, and a belief is of the agent who signed.
#[test]
fn an_answer_is_not_moved_to_another_question() {
    let (rig, proof) = honest();
    let other = rig.memory(1, rig.channels.user()).agent().to_string();
    for (pointer, value, code, message) in [
        (
            "/question/validAt",
            "1735689600000000",
            "other-belief",
            "Lisbon",
        ),
        (
            "/question/asOf",
            "1800086400000001",
            "after-as-of",
            "units[2]",
        ),
        ("/question/agent", &other, "other-agent", "units[0]"),
    ] {
        refused(&rig, &with(proof.clone(), pointer, value), code, message);
    }
}

/// Both agents are trusted, and neither may sign for the other.
#[test]
fn a_signature_by_another_agent_is_refused() {
    let (rig, proof) = honest();
    let other = rig.memory(1, rig.channels.user());
    done(other.remember("ann", "lives in", "Oslo"));
    let theirs = document(&done(other.prove("ann", "lives in")));
    let attack = with(
        proof,
        "/units/0/signature",
        theirs["units"][0]["signature"].clone(),
    );
    refused(
        &rig,
        &attack,
        "unit-refused",
        "another key than that of the agent",
    );
}

#[test]
fn a_unit_of_another_agent_is_refused() {
    let (rig, _) = honest();
    let other = rig.memory(1, rig.channels.user());
    done(other.remember("ann", "lives in", "Oslo"));
    let mut ours = document(&done(rig.user().prove("ann", "lives in")));
    let theirs = document(&done(other.prove("ann", "lives in")));
    units(&mut ours)[0] = theirs["units"][0].clone();
    refused(&rig, &ours, "other-agent", "units[0]");
}

#[test]
fn a_unit_of_another_line_is_refused() {
    let (rig, _) = honest();
    let memory = rig.user();
    done(memory.remember("ben", "lives in", "Oslo"));
    let mut ann = document(&done(memory.prove("ann", "lives in")));
    let ben = document(&done(memory.prove("ben", "lives in")));
    units(&mut ann)[0] = ben["units"][0].clone();
    refused(&rig, &ann, "other-line", "\"ben\" / \"lives in\"");
}

/// What the actor says that it believes is compared, and never believed.
#[test]
fn a_belief_that_the_units_do_not_give_is_refused() {
    let (rig, proof) = honest();
    for (pointer, value) in [
        ("/belief/status", json!("contested")),
        ("/belief/support", json!("inferred")),
        ("/belief/sides/0/value", json!("\"Paris\"")),
        ("/belief/sides/0/corroborations", json!("7")),
        ("/belief/sides/0/confirmed", json!("1800172800000000")),
        ("/belief/sides/0/currency", json!("decayed")),
        ("/belief", json!({})),
    ] {
        let attack = with(proof.clone(), pointer, value);
        refused(
            &rig,
            &attack,
            "other-belief",
            "the units give another belief",
        );
    }
}

/// A memory whose content looks like a unit never came through the gate.
#[test]
fn a_world_that_looks_like_a_unit_is_none() {
    let (rig, proof) = honest();
    let content = text(&proof, "/units/0/content");
    let content = parse(content.as_bytes(), Limits::CONTENT).expect("JSON");
    let forged = rig.remember("forged", &content["data"]);
    let mut attack = document(&done(rig.user().prove("ann", "lives in")));
    units(&mut attack)[0] = rig.opened(&forged);
    refused(&rig, &attack, "no-unit", "never came through the gate");
}

#[test]
fn units_under_two_checkpoints_are_refused() {
    let (rig, mut old) = honest();
    rig.remember("more", &json!("the log grows"));
    let new = document(&done(rig.user().prove("ann", "lives in")));
    units(&mut old)[2] = new["units"][2].clone();
    refused(&rig, &old, "two-checkpoints", "units[2]");
}

#[test]
fn a_proof_under_a_log_or_an_agent_that_is_not_trusted_is_refused() {
    let (rig, proof) = honest();
    let unknown = "no anchored agent has the key";
    refused_by(rig.anchors_of_a_stranger(), &proof, "unit-refused", unknown);
    let note = text(&proof, "/units/0/proof/proof/tlogProof").replace("example.com/log", "other");
    let attack = with(proof, "/units/0/proof/proof/tlogProof", note);
    refused(&rig, &attack, "unit-refused", "no anchor for the log");
}

/// The end of the line without its last units, stated as what they give, was approved as resolved: nothing in it is false. The
/// map of the log counts the units.
#[test]
fn a_truncated_end_is_refused_by_the_word_of_the_log() {
    let (rig, mut proof) = honest();
    units(&mut proof).truncate(1);
    refused(&rig, &proof, "other-belief", "Lisbon");
    let stated = folded(&proof);
    let attack = with(proof, "/belief", stated);
    refused(&rig, &attack, "later-units", "3 units of this line");
    // The first unit's own line, as it was when the log had no other one.
    let fresh = Rig::new();
    done(
        fresh
            .user()
            .remember("ann", "lives in", "Lisbon")
            .from("2020"),
    );
    let earlier = document(&done(fresh.user().prove("ann", "lives in")));
    let foreign = with(attack.clone(), "/line", earlier["line"].clone());
    refused(&rig, &foreign, "line-refused", "lookup");
    // Without the word of the map the decision is open, unless the policy does not mind.
    let mut open = attack;
    open.as_object_mut().expect("an object").remove("line");
    let of = |name| report(rig.anchors(), &open, &Policy::preset(name), rig.now());
    for name in [Preset::Standard, Preset::HighRisk] {
        let report = of(name);
        assert_eq!(codes(&report), ["later-units-open"], "{name}");
        assert_eq!(report["decision"], "indeterminate");
    }
    let report = of(Preset::Permissive);
    assert_eq!(codes(&report), PROVEN);
    assert_eq!(report["notShown"][0], "later-units");
    assert_eq!(report["belief"]["sides"][0]["value"], "\"Lisbon\"");
    assert_eq!(shown(&report), (1, rig.checkpoint().0));
}

/// A belief as of an earlier time is that of the units until then. The map counts the later ones, which are not shown, so that the
/// decision is open.
#[test]
fn an_earlier_belief_is_not_taken_for_the_present_one() {
    let (rig, _) = honest();
    let proof = rig.user();
    let proof = proof.prove("ann", "lives in").as_of("2027-01-15T12:00:00Z");
    let earlier = document(&done(proof));
    assert_eq!(earlier.get("line"), None);
    let report = report(
        rig.anchors(),
        &earlier,
        &Policy::preset(Preset::Standard),
        rig.now(),
    );
    assert_eq!(report["decision"], "indeterminate", "{report}");
}

/// A proof that was honest before Ann moved is refused by who has seen the log grow since; made anew under a checkpoint
/// from the floor on, it holds.
#[test]
fn an_old_proof_is_refused_from_a_floor_on() {
    let rig = Rig::new();
    let memory = rig.user();
    let first = done(memory.remember("ann", "lives in", "Lisbon").from("2020"));
    let old = document(&done(memory.prove("ann", "lives in")));
    assert_eq!(codes(&check(rig.anchors(), &old)), PROVEN);
    let moved = memory.remember("ann", "lives in", "Porto").from("2026");
    done(moved.superseding([first.reference]));
    let anchors = rig.anchors_with_floor();
    refused_by(anchors.clone(), &old, "unit-refused", "below");
    let floor = rig.checkpoint().0;
    rig.remember("more", &json!("the log grows"));
    let without = document(&done(memory.prove("ann", "lives in")));
    let missing = "no consistency proof";
    refused_by(anchors.clone(), &without, "unit-refused", missing);
    let new = document(&done(memory.prove("ann", "lives in").from_floor(floor)));
    assert_eq!(codes(&check(anchors, &new)), PROVEN);
}

/// Number of units shown, and the size of the log under whose checkpoint.
fn shown(report: &Value) -> (u64, u64) {
    let shown = &report["shown"];
    let size = text(shown, "/checkpoint/size").parse().expect("a number");
    (shown["units"].as_u64().expect("a number"), size)
}

/// What the units of a document give, as whoever made it would have to state it.
fn folded(attack: &Value) -> Value {
    let document = read(attack);
    // The refusal says what the units give: an attacker folds them as well.
    let units = crate::laws::units_of(attack);
    let settings = Settings {
        currency: document.limits,
        ..Settings::default()
    };
    statement(&believe(
        &document.line,
        &units,
        document.question,
        &settings,
        None,
    ))
}
