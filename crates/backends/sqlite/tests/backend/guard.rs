//! The guard against restored backups (proof.md 5; capsules 4.5, C18, adversarial case 42).

use counterfoil_life::Life as _;
use std::fs;

use crate::common::{Place, append, assert_refused, block_on, drafts, is_clean};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::{CapsuleLog, MemoryStore, StoreError};
use counterfoil_types::WorldId;

/// The files of a database that nobody has open.
fn copy(place: &Place) -> Vec<u8> {
    assert!(
        !place.database().with_extension("db-wal").exists(),
        "the store is still open"
    );
    fs::read(place.database()).unwrap()
}

/// The store opens, reads, and refuses to write with the reason.
fn assert_guarded(place: &Place, expected: &str) {
    let store = place.open();
    let mismatch = store.guard_mismatch().expect("a mismatch").to_string();
    assert!(mismatch.contains(expected), "{mismatch}");
    assert!(mismatch.contains("last-checkpoint"), "{mismatch}");
    assert!(
        block_on(store.exists(&WorldId::new("w-0").unwrap())).unwrap(),
        "reading works"
    );
    let before = block_on(store.size()).unwrap();
    assert_refused!(
        append(&store, drafts("new", 1)),
        StoreError::GuardMismatch { .. }
    );
    assert_eq!(block_on(store.size()).unwrap(), before);
    assert!(!block_on(store.health()).unwrap().is_sound());
}

/// C6, C18.
/// Adversarial case C42: yesterday's backup is put back, and an append follows.
#[test]
fn a_restored_backup_is_read_and_not_written() {
    let place = Place::new();
    append(&place.create(), drafts("w", 3)).unwrap();
    let backup = copy(&place);
    append(&place.open(), drafts("x", 2)).unwrap();
    let later = copy(&place);
    fs::write(place.database(), backup).unwrap();
    assert_guarded(
        &place,
        "has signed 5 entries, but the database holds only 3",
    );
    fs::write(place.database(), later).unwrap();
    let store = place.open();
    assert!(
        store.guard_mismatch().is_none(),
        "the later database may be written again"
    );
    append(&store, drafts("y", 1)).unwrap();
}

/// Adversarial case C44: the last three capsules are cut from a copy, with a head that was signed
/// when they were not there. The guard notices where the keys are; elsewhere whoever was given a
/// later checkpoint does. A cut that leaves the head is found by the audit.
#[test]
fn a_log_whose_tail_was_cut_off_is_not_taken_for_the_whole() {
    let place = Place::new();
    append(&place.create(), drafts("w", 2)).unwrap();
    let cut = copy(&place);
    append(&place.open(), drafts("x", 3)).unwrap();
    let whole = copy(&place);

    fs::write(place.database(), cut).unwrap();
    assert_guarded(
        &place,
        "has signed 5 entries, but the database holds only 2",
    );
    let elsewhere = SqliteStore::open(Options::read_only(place.database())).unwrap();
    assert_refused!(
        block_on(elsewhere.consistency(2, 5)),
        StoreError::OutOfRange {
            asked: 5,
            size: 2,
            ..
        }
    );
    drop(elsewhere);

    fs::write(place.database(), whole).unwrap();
    let raw = place.raw();
    raw.execute_batch(
        "PRAGMA foreign_keys = OFF; DROP TRIGGER capsule_is_not_deleted;
         DELETE FROM capsule WHERE idx > 1;",
    )
    .unwrap();
    drop(raw);
    let reader = SqliteStore::open(Options::read_only(place.database())).unwrap();
    let report = block_on(reader.audit()).unwrap();
    assert!(!report.is_clean());
}

#[test]
fn another_history_of_the_same_size_is_not_continued() {
    let (place, other) = (Place::new(), Place::new());
    append(&place.create(), drafts("w", 3)).unwrap();
    append(&other.create(), drafts("w", 4)).unwrap();
    fs::write(place.database(), copy(&other)).unwrap();
    assert_guarded(&place, "another history of 3 entries");
}

/// A process that ended between its commit and the guard leaves the database ahead.
#[test]
fn a_database_ahead_of_its_guard_is_fine() {
    let (place, store) = Place::created();
    append(&store, drafts("w", 3)).unwrap();
    let behind = fs::read(place.guard()).unwrap();
    append(&store, drafts("x", 4)).unwrap();
    let ahead = fs::read(place.guard()).unwrap();
    assert_ne!(behind, ahead);
    drop(store);
    fs::write(place.guard(), behind).unwrap();
    let store = place.open();
    assert!(store.guard_mismatch().is_none());
    assert_eq!(
        fs::read(place.guard()).unwrap(),
        ahead,
        "opening brings it up to date"
    );
    append(&store, drafts("y", 1)).unwrap();
}

#[test]
fn a_guard_that_is_gone_or_damaged_stops_writing() {
    let place = Place::new();
    append(&place.create(), drafts("w", 3)).unwrap();
    let good = fs::read(place.guard()).unwrap();
    for damaged in [
        b"".to_vec(),
        b"garbage".to_vec(),
        vec![0xff; 100],
        vec![b'x'; 1 << 20],
        {
            let mut edited = good.clone();
            let size = edited.iter().position(|&byte| byte == b'3').unwrap();
            edited[size] = b'2';
            edited
        },
    ] {
        fs::write(place.guard(), damaged).unwrap();
        assert_guarded(&place, "is not a checkpoint that this log has signed");
    }
    fs::remove_file(place.guard()).unwrap();
    assert_guarded(&place, "is not there");
    // What the message says to do: the present checkpoint, after a look at what others have.
    let note = block_on(place.open().checkpoint()).unwrap().unwrap();
    assert_eq!(note.as_bytes(), good);
    fs::write(place.guard(), note).unwrap();
    append(&place.open(), drafts("x", 1)).unwrap();
}

#[test]
fn a_new_store_is_not_made_with_keys_that_have_signed_before() {
    let place = Place::new();
    append(&place.create(), drafts("w", 3)).unwrap();
    fs::remove_file(place.database()).unwrap();
    assert_refused!(
        SqliteStore::create(place.options()),
        StoreError::GuardMismatch { .. }
    );
    assert!(!place.database().exists());
}

/// The guard is compared at each commit, not only when the store is opened: the file of a running
/// store may be exchanged beneath it.
#[test]
fn a_guard_that_another_process_moved_ahead_stops_the_next_commit() {
    let (place, other) = (Place::new(), Place::new());
    let store = place.create();
    append(&store, drafts("w", 1)).unwrap();
    append(&other.create(), drafts("w", 9)).unwrap();
    // Another writer of this database, so that the head is not the one that was left.
    append(&place.open(), drafts("x", 1)).unwrap();
    fs::copy(other.guard(), place.guard()).unwrap();
    assert_refused!(
        append(&store, drafts("y", 1)),
        StoreError::GuardMismatch { .. }
    );
    is_clean(&store);
}
