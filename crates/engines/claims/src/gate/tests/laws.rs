//! Laws of the gate over small worlds that anything may have been said in.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use proptest::collection::vec;
use proptest::prelude::*;

use super::world::{World, first_hand, id, line, model, peer, recall, says, user, valid};
use crate::ports::OracleVerdict;
use crate::time::{Boundary, Micros};
use crate::{
    Assertion, Cardinality, Channel, ClaimError, ClaimOutcome, ClaimRef, Disposition, GateDecision,
    Submission, Target,
};

/// A claim that somebody says, by indices into short lists.
#[derive(Debug, Clone)]
struct Said {
    channel: usize,
    value: usize,
    window: usize,
    cardinality: usize,
    supersedes: Vec<usize>,
    anchors: Vec<usize>,
    derived_from: Vec<usize>,
    is_extracted: bool,
    key: Option<usize>,
}

/// An assertion, by indices.
#[derive(Debug, Clone)]
struct AssertionKind {
    channel: usize,
    what: usize,
    target: usize,
    other: usize,
    date: usize,
    evidence: Vec<usize>,
}

#[derive(Debug, Clone)]
enum Step {
    Say(Said),
    Assert(AssertionKind),
}

const VALUES: [&str; 3] = ["Lisbon", "Porto", "Faro"];
const WINDOWS: [(&str, &str, f64); 8] = [
    ("", "", 0.9),
    ("2020", "", 0.9),
    ("2020", "2024-03-01", 0.9),
    ("2024-03-01", "", 0.9),
    ("2020", "2024", 0.7),
    ("", "2025-06", 0.8),
    ("2027", "", 1.0),
    ("2024", "2020", 0.9),
];

fn channels() -> [Channel; 7] {
    [
        user(),
        first_hand(),
        peer(1, 1),
        peer(1, 3),
        peer(2, 2),
        model(),
        recall(),
    ]
}

prop_compose! {
    fn said()(
        channel in 0..7_usize,
        value in 0..3_usize,
        window in 0..8_usize,
        cardinality in 0..6_usize,
        supersedes in vec(0..12_usize, 0..3),
        anchors in vec(0..6_usize, 0..3),
        derived_from in vec(0..12_usize, 0..3),
        is_extracted in prop::bool::weighted(0.2),
        key in prop::option::weighted(0.2, 0..4_usize),
    ) -> Said {
        Said { channel, value, window, cardinality, supersedes, anchors, derived_from, is_extracted, key }
    }
}

prop_compose! {
    fn asserted()(
        (channel, what, target) in (0..7_usize, 0..8_usize, 0..12_usize),
        (other, date) in (0..12_usize, 0..4_usize),
        evidence in vec(0..18_usize, 0..3),
    ) -> AssertionKind {
        AssertionKind { channel, what, target, other, date, evidence }
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => said().prop_map(Step::Say),
        4 => asserted().prop_map(Step::Assert),
    ]
}

fn world(has_oracle: bool, steps: &[Step]) -> World {
    let mut world = if has_oracle {
        World::with_oracle()
    } else {
        World::new()
    };
    for step in steps {
        let _ = take(&mut world, step);
    }
    world
}

fn unit(at: usize) -> ClaimRef {
    id(&format!("unit-{at}"))
}

/// A memory, one that is not there, or a unit.
fn cited(at: usize) -> ClaimRef {
    match at {
        0..=3 => id(&format!("m{}", at + 1)),
        4 => id("m1-again"),
        5 => id("nowhere"),
        _ => unit(at - 6),
    }
}

fn submission(said: &Said) -> Result<Submission, ClaimError> {
    let (from, until, confidence) = WINDOWS[said.window];
    let mut submission = says(&channels()[said.channel], VALUES[said.value]);
    if said.is_extracted {
        submission = submission.extracted();
    }
    let cardinality = Cardinality::ALL.get(said.cardinality).copied();
    let submission = submission
        .cardinality(cardinality.unwrap_or_default())
        .valid(valid(from, until, confidence))?
        .superseding(said.supersedes.iter().copied().map(unit).collect())?
        .citing(said.anchors.iter().copied().map(cited).collect())?
        .derived_from(said.derived_from.iter().copied().map(unit).collect())?;
    match said.key {
        Some(key) => submission.keyed(&format!("key {key}")),
        None => Ok(submission),
    }
}

fn assertion(asserted: &AssertionKind) -> Result<Assertion, ClaimError> {
    let channel = channels()[asserted.channel].clone();
    let target = unit(asserted.target);
    let dates = ["2022", "2024-03-01", "2025-12-31T10:00:00Z"];
    let at = dates
        .get(asserted.date)
        .map(|date| Boundary::parse(date).unwrap());
    let evidence = asserted.evidence.iter().copied().map(cited).collect();
    let judged = |verdict| Assertion::verdict(&channel, target.clone(), verdict, evidence);
    match asserted.what {
        0 => Ok(Assertion::end(&channel, Target::Claim(target), at)),
        1 => Ok(Assertion::end(&channel, line(), at)),
        2 => Ok(Assertion::reopen(&channel, target)),
        3 => Ok(Assertion::supersede(&channel, target, unit(asserted.other))),
        4 => Ok(Assertion::release(&channel, target)),
        5 => judged(OracleVerdict::Affirm),
        6 => judged(OracleVerdict::Deny),
        _ => judged(OracleVerdict::Unknown),
    }
}

fn take(world: &mut World, step: &Step) -> Result<ClaimOutcome, ClaimError> {
    match step {
        Step::Say(said) => world.submit(&submission(said)?),
        Step::Assert(asserted) => world.assert(&assertion(asserted)?),
    }
}

/// What the gate says, in full.
fn decide(world: &World, step: &Step) -> String {
    match step {
        Step::Say(said) => {
            let decision = submission(said).and_then(|said| world.judge(&said));
            format!("{decision:?}")
        }
        Step::Assert(asserted) => {
            let decision = assertion(asserted).and_then(|asserted| world.weigh(&asserted));
            format!("{decision:?}")
        }
    }
}

/// The external sides at instants before, between and after all dates.
fn sides(world: &World) -> Vec<Vec<(String, ClaimRef)>> {
    let dates = ["2019", "2021", "2024-03-01", "2024-06", "2025-07", "2028"];
    let now = i64::try_from(world.now_us).unwrap();
    let instants = dates.map(|date| Boundary::parse(date).unwrap().begin());
    instants
        .into_iter()
        .chain([now])
        .map(|at: Micros| world.sides(at))
        .collect()
}

proptest! {
    /// I5, I9, CLM-17: every request ends in a decision or a refusal; what is written is read again, by
    /// `World::record`; the same question has the same answer, in whatever order the line is listed.
    #[test]
    fn the_gate_is_total_and_pure(has_oracle: bool, steps in vec(step(), 0..16)) {
        let mut world = world(has_oracle, &[]);
        for step in steps {
            let first = decide(&world, &step);
            world.shuffles = true;
            prop_assert_eq!(&first, &decide(&world, &step));
            world.shuffles = false;
            prop_assert_eq!(&first, &decide(&world, &step));
            let _ = take(&mut world, &step);
        }
    }

    /// I5, I7, CLM-21: nothing that a model or recall says or asserts changes a side that rests on sources from
    /// outside.
    #[test]
    fn models_change_no_external_side(
        has_oracle: bool,
        steps in vec(step(), 0..10),
        attacks in vec((step(), 5..7_usize), 1..8),
    ) {
        let mut world = world(has_oracle, &steps);
        let before = sides(&world);
        let now = world.now_us;
        for (mut attack, channel) in attacks {
            match &mut attack {
                Step::Say(said) => said.channel = channel,
                Step::Assert(asserted) => asserted.channel = channel,
            }
            let _ = take(&mut world, &attack);
            world.now_us = now;
            prop_assert_eq!(&before, &sides(&world), "{:?}", attack);
        }
    }

    /// I6: what the line holds is not said anew by saying it again: a channel of no higher rank adds no claim, and a model or
    /// recall no unit. Those add none when the user has ended it either.
    #[test]
    fn saying_it_again_in_any_labelling_adds_no_claim(
        has_oracle: bool,
        steps in vec(step(), 0..10),
        last in said(),
        is_ended: bool,
    ) {
        let mut world = world(has_oracle, &steps);
        let Ok(submission) = submission(&Said { key: None, ..last.clone() }) else {
            return Ok(());
        };
        let is_new = |decision: &GateDecision| matches!(decision, GateDecision::Write(_));
        let Ok(decision) = world.judge(&submission) else {
            return Ok(());
        };
        prop_assume!(is_new(&decision));
        let outcome = world.submit(&submission).unwrap();
        prop_assume!(outcome.disposition != Disposition::Quarantined);
        let rank = world.unit(&outcome.reference).provenance().rank();
        let agrees = [Disposition::Corroborated, Disposition::Confirmed];
        let is_claim = !agrees.contains(&outcome.disposition);
        if is_ended && is_claim {
            let target = Target::Claim(outcome.reference);
            let _ = world.assert(&Assertion::end(&user(), target, None));
        }
        for _ in 0..3 {
            for channel in channels() {
                let mut echo = submission.clone();
                echo.provenance = channel.provenance();
                let is_inferred = !echo.provenance.is_external();
                if echo.provenance.rank() > rank || (is_ended && !is_inferred) {
                    continue;
                }
                let (claims, units) = (world.claims().count(), world.units.len());
                let told = world.submit(&echo).unwrap();
                let is_confirmed = told.disposition == Disposition::Confirmed && !is_inferred;
                prop_assert!(is_confirmed || told.disposition == Disposition::Corroborated);
                prop_assert_eq!(world.claims().count(), claims);
                prop_assert!(!is_inferred || world.units.len() == units);
            }
        }
    }
}
