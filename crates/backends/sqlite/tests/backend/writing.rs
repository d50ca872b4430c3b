//! Writing: group commit, append-only tables, rebuild, statistics, tiles.

use counterfoil_life::Life as _;
use std::fs;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Waker};

use counterfoil_capsule::Extensions;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{AppendReport, CapsuleLog, Draft, StoreError};

use crate::common::{Place, agent, append, block_on, drafts, is_clean, together, world};

/// C17: what waits at the same time shares a transaction, an fsync and a checkpoint.
#[test]
fn appends_that_wait_together_share_a_commit() {
    let (place, store) = Place::created();
    let appends =
        [0, 1, 2, 3, 4, 5, 6, 7].map(|number| (number, drafts(&format!("w-{number}"), 2)));
    let appended = together(&place, &store, appends);
    let places: Vec<_> = appended.into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(places.len(), 16);
    assert!(
        store.commits() <= 3,
        "{} commits for 8 appends",
        store.commits()
    );
    assert_eq!(block_on(store.size()).unwrap(), 16);
}

#[test]
fn an_append_goes_through_although_nobody_waits_for_it() {
    let (_place, store) = Place::created();
    let mut dropped = Box::pin(store.append(agent(1), drafts("w", 2)));
    let polled = dropped
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    drop((polled, dropped));
    let again = append(&store, drafts("w", 2)).unwrap();
    assert_eq!(again[1].index, 1);
    assert_eq!(block_on(store.size()).unwrap(), 2);
}

/// CAP-1, I1.
#[test]
fn ground_rows_are_neither_changed_nor_deleted_nor_replaced() {
    let place = Place::new();
    append(&place.create(), drafts("w", 3)).unwrap();
    let raw = place.raw();
    for sql in [
        "UPDATE capsule SET field_count = 1 WHERE idx = 1",
        "DELETE FROM capsule WHERE idx = 2",
        "INSERT INTO capsule SELECT 7, header, signature, field_root, field_count, packed FROM capsule LIMIT 1",
        "REPLACE INTO capsule SELECT 1, header, signature, field_root, field_count, packed FROM capsule LIMIT 1",
        "UPDATE body SET payload = '{}' WHERE idx = 1",
        "DELETE FROM body",
        "REPLACE INTO body SELECT 1, '{}', salt, NULL, NULL FROM body LIMIT 1",
        "UPDATE log SET hashes = zeroblob(32)",
        "DELETE FROM log WHERE idx = 2",
        "REPLACE INTO log VALUES (1, zeroblob(32))",
        "UPDATE origin SET verifier_key = 'another'",
        "DELETE FROM origin",
        "INSERT INTO origin VALUES (0, 'another')",
        "REPLACE INTO origin VALUES (0, 'another')",
        "UPDATE head SET size = 2",
        "UPDATE head SET size = 3",
        "DELETE FROM head",
        "REPLACE INTO head VALUES (0, 9, 'x')",
    ] {
        let refused = raw.execute(sql, []).unwrap_err().to_string();
        assert!(
            ["append-only", "set once", "one head", "only grows"]
                .iter()
                .any(|why| refused.contains(why)),
            "{sql}: {refused}"
        );
    }
    is_clean(&place.open());
}

/// Observed contradictions are neither changed nor deleted nor replaced.
#[test]
fn events_are_insert_only() {
    let place = Place::new();
    drop(place.create());
    let raw = place.raw();
    let event = "INSERT INTO event (dedupe, at, kind, source, document)
         VALUES (zeroblob(32), 1, 'corruption', 'store', '{}')";
    raw.execute(event, []).unwrap();
    raw.pragma_update(None, "recursive_triggers", true).unwrap();
    for sql in [
        "DELETE FROM event",
        "UPDATE event SET document = '{}'",
        "INSERT OR REPLACE INTO event SELECT id, dedupe, 0, kind, source, document FROM event",
    ] {
        assert!(raw.execute(sql, []).is_err(), "{sql}");
    }
}

/// CAP-4.
#[test]
fn a_rebuild_makes_the_same_derived_state_again() {
    let (_place, store) = Place::created();
    for round in 0..5 {
        append(&store, drafts(&"w".repeat(round + 1), 7)).unwrap();
    }
    let before = block_on(store.derived_digest()).unwrap();
    let rebuilt = block_on(store.rebuild()).unwrap();
    assert_eq!(rebuilt, (35, Some(before), before));
    is_clean(&store);
    append(&store, drafts("later", 1)).unwrap();
    assert_ne!(block_on(store.derived_digest()).unwrap(), before);
}

#[test]
fn a_rebuild_repairs_what_was_derived() {
    let (place, store) = Place::created();
    append(&store, drafts("w", 9)).unwrap();
    let sound = block_on(store.derived_digest()).unwrap();
    for damage in [
        "DELETE FROM world WHERE idx = 3",
        "UPDATE chain SET idx = 1",
        "DELETE FROM agent",
        "DELETE FROM text_turns",
        "DELETE FROM text_index WHERE rowid = 2",
        "DROP TABLE text_index",
        "DROP TABLE world",
        "CREATE TABLE invented (x INTEGER) STRICT",
        "UPDATE text_index_config SET v = 0",
        "DELETE FROM text_index_data",
    ] {
        place.raw().execute_batch(damage).unwrap();
        let report = block_on(store.audit()).unwrap();
        assert!(!report.is_clean(), "{damage}");
        let rebuilt = block_on(store.rebuild());
        assert!(
            rebuilt.is_ok_and(|(_, _, after)| after == sound),
            "{damage}"
        );
        is_clean(&store);
    }
    append(&store, drafts("x", 1)).unwrap();
}

#[test]
fn counts_and_sizes_add_up() {
    let (_place, store) = Place::created();
    append(&store, drafts("w", 30)).unwrap();
    block_on(store.append(agent(2), drafts("x", 10))).unwrap();
    let stats = block_on(store.stats()).unwrap();
    assert_eq!((stats.entries, stats.agents, stats.chains), (40, 2, 40));
    let bytes = |name: &str| {
        let mut tables = stats.tables.iter();
        tables.find(|(table, _)| table == name).unwrap().1
    };
    assert!(bytes("capsule") > bytes("log"), "{stats:?}");
    let sum: u64 = stats.tables.iter().map(|(_, bytes)| bytes).sum();
    assert!(
        sum <= stats.file_bytes && sum + stats.free_bytes + 8192 >= stats.file_bytes,
        "{stats:?}"
    );
    let health = block_on(store.health()).unwrap();
    assert!(health.is_sound(), "{health:?}");
    assert_eq!(health.journal_mode, "wal");
    assert_eq!(health.schema_version, 12);
}

/// C2SP tlog-tiles: the exported files are the log, byte for byte.
#[test]
fn the_log_is_exported_as_tiles() {
    let (place, store) = Place::created();
    append(&store, drafts("w", 300)).unwrap();
    let folder = place.folder.path().join("tiles");
    assert_eq!(block_on(store.export_tiles(&folder)).unwrap(), 300);
    let note = block_on(store.checkpoint()).unwrap().unwrap();
    assert_eq!(fs::read_to_string(folder.join("checkpoint")).unwrap(), note);
    let tile = |name: &str| fs::read(folder.join("tile").join(name)).unwrap();
    for (name, length) in [("0/000", 8192), ("0/001.p/44", 44 * 32), ("1/000.p/1", 32)] {
        assert_eq!(tile(name).len(), length, "{name}");
    }
    let bundle = tile("entries/000");
    let length = usize::from(u16::from_be_bytes([bundle[0], bundle[1]]));
    let first = block_on(store.capsule(0)).unwrap().unwrap().entry;
    assert_eq!(bundle[2..2 + length], *first.to_text().as_bytes());
    assert_eq!(tile("0/000")[..32], *first.leaf_hash().as_bytes());
}

/// C17: a request that fails does not touch those that are committed with it.
#[test]
fn one_refused_append_leaves_the_rest_of_its_commit() {
    let (place, store) = Place::created();
    append(&store, drafts("taken", 1)).unwrap();
    let mut conflicting = drafts("mixed", 2);
    conflicting.push(Draft::new(world("taken-0", "other")));
    let appends = [(1, drafts("a", 2)), (1, conflicting), (1, drafts("b", 2))];
    let [first, refused, last] = together(&place, &store, appends);
    assert_eq!(first.unwrap()[1].index, 2);
    assert!(matches!(refused, Err(StoreError::WorldConflict { .. })));
    assert_eq!(last.unwrap()[1].index, 4);
    is_clean(&store);
}

/// Adversarial case C39, in a file: a clock that once ran to 2038 holds what follows, and a chain
/// that continues the poisoned one begins its time anew.
#[test]
fn a_chain_that_continues_a_poisoned_one_has_true_times_again() {
    const START_US: u64 = 1_772_323_200_000_000;
    const DAY_US: u64 = 86_400_000_000;
    let place = Place::new();
    let clock = Arc::new(AtomicU64::new(START_US));
    let options = place.options().with_clock(clock.clone());
    let options = options.with_max_leap_micros(9 * 365 * DAY_US);
    let store = SqliteStore::create(options).unwrap();
    let draft = |id: &str| Draft::new(world(id, id));
    let written = |draft| append(&store, vec![draft]).unwrap().remove(0);
    let after = |head: &AppendReport, id| written(draft(id).following(head.chain, head.capsule));
    let first = written(draft("a"));
    clock.store(START_US + 9 * 365 * DAY_US, Ordering::SeqCst);
    let poisoned = after(&first, "b");
    clock.store(START_US + DAY_US, Ordering::SeqCst);
    let held = after(&poisoned, "c");
    assert_eq!(held.recorded_at.micros(), poisoned.recorded_at.micros() + 1);

    let continues = Extensions {
        continues: Some(held.capsule),
        ..Extensions::default()
    };
    let anew = written(draft("d").with(continues));
    let next = after(&anew, "e");
    let tomorrow = START_US + 2 * DAY_US;
    assert!(anew.recorded_at < next.recorded_at && next.recorded_at.micros() < tomorrow);
    for (place, expected) in [(&held, true), (&next, false)] {
        let stored = block_on(store.capsule(place.index)).unwrap().unwrap();
        assert_eq!(stored.header.is_held(), expected);
    }
}
