//! Claims that are told: which, how certain, and that it was noted (I6, I7, R14, R17).

use counterfoil_capsule::Signer;
use counterfoil_claims::Channels;
use counterfoil_exchange::answering::Share;
use counterfoil_exchange::documents::{OriginClass, ProvenanceSource, ResultParts, StatusCode};
use counterfoil_peer::answering::AnsweringSettings;
use counterfoil_types::Scope;
use serde_json::json;

use crate::shared::trusting_directly;
use crate::support::{Rig, agent, query, rule, settings};

fn rig(predicates: &[&str]) -> Rig {
    let mut settings: AnsweringSettings = settings(vec![rule("friends")]);
    let predicates = predicates.iter().map(|name| (*name).to_owned()).collect();
    settings.shared_predicates = predicates;
    Rig::new(settings)
}

fn results(rig: &Rig) -> Vec<ResultParts> {
    let request = rig.request_with(|parts| parts.query = query("ann drinks"));
    rig.answer(&request).parts().results.clone()
}

fn contents(results: &[ResultParts]) -> Vec<&str> {
    results
        .iter()
        .map(|result| result.attestation.parts().claim.content.as_str())
        .collect()
}

/// R14: by the label of a memory that it cites, as that memory is now, or by its predicate.
#[test]
fn a_claim_is_told_by_what_it_cites_or_by_its_predicate() {
    let user = Channels::of_host().user();
    let unshared = rig(&[]);
    let other = unshared.remember("other", json!({"text": "a cup", "share": "work"}));
    unshared.claim(&user, "tea", &[]);
    unshared.claim(&user, "tea", &[other]);
    assert!(results(&unshared).is_empty());
    let rig = rig(&[]);
    let cited = rig.remember("cited", json!({"text": "a cup", "share": "friends"}));
    rig.claim(&user, "tea", std::slice::from_ref(&cited));
    let told = results(&rig);
    assert_eq!(contents(&told), ["ann drinks tea"]);
    let context = told[0].context.as_ref().unwrap().as_str();
    assert_eq!(
        context,
        "believed; since when is uncertain; matches by subject and predicate: \"ann\", \"drinks\""
    );
    let claim = &told[0].attestation.parts().claim;
    let value = &claim.structured.as_ref().unwrap().value;
    assert_eq!(value.canonical(), "\"tea\"");
    assert!(told[0].receipt.is_some());
    let private = json!({"text": "a cup", "share": "friends", "private": true});
    rig.replace(&cited, "taken-back", private);
    assert!(results(&rig).is_empty(), "what it cites was taken back");
    let by_predicate = self::rig(&["drinks"]);
    by_predicate.claim(&user, "tea", &[]);
    assert_eq!(contents(&results(&by_predicate)), ["ann drinks tea"]);
}

/// Mutant `facts-with-a-scope-are-shared`: where it is read, it would be of no scope.
#[test]
fn a_claim_with_a_scope_is_not_told() {
    let (user, rig) = (Channels::of_host().user(), rig(&["drinks"]));
    let scope = Scope::from_pairs([("user", "ann")]).unwrap();
    rig.claim_in(&scope, &user, "tea", &[]);
    assert!(results(&rig).is_empty());
    rig.claim(&user, "milk", &[]);
    assert_eq!(contents(&results(&rig)), ["ann drinks milk"]);
}

/// A rule for a predicate lets out its claims by their label, and no text and no other claim; the rule after it adds to it.
#[test]
fn a_rule_for_a_predicate_lets_out_its_claims_alone() {
    let told = |predicate: &str, continues| {
        let limited = Share {
            predicates: vec![predicate.to_owned()],
            continues,
            ..rule("friends")
        };
        let rig = Rig::new(settings(vec![limited, rule("work")]));
        let data = json!({"text": "ann drinks in the evening", "share": "friends"});
        let cited = rig.remember("cited", data);
        rig.remember(
            "work",
            json!({"text": "ann drinks at work", "share": "work"}),
        );
        rig.claim(&Channels::of_host().user(), "tea", &[cited]);
        let results = results(&rig);
        let mut told: Vec<String> = contents(&results).into_iter().map(str::to_owned).collect();
        told.sort();
        told
    };
    assert_eq!(told("drinks", false), ["ann drinks tea"]);
    assert!(told("eats", false).is_empty());
    assert_eq!(told("eats", true), ["ann drinks at work"]);
    assert_eq!(
        told("drinks", true),
        ["ann drinks at work", "ann drinks tea"]
    );
}

/// I7: what is contested is told as contested, and names nothing that may not be shared.
#[test]
fn a_contested_claim_is_told_as_contested() {
    let rig = rig(&["drinks"]);
    let user = Channels::of_host().user();
    rig.claim(&user, "tea", &[]);
    rig.claim(&user, "milk", &[]);
    let told = results(&rig);
    assert_eq!(told.len(), 2);
    for result in &told {
        let context = result.context.as_ref().unwrap().as_str();
        let expected = "contested: other values are claimed, and none is settled; matches";
        assert!(context.starts_with(expected), "{context}");
    }
}

/// R17: an attestation says in what capacity its agent says so; what another agent has claimed, and cannot be shown in its own words, is
/// not told at all.
#[test]
fn a_claim_of_another_is_not_told_as_ones_own() {
    let channels = Channels::of_host();
    let peer = channels.peers().peer(agent(5).agent(), 2).unwrap();
    let experience = ProvenanceSource::DirectExperience;
    for (channel, own) in [
        (peer, None),
        (
            channels.model(),
            Some((ProvenanceSource::Inference, OriginClass::Model)),
        ),
        (
            channels.first_hand(),
            Some((experience, OriginClass::FirstHand)),
        ),
        (channels.user(), Some((experience, OriginClass::User))),
    ] {
        let rig = rig(&["drinks"]);
        trusting_directly(&rig, agent(5).agent());
        rig.claim(&channel, "tea", &[]);
        let told = results(&rig);
        let parts = told.first().map(|told| told.attestation.parts());
        let from = parts.and_then(|parts| parts.provenance.as_ref());
        let from = from.map(|from| (from.source, from.class));
        assert_eq!(from, own.map(|(source, class)| (source, Some(class))));
        assert!(parts.is_none_or(|parts| parts.chain().is_none() && !parts.pass_on));
    }
}

/// R14: claims that were denied stand in nobody's way: however few are asked for, what is believed is told, and nothing
/// says that there is more.
#[test]
fn a_claim_that_does_not_hold_hides_none_and_shows_in_nothing() {
    let rig = rig(&["drinks"]);
    let user = Channels::of_host().user();
    let proof = rig.remember("proof", json!({"text": "a bill"}));
    let claim = |value| rig.claim(&user, value, &[]);
    let [absinthe, beer, _, wine] = ["absinthe", "beer", "tea", "wine"].map(claim);
    for claim in [&absinthe, &beer, &wine] {
        rig.deny(claim, &proof);
    }
    for most in [1, 2, 3, 5] {
        let request = rig.request_with(|parts| {
            parts.query = query("ann drinks");
            parts.preferences.max_results = most;
        });
        let response = rig.answer(&request);
        let parts = response.parts();
        assert_eq!(contents(&parts.results), ["ann drinks tea"], "{most}");
        assert_eq!(parts.status.code, StatusCode::Success, "{most}");
        assert_eq!(parts.meta.cursor, None, "{most}");
    }
}
