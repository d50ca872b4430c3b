//! One test for each row of the table, and for each step before it.

use alloc::vec;
use alloc::vec::Vec;
use core::slice::from_ref;

use counterfoil_types::DidKey;

use super::world::{
    DAY_US, World, dated, first_hand, id, line, model, peer, recall, says, user, valid, value,
    verdict,
};
use crate::Disposition::{
    Committed, CommittedInferred, Confirmed, Contested, Corroborated, Denied, DeniedAlready,
    Quarantined, QueuedForAdjudication,
};
use crate::effective::{Effective, instant_of};
use crate::ports::OracleVerdict;
use crate::time::Boundary;
use crate::{
    Act, Assertion, Cardinality, ClaimError, ClaimOutcome, Disposition, ProvenanceClass,
    Submission, Unit,
};

#[track_caller]
fn row(outcome: &ClaimOutcome, disposition: Disposition, number: u8) {
    assert_eq!(
        (outcome.disposition, outcome.row),
        (disposition, number),
        "{outcome:?}"
    );
}

/// I6, CLM-11, CLM-18, row 1: the same statement again, without a new source, writes nothing.
#[test]
fn a_statement_said_twice_is_one_claim() {
    let mut world = World::new();
    let first = world.add(&says(&user(), "Lisbon"));
    world.soon();
    for channel in [user(), model(), recall()] {
        let again = world.told(&says(&channel, "Lisbon"));
        row(&again, Corroborated, 1);
        assert_eq!(again.reference, first);
        assert_eq!(again.because.equals, Some(first.clone()));
        assert_eq!(again.written, None);
    }
    assert_eq!(world.units.len(), 1);
}

/// I6, CLM-11, row 1: an independent source corroborates, once.
#[test]
fn a_new_source_is_written_once() {
    let mut world = World::new();
    let first = world.add(&says(&user(), "Lisbon"));
    let cited = says(&model(), "Lisbon").citing(vec![id("m1")]).unwrap();
    let again = says(&model(), "Lisbon")
        .citing(vec![id("m1-again")])
        .unwrap();
    for submission in [
        says(&first_hand(), "Lisbon"),
        cited,
        says(&peer(1, 2), "Lisbon"),
    ] {
        let outcome = world.told(&submission);
        row(&outcome, Corroborated, 1);
        assert_eq!(outcome.reference, first);
        assert!(outcome.written.is_some());
    }
    world.soon();
    for submission in [
        says(&peer(1, 3), "Lisbon"),
        again,
        says(&peer(2, 1), "Lisbon"),
    ] {
        assert_eq!(world.told(&submission).written, None);
    }
    assert_eq!(world.units.len(), 4);
    let Act::Corroborate { sources, .. } = world.units[2].act() else {
        panic!("{:?}", world.units[2])
    };
    assert_eq!(sources[0].as_str(), "world:chain-m1");
}

/// What a source said is heard anew through fewer agents, or through others: trust in those may be withdrawn. Through more it is
/// what was known.
#[test]
fn a_source_is_heard_anew_through_other_agents() {
    let mut world = World::new();
    let relay = |who| DidKey::from_public_key([who; 32]);
    let through = |relays: &[DidKey]| says(&peer(1, 2).through(relays).unwrap(), "Lisbon");
    let first = world.add(&through(&[relay(2), relay(3), relay(1), relay(2)]));
    assert_eq!(world.unit(&first).via(), [relay(2), relay(3)]);
    for (relays, is_new) in [
        (&[relay(2), relay(3)][..], false),
        (&[relay(3), relay(4), relay(2)], false),
        (&[relay(4)], true),
        (&[relay(4), relay(2)], false),
        (&[], true),
        (&[relay(5)], false),
    ] {
        world.soon();
        let outcome = world.told(&through(relays));
        row(&outcome, Corroborated, 1);
        assert_eq!(outcome.written.is_some(), is_new, "{relays:?}");
        assert_eq!(outcome.reference, first);
    }
    assert_eq!(world.units.last().unwrap().via(), []);
    let many: Vec<_> = (10..27).map(relay).collect();
    let refused = peer(1, 2).through(&many).unwrap_err();
    assert!(matches!(refused, ClaimError::TooMany { found: 17, .. }));
    assert_eq!(user().through(&many).unwrap(), user());
}

/// A source that says it again confirms it, at most once a day: the claim is fresh, and has no more support than before. A
/// model, and an agent of level 1, confirm nothing.
#[test]
fn a_source_confirms_once_a_day() {
    let mut world = World::new();
    let claim = world.add(&says(&user(), "Lisbon"));
    let cited = says(&model(), "Lisbon").citing(vec![id("m1")]).unwrap();
    world.add(&cited);
    let lowly = says(&peer(1, 1), "Lisbon");
    for silent in [&cited, &lowly] {
        assert_eq!(world.told(silent).written, None);
    }
    let confirmed = world.told(&says(&user(), "Lisbon"));
    row(&confirmed, Confirmed, 1);
    assert_eq!(confirmed.reference, claim);
    let said = |world: &mut World, sooner_us: u64| {
        world.now_us -= sooner_us;
        world.told(&says(&user(), "Lisbon")).disposition
    };
    assert_eq!(said(&mut world, 1), Corroborated);
    world.now_us += 1;
    assert_eq!(said(&mut world, 0), Confirmed);
    // Each source has its own day.
    row(&world.told(&says(&first_hand(), "Lisbon")), Corroborated, 1);
    assert_eq!(said(&mut world, DAY_US / 2), Confirmed);
    let seen = world.seen(world.unit(&claim));
    let known = Effective::of_view(&seen, u64::MAX).unwrap();
    assert_eq!(known.confirmed(), world.units.last().unwrap().stamp());
    assert_eq!(known.corroborated_by().len(), 2);
}

/// An undated restatement confirms the claim that is live, over its window.
#[test]
fn a_restatement_takes_the_window_of_the_claim() {
    let mut world = World::new();
    let claim = world.add(&dated(&user(), "Lisbon", "2020", ""));
    let confirmed = world.told(&says(&user(), "Lisbon"));
    row(&confirmed, Confirmed, 1);
    assert_eq!(confirmed.reference, claim);
    assert_eq!(world.claims().count(), 1);
}

/// What is set takes the place of what its source has said before, of other values, from its start on.
#[test]
fn what_is_set_replaces_what_its_source_has_said() {
    let mut world = World::new();
    let lisbon = world.add(&dated(&user(), "Lisbon", "2020", ""));
    let past = world.add(&dated(&user(), "Faro", "2010", "2015"));
    let seen = world.add(&says(&first_hand(), "Braga"));
    let set = says(&user(), "Porto").replacing();
    let outcome = world.told(&set);
    row(&outcome, Contested, 7);
    assert_eq!(outcome.because.rivals, from_ref(&seen));
    let body = world.body(&outcome.reference);
    assert_eq!(body.supersedes, [lisbon]);
    let now = Boundary::instant(instant_of(world.unit(&outcome.reference).stamp().micros()));
    assert_eq!(body.valid.unwrap().from, Some(now));
    // Said again it is a confirmation, and a day earlier nothing.
    row(&world.told(&set), Confirmed, 1);
    world.soon();
    assert_eq!(world.told(&set).written, None);
    // Back to what it was before: a new claim, whatever else the line holds.
    let back = world.told(&says(&user(), "Lisbon").replacing());
    assert_eq!(world.body(&back.reference).supersedes, [outcome.reference]);
    let then = dated(&user(), "Beja", "2012", "").replacing();
    let then = world.told(&then);
    let replaced = world.body(&then.reference).supersedes.clone();
    assert!(
        replaced.contains(&past) && !replaced.contains(&seen),
        "{replaced:?}"
    );
    // A model takes no place so.
    let guess = world.told(&says(&model(), "Évora").replacing());
    assert!(world.body(&guess.reference).supersedes.is_empty());
}

/// A value that was wrong from the start is corrected for its whole time.
#[test]
fn a_correction_takes_the_whole_time() {
    for claim in [
        dated(&user(), "Lisbno", "2020", "2022"),
        says(&user(), "Lisbno"),
    ] {
        let mut world = World::new();
        let typo = world.add(&claim);
        let wrong = world.unit(&typo).clone();
        let correct = Submission::correcting(&user(), &wrong, value("Lisbon")).unwrap();
        let outcome = world.told(&correct);
        row(&outcome, Committed, 6);
        let seen = world.seen(&wrong);
        let known = Effective::of_view(&seen, u64::MAX).unwrap();
        assert!(
            known.extent.is_empty() && known.is_superseded(),
            "{known:?}"
        );
        let right = world.unit(&outcome.reference);
        let own = |unit: &Unit| crate::belief::own_window(unit).unwrap();
        assert_eq!(own(right), own(&wrong));
    }
    let mut world = World::new();
    let claim = world.add(&says(&user(), "Lisbon"));
    world.decided(&Assertion::end(&user(), line(), None));
    let bound = world.units.last().unwrap().clone();
    let refused = Submission::again(&user(), &bound).unwrap_err();
    assert_eq!(
        refused,
        ClaimError::ClaimNotFound(bound.reference().clone())
    );
    let again = Submission::again(&user(), world.unit(&claim)).unwrap();
    assert_eq!(again.value().canonical(), "\"Lisbon\"");
}

/// I6, CLM-12: a restatement without a window corroborates a live claim of that value; another window is another claim.
#[test]
fn windows_are_compared_as_given() {
    let mut world = World::new();
    let first = world.add(&dated(&user(), "Lisbon", "2020", ""));
    world.soon();
    row(&world.told(&says(&user(), "Lisbon")), Corroborated, 1);
    for (confidence, disposition, number) in [
        (0.9, Corroborated, 1),
        (0.95, Corroborated, 1),
        (0.7, Committed, 5),
    ] {
        let window = valid("2020", "", confidence);
        let said = says(&user(), "Lisbon").valid(window).unwrap();
        row(&world.told(&said), disposition, number);
    }
    let earlier = dated(&user(), "Lisbon", "2010", "2015");
    assert_ne!(world.add(&earlier), first);
}

/// I6: of several claims that say the same, the first one answers, however the line is listed.
#[test]
fn the_first_of_several_matches_answers() {
    let mut world = World::new();
    let first = world.add(&dated(&user(), "Lisbon", "2020", ""));
    world.add(&dated(&user(), "Lisbon", "2021", ""));
    world.shuffles = true;
    assert_eq!(world.told(&says(&user(), "Lisbon")).reference, first);
}

/// I6, CLM-11: a source that stands behind one claim is not new to another that says the same. A model's claim of the
/// value once gained the source of the user's.
#[test]
fn a_source_is_new_once_to_all_that_say_the_same() {
    let mut world = World::new();
    let guess = world.add(&says(&model(), "Lisbon"));
    let cited = |channel| says(&channel, "Lisbon").citing(vec![id("m1")]).unwrap();
    world.add(&cited(user()));
    let echo = world.told(&cited(model()));
    row(&echo, Corroborated, 1);
    assert_eq!((echo.reference, echo.written), (guess, None));
}

/// I4, CLM-22: what has no lower standing matches; what a model said does not stand for the user.
#[test]
fn a_user_is_not_answered_with_a_models_claim() {
    let mut world = World::new();
    let guess = world.add(&says(&model(), "Lisbon"));
    let said = world.told(&says(&user(), "Lisbon"));
    row(&said, Committed, 5);
    assert_ne!(said.reference, guess);
}

/// I6, CLM-14, CLM-16, CLM-18, row 1: what the line holds or has ended, no model and no extractor says again: it writes
/// nothing, however often, and the answer is the claim. With evidence it is no echo.
#[test]
fn an_echo_writes_nothing() {
    let mut world = World::new();
    let first = world.add(&dated(&user(), "Lisbon", "2020", ""));
    let second = says(&user(), "Porto").superseding(vec![first.clone()]);
    let second = world.add(&second.unwrap());
    world.add(
        &says(&user(), "Faro")
            .superseding(vec![second.clone()])
            .unwrap(),
    );
    let units = world.units.len();
    let held = [
        (dated(&model(), "Lisbon", "2020", ""), first),
        (says(&model(), "Porto"), second),
    ];
    for (said, claim) in &held {
        for _ in 0..70 {
            for channel in [model(), recall()] {
                let mut said = said.clone();
                said.provenance = channel.provenance();
                let echo = world.told(&said);
                row(&echo, Corroborated, 1);
                assert_eq!((&echo.reference, echo.written), (claim, None));
                assert!(echo.because.re_entry);
            }
        }
    }
    assert_eq!(world.units.len(), units);
    let other_window = dated(&model(), "Porto", "2020", "2021");
    let cited = says(&model(), "Porto").citing(vec![id("m1")]).unwrap();
    for said in [other_window, cited] {
        row(&world.told(&said), CommittedInferred, 4);
    }
}

/// I4, I6, CLM-14: an extractor that is given the user's channel echoes like a model; the user's own word, a sensor's and a
/// peer's is theirs, whatever a model said before.
#[test]
fn a_word_from_outside_is_no_echo() {
    let mut world = World::new();
    let guess = world.add(&says(&model(), "Lisbon"));
    let proposal = world.told(&says(&user(), "Lisbon").extracted());
    row(&proposal, Corroborated, 1);
    assert_eq!((proposal.reference, proposal.written), (guess, None));
    let cited = says(&user(), "Lisbon").extracted().citing(vec![id("m1")]);
    row(&world.told(&cited.unwrap()), Committed, 5);
    for (channel, from) in [
        (peer(1, 3), "2001"),
        (first_hand(), "2002"),
        (user(), "2003"),
    ] {
        world.add(&dated(&model(), "Lisbon", from, ""));
        let said = world.told(&dated(&channel, "Lisbon", from, ""));
        row(&said, Committed, 5);
        let class = world.unit(&said.reference).provenance();
        assert_eq!(class, channel.provenance());
    }
}

/// I4: what comes through recall's channel is written as a model's, and an anchor of its own corroborates.
#[test]
fn recall_weighs_as_a_model() {
    let mut world = World::new();
    let said = world.told(&says(&recall(), "Lisbon"));
    row(&said, CommittedInferred, 4);
    let class = world.unit(&said.reference).provenance().class();
    assert_eq!(class, ProvenanceClass::ModelDerived);
    let cited = says(&recall(), "Lisbon").citing(vec![id("m1")]).unwrap();
    let corroboration = world.told(&cited);
    row(&corroboration, Corroborated, 1);
    assert!(corroboration.written.is_some() && !corroboration.because.re_entry);
}

/// I2, CLM-19, row 2: an extractor's incoherent window is kept apart, and matched there.
#[test]
fn an_incoherent_proposal_is_quarantined() {
    let mut world = World::new();
    let proposal = says(&model(), "Lisbon")
        .extracted()
        .valid(valid("2022-01-01", "2020-01-01", 0.9))
        .unwrap();
    let kept = world.told(&proposal);
    row(&kept, Quarantined, 2);
    let again = world.told(&proposal);
    row(&again, Quarantined, 1);
    assert_eq!(again.reference, kept.reference);
    assert_eq!(again.written, None);
}

/// I5, CLM-20, CLM-27, row 3: a denial is remembered until there is new evidence.
#[test]
fn what_was_denied_needs_new_evidence() {
    let mut world = World::with_oracle();
    world.add(&says(&user(), "Lisbon"));
    let porto = says(&user(), "Porto").citing(vec![id("m1")]).unwrap();
    let queued = world.add(&porto);
    world.decides(
        &verdict(&first_hand(), &queued, OracleVerdict::Deny),
        Denied,
    );
    for worlds in [vec![], vec!["m1"], vec!["m2"], vec!["m1-again", "m2"]] {
        let worlds = worlds.into_iter().map(id).collect();
        let again = world.told(&says(&user(), "Porto").citing(worlds).unwrap());
        row(&again, DeniedAlready, 3);
        assert_eq!(again.reference, queued);
        assert_eq!(again.written, None);
    }
    let anew = says(&user(), "Porto").citing(vec![id("m3")]).unwrap();
    row(&world.told(&anew), QueuedForAdjudication, 8);
}

/// I5, CLM-3, CLM-21, row 4: a model's claim contests and supersedes nothing of the user's.
#[test]
fn a_model_neither_contests_nor_supersedes_the_user() {
    let mut world = World::with_oracle();
    let said = world.add(&says(&user(), "Lisbon"));
    let guess = says(&model(), "Porto")
        .superseding(vec![said.clone()])
        .unwrap()
        .cardinality(Cardinality::Many);
    let outcome = world.told(&guess);
    row(&outcome, CommittedInferred, 4);
    assert_eq!(outcome.because.ignored, from_ref(&said));
    assert_eq!(outcome.because.depth, Some(1));
    let body = world.body(&outcome.reference);
    assert_eq!(body.cardinality, Cardinality::Unknown);
    assert!(body.supersedes.is_empty());
    let guess = says(&model(), "Faro")
        .superseding(vec![outcome.reference.clone()])
        .unwrap();
    assert_eq!(body.value, value("Porto"));
    assert!(world.told(&guess).because.ignored.is_empty());
}

/// I5, CLM-21, row 4: two steps from evidence is the limit; an anchor begins anew.
#[test]
fn a_model_that_cites_models_too_often_is_quarantined() {
    let mut world = World::new();
    let mut last = world.add(&says(&user(), "Lisbon"));
    for (text, disposition, depth) in [
        ("a", CommittedInferred, 1),
        ("b", CommittedInferred, 2),
        ("c", Quarantined, 3),
        ("d", Quarantined, 4),
    ] {
        let derived = says(&model(), text).derived_from(vec![last]).unwrap();
        let outcome = world.told(&derived);
        row(&outcome, disposition, 4);
        assert_eq!(outcome.because.depth, Some(depth));
        last = outcome.reference;
    }
    let anchored = says(&model(), "e")
        .derived_from(vec![last])
        .unwrap()
        .citing(vec![id("m1")])
        .unwrap();
    row(&world.told(&anchored), CommittedInferred, 4);
}

/// CLM-22: row 5: no overlap of differing values, by date or by handover.
#[test]
fn what_nothing_contradicts_is_committed() {
    let mut world = World::new();
    world.add(&says(&model(), "Oslo"));
    for (text, from, until) in [
        ("Berlin", "2020-01-01", "2023-01-01"),
        ("Paris", "2023-01-01", ""),
        ("Rome", "2010", "2011"),
    ] {
        let outcome = world.told(&dated(&user(), text, from, until));
        row(&outcome, Committed, 5);
    }
}

/// CLM-3, CLM-22: row 5, I11: members of a set do not contest each other, whoever made it a set.
#[test]
fn members_of_a_set_are_committed() {
    let mut world = World::new();
    for text in ["en", "fr", "de"] {
        let member = says(&user(), text).cardinality(Cardinality::Many);
        let outcome = world.told(&member);
        row(&outcome, Committed, 5);
        assert_eq!(outcome.because.cardinality, Some(Cardinality::Many));
    }
    row(&world.told(&says(&user(), "pt")), Committed, 5);
    let one = says(&user(), "it").cardinality(Cardinality::One);
    row(&world.told(&one), Contested, 7);
    world.register(Cardinality::Many);
    row(&world.told(&says(&user(), "es")), Committed, 5);
}

/// CLM-23: row 6: what takes the place of all its rivals is committed and cuts them.
#[test]
fn superseding_all_rivals_commits() {
    let mut world = World::new();
    let first = world.add(&says(&user(), "Lisbon"));
    let second = says(&user(), "Porto")
        .superseding(vec![first.clone()])
        .unwrap();
    let outcome = world.told(&second);
    row(&outcome, Committed, 6);
    let now = i64::try_from(world.now_us).unwrap();
    assert_eq!(world.sides(now).len(), 1);
    let other = world.told(&says(&user(), "Faro"));
    row(&other, Contested, 7);
    let partly = says(&user(), "Braga")
        .superseding(vec![other.reference])
        .unwrap();
    let outcome = world.told(&partly);
    row(&outcome, Contested, 7);
    assert_eq!(outcome.because.rival_count, 1);
}

/// I4, CLM-23: a peer takes no place of the user's.
#[test]
fn a_higher_standing_is_not_superseded() {
    let mut world = World::new();
    let first = world.add(&says(&user(), "Lisbon"));
    let second = says(&peer(1, 3), "Porto")
        .superseding(vec![first.clone()])
        .unwrap();
    let outcome = world.told(&second);
    row(&outcome, Contested, 7);
    assert_eq!(outcome.because.ignored, from_ref(&first));
    assert_eq!(outcome.because.rivals, [first]);
}

/// I7, CLM-24, row 7: both stay, and the rationale names the other.
#[test]
fn a_contradiction_is_contested() {
    let mut world = World::new();
    let first = world.add(&says(&user(), "Lisbon"));
    let outcome = world.told(&says(&first_hand(), "Porto"));
    row(&outcome, Contested, 7);
    assert_eq!(
        (outcome.because.rivals, outcome.because.rival_count),
        (vec![first], 1)
    );
}

/// I5, CLM-25, CLM-28, row 8: the same where somebody can be asked.
#[test]
fn a_contradiction_is_queued_for_an_oracle() {
    let mut world = World::with_oracle();
    world.add(&says(&user(), "Lisbon"));
    let queued = world.told(&says(&user(), "Porto"));
    row(&queued, QueuedForAdjudication, 8);
    let seen = world.seen(world.unit(&queued.reference));
    let expires = super::super::is_pending(&seen, world.now_us, &world.settings).unwrap();
    assert_eq!(
        super::super::is_pending(&seen, expires, &world.settings),
        None
    );
    world.settings.oracle_days = None;
    row(&world.told(&says(&user(), "Faro")), Contested, 7);
}

/// The newest 16 rivals are named, 64 are counted, and the order of the view does not matter.
#[test]
fn many_rivals_are_named_in_part() {
    let mut world = World::new();
    for number in 0..70 {
        world.add(&says(&user(), &alloc::format!("city {number}")));
    }
    let outcome = world.told(&says(&user(), "Lisbon"));
    assert_eq!(outcome.because.rival_count, 64);
    let last = world.units.len() - 1;
    let named: Vec<_> = world.units[last - 16..last]
        .iter()
        .map(|unit| unit.reference().clone())
        .collect();
    assert_eq!(outcome.because.rivals, named);
    let claim = world.unit(&outcome.reference).clone();
    let rivals = super::super::rivals_of(&world, &claim, &world.settings, u64::MAX);
    assert_eq!(rivals.unwrap().len(), 70);
}

/// Row 7: a second value of one source for one time is asked about, if the submission asks; other sources contest it as ever.
#[test]
fn a_second_value_of_one_source_is_asked_about() {
    let mut world = World::new();
    let first = world.add(&dated(&user(), "Lisbon", "2020", ""));
    let second = dated(&user(), "Porto", "2021", "").asking();
    let asked = |world: &World, submission: &Submission| match world.judge(submission) {
        Err(ClaimError::SecondValue { reference, .. }) => Some(reference),
        _ => None,
    };
    for oracle_days in [Some(30), None] {
        world.settings.oracle_days = oracle_days;
        assert_eq!(asked(&world, &second), Some(first.clone()));
    }
    let superseding = second.clone().superseding(vec![first.clone()]).unwrap();
    for other in [
        superseding,
        second.clone().citing(vec![id("m1")]).unwrap(),
        second.clone().cardinality(Cardinality::Many),
        dated(&first_hand(), "Porto", "2021", "").asking(),
        dated(&user(), "Porto", "2010", "2019").asking(),
        dated(&model(), "Porto", "2021", "").asking(),
        dated(&user(), "Porto", "2021", ""),
    ] {
        assert_eq!(asked(&world, &other), None, "{other:?}");
    }
    // The newest claim of the source is named, and memories that are cited are sources.
    let cited = dated(&user(), "Faro", "2020", "")
        .citing(vec![id("m1")])
        .unwrap();
    let faro = world.add(&cited);
    assert_eq!(asked(&world, &second), Some(first));
    let again = second.citing(vec![id("m1")]).unwrap();
    assert_eq!(asked(&world, &again), Some(faro));
}

/// What is set where many values hold is asked about: it may be one more, or replace one of them.
#[test]
fn what_is_set_among_many_is_asked_about() {
    let mut world = World::new();
    world.register(Cardinality::Many);
    let set = |value| says(&user(), value).replacing();
    row(&world.told(&set("Lisbon")), Committed, 5);
    let refused = world.judge(&set("Porto")).unwrap_err();
    assert!(
        matches!(refused, ClaimError::ManyValues { .. }),
        "{refused}"
    );
    row(&world.told(&set("Lisbon")), Confirmed, 1);
    world.register(Cardinality::One);
    row(&world.told(&set("Porto")), Committed, 6);
}
