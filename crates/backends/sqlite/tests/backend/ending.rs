//! `kill -9` while an exchange is written: what was acknowledged is there, and what is there folds (R6; case 75).

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use counterfoil_exchange::machine::fold;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::ExchangeStore;

use crate::common::{Place, block_on, is_clean};
use crate::kept_exchanges::{begin, id, rows};

/// Set for the child process alone, which writes to this folder until it is killed.
const FOLDER: &str = "COUNTERFOIL_TEST_FOLDER";
const ROUND: &str = "COUNTERFOIL_TEST_ROUND";
const KILLS: u8 = 12;
/// Exchanges of one round.
const EXCHANGES: u8 = 20;

/// Adversarial case F75
#[test]
fn an_exchange_whose_process_is_killed_folds_to_what_was_acknowledged() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let round = std::env::var(ROUND).unwrap().parse().unwrap();
        return write_until_killed(&folder, round);
    }
    let place = Place::new();
    drop(place.create());
    for round in 0..KILLS {
        let acknowledged = killed_after(&place, round, 1 + usize::from(round) * 7 % 31);
        let store = place.open();
        for (number, rows_said) in acknowledged {
            let found = block_on(store.exchange(&id(number))).unwrap().unwrap();
            let folded = fold(&found.transitions).unwrap();
            assert!(
                folded.rows() >= rows_said,
                "round {round}, exchange {number}"
            );
            let written = rows();
            assert!(written.starts_with(&found.transitions), "{found:?}");
        }
    }
    let store = place.open();
    for found in block_on(store.exchanges(None, 1_000)).unwrap() {
        fold(&found.transitions).unwrap();
    }
    is_clean(&store);
}

/// Begins exchanges one after the other, and says how many rows of each were acknowledged.
fn write_until_killed(folder: &OsStr, round: u8) {
    let store = SqliteStore::open(Place::options_in(folder.as_ref())).unwrap();
    let say = |number: u8, rows: usize| {
        let line = format!("ack {number} {rows}\n");
        std::io::stdout().write_all(line.as_bytes()).unwrap();
    };
    for number in (0..EXCHANGES).map(|number| round * EXCHANGES + number) {
        begin(&store, number);
        say(number, 1);
        for (row, before) in rows().into_iter().zip(1..).skip(1) {
            block_on(store.add_transition(&id(number), row)).unwrap();
            say(number, before);
        }
    }
    // Until it is killed.
    std::thread::sleep(std::time::Duration::from_secs(60));
}

/// Kills a child once it has said so much, and returns what it said last of each exchange.
fn killed_after(place: &Place, round: u8, lines: usize) -> Vec<(u8, u32)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "ending::an_exchange_whose_process_is_killed_folds_to_what_was_acknowledged",
            "--nocapture",
        ])
        .env(FOLDER, place.folder.path())
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = output.map_while(Result::ok).filter_map(|line| {
        let (number, rows) = line.split_once("ack ")?.1.split_once(' ')?;
        Some((number.parse().ok()?, rows.parse().ok()?))
    });
    let mut acknowledged: Vec<_> = said.by_ref().take(lines).collect();
    child.kill().unwrap();
    acknowledged.extend(said);
    child.wait().unwrap();
    assert!(
        acknowledged.len() >= lines,
        "round {round}: the child ended by itself"
    );
    acknowledged
}
