//! `kill -9` at any moment: what was acknowledged stays, nothing is torn, the log goes on (R2).

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use counterfoil_sqlite::SqliteStore;
use counterfoil_store::CapsuleLog;
use counterfoil_types::WorldId;

use crate::common::{Place, agent, block_on, drafts, is_clean};

/// Set for the child process alone, which writes to this folder until it is killed.
const FOLDER: &str = "COUNTERFOIL_TEST_FOLDER";
const ROUND: &str = "COUNTERFOIL_TEST_ROUND";
const KILLS: usize = 20;

/// CAP-36.
#[test]
fn what_was_acknowledged_survives_being_killed() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return write_until_killed(&folder, &std::env::var(ROUND).unwrap());
    }
    let place = Place::new();
    drop(place.create());
    let mut acknowledged = Vec::new();
    for round in 0..KILLS {
        acknowledged.extend(killed_after(&place, round, 1 + round * 7 % 40));
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
    is_clean(&place.open());
}

/// Four threads append, and say what was acknowledged.
fn write_until_killed(folder: &OsStr, round: &str) {
    let store = Arc::new(SqliteStore::open(Place::options_in(folder.as_ref())).unwrap());
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let store = Arc::clone(&store);
            scope.spawn(move || {
                for number in 0.. {
                    let drafts = drafts(&format!("w-{round}-{thread}-{number}"), 3);
                    let places = block_on(store.append(agent(thread), drafts)).unwrap();
                    let lines: Vec<String> = places
                        .iter()
                        .map(|place| {
                            format!("ack {} {}\n", place.index, place.world_id.as_ref().unwrap())
                        })
                        .collect();
                    std::io::stdout()
                        .write_all(lines.concat().as_bytes())
                        .unwrap();
                }
            });
        }
    });
}

/// Kills a child once it has said that `entries` entries were acknowledged, and returns all that
/// it said.
fn killed_after(place: &Place, round: usize, entries: usize) -> Vec<(u64, WorldId)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "killed::what_was_acknowledged_survives_being_killed",
            "--nocapture",
        ])
        .env(FOLDER, place.folder.path())
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut said = acknowledgements(BufReader::new(child.stdout.take().unwrap()));
    let mut acknowledged: Vec<_> = said.by_ref().take(entries).collect();
    child.kill().unwrap();
    acknowledged.extend(said);
    child.wait().unwrap();
    assert!(
        acknowledged.len() >= entries,
        "round {round}: the child ended by itself"
    );
    acknowledged
}

/// The acknowledged entries; a last line that was cut off was not acknowledged.
fn acknowledgements(output: impl BufRead) -> impl Iterator<Item = (u64, WorldId)> {
    output.lines().map_while(Result::ok).filter_map(|line| {
        let (index, id) = line.split_once("ack ")?.1.split_once(' ')?;
        Some((index.parse().ok()?, WorldId::new(id).ok()?))
    })
}
