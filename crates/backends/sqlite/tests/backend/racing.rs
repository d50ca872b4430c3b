//! Two processes that extend one chain at the same time (C17; capsules 4.5).

use std::path::Path;

use counterfoil_capsule::ChainId;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, Draft, Head, StoreError};
use counterfoil_types::WorldId;

use crate::common::{Child, Place, agent, append, block_on, drafts, given, is_clean, say, world};

const TEST: &str = "racing::of_two_processes_that_extend_one_chain_exactly_one_wins";
const ROUNDS: u64 = 40;

/// Adversarial case C43: of two processes that append to one chain from the same head exactly one
/// wins and the other hears where the head is now; no gap, no fork. In every fourth round one of
/// them is killed while it appends.
/// (C17)
#[test]
fn of_two_processes_that_extend_one_chain_exactly_one_wins() {
    if let Some((folder, name)) = given() {
        return race(&folder, &format!("{name}-{}", std::process::id()));
    }
    let place = Place::new();
    append(&place.create(), drafts("first", 1)).unwrap();
    let mut racers = ["one", "other"].map(|name| Child::start(TEST, &place, name));
    for round in 1..=ROUNDS {
        let heads = racers.each_mut().map(|racer| {
            racer.tell(&format!("look {round}"));
            racer.heard().next().unwrap()
        });
        assert_eq!(heads[0], heads[1], "both see the same head");
        racers.iter_mut().for_each(|racer| racer.tell("go"));
        if round.is_multiple_of(4) {
            let victim = usize::try_from(round / 4 % 2).unwrap();
            std::thread::sleep(std::time::Duration::from_micros(round * 50));
            racers[victim].kill();
            let answer = racers[1 - victim].heard().next().unwrap();
            assert!(["won", "moved"].contains(&answer.as_str()), "{answer}");
            racers[victim] = Child::start(TEST, &place, ["one", "other"][victim]);
        } else {
            let mut answers = racers.each_mut().map(|racer| racer.heard().next().unwrap());
            answers.sort();
            assert_eq!(answers, ["moved", "won"], "round {round}");
        }
    }
    racers.iter_mut().for_each(Child::kill);
    let store = place.open();
    let head = head(&store);
    assert_eq!(
        head.seq, ROUNDS,
        "each round added one capsule, and only one"
    );
    assert_eq!(block_on(store.size()).unwrap(), ROUNDS + 1);
    is_clean(&store);
}

fn chain(store: &SqliteStore) -> ChainId {
    let first = WorldId::new("first-0").unwrap();
    let index = block_on(store.index_of(&first)).unwrap().unwrap();
    let stored = block_on(store.capsule(index)).unwrap().unwrap();
    stored.header.chain().to_owned()
}

fn head(store: &SqliteStore) -> Head {
    block_on(store.head(&chain(store))).unwrap().unwrap()
}

/// In the child: looks at the head when asked, and extends it when told.
fn race(folder: &Path, name: &str) {
    let store = Place::open_in(folder).unwrap();
    let mut commands = std::io::stdin().lines().map_while(Result::ok);
    while let Some(look) = commands.next() {
        let (chain, head) = (chain(&store), head(&store));
        say(&head.seq.to_string());
        if commands.next().is_none() {
            return;
        }
        let round = look.trim_start_matches("look ");
        let next = world(&format!("{name}-{round}"), "the next version");
        let draft = Draft::new(next).following(chain, head.capsule);
        match block_on(store.append(agent(1), vec![draft])) {
            Ok(_) => say("won"),
            Err(StoreError::HeadMoved {
                expected, actual, ..
            }) => {
                assert_eq!(expected, head.capsule);
                assert_ne!(actual, Some(expected));
                say("moved");
            }
            Err(error) => say(&error.to_string()),
        }
    }
}
