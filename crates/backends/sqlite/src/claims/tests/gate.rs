//! Limits of the lists that the gate reads from indexes.

use super::*;

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
