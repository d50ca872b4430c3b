//! Documents about others in records of the log: what was changed or removed is noticed, and those of before are taken in.

use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, ExchangeStore, StoreError};

use crate::common::{Place, agent, append, assert_refused, block_on, drafts, is_clean};
use crate::corruption::{restore, tamper};
use crate::kept_exchanges::{document, earlier};

fn decide(store: &SqliteStore, number: u8) {
    let documents = vec![document(number)];
    assert_eq!(block_on(store.add_records(agent(1), documents)).unwrap(), 1);
}

fn documents(store: &SqliteStore) -> Vec<(Vec<u8>, u64)> {
    block_on(store.records(0)).unwrap().unwrap()
}

/// Law: a changed byte or a removed row of what was decided about trust is noticed by an audit, and by reading.
#[test]
fn what_was_decided_is_neither_changed_nor_removed_unnoticed() {
    let (place, store) = Place::created();
    append(&store, drafts("w", 1)).unwrap();
    decide(&store, 1);
    decide(&store, 2);
    drop(store);
    let clean = std::fs::read(place.database()).unwrap();
    let noticed = |sql: &str, parameters: &[&dyn rusqlite::ToSql]| {
        assert!(tamper(&place, sql, parameters) > 0, "{sql}");
        let store = place.open();
        assert_refused!(block_on(store.records(0)), StoreError::Corrupt { .. });
        assert!(!block_on(store.audit()).unwrap().is_clean(), "{sql}");
        drop(store);
        restore(&place, &clean);
    };
    for sql in [
        "DELETE FROM trust WHERE idx = 2",
        "DELETE FROM trust_document WHERE idx = 2",
        "DELETE FROM trust_document",
        "UPDATE trust SET idx = 0 WHERE idx = 2",
        "UPDATE trust_document SET idx = 1",
        "UPDATE trust_document SET hash = zeroblob(32) WHERE idx = 2",
        "UPDATE capsule SET signature = zeroblob(64) WHERE idx = 2",
        "UPDATE capsule SET field_root = zeroblob(32) WHERE idx = 2",
        "UPDATE capsule SET (header, signature) = (SELECT header, signature FROM capsule WHERE idx = 1)
         WHERE idx = 2",
        "UPDATE body SET salt = zeroblob(32) WHERE idx = 2",
        "UPDATE body SET payload = NULL, salt = NULL WHERE idx = 2",
        "DELETE FROM capsule WHERE idx = 2",
        "INSERT INTO received VALUES (2, 'another store', 1)",
    ] {
        noticed(sql, &[]);
    }
    for (table, column) in [("capsule", "header"), ("body", "payload")] {
        let read = format!("SELECT {column} FROM {table} WHERE idx = 2");
        let text: String = place.raw().query_row(&read, [], |row| row.get(0)).unwrap();
        let update = format!("UPDATE {table} SET {column} = ?1 WHERE idx = 2");
        for at in (0..text.len()).step_by(23) {
            let mut changed = text.clone().into_bytes();
            changed[at] ^= 1;
            noticed(&update, &[&String::from_utf8(changed).unwrap()]);
        }
    }
    is_clean(&place.open());
}

/// Documents that a store of version 7 kept beside the log count with their times, and the first decision records them
/// with these.
#[test]
fn the_first_decision_takes_in_what_was_kept_before() {
    let (place, store) = Place::created();
    append(&store, drafts("w", 1)).unwrap();
    earlier(&place, 20);
    let mut before = documents(&store);
    assert_eq!(before.len(), 20);
    is_clean(&store);
    let again = block_on(store.add_records(agent(1), vec![document(3)]));
    assert_eq!(again.unwrap(), 0, "it was there");
    before.sort_by_key(|(_, at)| *at);
    assert_eq!(documents(&store), before);
    decide(&store, 30);
    let rows = "SELECT count(*) FROM trust_record";
    let rows: u64 = place.raw().query_row(rows, [], |row| row.get(0)).unwrap();
    assert_eq!((rows, block_on(store.size()).unwrap()), (0, 5));
    let (_, digest, again) = block_on(store.rebuild()).unwrap();
    assert_eq!(digest, Some(again));
    let (last, recorded) = (document(30), documents(&store));
    assert_eq!((&recorded[..20], &recorded[20].0), (&before[..], &last));
    is_clean(&store);
}

/// Rows that were dated by a clock that was ahead stay in their order, before everything that is decided later.
#[test]
fn what_was_kept_under_a_wrong_clock_counts_before_what_is_decided_now() {
    let (place, store) = Place::created();
    earlier(&place, 3);
    place
        .raw()
        .execute_batch(
            "DROP TRIGGER trust_record_is_not_updated; UPDATE trust_record SET at = at + 1000000000000000;
             CREATE TRIGGER trust_record_is_not_updated BEFORE UPDATE ON trust_record
BEGIN SELECT RAISE(ABORT, 'trust_record is append-only'); END;",
        )
        .unwrap();
    decide(&store, 7);
    let found = documents(&store);
    let order: Vec<_> = found.iter().map(|(document, _)| document.clone()).collect();
    assert_eq!(order, [2, 1, 0, 7].map(document));
    assert!(found.is_sorted_by(|earlier, later| earlier.1 < later.1));
}

/// A record that another store made is kept, and decides nothing here.
#[test]
fn a_record_of_another_store_decides_nothing() {
    let (_theirs, store) = Place::created();
    decide(&store, 1);
    let mut plan = block_on(store.export_plan(counterfoil_life::Selection::All)).unwrap();
    let (lines, _) = block_on(store.export_lines(&mut plan)).unwrap();
    let (_place, mine) = Place::created();
    let lines = (1..)
        .zip(lines.into_iter().map(String::into_bytes))
        .collect();
    let report = block_on(mine.import_capsules(agent(2).agent(), "file", lines)).unwrap();
    assert_eq!(
        (report.outcomes.len(), block_on(mine.size()).unwrap()),
        (1, 1)
    );
    assert_eq!(documents(&mine), []);
    is_clean(&mine);
    decide(&mine, 1);
    assert_eq!(documents(&mine).len(), 1, "by a decision of its own");
}
