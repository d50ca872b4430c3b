//! What a peer, a model or a recall loop tries against what the user said.

use alloc::vec;

use super::world::{World, dated, id, line, model, peer, recall, says, user, verdict};
use crate::Disposition::{
    Bounded, Committed, CommittedInferred, Contested, Denied, DeniedAlready, Quarantined,
    QueuedForAdjudication, Reinstated,
};
use crate::ports::OracleVerdict;
use crate::{Assertion, Cardinality, ClaimError, Target};

/// I5, I7, row 3: a peer that has its own claim denied does not keep the user from saying the same.
#[test]
fn a_denial_among_peers_does_not_silence_the_user() {
    let mut world = World::with_oracle();
    world.add(&says(&peer(1, 2), "Porto"));
    let bait = world.add(&says(&peer(1, 2), "Lisbon"));
    world.decides(&verdict(&peer(1, 2), &bait, OracleVerdict::Deny), Denied);
    for channel in [model(), peer(2, 3)] {
        let outcome = world.told(&says(&channel, "Lisbon"));
        assert_eq!((outcome.row, outcome.reference), (3, bait.clone()));
    }
    let outcome = world.told(&says(&user(), "Lisbon"));
    assert_eq!(outcome.disposition, QueuedForAdjudication);
}

/// I5, I7: how many values a line may hold is said by the user and the host: a peer neither hides a contradiction in a set
/// nor makes one of a set.
#[test]
fn a_peer_has_no_say_in_cardinality() {
    let mut world = World::new();
    world.add(&says(&user(), "Lisbon"));
    let other = says(&peer(1, 3), "Porto").cardinality(Cardinality::Many);
    let outcome = world.told(&other);
    assert_eq!(outcome.disposition, Contested);
    let body = world.body(&outcome.reference);
    assert_eq!(body.cardinality, Cardinality::Unknown);

    let mut world = World::new();
    world.add(&says(&user(), "Lisbon").cardinality(Cardinality::Many));
    world.add(&says(&peer(1, 3), "Faro").cardinality(Cardinality::One));
    let outcome = world.told(&says(&user(), "Porto"));
    assert_eq!(outcome.disposition, Committed);
}

/// I5: a model's claim does not make it ambiguous what the user ends.
#[test]
fn a_model_does_not_stand_in_the_way_of_an_end() {
    let mut world = World::new();
    world.add(&says(&model(), "Faro"));
    let end = || Assertion::end(&user(), line(), None);
    let said = world.add(&says(&user(), "Lisbon"));
    let outcome = world.assert(&end()).unwrap();
    assert_eq!(outcome.disposition, Bounded);
    assert_eq!(outcome.reference, said);
    world.decides(&end(), Bounded);
    world.refuses(&end(), ClaimError::Ambiguous { found: 0 });
}

/// I5, I6, I11, rows 1 and 4: what the user has ended is not revived by a model without evidence. What it says of another
/// window is kept apart, once.
#[test]
fn a_model_does_not_revive_what_was_ended() {
    let mut world = World::new();
    let said = world.add(&says(&user(), "Lisbon"));
    let target = Target::Claim(said.clone());
    world.decides(&Assertion::end(&user(), target, None), Bounded);
    let before = world.units.len();
    for channel in [recall(), model()] {
        let echo = world.told(&says(&channel, "Lisbon"));
        assert_eq!((echo.row, echo.reference), (1, said.clone()));
        assert_eq!(world.units.len(), before);
    }
    for channel in [recall(), model()] {
        let outcome = world.told(&dated(&channel, "Lisbon", "2020", ""));
        assert_eq!(outcome.disposition, Quarantined);
    }
    assert_eq!(world.units.len(), before + 1, "and is kept once");
    assert_eq!(world.units[before].because().equals, Some(said));
    let past = dated(&model(), "Lisbon", "2020", "2024");
    assert_eq!(world.told(&past).disposition, CommittedInferred);
    let anchored = says(&model(), "Lisbon").citing(vec![id("m1")]).unwrap();
    assert_eq!(world.told(&anchored).disposition, CommittedInferred);
}

/// I4, I6: who moves back to where he lived says so, and that is his word.
#[test]
fn who_moves_back_is_heard() {
    let mut world = World::new();
    let first = world.add(&says(&user(), "Lisbon"));
    let second = says(&user(), "Porto").superseding(vec![first]).unwrap();
    let second = world.add(&second);
    let back = says(&user(), "Lisbon").superseding(vec![second]).unwrap();
    let outcome = world.told(&back);
    assert_eq!((outcome.disposition, outcome.row), (Committed, 6));
    let provenance = world.unit(&outcome.reference).provenance();
    assert_eq!(provenance, user().provenance());
}

/// I5, I11, rows 1 and 4: what was ended of a model's word, a model does not say again without evidence; cutting the claim
/// earlier does not help it.
#[test]
fn a_model_does_not_revive_its_own_claim() {
    let mut world = World::new();
    let guess = world.add(&says(&model(), "Lisbon"));
    let end = |channel, at: Option<&str>| {
        let at = at.map(|at| crate::time::Boundary::parse(at).unwrap());
        Assertion::end(&channel, Target::Claim(guess.clone()), at)
    };
    world.decides(&end(model(), None), Bounded);
    let again = says(&model(), "Lisbon");
    world.decides(&end(user(), Some("2026-01-01")), Bounded);
    world.decides(&end(model(), Some("2025-12-01")), Bounded);
    let longer = dated(&model(), "Lisbon", "2020", "");
    for (said, row) in [(&again, 1), (&longer, 4)] {
        let outcome = world.told(said);
        assert_eq!(
            (outcome.row, outcome.because.equals),
            (row, Some(guess.clone()))
        );
    }
    let past = dated(&model(), "Lisbon", "2020", "2024");
    let anchored = again.clone().citing(vec![id("m1")]).unwrap();
    for said in [&past, &anchored] {
        assert_eq!(world.told(said).disposition, CommittedInferred);
    }
}

/// I5, row 3: the user says that a model's inference is false though nothing contradicts it, and the model does not say it
/// again without evidence beyond.
#[test]
fn a_models_inference_may_be_denied() {
    let mut world = World::new();
    let guess = world.add(&says(&model(), "Lisbon"));
    let verdict = |channel, verdict| {
        Assertion::verdict(&channel, guess.clone(), verdict, vec![id("m1")]).unwrap()
    };
    let refused = Err(ClaimError::HandleNotFound(guess.clone()));
    assert_eq!(
        world.assert(&verdict(model(), OracleVerdict::Deny)),
        refused
    );
    assert_eq!(
        world.assert(&verdict(user(), OracleVerdict::Affirm)),
        refused
    );
    let bare = Assertion::verdict(&user(), guess.clone(), OracleVerdict::Deny, vec![]).unwrap();
    world.refuses(&bare, ClaimError::InadmissibleEvidence);
    world.decides(&verdict(user(), OracleVerdict::Deny), Denied);
    assert_eq!(world.assert(&verdict(user(), OracleVerdict::Deny)), refused);
    for said in [
        says(&model(), "Lisbon"),
        says(&model(), "Lisbon").citing(vec![id("m1")]).unwrap(),
    ] {
        let outcome = world.told(&said);
        assert_eq!(outcome.disposition, DeniedAlready);
        assert_eq!(outcome.reference, guess);
    }
    let reopen = |channel| Assertion::reopen(&channel, guess.clone());
    world.entitles_not(&reopen(model()));
    world.decides(&reopen(user()), Reinstated);
}

/// I1: a number that leaves none is shared by what follows: the line goes on.
#[test]
fn a_line_whose_numbers_are_used_up_goes_on() {
    let mut world = World::new();
    world.now_us = counterfoil_types::MAX_SAFE_INTEGER;
    world.add(&says(&user(), "Lisbon"));
    world.units[0].number = counterfoil_types::MAX_SAFE_INTEGER;
    for text in ["Porto", "Faro"] {
        let outcome = world.told(&says(&user(), text));
        assert_eq!(outcome.disposition, Contested);
    }
}
