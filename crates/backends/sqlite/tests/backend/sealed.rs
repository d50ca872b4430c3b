//! A sealed store: no word in the database, none in a copy of it once the key is destroyed, and an index that can be lost
//! (docs/format/database.md, *Sealed stores*).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use counterfoil_life::sealing::ContentKey;
use counterfoil_life::{Backend as _, Life as _, commit};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::text_index::{TextIndex as _, TextQuery};
use counterfoil_store::{Draft, ExchangeStore as _, MemoryStore as _, StoreError};
use counterfoil_types::WorldId;

use crate::common::{Place, agent, append, block_on, is_clean, world};
use crate::kept_exchanges::{answer, filled as filled_exchanges, id as number};

const WORD: &str = "zanzibarin";

fn id(id: &str) -> WorldId {
    WorldId::new(id).unwrap()
}

/// A closed store with two memories.
fn filled() -> Place {
    let place = Place::sealed();
    remember(&place.create(), &[("w-1", WORD), ("w-2", "quokka")]);
    place
}

fn remember(store: &SqliteStore, memories: &[(&str, &str)]) {
    for (id, text) in memories {
        append(store, vec![Draft::new(world(id, text))]).unwrap();
    }
}

/// Names of the files in which the word lies.
fn holding(folder: &Path) -> Vec<String> {
    holding_bytes(folder, WORD.as_bytes())
}

fn holding_bytes(folder: &Path, needle: &[u8]) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    let files = files.filter(|file| file.path().is_file());
    let holds = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(needle.len()).any(|it| it == needle)
    };
    let found = files.filter(|file| holds(&file.path()));
    found
        .map(|file| file.file_name().into_string().unwrap())
        .collect()
}

fn finds(store: &SqliteStore, term: &str) -> usize {
    let query = TextQuery::new([term]).unwrap().page(0, 10);
    block_on(store.search(&query)).unwrap().len()
}

/// The store as a program reads it that has no key of the log.
fn read(place: &Place) -> SqliteStore {
    let options = Options::read_only_guarded(place.database(), place.guard());
    SqliteStore::open(options.sealed(place.keys().into())).unwrap()
}

/// C20: what is erased here is erased in each copy of the database.
#[test]
fn words_are_in_the_index_alone_and_after_an_erasure_in_no_copy() {
    let place = filled();
    let folder = place.folder.path();
    let store = place.open();
    let first = append(&store, vec![Draft::new(world("w-3", WORD))]).unwrap();
    let (chain, capsule) = (first[0].chain, first[0].capsule);
    let later = Draft::new(world("w-4", "numbat")).following(chain, capsule);
    append(&store, vec![later]).unwrap();
    let salt = block_on(store.read(|txn| Ok(txn.body(0)?.unwrap().salt.unwrap()))).unwrap();
    drop(store);
    assert_eq!(holding(folder), ["index.db"]);
    assert_eq!(holding_bytes(folder, &salt), [""; 0]);
    let copy = folder.join("copy");
    fs::create_dir(&copy).unwrap();
    fs::copy(place.database(), copy.join("memory.db")).unwrap();
    let store = place.open();
    remember(&store, &[("w-5", WORD)]);
    assert_eq!(finds(&store, WORD), 3);
    let of_index = |name: &String| name.starts_with("index.db");
    assert!(holding(folder).iter().all(of_index));
    for world in ["w-1", "w-3", "w-5"] {
        let erased = block_on(store.erase(agent(1), &id(world), "asked to")).unwrap();
        assert_eq!(erased.unwrap().not_scrubbed, None);
    }
    is_clean(&store);
    assert_eq!(holding(folder), [""; 0]);
    // The copy from before, with the keys that there are now.
    let options = Options::read_only(copy.join("memory.db"));
    let old = SqliteStore::open(options.sealed(place.keys().into())).unwrap();
    let absent = block_on(old.get(&id("w-1"))).unwrap_err().to_string();
    assert!(absent.contains("E_MISSING"), "{absent}");
    assert_eq!(finds(&old, WORD), 0);
    for kept in ["w-2", "w-4"] {
        assert!(block_on(old.get(&id(kept))).unwrap().is_some());
    }
    assert_eq!(holding(&copy), [""; 0]);
}

/// Killed between the commits of the two files, or put back from elsewhere.
#[test]
fn an_index_that_does_not_belong_to_the_database_is_made_again() {
    let place = filled();
    let index = place.folder.path().join("index.db");
    let before = fs::read(&index).unwrap();
    remember(&place.open(), &[("w-3", "wombat")]);
    let after = fs::read(&index).unwrap();
    fs::write(&index, &before).unwrap();
    assert_eq!(
        finds(&read(&place), "wombat"),
        1,
        "it lacks the last commit"
    );
    fs::remove_file(&index).unwrap();
    assert_eq!(finds(&read(&place), "wombat"), 1, "it is gone");
    // While the store is open.
    let (reader, writer) = (read(&place), place.open());
    let mark = "ATTACH ?1 AS words; UPDATE words.apart SET mark = zeroblob(16); DELETE FROM words.text_turns";
    let raw = place.raw();
    let mut statements = mark.split(';');
    raw.execute(statements.next().unwrap(), [index.to_str().unwrap()])
        .unwrap();
    statements.for_each(|sql| raw.execute_batch(sql).unwrap());
    drop(raw);
    remember(&writer, &[("w-4", "numbat")]);
    assert_eq!(finds(&reader, "wombat") + finds(&reader, "numbat"), 2);
    is_clean(&writer);
    drop((reader, writer));
    // A program that fills the mark in by hand is found by the audit.
    fs::write(&index, &after).unwrap();
    assert_eq!(finds(&read(&place), "numbat"), 1);
}

/// The database alone answers no question and makes no cursor. A slot is named as in files of commits.
#[test]
fn rows_beside_the_log_are_sealed_in_the_slots_of_shipped_ones() {
    let place = Place::sealed();
    let (store, folder) = (place.create(), place.folder.path());
    filled_exchanges(&store);
    assert_eq!(block_on(store.exchange_secret([6; 32])).unwrap(), [5; 32]);
    let kept = block_on(store.answer(&number(1), &answer())).unwrap();
    for words in [&*kept.unwrap(), b"a report about", &[5; 32]] {
        assert_eq!(holding_bytes(folder, words), [""; 0]);
    }
    let keys = place.keys();
    keys.make(&format!("held/{}/7/document", "AB".repeat(32)))
        .unwrap();
    keys.sync().unwrap();
    let held = "INSERT INTO held (hash, class, document, code, source, at)
        VALUES (unhex(replace(hex(zeroblob(32)), '00', 'ab')), 'quarantine', 'no capsule', '', '', 7)";
    place.raw().execute_batch(held).unwrap();
    block_on(commit::ship(
        &store,
        &folder.join("to"),
        Some(&folder.join("shipped")),
    ))
    .unwrap();
    let slots = |keys: &str| -> Vec<String> {
        let keys = rusqlite::Connection::open(folder.join(keys).join("content-keys.db")).unwrap();
        let sql = "SELECT slot FROM content_key WHERE slot NOT LIKE 'stream/%'";
        let mut slots = keys.prepare(sql).unwrap();
        let slots = slots.query_map([], |row| row.get(0)).unwrap();
        slots.map(Result::unwrap).collect()
    };
    assert_eq!(slots("keys"), slots("shipped"));
}

#[test]
fn a_missing_key_is_damage_of_its_memory_alone() {
    let place = filled();
    let raw = rusqlite::Connection::open(place.folder.path().join("keys/content-keys.db")).unwrap();
    raw.execute("DELETE FROM content_key WHERE slot = 'entry/0'", [])
        .unwrap();
    drop(raw);
    let store = place.open();
    let refused = block_on(store.get(&id("w-1"))).unwrap_err();
    assert!(
        refused.to_string().contains("its key is missing"),
        "{refused}"
    );
    assert!(matches!(refused.into(), StoreError::Corrupt { .. }));
    remember(&store, &[("w-3", "wombat")]);
    for word in ["w-2", "w-3"] {
        assert!(block_on(store.get(&id(word))).unwrap().is_some());
    }
    let health = block_on(store.health()).unwrap();
    assert_eq!(health.keyless, Some(BTreeSet::from(["entry/0".to_owned()])));
    assert!(!health.is_sound());
    let report = block_on(store.audit()).unwrap();
    let places = report.differences.iter().map(|it| it.0.to_string());
    let places: BTreeSet<_> = places.collect();
    let entry = ["table body, entry 0", "table capsule, entry 0"];
    assert_eq!(places, BTreeSet::from(entry.map(str::to_owned)));
}

/// A reader that still sees the content, and a program that ended before the key was destroyed.
#[test]
fn a_destruction_that_could_not_be_done_is_made_up_for() {
    let place = filled();
    let options = place
        .options()
        .with_patience(std::time::Duration::from_millis(50));
    let store = SqliteStore::open(options).unwrap();
    let other = place.raw();
    other
        .execute_batch("BEGIN; SELECT count(*) FROM body;")
        .unwrap();
    let erased = block_on(store.erase(agent(1), &id("w-1"), "asked to")).unwrap();
    assert!(erased.unwrap().not_scrubbed.is_some());
    let key = || place.keys().key("entry/0").unwrap();
    assert!(matches!(key(), Some(ContentKey::Present(_))));
    drop((store, other));
    drop(place.open());
    assert!(matches!(key(), Some(ContentKey::Destroyed)));
    assert_eq!(place.count("SELECT count(*) FROM to_destroy"), 0);
}

/// The key of an append that was not committed is that of the next one, and another process writes meanwhile.
#[test]
fn a_key_without_an_entry_is_used_by_the_next_one() {
    let place = filled();
    let (store, other) = (place.open(), place.open());
    let refused = append(&store, vec![Draft::new(world("w-1", "other words"))]);
    assert!(refused.is_err());
    remember(&other, &[("w-3", "wombat")]);
    assert!(block_on(store.get(&id("w-3"))).unwrap().is_some());
    is_clean(&store);
}

#[test]
fn without_its_keys_a_sealed_store_says_so() {
    let place = filled();
    let store = SqliteStore::open(Options::read_only(place.database())).unwrap();
    let refused = block_on(store.get(&id("w-1"))).unwrap_err().to_string();
    assert!(refused.contains("content-keys.db"), "{refused}");
}
