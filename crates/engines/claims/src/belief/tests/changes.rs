//! Changes of a belief (I10), by example.

use alloc::vec;
use alloc::vec::Vec;

use crate::Settings;
use crate::belief::testing::{Log, USER, at, body, line, valid};
use crate::belief::{Question, changes};
use crate::{Act, Cardinality, ClaimBody, ClaimRef};

/// Claim of another value that begins years after each instant that these tests ask about.
fn later() -> ClaimBody {
    body("later", Some(valid("2040..")))
}

/// References of the units that changed the belief about October 2030 as of `as_of_us`, at most `most`, and whether they are all.
fn changed(log: &Log, as_of_us: u64, most: usize) -> (Vec<ClaimRef>, bool) {
    let valid_at = at("2030-10");
    let question = Question { valid_at, as_of_us };
    let (found, complete) = changes(&line(), &log.units, question, most, &Settings::default());
    let references = found.iter().map(|it| it.unit.reference().clone());
    (references.collect(), complete)
}

/// A unit that was recorded after the instant in question is no change, even where it changes the belief.
#[test]
fn a_unit_after_the_instant_is_no_change() {
    let mut log = Log::default();
    let first = log.undated(USER, "a");
    let as_of_us = log.now();
    let second = log.undated(USER, "b");
    assert_eq!(changed(&log, as_of_us, 9), (vec![first.clone()], true));
    assert_eq!(changed(&log, log.now(), 9), (vec![first, second], true));
}

/// The answer is complete where only units without effect are left: a verdict that was not found, another source, a
/// claim that begins later.
#[test]
fn units_without_effect_leave_the_answer_complete() {
    let name = ClaimRef::new("other").unwrap();
    let idle: [fn(&mut Log, ClaimRef); 3] = [
        |log, target| {
            log.add(USER, Act::Undecided { target });
        },
        |log, target| {
            log.corroborate(&target, "first_hand");
        },
        |log, _| {
            log.add(USER, Act::Claim(later()));
        },
    ];
    for idle in idle {
        let mut log = Log::default();
        idle(&mut log, name.clone());
        let claim = log.undated(USER, "a");
        assert_eq!(changed(&log, log.now(), 1), (vec![claim], true));
    }
    let mut log = Log::default();
    log.undated(USER, "a");
    let second = log.undated(USER, "b");
    assert_eq!(changed(&log, log.now(), 1), (vec![second], false));
}

/// A claim that begins after the instant changes the belief by the cardinality that it gives the line, and by the
/// claims that it supersedes.
#[test]
fn a_later_claim_changes_a_belief_by_its_cardinality_and_by_what_it_supersedes() {
    let contested = || {
        let mut log = Log::default();
        log.undated(USER, "a");
        log.undated(USER, "b");
        log
    };
    let mut registers = later();
    registers.registered = Some(Cardinality::Many);
    let mut states = later();
    states.cardinality = Cardinality::Many;
    for set in [registers, states] {
        let mut log = contested();
        let unit = log.add(USER, Act::Claim(set));
        assert_eq!(changed(&log, log.now(), 1), (vec![unit], false));
    }
    let mut log = Log::default();
    let yields = log.dated(USER, "a", "2020..2030");
    let takes = log.dated(USER, "b", "2030-06..");
    let mut successor = body("c", Some(valid("2030-12..")));
    successor.supersedes = vec![yields];
    let unit = log.add(USER, Act::Claim(successor));
    assert_eq!(changed(&log, log.now(), 2), (vec![takes, unit], false));
}

/// A line of 1,024 units is folded for each of them; of a longer one, the last units are.
#[test]
fn a_long_line_is_folded_from_its_end_within_a_limit() {
    let target = ClaimRef::new("other").unwrap();
    for (count, complete) in [(1024, true), (1025, false)] {
        let mut log = Log::default();
        for _ in 0..count {
            let target = target.clone();
            log.add(USER, Act::Deny { target });
        }
        assert_eq!(changed(&log, log.now(), 1), (vec![], complete));
    }
}
