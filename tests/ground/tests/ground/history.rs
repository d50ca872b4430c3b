//! A history of many nodes is one order of the log that agrees with the clock on the wall.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::rig::Shared;

/// What a node did, between two moments of one clock.
struct Done {
    began: u64,
    ended: u64,
    what: What,
}

enum What {
    /// An append, and the log index that it was given.
    Appended(u64),
    /// A read that asked the ground first, and the size that it saw.
    Saw(u64),
}

/// Returns a sentence about two operations that no order of the log explains; `None` where there is one: each index is given
/// once, what ended before another began has the smaller one, and a read sees all that had ended and nothing that had not begun.
fn contradiction(done: &[Done]) -> Option<String> {
    let mut appended: Vec<(u64, &Done)> = done
        .iter()
        .filter_map(|it| match it.what {
            What::Appended(index) => Some((index, it)),
            What::Saw(_) => None,
        })
        .collect();
    appended.sort_by_key(|(index, _)| *index);
    for (place, (index, it)) in appended.iter().enumerate() {
        if *index != u64::try_from(place).unwrap() {
            return Some(format!("index {index} is in place {place}"));
        }
        let earlier = appended
            .iter()
            .skip(place + 1)
            .find(|(_, later)| later.ended < it.began);
        if let Some((other, _)) = earlier {
            return Some(format!("{other} ended before {index} began"));
        }
    }
    for read in done {
        let What::Saw(size) = read.what else { continue };
        for (index, it) in &appended {
            if it.ended < read.began && *index >= size {
                return Some(format!(
                    "a read saw {size} entries after {index} was answered for"
                ));
            }
            if it.began > read.ended && *index < size {
                return Some(format!(
                    "a read saw {size} entries before {index} was asked for"
                ));
            }
        }
    }
    None
}

/// RCH-2, RCH-5: appends and reads of four nodes at once are linearizable.
#[test]
fn the_history_of_four_nodes_is_one_order() {
    let Some(shared) = Shared::new() else { return };
    let operations: u64 =
        std::env::var("COUNTERFOIL_GROUND_OPERATIONS").map_or(300, |it| it.parse().unwrap());
    let clock = AtomicU64::new(0);
    let now = || clock.fetch_add(1, Ordering::SeqCst);
    let nodes = ["a", "b", "c", "d"].map(|name| shared.node(name));
    let done: Vec<Done> = thread::scope(|scope| {
        let running: Vec<_> = nodes
            .iter()
            .map(|node| {
                scope.spawn(move || {
                    let one = |number: u64| {
                        if number.is_multiple_of(3) {
                            // Others are answered meanwhile.
                            thread::sleep(Duration::from_millis(5));
                        }
                        let began = now();
                        let what = match number % 3 {
                            0 => What::Saw(node.follow().unwrap()),
                            _ => {
                                let id = format!("{}-{number}", node.name);
                                What::Appended(node.append(&id, "a memory").unwrap().index)
                            }
                        };
                        Done {
                            began,
                            ended: now(),
                            what,
                        }
                    };
                    (0..operations).map(one).collect::<Vec<_>>()
                })
            })
            .collect();
        running
            .into_iter()
            .flat_map(|it| it.join().unwrap())
            .collect()
    });
    assert_eq!(contradiction(&done), None);
    assert_eq!(
        done.len(),
        nodes.len() * usize::try_from(operations).unwrap()
    );
}

/// The checker notices each kind of contradiction.
#[test]
fn a_history_that_is_none_is_noticed() {
    let done = |began, ended, what| Done { began, ended, what };
    let first = || done(0, 1, What::Appended(0));
    for (case, histories) in [
        (
            "an index twice",
            vec![first(), done(2, 3, What::Appended(0))],
        ),
        ("a gap", vec![first(), done(2, 3, What::Appended(2))]),
        (
            "the order of the wall",
            vec![done(2, 3, What::Appended(0)), done(0, 1, What::Appended(1))],
        ),
        ("a stale read", vec![first(), done(2, 3, What::Saw(0))]),
        (
            "a read of the future",
            vec![done(0, 1, What::Saw(1)), done(2, 3, What::Appended(0))],
        ),
    ] {
        assert!(contradiction(&histories).is_some(), "{case}");
    }
    assert_eq!(contradiction(&[first(), done(2, 3, What::Saw(1))]), None);
}
