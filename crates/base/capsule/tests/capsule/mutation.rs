//! `mutate_capsule`, rollback and derivation: what comes out is always a valid chain (CAP "Test Hooks").

use counterfoil_capsule::delta::{Delta, REPLACE_FORMAT};
use counterfoil_capsule::{
    Extensions, MutateError, Surroundings, Verdict, World, derive, mutate_capsule, rollback_to,
    state_of,
};
use proptest::prelude::*;
use serde_json::json;

use crate::chain::{Chain, delta_of, seed, seed_by, terms};
use crate::common::{NOW, any_json, signer, stranger};

fn all_valid(chain: &Chain) {
    for number in 0..chain.0.len() {
        assert_eq!(chain.verdict(number), Verdict::Valid, "capsule {number}");
    }
}

/// CAP-1, CAP-2, CAP-18, CAP-19, CAP-30.
#[test]
fn a_mutation_is_the_next_version_under_a_name_of_its_own() {
    let mut chain = seed(json!({ "key": "under the blue pot" }));
    let next = chain
        .update(&json!({ "key": "with the neighbour" }))
        .clone();
    let header = &next.sealed.header;
    assert_eq!(header.seq(), 1);
    assert_eq!(header.world().unwrap().to_string(), "world-1");
    assert_eq!(next.content["data"]["key"], "with the neighbour");
    let hash = World::memory_snapshot_hash(&next.content["data"]).unwrap();
    assert_eq!(next.content["snapshotHash"], hash);
    all_valid(&chain);
}

/// C15: a chain has one writer; who does not write it derives from it.
#[test]
fn another_agent_derives_and_never_extends() {
    let chain = seed(json!({ "key": "under the blue pot" }));
    let (delta, hers) = (chain.delta_to(&json!({ "key": "gone" })), stranger());
    let refused = mutate_capsule(&chain.version(0), &delta, &terms(&hers, 1)).unwrap_err();
    assert!(
        matches!(refused, MutateError::ForeignChain { .. }),
        "{refused}"
    );

    let derived = derive(&chain.version(0), &delta, &terms(&hers, 1)).unwrap();
    let header = &derived.sealed.header;
    assert_eq!(header.previous(), None);
    assert_eq!(
        header.extensions().derived_from,
        [chain.0[0].sealed.header.hash()]
    );
    let verdict = derived.to_document().check(&Surroundings::default());
    assert_eq!(verdict, Verdict::Valid);
}

/// CAP-20.
#[test]
fn a_version_is_neither_earlier_nor_signed_with_an_older_key() {
    let chain = seed(json!(1));
    let (delta, mine) = (chain.delta_to(&json!(2)), signer());
    let refused = mutate_capsule(&chain.version(0), &delta, &terms(&mine, 0)).unwrap_err();
    assert_eq!(refused, MutateError::Chronology);
    let rotated = counterfoil_capsule::AgentSigner::rotated(
        counterfoil_capsule::Signer::agent(&mine),
        2,
        counterfoil_capsule::SecretKey::from_seed([9; 32]),
    );
    let later = seed_by(&rotated, json!(1), 1, NOW, Extensions::default());
    let refused = mutate_capsule(&later.version(0), &delta, &terms(&mine, 1)).unwrap_err();
    assert!(matches!(
        refused,
        MutateError::KeyNotAuthorised {
            number: 0,
            before: 2
        }
    ));
}

#[test]
fn a_delta_of_another_version_changes_nothing() {
    let mut chain = seed(json!({ "a": 1 }));
    let stale = chain.delta_to(&json!({ "a": 2 }));
    chain.update(&json!({ "a": 3 }));
    let mine = signer();
    let refused = mutate_capsule(&chain.version(1), &stale, &terms(&mine, 2)).unwrap_err();
    assert!(matches!(refused, MutateError::Delta(_)), "{refused}");
}

/// C14: what has no delta within the limits is named by both addresses.
#[test]
fn a_change_without_a_delta_names_both_contents() {
    // The delta that is asked for just fits; with the identity of the new version it does not.
    let mut chain = seed(json!("a".repeat((256 << 10) - 80)));
    let (delta, mine) = (chain.delta_to(&json!(null)), signer());
    assert!(delta.canonical().unwrap().len() > (256 << 10) - 100);
    let emptied = mutate_capsule(&chain.version(0), &delta, &terms(&mine, 1)).unwrap();
    chain.0.push(emptied);
    all_valid(&chain);
    let named = chain.head().sealed.header.delta().unwrap();
    assert_eq!(named.label(), Some(REPLACE_FORMAT));
}

/// A way back that is not there is said, with the number of the version whose delta is missing.
#[test]
fn a_rollback_needs_every_delta_between() {
    let mut chain = seed(json!(0));
    for number in 1..4 {
        chain.update(&json!(number));
    }
    let (mine, third) = (signer(), delta_of(&chain.0[3]));
    let back = |deltas: &[Option<&Delta>]| {
        let target = chain.version(0).header;
        let deltas = deltas.iter().copied();
        rollback_to(&chain.version(3), target, deltas, &terms(&mine, 4)).unwrap_err()
    };
    assert_eq!(
        back(&[Some(&third), None]),
        MutateError::RollbackUnavailable { seq: 2 }
    );
    assert_eq!(back(&[]), MutateError::RollbackUnavailable { seq: 3 });
    let target = chain.version(3).header;
    let itself = rollback_to(&chain.version(3), target, [], &terms(&mine, 4)).unwrap_err();
    assert!(matches!(itself, MutateError::NotEarlier { .. }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The protocol's own test: a seed, then for each delta a mutation, and every capsule validates.
    /// (CAP-21, CAP-22, CAP-34)
    #[test]
    fn every_mutation_of_a_seed_validates(first in any_json(), later in prop::collection::vec(any_json(), 1..6)) {
        let mut chain = seed(first);
        for data in &later {
            chain.update(data);
        }
        for number in 0..chain.0.len() {
            prop_assert_eq!(chain.verdict(number), Verdict::Valid);
        }
    }

    /// Adversarial case C45: rollback to any version, new edits, then rollback of the rollback; states
    /// are equal byte for byte, and the chain is valid throughout.
    /// (CAP-3)
    #[test]
    fn a_rollback_and_its_own_rollback_restore_states(
        versions in prop::collection::vec(any_json(), 2..5),
        edits in prop::collection::vec(any_json(), 0..3),
        target in any::<prop::sample::Index>(),
    ) {
        let mut chain = seed(versions[0].clone());
        for data in &versions[1..] {
            chain.update(data);
        }
        let (head, target) = (chain.0.len() - 1, target.index(versions.len() - 1));
        let state = |chain: &Chain, number: usize| state_of(&chain.0[number].content).unwrap();
        chain.roll_back(target);
        prop_assert_eq!(state(&chain, head + 1), state(&chain, target));
        for data in &edits {
            chain.update(data);
        }
        chain.roll_back(head);
        prop_assert_eq!(state(&chain, chain.0.len() - 1), state(&chain, head));
        for number in 0..chain.0.len() {
            prop_assert_eq!(chain.verdict(number), Verdict::Valid);
        }
    }
}
