//! `kill -9` while an exchange is written: what was acknowledged is there, and what is there folds (R6; case 75).

use std::path::Path;

use counterfoil_exchange::machine::fold;
use counterfoil_store::ExchangeStore;

use crate::common::{Child, Place, block_on, given, is_clean, say};
use crate::kept_exchanges::{begin, id, rows};

const TEST: &str = "ending::an_exchange_whose_process_is_killed_folds_to_what_was_acknowledged";
const KILLS: u8 = 12;
/// Exchanges of one round.
const EXCHANGES: u8 = 20;

/// Adversarial case F75
#[test]
fn an_exchange_whose_process_is_killed_folds_to_what_was_acknowledged() {
    if let Some((folder, round)) = given() {
        return write_until_killed(&folder, round.parse().unwrap());
    }
    let place = Place::new();
    drop(place.create());
    for round in 0..KILLS {
        let lines = 1 + usize::from(round) * 7 % 31;
        let said = Child::killed_after(TEST, &place, &round.to_string(), lines);
        let store = place.open();
        for line in said {
            let (number, rows_said) = line.split_once(' ').unwrap();
            let (number, rows_said): (u8, u32) =
                (number.parse().unwrap(), rows_said.parse().unwrap());
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
fn write_until_killed(folder: &Path, round: u8) {
    let store = Place::open_in(folder).unwrap();
    for number in (0..EXCHANGES).map(|number| round * EXCHANGES + number) {
        begin(&store, number);
        say(&format!("{number} 1"));
        for (row, before) in rows().into_iter().zip(1_usize..).skip(1) {
            block_on(store.add_transition(&id(number), row)).unwrap();
            say(&format!("{number} {before}"));
        }
    }
    // Until it is killed.
    std::thread::sleep(std::time::Duration::from_secs(60));
}
