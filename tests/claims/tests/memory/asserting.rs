//! Ending, reopening, superseding, and what is contested.

use counterfoil_claim_memory::{BeliefStatus, Disposition};

use crate::support::{Rig, done, values};

/// I1: an end is an assertion; the claim stays in the history, and can hold again.
#[test]
fn a_claim_is_ended_and_reopened() {
    let rig = Rig::new();
    let memory = rig.user();
    let told = done(memory.remember("ann", "works at", "Rio").from("2020"));
    let ended = done(memory.end_line("ann", "works at", Some("2024")));
    assert_eq!(ended.disposition, Disposition::Bounded);
    assert_eq!(ended.reference, told.reference);
    let believe = || memory.believe("ann", "works at");
    assert_eq!(done(believe()).status, BeliefStatus::Ended);
    assert_eq!(values(&done(believe().at("2022"))), ["\"Rio\""]);
    let again = done(memory.reopen(told.reference));
    assert_eq!(again.disposition, Disposition::Reinstated);
    assert_eq!(values(&done(believe())), ["\"Rio\""]);
    assert_eq!(done(memory.history("ann", "works at")).len(), 1);
}

/// I7: both sides are told and none is primary, until one takes the other's place.
#[test]
fn a_contradiction_is_contested_until_it_is_settled() {
    let rig = Rig::new();
    let memory = rig.user();
    let first = done(memory.remember("ann", "born in", "Faro").from("1990"));
    let second = done(memory.remember("ann", "born in", "Évora").from("1990"));
    assert_eq!(second.disposition, Disposition::Contested);
    let contested = done(memory.contested());
    assert_eq!(contested.len(), 1);
    assert_eq!(values(&contested[0]), ["\"Faro\"", "\"Évora\""]);
    assert_eq!(contested[0].primary(), None);
    done(memory.supersede(first.reference, second.reference));
    assert!(done(memory.contested()).is_empty());
    let belief = done(memory.believe("ann", "born in"));
    assert_eq!(values(&belief), ["\"Évora\""]);
}
