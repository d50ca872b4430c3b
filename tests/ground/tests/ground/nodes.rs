//! What users of several nodes may expect.

use std::time::Duration;

use counterfoil_life::Backend as _;

use crate::rig::{Shared, agent, block_on, world};

/// RCH-1: a job that takes longer than the limit for a node that left its transaction alone is no such node.
#[test]
fn a_long_job_is_kept() {
    let Some(shared) = Shared::new() else { return };
    let node = shared.impatient().node("a");
    let long = block_on(node.store.write(|unit| {
        std::thread::sleep(Duration::from_secs(5));
        unit.append(
            &*agent(),
            &[counterfoil_store::Draft::new(world("long", "at last"))],
        )
    }));
    assert_eq!(long.unwrap()[0].index, 0);
    let other = shared.node("b");
    assert_eq!(other.follow().unwrap(), 1);
}

/// RCH-1, RCH-2: what one node was answered for is in the ground, and on every other node that asks.
#[test]
fn what_one_node_keeps_another_finds() {
    let Some(shared) = Shared::new() else { return };
    let (a, b) = (shared.node("a"), shared.node("b"));
    assert_eq!(a.append("first", "said on a").unwrap().index, 0);
    assert_eq!(b.text("first"), None);
    assert_eq!(b.follow().unwrap(), 1);
    assert!(b.text("first").unwrap().contains("said on a"));
    // A node brings itself forward before it writes.
    assert_eq!(a.append("second", "said on a").unwrap().index, 1);
    assert_eq!(b.append("third", "said on b").unwrap().index, 2);
    assert_eq!(a.follow().unwrap(), 3);
    assert_eq!(a.digest(), b.digest());
    let late = shared.node("late");
    assert_eq!(late.follow().unwrap(), 3);
    assert_eq!(late.digest(), a.digest());
    for node in [a, b, late] {
        node.is_clean();
        node.reopened(&shared).is_clean();
    }
}
