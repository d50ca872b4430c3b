//! `kill -9` at any moment: what was acknowledged stays, nothing is torn, the log goes on (R2).

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use counterfoil_sqlite::{Depth, SqliteStore};
use counterfoil_store::CapsuleLog;
use counterfoil_types::WorldId;

use crate::common::{Place, agent, block_on, drafts};

const FOLDER: &str = "COUNTERFOIL_TEST_FOLDER";
const ROUND: &str = "COUNTERFOIL_TEST_ROUND";
const KILLS: u64 = 20;

/// The child: four threads append until they are killed, and say what was acknowledged.
#[test]
#[ignore = "run by the test below, in a process of its own"]
fn writes_until_it_is_killed() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let round = std::env::var(ROUND).unwrap();
    let store = Arc::new(SqliteStore::open(Place::options_in(folder.as_ref())).unwrap());
    let threads = (0..4_u8).map(|thread| {
        let (store, round) = (Arc::clone(&store), round.clone());
        std::thread::spawn(move || {
            for number in 0.. {
                let drafts = drafts(&format!("w-{round}-{thread}-{number}"), 3);
                let places = block_on(store.append(agent(thread), drafts)).unwrap();
                let lines: Vec<String> = places
                    .iter()
                    .map(|place| format!("ack {} {}\n", place.index, place.world_id))
                    .collect();
                std::io::stdout()
                    .write_all(lines.concat().as_bytes())
                    .unwrap();
            }
        })
    });
    threads
        .collect::<Vec<_>>()
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}

#[test]
fn what_was_acknowledged_survives_being_killed() {
    let place = Place::new();
    drop(place.create());
    let mut acknowledged = Vec::new();
    for round in 0..KILLS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "killed::writes_until_it_is_killed",
                "--ignored",
                "--nocapture",
            ])
            .env(FOLDER, place.folder.path())
            .env(ROUND, round.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || acknowledgements(BufReader::new(output)));
        std::thread::sleep(Duration::from_millis(60 + round * 17 % 90));
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged.extend(reader.join().unwrap());
        let store = place.open();
        assert!(
            store.guard_mismatch().is_none(),
            "round {round}: {:?}",
            store.guard_mismatch()
        );
        for (index, world_id) in &acknowledged {
            let found = block_on(store.index_of(world_id)).unwrap();
            assert_eq!(found, Some(*index), "round {round}: {world_id} was lost");
        }
    }
    assert!(
        acknowledged.len() > 20,
        "only {} entries were acknowledged",
        acknowledged.len()
    );
    let report = block_on(place.open().audit(Depth::Deep)).unwrap();
    assert!(report.is_clean(), "{:#?}", report.differences);
}

/// The acknowledged entries; a last line that was cut off was not acknowledged.
fn acknowledgements(output: impl BufRead) -> Vec<(u64, WorldId)> {
    output
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| {
            let (index, id) = line.split_once("ack ")?.1.split_once(' ')?;
            Some((index.parse().ok()?, WorldId::new(id).ok()?))
        })
        .collect()
}
