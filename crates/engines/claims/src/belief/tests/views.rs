//! Changes, timelines, JSON and names, by example.

use alloc::vec;
use alloc::vec::Vec;

use crate::Act;
use crate::belief::testing::{Log, MODEL, USER, at, line, peer, value};
use crate::belief::{BeliefStatus, Question, changes, segment_to_json, timeline};
use crate::time::Micros;

/// CLM-43: `why`: each change of the belief with the unit that caused it.
#[test]
fn changes_name_the_units_that_caused_them() {
    let mut log = Log::default();
    let first = log.undated(USER, "a");
    log.corroborate(&first, "first_hand");
    log.dated(USER, "z", "2030..");
    let second = log.undated(USER, "b");
    let denial = log.add(
        USER,
        Act::Deny {
            target: second.clone(),
        },
    );
    let end = log.bound(&first, "2022-01-10");
    let question = Question {
        valid_at: at("2022-02-01"),
        as_of_us: log.now(),
    };
    let (found, complete) = changes(&line(), &log.units, question, 16);
    assert!(complete);
    let statuses: Vec<_> = found
        .iter()
        .map(|change| {
            (
                change.unit.reference().clone(),
                change.before.status,
                change.after.status,
            )
        })
        .collect();
    let uncertain = BeliefStatus::TimingUncertain;
    assert_eq!(
        statuses,
        [
            (first, BeliefStatus::NoBelief, uncertain),
            (second, uncertain, BeliefStatus::Contested),
            (denial, BeliefStatus::Contested, uncertain),
            (end.clone(), uncertain, BeliefStatus::Ended),
        ]
    );
    let (last, complete) = changes(&line(), &log.units, question, 1);
    assert!(!complete);
    assert_eq!(last[0].unit.reference(), &end);
}

/// The timeline has no gaps, and merges what is the same.
#[test]
fn a_timeline_covers_all_of_valid_time() {
    let mut log = Log::default();
    log.dated(USER, "x", "2020-01-01..2022-01-01");
    log.dated(USER, "y", "2022-01-01..2023-01-01");
    log.dated(MODEL, "m", "2019-01-01..2025-01-01");
    let segments: Vec<(Option<Micros>, BeliefStatus, Vec<_>)> =
        timeline(&line(), &log.units, log.now())
            .into_iter()
            .map(|(window, belief)| (window.start, belief.status, belief.values))
            .collect();
    assert_eq!(
        segments,
        [
            (None, BeliefStatus::NoBelief, vec![]),
            (
                Some(at("2019-01-01")),
                BeliefStatus::Resolved,
                vec![value("m")]
            ),
            (
                Some(at("2020-01-01")),
                BeliefStatus::Resolved,
                vec![value("x")]
            ),
            (
                Some(at("2022-01-01")),
                BeliefStatus::Resolved,
                vec![value("y")]
            ),
            (
                Some(at("2023-01-02")),
                BeliefStatus::Resolved,
                vec![value("m")]
            ),
            (Some(at("2025-01-02")), BeliefStatus::Ended, vec![]),
        ]
    );
    assert_eq!(timeline(&line(), &[], u64::MAX).len(), 1);
}

/// The one shape of beliefs in JSON (docs/format/belief-json.md).
#[test]
fn a_belief_is_written_as_the_page_says() {
    let mut log = Log::default();
    log.dated(peer(), "Lisbon", "2020-03..2030");
    let json = log.present().to_json();
    let written = |pointer: &str| json.pointer(pointer).cloned().unwrap_or_default();
    assert_eq!(written("/status"), "resolved");
    assert_eq!(written("/value"), "Lisbon");
    assert_eq!(written("/support"), "external");
    assert_eq!(written("/validAt"), "2022-01-02T00:00:00Z");
    assert_eq!(written("/sides/0/claims/0/ref"), "u-000000");
    assert_eq!(written("/sides/0/claims/0/valid/from"), "2020-03");
    assert_eq!(
        written("/sides/0/claims/0/window/end"),
        "2031-01-01T00:00:00Z"
    );
    assert_eq!(written("/sides/0/claims/0/provenance/level"), 2);
    assert_eq!(written("/markers/0"), "peer_sourced");
    let entry = log.history(at("2025"))[0].to_json();
    assert_eq!(entry["state"], "current");
    assert_eq!(entry["act"], "claim");
    let segment = segment_to_json(&timeline(&line(), &log.units, log.now())[1]);
    assert_eq!(segment["belief"]["valueCount"], 1);
}
