//! Remembering and believing in three lines each.

use counterfoil_claim_memory::{
    BeliefStatus, Cardinality, Change, ClaimError, ClaimMemoryError, ClaimProposal, Disposition,
    FactValue, Identifier, Support,
};
use serde_json::json;

use crate::support::{Rig, done, ready, refusal, values};

/// I2, I8: about when, as known when.
#[test]
fn a_belief_is_asked_about_a_date_and_as_of_a_date() {
    let rig = Rig::new();
    let memory = rig.user();
    let told = done(memory.remember("ann", "lives in", "Lisbon").from("2024-03"));
    rig.later_by_days(10);
    let moved = memory.remember("ann", "lives in", "Porto").from("2026-01");
    done(moved.superseding([told.reference]));
    let ask = || memory.believe("ann", "lives in");
    assert_eq!(values(&done(ask())), ["\"Porto\""]);
    assert_eq!(values(&done(ask().at("2025"))), ["\"Lisbon\""]);
    assert_eq!(values(&done(ask().as_of("2027-01-16"))), ["\"Lisbon\""]);
    assert_eq!(done(ask().at("2020")).status, BeliefStatus::NoBelief);
    let before = ready(ask().as_of("1969"));
    assert!(matches!(before, Err(ClaimMemoryError::BeforeRecords)));
}

/// The first thing that is wrong is the answer, and nothing is written.
#[test]
fn what_is_malformed_is_told_when_it_is_awaited() {
    let rig = Rig::new();
    let memory = rig.user();
    let home = |subject| memory.remember(subject, "lives in", "Lisbon");
    let date = refusal(home("ann").from("spring"));
    assert!(matches!(date, ClaimError::Date { .. }), "{date:?}");
    let name = refusal(home("").from("spring"));
    assert!(matches!(name, ClaimError::Identifier { .. }), "{name:?}");
    let window = refusal(home("ann").from("2025").until("2024"));
    assert!(matches!(window, ClaimError::IncoherentWindow), "{window:?}");
    let belief = done(memory.believe("ann", "lives in"));
    assert_eq!(belief.status, BeliefStatus::NoBelief);
}

/// I6: the same request under the same key is written once.
#[test]
fn a_repeated_request_gets_the_first_answer() {
    let rig = Rig::new();
    let memory = rig.user();
    let tell = || memory.remember("ann", "lives in", "Lisbon").keyed("turn-7");
    let first = done(tell());
    assert_eq!(done(tell()), first);
    assert_eq!(done(memory.committed("turn-7")), Some(first));
    assert_eq!(done(memory.committed("turn-8")), None);
    let other = refusal(memory.remember("ann", "lives in", "Porto").keyed("turn-7"));
    assert!(matches!(other, ClaimError::KeyReused { .. }), "{other:?}");
}

/// I5, CLM-19, CLM-29: a proposal comes through the extractor's door, where what is incoherent is quarantined.
#[test]
fn a_proposal_is_judged_like_everything_else() {
    let rig = Rig::new();
    let model = rig.model();
    let proposal = ClaimProposal {
        subject: Identifier::new("subject", "ann").expect("a name"),
        predicate: Identifier::new("predicate", "lives in").expect("a name"),
        value: FactValue::new(&json!("Lisbon")).expect("a value"),
        valid: None,
        cardinality: Cardinality::One,
        change: Change::None,
        span: None,
    };
    let backwards = model.consider(proposal).from("2025").until("2024");
    let outcome = done(backwards);
    assert_eq!(outcome.disposition, Disposition::Quarantined);
    let belief = done(model.believe("ann", "lives in"));
    assert_eq!(belief.status, BeliefStatus::NoBelief);
    let released = done(rig.user().release(outcome.reference));
    assert_eq!(released.disposition, Disposition::Released);
    let belief = done(model.believe("ann", "lives in"));
    assert_eq!(belief.support, Some(Support::Inferred));
}

/// I3: the subject view says the same as each line does.
#[test]
fn a_subject_is_seen_whole() {
    let rig = Rig::new();
    let memory = rig.user();
    done(memory.remember("ann", "lives in", "Lisbon"));
    let spoken = memory.remember("ann", "speaks", "Portuguese");
    done(spoken.cardinality(Cardinality::Many));
    done(memory.remember("ben", "lives in", "Porto"));
    let beliefs = done(memory.believe_subject("ann"));
    let predicates = beliefs.iter().map(|one| one.line.predicate.as_str());
    assert!(predicates.eq(["lives in", "speaks"]));
    for belief in beliefs {
        let alone = done(memory.believe("ann", belief.line.predicate.as_str()));
        assert_eq!(alone, belief);
    }
}

/// CLM-30: the present is read once, however many lines are told.
#[test]
fn all_lines_of_a_subject_are_told_of_one_instant() {
    let rig = Rig::new();
    let memory = rig.user();
    for value in ["some", "none"] {
        let requests = (0..1010).map(|number| {
            let said = memory.remember("ann", &format!("trait {number}"), value);
            said.into_request().expect("a request")
        });
        let answers = ready(memory.submit(requests.collect())).expect("room on disk");
        assert!(answers.iter().all(Result::is_ok));
    }
    rig.runs();
    for beliefs in [
        done(memory.believe_subject("ann")),
        ready(memory.contested()).expect("a store"),
    ] {
        assert_eq!(beliefs.len(), 1010);
        let first = beliefs[0].question;
        assert!(beliefs.iter().all(|belief| belief.question == first));
    }
}

/// I10: every change names the unit that caused it.
#[test]
fn why_names_the_units_that_changed_a_belief() {
    let rig = Rig::new();
    let memory = rig.user();
    let told = done(memory.remember("ann", "lives in", "Lisbon"));
    rig.later_by_days(1);
    let ended = done(memory.end(told.reference.clone(), None));
    let (changes, complete) = done(memory.why("ann", "lives in", 10));
    let units = changes.iter().map(|change| change.unit.reference());
    let written = ended.written.expect("a unit");
    assert!(units.eq([&told.reference, &written.0]));
    assert!(complete);
}
