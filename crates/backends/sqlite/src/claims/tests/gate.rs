//! What the gate hears from indexes is what it would hear from a store that looks at everything.

use super::indexes::{Step, requested};
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
pub(super) fn walked(
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
