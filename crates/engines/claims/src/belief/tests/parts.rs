//! Fold of a part of a line: the questions that a store asks of one claim, by example.

use crate::belief::testing::{Log, USER, at};
use crate::belief::{Question, has_ended, own_window};
use crate::time::Window;

/// A claim has ended from its end on, as of the unit that ended it; a denied one has not.
#[test]
fn a_claim_has_ended_from_its_end_on() {
    let mut log = Log::default();
    let claim = log.dated(USER, "a", "2020-01-01..");
    let before_us = log.now();
    log.bound(&claim, "2021-06-01");
    let view = log.view(&log.units[0]);
    let ended = |when: &str, as_of_us| {
        let valid_at = at(when);
        has_ended(&view, Question { valid_at, as_of_us })
    };
    assert!(!ended("2021-05-31", log.now()));
    assert!(ended("2021-06-01", log.now()));
    assert!(!ended("2021-06-01", before_us));
}

/// The window of a claim before anything is asserted of it is its own one; no other unit has one.
#[test]
fn only_a_claim_has_a_window_of_its_own() {
    let mut log = Log::default();
    let claim = log.dated(USER, "a", "2020..2021-02");
    log.bound(&claim, "2020-06");
    let window = Window {
        start: Some(at("2020")),
        end: Some(at("2021-03")),
    };
    assert_eq!(own_window(&log.units[0]), Some(window));
    assert_eq!(own_window(&log.units[1]), None);
}
