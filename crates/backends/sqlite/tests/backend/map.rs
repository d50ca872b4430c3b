//! The map of the log as the store keeps it, against one that is made from the entries (docs/format/standing.md).

use std::fs;
use std::sync::Arc;

use counterfoil_capsule::Kind;
use counterfoil_capsule::keys::{KeyCompromise, KeyDocument};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_life::{Backend, Life as _};
use counterfoil_life_tests::author::{Author, begun, key, of_keys};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::map::LogMap;
use counterfoil_store::text_index::{TextIndex as _, TextQuery};
use counterfoil_store::{CapsuleLog, Draft, MemoryStore as _, Standings, StoreError};
use counterfoil_types::json::{Limits, parse};
use counterfoil_types::{Sha256Hash, WorldId};
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::map::{KeyMark, MemoryStanding};

use crate::common::{
    Place, agent, append, assert_refused, block_on, drafts, is_clean, signer, world,
};

/// Adds the entries that are new to `map`, and returns the root of the map that the newest checkpoint binds.
pub(crate) fn add_entries(map: &mut LogMap<'_>, store: &SqliteStore) -> Option<Sha256Hash> {
    for index in map.size()..block_on(store.size()).unwrap() {
        let stored = block_on(store.capsule(index)).unwrap().unwrap();
        let is_record = matches!(stored.header.kind(), Kind::Record(_));
        let document = stored.payload.filter(|_| is_record);
        let document = document.map(|it| parse(it.text.as_bytes(), Limits::CONTENT).unwrap());
        map.add(&stored.header, document.as_ref()).unwrap();
    }
    bound(store)
}

/// The root of the map that the newest checkpoint binds.
fn bound(store: &SqliteStore) -> Option<Sha256Hash> {
    let note = block_on(store.checkpoint()).unwrap()?;
    Checkpoint::from_note(&note).unwrap().map_root()
}

fn asked(names: &[&str]) -> Vec<WorldId> {
    names
        .iter()
        .map(|name| WorldId::new(*name).unwrap())
        .collect()
}

fn standings(store: &SqliteStore, names: &[&str]) -> Standings {
    block_on(store.standings(&asked(names))).unwrap().unwrap()
}

/// The standing of one memory of agent 1, checked as an authority does.
fn standing(store: &SqliteStore, name: &str) -> (MemoryStanding, Option<KeyMark>) {
    standing_by(store, name, &*agent(1))
}

fn standing_by(
    store: &SqliteStore,
    name: &str,
    by: &dyn Signer,
) -> (MemoryStanding, Option<KeyMark>) {
    let found = standings(store, &[name]);
    let root = Checkpoint::from_note(&found.checkpoint)
        .unwrap()
        .map_root()
        .unwrap();
    let world = &asked(&[name])[0];
    let index = block_on(store.index_of(world)).unwrap().unwrap();
    let lookups = found.of[0].as_ref().unwrap();
    MemoryStanding::check(
        &root,
        (world, index),
        (&by.agent(), by.key_number()),
        lookups,
    )
    .unwrap()
}

/// What is said of a memory stands under the newest checkpoint, at whose size its proof is made.
#[test]
fn standings_stand_under_the_newest_checkpoint() {
    let (_place, store) = Place::created();
    assert_eq!(block_on(store.standings(&asked(&["w-0"]))).unwrap(), None);
    let first = append(&store, drafts("w", 3)).unwrap().remove(0);
    assert_eq!(standing(&store, "w-0"), (MemoryStanding::new(0), None));
    let next = Draft::new(world("next", "text")).following(first.chain, first.capsule);
    append(&store, vec![next]).unwrap();
    block_on(store.forget(agent(1), &asked(&["w-1"])[0], None, "old")).unwrap();
    block_on(store.erase(agent(1), &asked(&["w-2"])[0], "asked to")).unwrap();
    let by = Some((3, Some(asked(&["next"]).remove(0))));
    assert_eq!(standing(&store, "w-0").0.superseded, by);
    assert_eq!(standing(&store, "w-1").0.forgotten_actor, Some(4));
    assert_eq!(standing(&store, "w-2").0.erased, Some(5));
    assert_eq!(standing(&store, "next"), (MemoryStanding::new(3), None));

    let found = standings(&store, &["w-2", "unknown", "w-0"]);
    let is_there: Vec<bool> = found.of.iter().map(Option::is_some).collect();
    assert_eq!(is_there, [true, false, true]);
    assert_eq!(
        Some(found.checkpoint),
        block_on(store.checkpoint()).unwrap()
    );
    assert_eq!(found.size, 6);
    block_on(store.inclusion(0, found.size)).unwrap();
}

/// The mark of a stolen key is looked up for each key by its number, and a memory of before the theft is none of the thief's.
#[test]
fn a_stolen_key_is_told_of_the_memories_after_the_theft() {
    let (_place, store) = Place::created();
    let author = Author::new(5);
    let (history, _) = begun(&store, &author);
    let thief: Arc<dyn Signer> = Arc::new(AgentSigner::new(SecretKey::from_seed([5; 32])));
    for name in ["before", "after"] {
        let draft = Draft::new(world(name, "text"));
        block_on(store.append(thief.clone(), vec![draft])).unwrap();
    }
    let now = Timestamp::from_micros(store.now_micros()).unwrap();
    let from = block_on(store.index_of(&asked(&["after"])[0]))
        .unwrap()
        .unwrap();
    let said = KeyCompromise::sign(
        &history,
        &key(91),
        0,
        ("log7.example", from, now),
        "stolen",
        now,
    );
    let draft = of_keys(&KeyDocument::Compromise(said.unwrap()));
    let draft = draft.following(history.chain(), history.head());
    let record = block_on(store.append(thief.clone(), vec![draft]))
        .unwrap()
        .remove(0)
        .index;
    assert_eq!(standing_by(&store, "before", &*thief).1, None);
    let mark = standing_by(&store, "after", &*thief).1;
    assert_eq!(mark, Some(KeyMark { from, record }));
}

/// A memory in an archive has to be restored first: the number of its key is not in its stub.
#[test]
fn an_archived_memory_is_restored_first() {
    let (place, store) = Place::created();
    append(&store, drafts("w", 2)).unwrap();
    let root = bound(&store);
    let now = Timestamp::from_micros(store.now_micros()).unwrap();
    let folder = place.folder.path().join("archive");
    let moved = block_on(store.archive(agent(1), now, Some(now), folder.clone())).unwrap();
    assert_ne!(bound(&store), root);
    assert_refused!(
        block_on(store.standings(&asked(&["w-0"]))),
        StoreError::Archived { .. }
    );
    // The map is derived from stubs as from headers.
    let (_, before, after) = block_on(store.rebuild()).unwrap();
    assert_eq!(before, Some(after));
    block_on(store.restore(folder, vec![moved.0[0].name.clone()])).unwrap();
    assert_eq!(standing(&store, "w-0"), (MemoryStanding::new(0), None));
    is_clean(&store);
}

/// Brings the index of a store to what version 9 made of it: words by other rules, and no vectors.
fn make_index_older(place: &Place, raw: &rusqlite::Connection) {
    let index = place.folder.path().join("index.db");
    let mut made = include_str!("../../src/text/porter.sql").to_owned();
    if index.exists() {
        let index = index.to_str().unwrap();
        raw.execute("ATTACH ?1 AS words", [index]).unwrap();
        made = made.replace("VIRTUAL TABLE ", "VIRTUAL TABLE words.");
    }
    let dropped = "DROP TABLE text_terms; DROP TABLE text_index; DROP TABLE text_rules; DROP TABLE text_scopes;
        DROP TABLE text_scope_pairs; DROP TABLE text_scoped; DROP TABLE text_same;";
    raw.execute_batch(&format!("{dropped}{made}")).unwrap();
    for table in ["vector_model", "vector", "vector_none", "vector_block"] {
        raw.execute(&format!("DROP TABLE {table}"), []).unwrap();
    }
}

/// Brings a store to what version 8 made of it: without the tables, and with a checkpoint that binds no map.
fn make_older(place: &Place) {
    let raw = place.raw();
    make_index_older(place, &raw);
    let signed: String = raw
        .query_row("SELECT checkpoint FROM head", [], |row| row.get(0))
        .unwrap();
    let signed = Checkpoint::from_note(&signed).unwrap();
    let plain = signer().checkpoint(signed.size(), signed.root()).unwrap();
    raw.execute_batch(
        "DROP TABLE map_node; DROP TABLE map_row; DROP TRIGGER head_only_grows; PRAGMA user_version = 8",
    )
    .unwrap();
    raw.execute("UPDATE head SET checkpoint = ?1", [&plain])
        .unwrap();
    let trigger = include_str!("../../src/schema/ground.sql");
    let at = trigger.find("CREATE TRIGGER head_only_grows").unwrap();
    let end = trigger[at..].find("END;").unwrap() + 4;
    raw.execute_batch(&trigger[at..at + end]).unwrap();
    fs::write(place.guard(), plain).unwrap();
}

/// A store of an earlier version gets its map from entries and records; its checkpoint binds one with the next entry.
#[test]
fn an_older_store_gets_its_map() {
    for sealed in [false, true] {
        let place = if sealed {
            Place::sealed()
        } else {
            Place::new()
        };
        let store = place.create();
        append(&store, drafts("w", 40)).unwrap();
        block_on(store.forget(agent(1), &asked(&["w-1"])[0], None, "old")).unwrap();
        block_on(store.erase(agent(1), &asked(&["w-2"])[0], "asked to")).unwrap();
        drop(store);
        make_older(&place);
        let store = place.open();
        assert_eq!(block_on(store.standings(&asked(&["w-1"]))).unwrap(), None);
        is_clean(&store);
        append(&store, drafts("x", 1)).unwrap();
        assert_eq!(standing(&store, "w-1").0.forgotten_actor, Some(40));
        assert_eq!(standing(&store, "w-2").0.erased, Some(41));
        let mut map = LogMap::new("log7.example");
        let bound = add_entries(&mut map, &store);
        assert_eq!(bound, Some(map.root().unwrap()));
        is_clean(&store);
    }
}

/// A store of an earlier version is refused to readers until its words are indexed again; one whose words other rules made
/// is read, but for searches.
#[test]
fn words_are_indexed_again_when_a_store_is_opened_for_writing() {
    let finds = |store: &SqliteStore, word: &str| {
        let query = TextQuery::new([word]).unwrap();
        block_on(store.search(&query)).map(|hits| hits.len())
    };
    for sealed in [false, true] {
        let place = if sealed {
            Place::sealed()
        } else {
            Place::new()
        };
        let store = place.create();
        let text = "Die Rechnungen sind nicht bezahlt, 买了自行车";
        append(&store, vec![Draft::new(world("w-1", text))]).unwrap();
        drop(store);
        let raw = place.raw();
        make_index_older(&place, &raw);
        raw.execute_batch("PRAGMA user_version = 9").unwrap();
        drop(raw);
        let read = || {
            let options = Options::read_only(place.database());
            SqliteStore::open(if sealed {
                options.sealed(place.keys().into())
            } else {
                options
            })
        };
        let refused = read().unwrap_err().to_string();
        assert!(refused.contains("open it once for writing"), "{refused}");
        let store = place.open();
        for word in ["Rechnung", "自行"] {
            assert_eq!(finds(&store, word).unwrap(), 1, "{word}");
        }
        is_clean(&store);
        drop(store);
        if sealed {
            continue;
        }
        let other = "UPDATE text_rules SET rules = rules + 1";
        place.raw().execute_batch(other).unwrap();
        let reader = read().unwrap();
        assert!(block_on(reader.exists(&WorldId::new("w-1").unwrap())).unwrap());
        let refused = finds(&reader, "Rechnung").unwrap_err().to_string();
        assert!(refused.contains("open it once for writing"), "{refused}");
        drop(reader);
        assert_eq!(finds(&place.open(), "Rechnung").unwrap(), 1);
        is_clean(&place.open());
    }
}

/// Rows that were changed or taken away are told, are not built upon where that is seen, and are mended by a rebuild.
#[test]
fn damaged_rows_are_told_and_mended() {
    let root_edited = "UPDATE map_node SET node = CAST(substr(node, 1, 40) || x'00' || substr(node, 42) AS BLOB) WHERE place = 1";
    let leaf_gone = "DELETE FROM map_node WHERE place > 16";
    let size_gone = "DELETE FROM map_row WHERE key = x'10'";
    let value_gone = "DELETE FROM map_row WHERE substr(key, 1, 1) = x'15'";
    for (edit, stops_writing) in [
        (root_edited, true),
        (leaf_gone, true),
        (size_gone, true),
        (value_gone, false),
    ] {
        let (place, store) = Place::created();
        let first = append(&store, drafts("w", 200)).unwrap().remove(0);
        let next = Draft::new(world("next", "text")).following(first.chain, first.capsule);
        append(&store, vec![next]).unwrap();
        let good = standings(&store, &["w-0"]);
        assert!(place.raw().execute(edit, []).unwrap() > 0, "{edit}");
        let refused = block_on(store.standings(&asked(&["w-0"])));
        assert_refused!(refused, StoreError::IndexDamaged { .. });
        let report = block_on(store.audit()).unwrap();
        let named = |(place, _): &(counterfoil_store::StoreLocation, String)| {
            place.to_string().contains("map_")
        };
        assert!(report.differences.iter().any(named), "{edit}: {report:?}");
        if stops_writing {
            let refused = append(&store, drafts("y", 40));
            assert_refused!(refused, StoreError::IndexDamaged { .. });
        }
        block_on(store.rebuild()).unwrap();
        assert_eq!(standings(&store, &["w-0"]), good, "{edit}");
        append(&store, drafts("x", 40)).unwrap();
        is_clean(&store);
    }
}

/// A log that has signed another map than its entries make is told.
#[test]
fn a_wrong_map_under_a_signature_is_told() {
    let (place, store) = Place::created();
    append(&store, drafts("w", 3)).unwrap();
    let signed = block_on(store.checkpoint()).unwrap().unwrap();
    let signed = Checkpoint::from_note(&signed).unwrap();
    let other = Sha256Hash::from_bytes([9; 32]);
    let wrong = signer().checkpoint_with_map((signed.size(), signed.root()), other);
    let raw = place.raw();
    raw.execute_batch("DROP TRIGGER head_only_grows").unwrap();
    raw.execute("UPDATE head SET checkpoint = ?1", [wrong.unwrap()])
        .unwrap();
    let report = block_on(store.audit()).unwrap();
    let found = report
        .differences
        .iter()
        .any(|(_, it)| it.contains("another map"));
    assert!(found, "{report:?}");
}

/// A refused job leaves nothing in the map, whatever it shared its transaction with.
#[test]
fn what_is_undone_is_not_in_the_map() {
    let (place, store) = Place::created();
    append(&store, drafts("w", 2)).unwrap();
    let clash = vec![
        Draft::new(world("z-0", "text")),
        Draft::new(world("w-0", "another text")),
    ];
    let [good, refused, last] = crate::common::together(
        &place,
        &store,
        [(1, drafts("x", 1)), (2, clash), (3, drafts("y", 1))],
    );
    assert!(good.is_ok() && last.is_ok());
    assert_refused!(refused, StoreError::WorldConflict { .. });
    let mut map = LogMap::new("log7.example");
    assert_eq!(add_entries(&mut map, &store), Some(map.root().unwrap()));
    assert_eq!(map.size(), 4);
}
