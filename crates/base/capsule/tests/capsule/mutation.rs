//! Versions and rollbacks: what comes out is always a valid chain (CAP "Test Hooks").

use counterfoil_capsule::{Verdict, state_of};
use proptest::prelude::*;

use crate::chain::{Chain, seed};
use crate::common::any_json;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The protocol's own test: a seed, then for each delta a mutation, and every capsule validates.
    /// (CAP-34)
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
