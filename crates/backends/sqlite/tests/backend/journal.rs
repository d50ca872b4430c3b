//! The journal: no row that strangers caused is changed, removed, exchanged or added unseen (docs/format/database.md 9).

use std::fs;
use std::path::PathBuf;

use counterfoil_life::Life as _;
use counterfoil_life::commit::BESIDE;
use counterfoil_life::port::Table;
use counterfoil_life_tests::author::{Author, import, texts};
use counterfoil_sqlite::{Options, SqliteStore, reconcile};
use counterfoil_store::{CapsuleLog, ExchangeStore, StoreError};
use counterfoil_verifier::checkpoint::Checkpoint;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

use crate::common::{Place, agent, append, assert_refused, block_on, drafts, is_clean};
use crate::corruption::{restore, tamper};
use crate::kept_exchanges;

/// Tables of evidence, and the journal.
const TABLES: [&str; 7] = [
    "fork",
    "event",
    "exchange",
    "exchange_transition",
    "exchange_answer",
    "exchange_item",
    "journal",
];

/// A store with rows in each table, some of which an entry names.
fn filled(place: &Place) -> SqliteStore {
    let store = place.create();
    kept_exchanges::filled(&store);
    let mut author = Author::new(5);
    let chain = author.chain("theirs", 3);
    import(&store, &texts(&chain));
    for name in ["x", "y"] {
        let fork = author.next(&chain[0], name, 3_500_000);
        import(&store, &texts(&[fork]));
        append(&store, drafts(name, 1)).unwrap();
    }
    import(&store, &["no capsule".to_owned()]);
    store
}

fn guard(place: &Place) -> PathBuf {
    place.guard().with_extension("journal")
}

/// The audit finds nothing, and the head beside the keys is on the journal.
fn is_unseen(place: &Place) -> bool {
    let store = SqliteStore::open(Options::read_only(place.database())).unwrap();
    let Ok(note) = fs::read_to_string(guard(place)) else {
        return block_on(store.audit()).unwrap().is_clean();
    };
    let signed = Checkpoint::from_note(&note).unwrap();
    let link = block_on(store.journal_link(signed.size())).unwrap();
    let is_on = link.is_some_and(|link| link.as_bytes() == signed.root().as_bytes());
    is_on && block_on(store.audit()).unwrap().is_clean()
}

fn table(name: &str) -> &'static Table {
    BESIDE.into_iter().find(|table| table.name == name).unwrap()
}

/// Another value of a column.
fn other(column: &str) -> String {
    format!(
        "CASE typeof({column}) WHEN 'integer' THEN {column} + 1000 WHEN 'text' THEN {column} || 'x'
         WHEN 'blob' THEN zeroblob(32) END"
    )
}

/// One statement that edits, takes away or adds a row, or exchanges all but the keys of two.
fn damage(
    name: &str,
    (what, column): (u8, Index),
    (row, with): (Index, Index),
    rows: usize,
) -> String {
    let table = table(name);
    let (key, columns) = (table.columns.get(..table.key).unwrap(), table.columns);
    let (row, with) = (row.index(rows), with.index(rows));
    let is = |at: usize| {
        let key = key.join(", ");
        format!("({key}) = (SELECT {key} FROM {name} ORDER BY {key} LIMIT 1 OFFSET {at})")
    };
    match what {
        0 => format!("DELETE FROM {name} WHERE {}", is(row)),
        1 => {
            let values = columns
                .iter()
                .map(|it| match key.contains(it) || name == "exchange" {
                    true => other(it),
                    false => (*it).to_owned(),
                });
            let values: Vec<_> = values.collect();
            let columns = columns.join(", ");
            format!(
                "INSERT OR REPLACE INTO {name} ({columns}) SELECT {} FROM {name} WHERE {}",
                values.join(", "),
                is(row)
            )
        }
        2 if row != with => {
            let last = columns.last().unwrap();
            let (one, other) = (is(row), is(with));
            let of = |name: &str| {
                key.iter()
                    .map(|it| format!("{name}.{it}"))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let (own, others) = (of(name), of("o"));
            format!(
                "UPDATE {name} SET {last} = o.{last} FROM (SELECT * FROM {name} WHERE {one} OR {other}) AS o
                 WHERE ({own}) <> ({others}) AND ({own}) IN (SELECT {} FROM {name} WHERE {one} OR {other})",
                key.join(", ")
            )
        }
        _ => {
            let column = columns[column.index(columns.len())];
            format!(
                "UPDATE {name} SET {column} = {} WHERE {}",
                other(column),
                is(row)
            )
        }
    }
}

fn dump(place: &Place, name: &str) -> String {
    let columns: Vec<_> = table(name)
        .columns
        .iter()
        .map(|it| format!("quote({it})"))
        .collect();
    let sql = format!("SELECT group_concat({}) FROM {name}", columns.join(" || "));
    place.raw().query_row(&sql, [], |row| row.get(0)).unwrap()
}

/// Any one row of any table of evidence that is edited, removed, exchanged or added by SQL is noticed.
#[test]
fn no_row_of_evidence_changes_unseen() {
    let place = Place::new();
    drop(filled(&place));
    assert!(is_unseen(&place));
    let clean = fs::read(place.database()).unwrap();
    let case = (
        0..TABLES.len(),
        (0_u8..4, any::<Index>()),
        any::<(Index, Index)>(),
    );
    let ran = TestRunner::new(Config::with_cases(60)).run(&case, |(at, how, rows)| {
        let name = TABLES[at];
        let count = place.count(&format!("SELECT count(*) FROM {name}"));
        let sql = damage(name, how, rows, usize::try_from(count).unwrap());
        let before = dump(&place, name);
        tamper(&place, &sql, &[]);
        let seen = before == dump(&place, name) || !is_unseen(&place);
        restore(&place, &clean);
        prop_assert!(seen, "{sql}");
        Ok(())
    });
    ran.unwrap();
}

/// The newest rows that go with their links are missed by the head beside the keys; without that file, by the entry that
/// named them. A writer does not make up for it; `reconcile` accepts it, and the journal says so.
#[test]
fn the_newest_rows_are_missed_by_the_keys_and_by_the_log() {
    let place = Place::new();
    let store = filled(&place);
    let size = block_on(store.size()).unwrap();
    drop(store);
    let [clean, checkpoint] = [place.database(), place.guard()].map(|it| fs::read(it).unwrap());
    let cut = || {
        tamper(
            &place,
            "DELETE FROM event WHERE id = (SELECT max(id) FROM event)",
            &[],
        );
        let last = "DELETE FROM journal WHERE number = (SELECT max(number) FROM journal WHERE part = 'event')";
        tamper(&place, last, &[]);
    };
    // The last event was named by no entry yet.
    cut();
    assert!(!is_unseen(&place), "by the file");
    let head = fs::read(guard(&place)).unwrap();
    import(&place.open(), &["neither", "nor"].map(str::to_owned));
    append(&place.open(), drafts("later", 1)).unwrap();
    assert!(!is_unseen(&place), "after more rows");
    assert_eq!(fs::read(guard(&place)).unwrap(), head);

    fs::remove_file(guard(&place)).unwrap();
    assert!(is_unseen(&place), "without the file");
    restore(&place, &clean);
    fs::write(place.guard(), checkpoint).unwrap();
    let store = place.open();
    append(&store, drafts("names", 1)).unwrap();
    drop(store);
    cut();
    fs::remove_file(guard(&place)).unwrap();
    assert!(!is_unseen(&place), "by the log");

    let own = agent(1).agent();
    let done = reconcile(&place.options(), own, std::iter::empty()).unwrap();
    assert_eq!(done.0.end, size + 1);
    assert!(is_unseen(&place), "accepted");
    is_clean(&place.open());
    assert!(guard(&place).exists());
}

/// The next entry names the journal, and no other one does until it has grown. A rebuild finds the same.
#[test]
fn an_entry_names_the_journal_where_it_has_grown() {
    let (place, store) = Place::created();
    let named = || place.count("SELECT count(*) FROM journal_head");
    append(&store, drafts("a", 3)).unwrap();
    assert_eq!(named(), 0);
    kept_exchanges::begin(&store, 1);
    append(&store, drafts("b", 3)).unwrap();
    append(&store, drafts("c", 1)).unwrap();
    assert_eq!(named(), 1);
    assert_eq!(place.count("SELECT idx FROM journal_head"), 3);
    assert_eq!(place.count("SELECT rows FROM journal_head"), 2);
    kept_exchanges::begin(&store, 2);
    append(&store, drafts("d", 1)).unwrap();
    let (_, before, after) = block_on(store.rebuild()).unwrap();
    assert_eq!((named(), before), (2, Some(after)));
    is_clean(&store);
}

/// Rows are shown as they were linked, or not at all.
#[test]
fn a_row_that_was_changed_is_not_shown() {
    let place = Place::new();
    drop(filled(&place));
    tamper(
        &place,
        "UPDATE event SET document = replace(document, 'import', 'export')",
        &[],
    );
    tamper(
        &place,
        "UPDATE exchange_transition SET at = at + 1 WHERE exchange = 0",
        &[],
    );
    tamper(
        &place,
        "UPDATE exchange_answer SET document = x'00' WHERE exchange = 0",
        &[],
    );
    let store = place.open();
    let id = kept_exchanges::id(1);
    assert_refused!(block_on(store.events(0, None)), StoreError::Corrupt { .. });
    assert_refused!(block_on(store.exchange(&id)), StoreError::Corrupt { .. });
    let answer = kept_exchanges::answer();
    assert_refused!(
        block_on(store.answer(&id, &answer)),
        StoreError::Corrupt { .. }
    );
    assert!(
        block_on(store.exchange(&kept_exchanges::id(2)))
            .unwrap()
            .is_some()
    );
}

/// A row that was taken out together with its link, and the gap closed behind it, leaves a link that follows another one.
#[test]
fn a_gap_that_was_closed_is_seen() {
    let (place, store) = Place::created();
    for text in ["one", "two", "three"] {
        import(&store, &[text.to_owned()]);
    }
    is_clean(&store);
    drop(store);
    for sql in [
        "DELETE FROM event WHERE id = 2",
        "DELETE FROM journal WHERE number = 1",
        "UPDATE journal SET number = 1 WHERE number = 2",
    ] {
        tamper(&place, sql, &[]);
    }
    fs::remove_file(guard(&place)).unwrap();
    assert!(!is_unseen(&place));
}
