//! What a policy asks of a belief (docs/format/policy.md, `belief`).

use counterfoil_authority::Policy;
use counterfoil_authority::types::{DidKey, UnixMillis};

use crate::support::{PROVEN, Rig, document, done, report};

/// Codes of what speaks against a belief of Ann, and the worst that they point to.
#[track_caller]
fn codes(rig: &Rig, predicate: &str, policy: &str) -> Vec<String> {
    codes_at(rig, predicate, policy, rig.now())
}

#[track_caller]
fn codes_at(rig: &Rig, predicate: &str, policy: &str, now: UnixMillis) -> Vec<String> {
    let proof = document(&done(rig.user().prove("ann", predicate)));
    let policy = Policy::from_json(policy.as_bytes()).expect("a policy");
    let report = report(rig.anchors(), &proof, &policy, now);
    let codes = crate::support::codes(&report).into_iter();
    codes.map(ToOwned::to_owned).collect()
}

#[test]
fn a_proven_belief_is_approved_under_the_standard_preset() {
    let rig = Rig::new();
    rig.moved_house();
    assert_eq!(codes(&rig, "lives in", "{}"), PROVEN);
    assert_eq!(
        codes(&rig, "lives in", r#"{"preset": "high-risk"}"#),
        PROVEN
    );
}

/// I2: the simplest claim, without a date, passes the standard preset.
#[test]
fn an_undated_claim_is_settled_from_its_statement_on() {
    let rig = Rig::new();
    done(rig.user().remember("ann", "mood", "good"));
    assert_eq!(codes(&rig, "mood", "{}"), PROVEN);
}

/// I7: a contest is never taken for settled, unless the policy does not mind.
#[test]
fn what_is_contested_is_rejected_where_resolved_is_asked_for() {
    let rig = Rig::new();
    let memory = rig.user();
    done(memory.remember("ann", "born in", "Faro").from("1990"));
    done(memory.remember("ann", "born in", "Évora").from("1990"));
    assert_eq!(codes(&rig, "born in", "{}"), ["not-resolved"]);
    assert_eq!(
        codes(&rig, "born in", r#"{"preset": "permissive"}"#),
        PROVEN
    );
    let lax = r#"{"belief": {"require_resolved": false}}"#;
    assert_eq!(codes(&rig, "born in", lax), PROVEN);
}

/// I4: what only models say is inferred.
#[test]
fn what_only_models_say_is_rejected_where_external_is_asked_for() {
    let rig = Rig::new();
    done(
        rig.memory(0, rig.channels.model())
            .remember("ann", "likes", "tea")
            .from("2020"),
    );
    assert_eq!(codes(&rig, "likes", "{}"), PROVEN);
    let strict = r#"{"belief": {"require_external": true}}"#;
    assert_eq!(codes(&rig, "likes", strict), ["not-external"]);
    assert_eq!(
        codes(&rig, "likes", r#"{"preset": "high-risk"}"#),
        ["not-external"]
    );
}

/// I6: the same source twice is one.
#[test]
fn sources_are_counted_once_each() {
    let rig = Rig::new();
    let memory = rig.user();
    let two = r#"{"belief": {"minimum_sources": 2}}"#;
    done(memory.remember("ann", "likes", "tea").from("2020"));
    done(memory.remember("ann", "likes", "tea").from("2020"));
    assert_eq!(codes(&rig, "likes", two), ["too-few-sources"]);
    let host = rig.memory(0, rig.channels.first_hand());
    done(host.remember("ann", "likes", "tea").from("2020"));
    assert_eq!(codes(&rig, "likes", two), PROVEN);
    let three = r#"{"belief": {"minimum_sources": 3}}"#;
    assert_eq!(codes(&rig, "likes", three), ["too-few-sources"]);
}

/// I11: by the authority's own clock, whatever limits of currency the actor asks with.
#[test]
fn what_was_confirmed_long_ago_is_rejected() {
    let rig = Rig::new();
    done(rig.user().remember("ann", "likes", "tea").from("2020"));
    let fresh = r#"{"belief": {"maximum_age_days": 30}}"#;
    rig.later_by_days(30);
    assert_eq!(codes(&rig, "likes", fresh), PROVEN);
    rig.later_by_days(1);
    assert_eq!(codes(&rig, "likes", fresh), ["confirmed-too-long-ago"]);
    let marked = r#"{"belief": {"refused_markers": ["aging_unconfirmed"]}}"#;
    assert_eq!(codes(&rig, "likes", marked), ["marker-refused"]);
}

#[test]
fn a_confirmation_ahead_of_the_authoritys_clock_is_no_fresh_one() {
    let rig = Rig::new();
    let reviewed_at = rig.now();
    rig.later_by_days(400);
    done(rig.user().remember("ann", "likes", "tea").from("2020"));
    let fresh = r#"{"belief": {"maximum_age_days": 30}}"#;
    let codes = codes_at(&rig, "likes", fresh, reviewed_at);
    assert_eq!(codes, ["confirmed-in-future"]);
}

#[test]
fn a_models_dissent_is_rejected_where_the_policy_minds() {
    let rig = Rig::new();
    done(rig.user().remember("ann", "likes", "tea").from("2020"));
    let strict = r#"{"belief": {"refused_markers": ["model_dissent", "pending_review"]}}"#;
    assert_eq!(codes(&rig, "likes", strict), PROVEN);
    done(
        rig.memory(0, rig.channels.model())
            .remember("ann", "likes", "mate")
            .from("2020"),
    );
    assert_eq!(codes(&rig, "likes", strict), ["marker-refused"]);
}

/// I4, I7: the levels of other agents are the agent's own word, as a proof holds no records of trust. Where the belief follows
/// from a source of the agent whatever they are, nothing is open.
#[test]
fn a_belief_that_depends_on_trust_is_open() {
    let rig = Rig::new();
    let key = DidKey::from_public_key([9; 32]);
    let peer = || rig.memory(0, rig.channels.peer(key, 3).expect("a level"));
    done(peer().remember("ann", "lives in", "Porto").from("2020"));
    let strict = "{}";
    assert_eq!(
        codes(&rig, "lives in", r#"{"preset": "permissive"}"#),
        PROVEN
    );
    assert_eq!(codes(&rig, "lives in", strict), ["trust-open"]);
    done(rig.user().remember("ann", "lives in", "Porto").from("2019"));
    assert_eq!(codes(&rig, "lives in", strict), PROVEN);
    done(peer().remember("ann", "lives in", "Faro").from("2020"));
    assert!(codes(&rig, "lives in", strict).contains(&"trust-open".to_owned()));
    let guess = rig.channels.peer(key, 3).expect("a level").inferred();
    done(
        rig.user()
            .remember("ann", "speaks", "Portuguese")
            .from("2019"),
    );
    done(
        rig.memory(0, guess)
            .remember("ann", "speaks", "Galician")
            .from("2019"),
    );
    assert_eq!(codes(&rig, "speaks", strict), PROVEN);
}

/// Whether an ancestor on another line still stands is not in the proof: then the decision stays open.
#[test]
fn what_was_derived_from_other_claims_leaves_the_review_open() {
    let rig = Rig::new();
    let memory = rig.user();
    let told = done(memory.remember("ann", "lives in", "Lisbon").from("2020"));
    let derived = memory.remember("ann", "speaks", "Portuguese").from("2020");
    done(derived.derived_from([told.reference]));
    assert_eq!(codes(&rig, "speaks", "{}"), PROVEN);
    let strict = r#"{"belief": {"refused_markers": ["pending_review"]}}"#;
    assert_eq!(codes(&rig, "speaks", strict), ["review-open"]);
    let proof = document(&done(memory.prove("ann", "speaks")));
    let policy = Policy::from_json(strict.as_bytes()).expect("a policy");
    let report = report(rig.anchors(), &proof, &policy, rig.now());
    assert_eq!(report["decision"], "indeterminate");
}

#[test]
fn a_policy_about_beliefs_is_read_strictly() {
    for policy in [
        r#"{"belief": {"require_resolve": true}}"#,
        r#"{"belief": {"refused_markers": ["pending"]}}"#,
        r#"{"belief": {"maximum_age_days": 0}}"#,
        r#"{"belief": {"minimum_sources": -1}}"#,
        r#"{"belief": true}"#,
        r#"{"high_risk": {"intents": ["a"], "belief": {}}}"#,
        r#"{"high_risk": {"intents": ["a"], "high_risk": {"belief": {}}}}"#,
    ] {
        assert!(Policy::from_json(policy.as_bytes()).is_err(), "{policy}");
    }
}

/// I5: what the agent has decided of a predicate is not in the proof. A set is open, as a record may say that the predicate holds
/// one value; what one value decides is not, and what is contested stays so.
#[test]
fn a_set_depends_on_the_vocabulary() {
    let rig = Rig::new();
    let says = |value| done(rig.user().remember("ann", "speaks", value).from("2019"));
    says("Portuguese");
    assert_eq!(codes(&rig, "speaks", "{}"), PROVEN);
    says("Galician");
    assert_eq!(codes(&rig, "speaks", "{}"), ["vocabulary-open"]);
    let permissive = r#"{"preset": "permissive"}"#;
    assert_eq!(codes(&rig, "speaks", permissive), PROVEN);
    done(rig.user().remember("ann", "lives in", "Porto").from("2019"));
    done(rig.user().remember("ann", "lives in", "Faro").from("2019"));
    assert_eq!(codes(&rig, "lives in", "{}"), ["not-resolved"]);
}
