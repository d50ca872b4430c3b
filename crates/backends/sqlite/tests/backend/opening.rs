//! Opening and making stores: what is refused, and that each refusal says what to do.

use counterfoil_life::Life as _;
use std::fs;
use std::time::Duration;

use crate::common::{
    Place, append, assert_refused, block_on, drafts, is_clean, signer, together, world,
};
use crate::sightings::{NOW_US, ROOM, see, sighting};
use counterfoil_capsule::SecretKey;
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{CapsuleLog, Draft, ExchangeStore, MemoryStore, RequestState, StoreError};
use counterfoil_types::WorldId;

#[test]
fn a_store_is_not_made_over_anything() {
    let place = Place::new();
    drop(place.create());
    let before = fs::read(place.database()).unwrap();
    assert_refused!(
        SqliteStore::create(place.options()),
        StoreError::AlreadyExists { .. }
    );
    assert_eq!(fs::read(place.database()).unwrap(), before);

    let other = Place::new();
    fs::write(other.database(), "a diary").unwrap();
    assert_refused!(
        SqliteStore::create(other.options()),
        StoreError::AlreadyExists { .. }
    );
    assert_eq!(fs::read(other.database()).unwrap(), b"a diary");
}

/// F8: a creation that ended between the file and its tables can be made again.
#[test]
fn an_interrupted_creation_is_completed() {
    let place = Place::new();
    fs::write(place.database(), "").unwrap();
    let store = place.create();
    append(&store, drafts("w", 1)).unwrap();
}

#[test]
fn a_missing_store_is_not_made_by_opening() {
    let place = Place::new();
    assert_refused!(
        SqliteStore::open(place.options()),
        StoreError::Missing { .. }
    );
    assert_refused!(
        SqliteStore::open(Options::read_only(place.database())),
        StoreError::Missing { .. }
    );
    assert!(!place.database().exists());
}

#[test]
fn a_file_that_is_not_ours_is_refused_and_left_alone() {
    let place = Place::new();
    place
        .raw()
        .execute_batch("CREATE TABLE diary (day TEXT)")
        .unwrap();
    for text in [
        None,
        Some(
            "not a database at all, but longer than a header of one hundred bytes: \
        0123456789012345678901234567890123456789012345678901234567890123456789",
        ),
        Some(""),
    ] {
        if let Some(text) = text {
            fs::write(place.database(), text).unwrap();
        }
        let before = fs::read(place.database()).unwrap();
        for options in [place.options(), Options::read_only(place.database())] {
            assert_refused!(SqliteStore::open(options), StoreError::NotOurs { .. });
        }
        assert_eq!(fs::read(place.database()).unwrap(), before);
    }
}

#[test]
fn a_store_of_a_newer_version_is_refused() {
    let place = Place::new();
    drop(place.create());
    place.raw().pragma_update(None, "user_version", 13).unwrap();
    for options in [place.options(), Options::read_only(place.database())] {
        assert_refused!(
            SqliteStore::open(options),
            StoreError::NewerSchema {
                found: 13,
                known: 12
            }
        );
    }
}

/// Each way to open the store.
fn doors(place: &Place) -> [Options; 3] {
    [
        place.options(),
        Options::read_only(place.database()),
        Options::read_only_guarded(place.database(), place.guard()),
    ]
}

/// Whatever is in the file beside the tables of the store runs when they are used: a view without an end let the audit
/// hang, and a trigger could have written.
#[test]
fn a_database_that_is_more_than_data_is_not_read() {
    let endless = "WITH RECURSIVE n (idx) AS (SELECT 0 UNION ALL SELECT idx + 1 FROM n) SELECT";
    for (sql, named) in [
        (
            "CREATE TRIGGER t AFTER INSERT ON world BEGIN DELETE FROM world; END",
            "trigger \"t\"",
        ),
        ("CREATE VIEW v AS SELECT 1", "view \"v\""),
        (
            &format!(
                "DROP TABLE claim_entry; CREATE VIEW claim_entry AS {endless} 1 AS list, idx FROM n"
            ),
            "view \"claim_entry\"",
        ),
        ("CREATE INDEX i ON world (id) WHERE idx > 5", "index \"i\""),
        ("CREATE TABLE more (x)", "table \"more\""),
        (
            "CREATE TABLE text_index_more (x)",
            "table \"text_index_more\"",
        ),
        (
            "ALTER TABLE world ADD COLUMN x INTEGER AS (1)",
            "table \"world\" was changed",
        ),
        (
            "DROP TRIGGER log_is_not_updated; CREATE TRIGGER log_is_not_updated BEFORE UPDATE ON log BEGIN SELECT 1; END",
            "trigger \"log_is_not_updated\" was changed",
        ),
        (
            "DROP INDEX exchange_at; CREATE INDEX exchange_at ON exchange (at) WHERE at > 5",
            "index \"exchange_at\" was changed",
        ),
    ] {
        let place = Place::new();
        append(&place.create(), drafts("w", 2)).unwrap();
        place.raw().execute_batch(sql).unwrap();
        let before = fs::read(place.database()).unwrap();
        for options in doors(&place) {
            let refused = SqliteStore::open(options).expect_err(sql).to_string();
            assert!(refused.contains(named), "{sql}: {refused}");
        }
        assert_eq!(fs::read(place.database()).unwrap(), before);
    }
}

/// Statistics change no answer, and what is missing runs nothing: the audit names it.
#[test]
fn a_database_with_statistics_or_without_a_trigger_is_read() {
    for sql in ["ANALYZE", "DROP TRIGGER log_is_not_updated"] {
        let place = Place::new();
        append(&place.create(), drafts("w", 2)).unwrap();
        place.raw().execute_batch(sql).unwrap();
        for options in doors(&place) {
            assert_eq!(
                block_on(SqliteStore::open(options).unwrap().size()).unwrap(),
                2
            );
        }
    }
}

/// Whoever opens a pipe waits for another process.
#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file_is_not_waited_for() {
    let beside = |place: &Place, end: &str| place.database().with_extension(end);
    type Naming = fn(&Place, &dyn Fn(&Place, &str) -> std::path::PathBuf) -> std::path::PathBuf;
    let files: [(Naming, usize); 7] = [
        (|place, _| place.database(), 3),
        (|place, beside| beside(place, "db-wal"), 3),
        (|place, beside| beside(place, "db-shm"), 3),
        (|place, beside| beside(place, "db-journal"), 3),
        (|place, _| place.guard(), 1),
        (|place, _| place.guard().with_extension("lock"), 1),
        (|place, _| place.guard().with_extension("part"), 0),
    ];
    for (name, refusing) in files {
        let place = Place::new();
        append(&place.create(), drafts("w", 2)).unwrap();
        let path = name(&place, &beside);
        drop(fs::remove_file(&path));
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let refused = doors(&place).map(SqliteStore::open).into_iter();
        let refused = refused
            .filter_map(Result::err)
            .map(|error| error.to_string());
        let refused: Vec<_> = refused.collect();
        assert_eq!(refused.len(), refusing, "{}: {refused:?}", path.display());
        let named = path.file_name().unwrap().to_str().unwrap();
        assert!(
            refused.iter().all(|refused| refused.contains(named)),
            "{refused:?}"
        );
    }
}

#[test]
fn another_logs_key_is_refused() {
    let place = Place::new();
    drop(place.create());
    let other = NoteSigner::new("log7.example", SecretKey::from_seed([8; 32])).unwrap();
    let options = Options::writable(place.database(), other, place.guard());
    assert_refused!(SqliteStore::open(options), StoreError::WrongLogKey { .. });
}

#[test]
fn a_second_writer_waits_and_then_hears_that_the_store_is_locked() {
    let place = Place::new();
    let patient = place.options().with_patience(Duration::from_millis(50));
    let store = SqliteStore::create(patient.clone()).unwrap();
    append(&store, drafts("w", 1)).unwrap();
    let other = place.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = append(&store, drafts("x", 1)).unwrap_err();
    assert!(matches!(refused, StoreError::Locked { .. }), "{refused}");
    assert!(refused.to_string().contains("memory.db"), "{refused}");
    let unheard = block_on(store.see(sighting(1, 1), NOW_US, ROOM));
    assert_refused!(unheard, StoreError::Locked { path: Some(_) });
    assert_eq!(block_on(store.size()).unwrap(), 1, "reading goes on");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(append(&store, drafts("x", 1)).unwrap()[0].index, 1);
    assert_eq!(see(&store, 1, 1), RequestState::New, "it was not heard");
}

/// C17, C43: two writers of one store share its log and never fork it.
#[test]
fn two_writers_take_turns_on_one_log() {
    let place = Place::new();
    let stores = [place.create(), place.open()];
    let mut indices = Vec::new();
    for round in 0..10 {
        for (number, store) in stores.iter().enumerate() {
            let places = append(store, drafts(&format!("w-{number}-{round}"), 2)).unwrap();
            indices.extend(places.into_iter().map(|place| place.index));
        }
    }
    assert_eq!(indices, (0..40).collect::<Vec<u64>>());
    is_clean(&stores[0]);
    assert!(stores[1].guard_mismatch().is_none());
}

#[test]
fn a_store_that_is_opened_for_reading_reads_and_does_not_write() {
    let place = Place::new();
    let writer = place.create();
    append(&writer, drafts("w", 2)).unwrap();
    let reader = SqliteStore::open(Options::read_only(place.database())).unwrap();
    assert_eq!(block_on(reader.size()).unwrap(), 2);
    append(&writer, drafts("x", 1)).unwrap();
    assert_eq!(
        block_on(reader.size()).unwrap(),
        3,
        "later commits are seen"
    );
    assert_refused!(append(&reader, drafts("y", 1)), StoreError::ReadOnly { .. });
    assert_refused!(block_on(reader.rebuild()), StoreError::ReadOnly { .. });
    let key = block_on(reader.verifier_key()).unwrap();
    assert_eq!(key, signer().verifier_key().to_string());
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let missing = tempfile::tempdir()
        .unwrap()
        .path()
        .join("no/such/folder/memory.db");
    let options = Options::writable(&missing, signer(), missing.with_extension("guard"));
    let refused = SqliteStore::create(options).expect_err("a refusal");
    assert!(refused.to_string().contains("no/such/folder"), "{refused}");
}

/// Disk full, by the database's own limit: nothing of the append stays, what was there does, those of its commit go
/// through, and writing goes on once there is room (R4).
#[test]
fn a_full_disk_is_the_fault_of_the_large_append_alone() {
    let place = Place::new();
    append(&place.create(), drafts("w", 10)).unwrap();
    let room = fs::metadata(place.database()).unwrap().len() + 100_000;
    let store = SqliteStore::open(place.options().with_max_bytes(room)).unwrap();
    let filler = "long ".repeat(40_000);
    let large = || vec![Draft::new(world("large", &filler))];
    let appends = [(1, drafts("a", 1)), (1, large()), (1, drafts("b", 1))];
    let [first, refused, last] = together(&place, &store, appends);
    assert_eq!(first.unwrap()[0].index, 10);
    assert_refused!(refused, StoreError::DiskFull);
    assert_eq!(last.unwrap()[0].index, 11);
    assert!(!block_on(store.exists(&WorldId::new("large").unwrap())).unwrap());
    drop(store);
    let store = place.open();
    assert_eq!(append(&store, large()).unwrap()[0].index, 12);
    is_clean(&store);
}

/// A store of an older version has no index of its hashes: to open it fills the index.
#[test]
fn every_capsule_is_found_by_its_hash_and_again_in_a_store_that_did_not() {
    let (place, store) = Place::created();
    append(&store, drafts("w", 70)).unwrap();
    drop(store);
    let found = "SELECT count(tag) FROM chain";
    assert_eq!(place.count(found), 70);
    place
        .raw()
        .execute("UPDATE chain SET tag = NULL", [])
        .unwrap();
    let store = place.open();
    assert_eq!(place.count(found), 70);
    is_clean(&store);
}
