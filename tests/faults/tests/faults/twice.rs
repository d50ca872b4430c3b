//! A process is killed, another goes on with what it left, and only then the power is cut: what the
//! second one says must not rest on what the first one had not synced (reliability R4).

use crate::platter::Platter;
use crate::power::{Outcome, Recording, cut_everywhere};
use crate::scenario::{SHORT, Step};
use crate::watch::Operation;

/// Kills the process before each of its syncs and goes on from what the kernel holds.
fn killed_then_cut(steps: &'static [Step]) -> Outcome {
    let first = Recording::of(steps);
    let mut all = Outcome::default();
    let mut platter: Platter = first.before.clone();
    for (number, operation) in first.operations.iter().enumerate() {
        if matches!(operation, Operation::Sync(_)) {
            let mut second = Recording::on(platter.clone(), steps, 1);
            second.said.add(&first.answered_before(number));
            let outcome = cut_everywhere(&second, 0);
            all.cuts += outcome.cuts;
            let named = |fault| format!("killed before operation {number}, then {fault}");
            all.faults.extend(outcome.faults.into_iter().map(named));
        }
        platter.do_one(operation);
    }
    all
}

#[test]
fn what_a_killed_process_left_unsynced_is_synced_before_anything_is_said_about_it() {
    let outcome = killed_then_cut(SHORT);
    println!("killed, then cut: {} cuts", outcome.cuts);
    let shown = &outcome.faults[..outcome.faults.len().min(5)];
    assert!(outcome.faults.is_empty(), "{shown:#?}");
}
