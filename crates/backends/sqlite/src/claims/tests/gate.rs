//! What the gate hears from indexes is what it would hear from a store that looks at everything.

use std::sync::atomic::AtomicU64;

use counterfoil_capsule::SecretKey;
use counterfoil_store::conformance::seeded_entropy;
use counterfoil_store::{InMemoryStore, log::NoteSigner};

use super::indexes::{Step, requested, steps};
use super::*;

/// What can be compared of two stores that name their units differently.
fn told(answer: &Result<ClaimOutcome, ClaimError>) -> Result<(Disposition, u8, u64), String> {
    match answer {
        Ok(outcome) => {
            let rivals = outcome.because.rival_count;
            Ok((outcome.disposition, outcome.row, rivals))
        }
        Err(refusal) => Err(std::mem::discriminant(refusal)).map_err(|kind| format!("{kind:?}")),
    }
}

/// Takes the steps one after the other, each about the claims before it.
fn walked(
    steps: &[Step],
    mut submit: impl FnMut(Vec<ClaimRequest>) -> Vec<Result<ClaimOutcome, ClaimError>>,
) -> Vec<Result<(Disposition, u8, u64), String>> {
    let (mut claims, mut all) = (Vec::new(), Vec::new());
    for step in steps {
        let Some(request) = requested(step, &claims) else {
            continue;
        };
        let answer = submit(vec![request]).pop().unwrap();
        all.push(told(&answer));
        if let Ok(outcome) = answer
            && !claims.contains(&outcome.reference)
        {
            claims.push(outcome.reference);
        }
    }
    all
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

    /// I5, I6, I7: claims that are told apart by their rows alone are judged as those that are read.
    #[test]
    fn the_gate_decides_as_beside_a_store_without_indexes(steps in steps()) {
        let rig = Rig::new();
        let ours = walked(&steps, |requests| rig.submits(requests));
        let signer = NoteSigner::new("gate.example", SecretKey::from_seed([9; 32])).unwrap();
        let clock = Arc::new(AtomicU64::new(START_US));
        let plain = InMemoryStore::new(signer, clock, seeded_entropy(3));
        let theirs = walked(&steps, |requests| {
            let settings = Arc::new(Settings::default());
            block_on(plain.submit(agent(1), settings, requests)).unwrap()
        });
        proptest::prop_assert_eq!(ours, theirs);
    }
}

/// I7: rivals are counted up to 64, and one that many others stand before is found all the same.
#[test]
fn a_rival_is_found_among_very_many_claims() {
    let rig = Rig::new();
    let model = Channels::of_host().model();
    let guess = |number: usize| {
        let said = value(&format!("guess {number}"));
        Submission::new(&model, identifier("Ada"), identifier("lives in"), said)
    };
    let first = rig.told(says("Ada", "lives in", "London"));
    for batch in 0..3 {
        let guesses = (batch * 100..batch * 100 + 100).map(|at| ClaimRequest::Submit(guess(at)));
        let answers = rig.submits(guesses.collect());
        let mut answers = answers.iter().flatten();
        assert!(answers.all(|answer| answer.written.is_some()));
    }
    let rival = says("Ada", "lives in", "Paris");
    let answer = rig.submitted(ClaimRequest::Submit(rival));
    assert_eq!(answer.disposition, Disposition::Contested);
    assert_eq!(answer.because.rivals, [first]);

    for batch in 0..3 {
        let facts = batch * 100..batch * 100 + 100;
        let facts = facts.map(|at| says("Eve", "lives in", &format!("town {at}")));
        rig.submits(facts.map(ClaimRequest::Submit).collect());
    }
    let again = says("Eve", "lives in", "town 7");
    let answer = rig.submitted(ClaimRequest::Submit(again));
    assert_eq!(answer.disposition, Disposition::Corroborated);
    let rival = says("Eve", "lives in", "another");
    let answer = rig.submitted(ClaimRequest::Submit(rival));
    assert_eq!(answer.disposition, Disposition::Contested);
    assert_eq!(answer.because.rival_count, 64);
    rig.is_sound();
}
