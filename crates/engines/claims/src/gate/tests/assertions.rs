//! One test for each row of the assertions' table.

use alloc::string::String;
use core::slice::from_ref;

use super::world::{World, dated, first_hand, line, model, name, peer, says, user, valid, verdict};
use crate::Disposition::{
    Affirmed, Bounded, Contested, Corroborated, Denied, NoChange, Reinstated, Released, Retracted,
    Superseded,
};
use crate::ports::OracleVerdict;
use crate::time::Boundary;
use crate::{Act, Assertion, Channel, ClaimError, ClaimRef, Target};

fn date(text: &str) -> Option<Boundary> {
    Some(Boundary::parse(text).unwrap())
}

fn end(claim: &ClaimRef, at: &str) -> Assertion {
    Assertion::end(&user(), Target::Claim(claim.clone()), date(at))
}

/// I11: a bound ends a fact; at or after its end there is nothing to do, before its start it is refused.
#[test]
fn a_bound_narrows_and_never_widens() {
    let mut world = World::new();
    let claim = world.add(&dated(&user(), "Lisbon", "2021-04-01", ""));
    world.decides(&end(&claim, "2025-01-01"), Bounded);
    for at in ["2025-01-01", "2026"] {
        let outcome = world.assert(&end(&claim, at)).unwrap();
        assert_eq!(outcome.disposition, NoChange);
        assert_eq!((outcome.reference, outcome.written), (claim.clone(), None));
    }
    world.refuses(&end(&claim, "2020-01-01"), ClaimError::IncoherentWindow);
    world.decides(&end(&claim, "2024"), Bounded);
}

/// I7: a line is ended only if it is clear what ends.
#[test]
fn an_ambiguous_line_is_not_ended() {
    let mut world = World::new();
    let by_line = Assertion::end(&user(), line(), None);
    world.refuses(&by_line, ClaimError::Ambiguous { found: 0 });
    let claim = world.add(&says(&user(), "Lisbon"));
    let outcome = world.assert(&by_line).unwrap();
    assert_eq!((outcome.disposition, &outcome.reference), (Bounded, &claim));
    world.add(&says(&user(), "Porto"));
    world.add(&says(&user(), "Faro"));
    world.refuses(&by_line, ClaimError::Ambiguous { found: 2 });
}

/// I10: a reopened claim holds as if nothing had cut it, and is contested if it then has rivals.
#[test]
fn a_reopening_undoes_what_cut_and_denied() {
    let mut world = World::new();
    let claim = world.add(&dated(&user(), "Lisbon", "2021", ""));
    let reopen = Assertion::reopen(&user(), claim.clone());
    world.decides(&reopen, NoChange);
    world.decided(&end(&claim, "2025"));
    world.decides(&reopen, Reinstated);
    world.decides(&reopen, NoChange);
    world.decided(&end(&claim, "2025"));
    let porto = world.add(&dated(&user(), "Porto", "2025", ""));
    let outcome = world.assert(&reopen).unwrap();
    assert_eq!(outcome.disposition, Contested);
    assert_eq!(outcome.because.rivals, from_ref(&porto));
    world.decides(&verdict(&user(), &porto, OracleVerdict::Affirm), Affirmed);
    world.decides(&reopen, Contested);
    world.decides(&verdict(&user(), &claim, OracleVerdict::Deny), Denied);
    world.decides(&reopen, Contested);
}

/// What was said wrongly is taken back, uncontested and undated as it is: it never held. Its source may say it again, and a
/// model may not.
#[test]
fn what_was_said_wrongly_is_taken_back() {
    let mut world = World::new();
    let typo = world.add(&says(&user(), "Lisbno"));
    let retract = |channel: &Channel, claim: &ClaimRef, reason: Option<&str>| {
        Assertion::retract(channel, claim.clone(), reason.map(String::from)).unwrap()
    };
    world.entitles_not(&retract(&model(), &typo, None));
    world.entitles_not(&retract(&peer(1, 3), &typo, None));
    world.decides(&retract(&user(), &typo, Some("a slip")), Retracted);
    world.decides(&retract(&user(), &typo, None), NoChange);
    let Act::Retract { reason, .. } = world.units[1].act() else {
        panic!("{:?}", world.units[1])
    };
    assert_eq!(reason.as_deref(), Some("a slip"));
    assert!(world.sides(i64::MAX).is_empty());
    let echo = world.told(&says(&model(), "Lisbno"));
    assert_eq!((echo.disposition, echo.written), (Corroborated, None));
    let again = world.add(&says(&user(), "Lisbno"));
    assert_ne!(again, typo);
    world.decides(&retract(&user(), &again, None), Retracted);
    world.decides(&Assertion::reopen(&user(), again.clone()), Reinstated);
    assert_eq!(world.sides(i64::MAX), [("\"Lisbno\"".into(), again)]);

    // Other agents take back their own word alone.
    let told = world.add(&dated(&peer(1, 2), "Porto", "2010", "2011"));
    let guess = world.add(&dated(&model(), "Braga", "2010", "2011"));
    world.entitles_not(&retract(&peer(2, 3), &told, None));
    world.entitles_not(&retract(&peer(2, 3), &guess, None));
    world.decides(&retract(&peer(1, 1), &told, None), Retracted);
    world.decides(&retract(&user(), &guess, None), Retracted);
    for reason in ["", &"a".repeat(513), "a\nb"] {
        let refused = Assertion::retract(&user(), told.clone(), Some(reason.into()));
        assert_eq!(refused, Err(ClaimError::Reason));
    }
}

/// What the wrong word took the place of holds again, and goes on to if the word is given after all.
#[test]
fn what_a_slip_took_the_place_of_holds_again() {
    let mut world = World::new();
    let acme = world.add(&dated(&user(), "Acme", "2020", ""));
    let guess = world.add(&dated(&model(), "Delta", "2010", "2011"));
    let beacon = world.add(&says(&user(), "Beacon").replacing());
    assert_eq!(
        world.sides(i64::MAX),
        [("\"Beacon\"".into(), beacon.clone())]
    );
    let retract = Assertion::retract(&user(), beacon.clone(), None).unwrap();
    world.decides(&retract, Retracted);
    assert_eq!(world.sides(i64::MAX), [("\"Acme\"".into(), acme.clone())]);
    world.decides(&Assertion::reopen(&user(), acme.clone()), NoChange);
    world.decides(&Assertion::reopen(&user(), beacon.clone()), Contested);
    assert_eq!(world.sides(i64::MAX).len(), 2);

    // A model's word takes no place of the user's, and frees none.
    let taking = says(&model(), "Echo");
    let echo = world.add(&taking.superseding([acme, guess.clone()].into()).unwrap());
    world.decides(&Assertion::retract(&user(), echo, None).unwrap(), Retracted);
    let Act::Retract { frees, .. } = world.units.last().unwrap().act() else {
        panic!("{:?}", world.units)
    };
    assert_eq!(frees, from_ref(&guess));
}

/// A claim takes another's place on its own line, once.
#[test]
fn a_claim_takes_the_place_of_another() {
    let mut world = World::new();
    let lisbon = world.add(&says(&user(), "Lisbon"));
    let porto = world.add(&says(&user(), "Porto"));
    let superseded = Assertion::supersede(&user(), lisbon.clone(), porto.clone());
    world.decides(&superseded, Superseded);
    world.decides(&superseded, NoChange);
    let itself = Assertion::supersede(&user(), porto.clone(), porto.clone());
    world.refuses(&itself, ClaimError::Itself(porto.clone()));
    let mut other = says(&user(), "blue");
    other.predicate = name("colour");
    let blue = world.add(&other);
    let elsewhere = Assertion::supersede(&user(), porto, blue.clone());
    world.refuses(&elsewhere, ClaimError::OtherLine(blue));
}

/// I5, CLM-19: quarantine is left by an external release alone.
#[test]
fn a_release_ends_a_quarantine() {
    let mut world = World::new();
    let proposal = says(&model(), "Lisbon")
        .extracted()
        .valid(valid("2022", "2020", 0.9))
        .unwrap();
    let kept = world.told(&proposal).reference;
    world.entitles_not(&Assertion::release(&model(), kept.clone()));
    let release = Assertion::release(&user(), kept);
    world.decides(&release, Released);
    world.decides(&release, NoChange);
    assert_eq!(world.told(&proposal).disposition, Corroborated);
}

/// I7, CLM-27: one verdict settles all rivals, pending ones included, and a handle is used once.
#[test]
fn an_affirmed_claim_beats_all_its_rivals() {
    let mut world = World::with_oracle();
    let lisbon = world.add(&says(&user(), "Lisbon"));
    let porto = world.add(&says(&user(), "Porto"));
    let faro = world.add(&says(&user(), "Faro"));
    world.decides(
        &verdict(&first_hand(), &porto, OracleVerdict::Affirm),
        Affirmed,
    );
    let Act::Affirm { rivals, .. } = world.units[3].act() else {
        panic!("{:?}", world.units[3])
    };
    assert_eq!(*rivals, [lisbon, faro.clone()]);
    for handle in [&porto, &faro] {
        world.refuses(
            &verdict(&first_hand(), handle, OracleVerdict::Affirm),
            ClaimError::HandleNotFound(handle.clone()),
        );
    }
}

/// I7: where nobody can tell, both stay, and what is contested may still be settled.
#[test]
fn an_undecided_handle_is_closed_and_contested() {
    let mut world = World::with_oracle();
    world.add(&says(&user(), "Lisbon"));
    let porto = world.add(&says(&user(), "Porto"));
    world.decides(&verdict(&user(), &porto, OracleVerdict::Unknown), Contested);
    let seen = world.seen(world.unit(&porto));
    assert_eq!(
        super::super::is_pending(&seen, world.now_us, &world.settings),
        None
    );
    world.decides(&verdict(&user(), &porto, OracleVerdict::Deny), Denied);
    world.refuses(
        &verdict(&user(), &porto, OracleVerdict::Deny),
        ClaimError::HandleNotFound(porto),
    );
}

/// I5: an oracle is not needed to settle what is contested; what nothing contradicts cannot be settled.
#[test]
fn what_is_contested_without_an_oracle_may_be_settled() {
    let mut world = World::new();
    let lisbon = world.add(&says(&user(), "Lisbon"));
    world.refuses(
        &verdict(&user(), &lisbon, OracleVerdict::Affirm),
        ClaimError::HandleNotFound(lisbon.clone()),
    );
    world.add(&says(&user(), "Porto"));
    world.decides(&verdict(&user(), &lisbon, OracleVerdict::Affirm), Affirmed);
}
