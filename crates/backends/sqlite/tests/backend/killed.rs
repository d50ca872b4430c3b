//! `kill -9` at any moment: what was acknowledged stays, nothing is torn, the log goes on (R2).

use std::path::Path;

use counterfoil_store::CapsuleLog;
use counterfoil_types::WorldId;

use crate::common::{Child, Place, agent, block_on, drafts, given, is_clean, say};

/// Kills of a store in one file, and as many of a sealed one.
const KILLS: usize = 10;

/// CAP-36.
#[test]
fn what_was_acknowledged_survives_being_killed() {
    if let Some((folder, round)) = given() {
        return write_until_killed(&folder, &round);
    }
    [Place::new(), Place::sealed()].iter().for_each(is_killed);
}

fn is_killed(place: &Place) {
    drop(place.create());
    let mut acknowledged = Vec::new();
    for round in 0..KILLS {
        let test = "killed::what_was_acknowledged_survives_being_killed";
        let lines = 1 + round * 7 % 40;
        acknowledged.extend(Child::killed_after(test, place, &round.to_string(), lines));
        let store = place.open();
        assert!(
            store.guard_mismatch().is_none(),
            "round {round}: {:?}",
            store.guard_mismatch()
        );
        for line in &acknowledged {
            let (index, id) = line.split_once(' ').unwrap();
            let found = block_on(store.index_of(&WorldId::new(id).unwrap())).unwrap();
            assert_eq!(found, index.parse().ok(), "round {round}: {id} was lost");
        }
    }
    is_clean(&place.open());
}

/// Four threads append, and say what was acknowledged.
fn write_until_killed(folder: &Path, round: &str) {
    let store = &Place::open_in(folder).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            scope.spawn(move || {
                for number in 0.. {
                    let drafts = drafts(&format!("w-{round}-{thread}-{number}"), 3);
                    for place in block_on(store.append(agent(thread), drafts)).unwrap() {
                        say(&format!("{} {}", place.index, place.world_id.unwrap()));
                    }
                }
            });
        }
    });
}
