//! Each refusal of the gate.

use alloc::string::ToString;
use alloc::vec;

use super::world::{World, dated, id, model, name, peer, recall, says, user, valid};
use crate::Disposition::Bounded;
use crate::ports::OracleVerdict;
use crate::time::Boundary;
use crate::{Assertion, ClaimError, GateDecision, Submission, Target};

/// Section 4, step 1: the same request under its key has the first answer, another one none.
#[test]
fn a_key_stands_for_one_request() {
    let mut world = World::new();
    let keyed = says(&user(), "Lisbon").keyed("k").unwrap();
    let first = world.told(&keyed);
    world.add(&says(&user(), "Porto"));
    let again = world.judge(&keyed).unwrap();
    assert!(matches!(again, GateDecision::Again(_)));
    assert_eq!(world.told(&keyed), first);
    let reused = ClaimError::KeyReused {
        key: "k".to_string(),
        reference: first.reference.clone(),
    };
    for other in [
        says(&user(), "Faro"),
        says(&model(), "Lisbon"),
        dated(&user(), "Lisbon", "2020", ""),
        says(&user(), "Lisbon").citing(vec![id("m1")]).unwrap(),
        says(&user(), "Lisbon").extracted(),
    ] {
        let other = other.keyed("k").unwrap();
        assert_eq!(world.submit(&other), Err(reused.clone()));
    }
    let end = Assertion::end(&user(), Target::Claim(first.reference), None);
    world.refuses(&end.clone().keyed("k").unwrap(), reused);
    let end = end.keyed("k2").unwrap();
    let ended = world.assert(&end).unwrap();
    assert_eq!(world.assert(&end).unwrap(), ended);
    assert_eq!(ended.disposition, Bounded);
}

/// Cited Worlds are there and are no units.
#[test]
fn an_anchor_is_a_memory_that_is_there() {
    let mut world = World::new();
    let unit = world.add(&says(&user(), "Lisbon"));
    for cited in [id("nowhere"), unit] {
        let submission = says(&user(), "Porto").citing(vec![cited.clone()]).unwrap();
        assert_eq!(
            world.submit(&submission),
            Err(ClaimError::AnchorNotFound(cited))
        );
    }
}

/// I6, CLM-15: unknown references are refused, in whatever list they stand, and so are units that are no claims.
#[test]
fn references_are_claims_of_this_agent() {
    let mut world = World::new();
    let claim = world.add(&says(&user(), "Lisbon"));
    let end = Assertion::end(&user(), Target::Claim(claim), None);
    let bound = world.assert(&end).unwrap().written.unwrap().0;
    for unknown in [id("nowhere"), id("m1"), bound] {
        let refused = Err(ClaimError::ClaimNotFound(unknown.clone()));
        let list = || vec![unknown.clone()];
        let derived = says(&user(), "Porto").derived_from(list()).unwrap();
        assert_eq!(world.submit(&derived), refused);
        let superseding = says(&user(), "Porto").superseding(list()).unwrap();
        assert_eq!(world.submit(&superseding), refused);
        let end = Assertion::end(&user(), Target::Claim(unknown.clone()), None);
        assert_eq!(world.assert(&end), refused);
    }
}

#[test]
fn only_claims_of_the_line_are_superseded() {
    let mut world = World::new();
    let mut other = says(&user(), "blue");
    other.predicate = name("colour");
    let blue = world.add(&other);
    let submission = says(&user(), "Porto")
        .superseding(vec![blue.clone()])
        .unwrap();
    assert_eq!(world.submit(&submission), Err(ClaimError::OtherLine(blue)));
}

/// CLM-10: what is wrong in a caller's request is refused when it is made.
#[test]
fn the_door_refuses_what_is_wrong_in_itself() {
    let incoherent = says(&user(), "x").valid(valid("2022", "2020", 0.9));
    assert_eq!(incoherent, Err(ClaimError::IncoherentWindow));
    let empty =
        says(&user(), "x").valid(valid("2020-01-01T10:00:00Z", "2020-01-01T10:00:00Z", 0.9));
    assert_eq!(empty, Err(ClaimError::IncoherentWindow));
    let day = says(&user(), "x").valid(valid("2020-01-01", "2020-01-01", 0.9));
    assert!(day.is_ok(), "a day holds its instants");
    let mut outside = valid("2022", "", 0.9);
    outside.from = Some(Boundary::instant(i64::MAX));
    let outside = says(&user(), "x").valid(outside);
    assert!(matches!(outside, Err(ClaimError::Date { .. })));
    let many = (0..17).map(|number| id(&number.to_string())).collect();
    assert!(matches!(
        says(&user(), "x").citing(many),
        Err(ClaimError::TooMany {
            limit: 16,
            found: 17,
            ..
        })
    ));
    assert!(matches!(
        says(&user(), "x").derived_from(vec![id("a"), id("a")]),
        Err(ClaimError::Twice { .. })
    ));
    for key in ["", "a\nb", &"k".repeat(257)] {
        assert_eq!(says(&user(), "x").keyed(key), Err(ClaimError::Key));
    }
    let undated = says(&user(), "x").valid(valid("", "", 0.9)).unwrap();
    assert_eq!(undated, says(&user(), "x"));
}

/// CLM-19: the gate itself refuses what the door would have.
#[test]
fn an_incoherent_window_of_a_caller_is_refused_by_the_gate() {
    let world = World::new();
    let submission = Submission {
        valid: Some(valid("2022", "2020", 0.9)),
        ..says(&user(), "x")
    };
    assert_eq!(
        world.judge(&submission).unwrap_err(),
        ClaimError::IncoherentWindow
    );
}

/// A stamp that no date can name ends nothing.
#[test]
fn an_end_beyond_the_calendar_is_refused() {
    let mut world = World::new();
    let claim = world.add(&says(&user(), "Lisbon"));
    world.now_us = u64::MAX;
    let end = Assertion::end(&user(), Target::Claim(claim), None);
    let refused = world.assert(&end);
    assert!(matches!(refused, Err(ClaimError::Date { .. })));
}

/// I4, I5: who asserts is at least of the standing of what it changes; recall asserts nothing.
#[test]
fn a_lower_standing_asserts_nothing() {
    let mut world = World::new();
    let said = world.add(&says(&user(), "Lisbon"));
    let guess = world.add(&says(&model(), "Porto"));
    for (channel, claim) in [
        (model(), &said),
        (peer(1, 3), &said),
        (recall(), &said),
        (recall(), &guess),
    ] {
        let end = Assertion::end(&channel, Target::Claim(claim.clone()), None);
        world.entitles_not(&end);
    }
    let by_model = Assertion::end(&model(), Target::Claim(guess.clone()), None);
    world.decides(&by_model, Bounded);
}

/// I4: what somebody of higher standing did is not undone, nor are their claims beaten, by a claim of one's own.
#[test]
fn a_lower_standing_undoes_and_beats_nothing() {
    let mut world = World::new();
    let guess = world.add(&says(&model(), "Porto"));
    world.decided(&Assertion::end(&user(), Target::Claim(guess.clone()), None));
    world.entitles_not(&Assertion::reopen(&model(), guess));
    let said = world.add(&says(&user(), "Lisbon"));
    let rumour = world.add(&says(&peer(1, 3), "Faro"));
    let affirm =
        Assertion::verdict(&peer(1, 3), rumour, OracleVerdict::Affirm, vec![id("m1")]).unwrap();
    world.refuses(
        &affirm,
        ClaimError::InsufficientProvenance {
            provenance: "peer",
            reference: said,
        },
    );
}

/// I5, CLM-26: a verdict rests on a memory or on somebody's claim, never on a model's.
#[test]
fn a_verdict_needs_evidence_from_outside() {
    let mut world = World::with_oracle();
    let lisbon = world.add(&says(&user(), "Lisbon"));
    let porto = world.add(&says(&user(), "Porto"));
    let guess = world.add(&says(&model(), "Faro"));
    let affirm =
        |evidence| Assertion::verdict(&user(), porto.clone(), OracleVerdict::Affirm, evidence);
    for evidence in [vec![], vec![guess]] {
        let verdict = affirm(evidence).unwrap();
        world.refuses(&verdict, ClaimError::InadmissibleEvidence);
    }
    let itself = affirm(vec![porto.clone()]).unwrap();
    world.refuses(&itself, ClaimError::Itself(porto.clone()));
    let nowhere = affirm(vec![id("nowhere")]).unwrap();
    world.refuses(&nowhere, ClaimError::AnchorNotFound(id("nowhere")));
    let mut other = says(&user(), "Porto");
    other.predicate = name("address");
    let evidence = world.add(&other);
    let verdict = affirm(vec![evidence.clone(), id("m1")]).unwrap();
    let written = world.assert(&verdict).unwrap().written.unwrap().0;
    assert_eq!(world.unit(&written).derived_from(), [evidence]);
    assert_eq!(world.unit(&written).anchors[0].world, id("m1"));
    assert_ne!(lisbon, porto);
}
