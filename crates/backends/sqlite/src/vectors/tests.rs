//! Vectors in a real store: kept, searched alone and beside words, erased, refused.

use std::collections::BTreeSet;

use counterfoil_life::Life as _;
use counterfoil_life_tests::LifeRig as _;
use counterfoil_life_tests::support::Rig as Suite;
use counterfoil_store::conformance::TrigramEncoder;
use counterfoil_store::text_index::{TextIndex as _, TextQuery};
use counterfoil_store::vectors::{Embedder, MAX_VECTORS, TextSide, VectorIndex as _, VectorModel};
use counterfoil_store::{CapsuleLog as _, Draft, StoreError};
use counterfoil_types::{TimeRange, UnixMillis};
use rusqlite::Connection;

use super::cache::SignCache;
use super::halves::halves;
use super::scan::{Wanted, nearest};
use super::signs::BLOCK_ROWS;
use crate::SqliteStore;
use crate::life_tests::Sqlite;
use crate::rig::{DAY_US, Rig, agent, assert_refused, block_on, id, world};

fn encoder() -> TrigramEncoder {
    TrigramEncoder::new("test")
}

fn encoded(text: &str) -> Vec<f32> {
    let vectors = encoder().embed(&[text.to_owned()], TextSide::Memory);
    vectors.unwrap().remove(0)
}

/// Makes all vectors that are missing, in batches of two; returns the texts of which they were made.
fn embed(store: &SqliteStore) -> Vec<String> {
    let (mut all, mut from) = (Vec::new(), 0);
    loop {
        let page = block_on(store.without_vector(from, 2)).unwrap();
        let Some((last, _)) = page.last() else {
            return all;
        };
        from = last + 1;
        all.extend(page.iter().map(|(_, text)| text.clone()));
        let vector = |text: &str| match text {
            "" => Vec::new(),
            text => encoded(text),
        };
        let vectors = page
            .iter()
            .map(|(index, text)| (*index, vector(text)))
            .collect();
        block_on(store.add_vectors(encoder().model(), vectors)).unwrap();
    }
}

fn found(store: &SqliteStore, query: &TextQuery) -> Vec<String> {
    let hits = block_on(store.search(query)).unwrap();
    hits.iter().map(|hit| hit.world_id.to_string()).collect()
}

fn by_meaning(text: &str) -> TextQuery {
    TextQuery::by_meaning(encoded(text))
}

fn three() -> Rig {
    let rig = Rig::new();
    fill(&rig);
    rig
}

fn fill(rig: &Suite<'_, Sqlite>) {
    rig.remember("w-1", "the kite is under the blue pot");
    rig.remember("w-2", "a sunrise over the harbour");
    rig.remember("w-3", "dark mode in every editor");
}

#[test]
fn a_misspelled_question_finds_the_nearest_and_paging_goes_on() {
    let rig = three();
    assert_eq!(found(&rig.store, &by_meaning("kite")), [""; 0]);
    let texts = embed(&rig.store);
    // The text that a search by words has, speaker included.
    assert_eq!(texts[0], "Ada\nthe kite is under the blue pot");
    let query = by_meaning("the kyte is undr the blu pot");
    let all = found(&rig.store, &query);
    assert_eq!((all[0].as_str(), all.len()), ("w-1", 3));
    let pages = (0..4).flat_map(|at| found(&rig.store, &query.clone().page(at, 1)));
    assert_eq!(pages.collect::<Vec<_>>(), all);
    let hits = block_on(rig.store.search(&query)).unwrap();
    assert!(hits[0].score > 0.6 && hits[0].score <= 1.0 && hits[1].score < hits[0].score);
    assert_eq!(embed(&rig.store), [""; 0], "all have theirs");
    rig.is_sound();
    assert_eq!(
        found(&rig.store, &query),
        all,
        "a rebuild keeps the vectors"
    );
    assert_eq!(found(&rig.reopened().store, &query), all);
}

#[test]
fn bound_time_and_what_is_forgotten_leave_memories_out() {
    let rig = three();
    embed(&rig.store);
    let mut query = by_meaning("dark mode");
    query.bound = Some(id("w-2"));
    let mut within = found(&rig.store, &query);
    within.sort();
    assert_eq!(within, ["w-1", "w-2"]);
    let created = world("w-1", "").created_at().value();
    let range = |after: u64, before: u64| {
        let [after, before] = [after, before].map(|it| UnixMillis::new(it).unwrap());
        TimeRange::new(Some(after), Some(before)).unwrap()
    };
    let mut query = by_meaning("dark mode");
    query.time_range = Some(range(created - 1, created + 1));
    assert_eq!(found(&rig.store, &query).len(), 3);
    query.time_range = Some(range(created, created + 1));
    assert_eq!(found(&rig.store, &query), [""; 0], "both ends are excluded");
    let own = agent(1);
    block_on(rig.store.forget(own.clone(), &id("w-3"), None, "asked to")).unwrap();
    let mut query = by_meaning("dark mode");
    query.actor = Some(own.agent().to_string());
    assert!(!found(&rig.store, &query).contains(&"w-3".to_owned()));
}

/// A question of words, and of a text like it.
fn asked(words: &[&str], like: &str) -> TextQuery {
    let mut query = TextQuery::new(words.iter().copied()).unwrap();
    query.vector = Some(encoded(like));
    query
}

#[test]
fn words_and_meaning_make_one_order() {
    let rig = three();
    rig.remember("w-4", "an editor of a newspaper in the harbour");
    embed(&rig.store);
    let mut query = asked(&["editor"], "dark mode in every editr");
    query.weights.meaning = 0.5;
    let hits = block_on(rig.store.search(&query)).unwrap();
    let ids: Vec<String> = hits.iter().map(|hit| hit.world_id.to_string()).collect();
    assert_eq!(ids[..2], ["w-3", "w-4"], "both say the word, one means it");
    assert!(
        hits[0].meaning > hits[1].meaning && hits[0].meaning < 1.0,
        "{hits:?}"
    );
    let mut by_words = query.clone();
    (by_words.weights.meaning, by_words.weights.meaning_beside) = (-0.5, 0.0);
    assert_eq!(found(&rig.store, &by_words)[0], "w-4");
    // No word is found: the nearest alone are given, of which none is farther than the mean of the store.
    let hits = block_on(
        rig.store
            .search(&asked(&["kyte"], "the kyte is undr the blu pot")),
    )
    .unwrap();
    assert_eq!(hits[0].world_id, id("w-1"));
    assert!(hits[0].meaning > 0.99 && hits.len() < 4, "{hits:?}");
    let pages = (0..5).flat_map(|at| found(&rig.store, &query.clone().page(at, 1)));
    assert_eq!(pages.collect::<Vec<_>>(), found(&rig.store, &query));
}

#[test]
fn a_filter_holds_for_what_is_near_in_meaning() {
    let rig = three();
    embed(&rig.store);
    let query = asked(&["kyte"], "the kyte is undr the blu pot");
    let without = query.clone().filtered(Vec::new(), vec!["pot"]).unwrap();
    assert!(!found(&rig.store, &without).contains(&"w-1".to_owned()));
    let quoted = query.filtered(vec!["blue pot"], Vec::new()).unwrap();
    assert_eq!(found(&rig.store, &quoted), ["w-1"]);
}

/// A current version whose meaning ranks above the words of an older one is given.
#[test]
fn what_is_near_in_meaning_is_given_as_it_is_now() {
    let rig = Rig::new();
    let first = rig.remember("w-1", "the kite is under the blue pot");
    rig.remember("w-2", "a sunrise over the harbour");
    rig.update(&first, "w-1b", "dark mode in every editor");
    embed(&rig.store);
    let mut query = asked(&["kite"], "dark mode in every editr");
    assert_eq!(found(&rig.store, &query)[0], "w-1");
    query.weights.meaning = 2.0;
    assert_eq!(found(&rig.store, &query)[0], "w-1b");
}

/// A text that was replaced is not found by its meaning as if it were current.
#[test]
fn of_a_memory_the_version_counts_that_is_current_at_the_bound() {
    let rig = Rig::new();
    let first = rig.remember("w-1", "the kite is under the blue pot");
    rig.remember("w-2", "a sunrise over the harbour");
    rig.update(&first, "w-1b", "dark mode in every editor");
    assert_eq!(embed(&rig.store).len(), 3, "each version has its own");
    let mut query = by_meaning("the kite is under the blue pot");
    assert!(!found(&rig.store, &query).contains(&"w-1".to_owned()));
    assert_eq!(found(&rig.store, &by_meaning("dark mode"))[0], "w-1b");
    query.bound = Some(id("w-2"));
    assert_eq!(found(&rig.store, &query)[0], "w-1");
    query.bound = None;
    query.each_version = true;
    assert_eq!(found(&rig.store, &query)[0], "w-1");
}

#[test]
fn vectors_of_another_model_or_form_are_refused_and_nothing_is_written() {
    let rig = three();
    let (store, model) = (&rig.store, encoder());
    let add = |model: &VectorModel, vectors| block_on(store.add_vectors(model, vectors));
    assert_eq!(block_on(store.vector_model()).unwrap(), None);
    assert_eq!(block_on(store.vectors_done()).unwrap(), (0, 3));
    add(model.model(), vec![(0, encoded("kite"))]).unwrap();
    assert_eq!(
        block_on(store.vector_model()).unwrap().as_ref(),
        Some(model.model())
    );
    let other = TrigramEncoder::new("other");
    let refused = add(other.model(), vec![(1, encoded("kite"))]).unwrap_err();
    let message = refused.to_string();
    for part in [
        "trigrams:test",
        "trigrams:other",
        "counterfoil embed --migrate",
    ] {
        assert!(message.contains(part), "{message}");
    }
    for wrong in [vec![1.0; 63], vec![0.0; 64], vec![f32::NAN; 64]] {
        let vectors = vec![(1, encoded("kite")), (2, wrong.clone())];
        assert_refused!(add(model.model(), vectors), StoreError::VectorForm { .. });
        if wrong[0] != 0.0 {
            let searched = block_on(store.search(&TextQuery::by_meaning(wrong)));
            assert_refused!(searched, StoreError::VectorForm { .. });
        }
    }
    let too_many = vec![(1, encoded("kite")); MAX_VECTORS + 1];
    assert_refused!(
        add(model.model(), too_many),
        StoreError::TooManyVectors { .. }
    );
    let of_none = VectorModel {
        dimensions: 0,
        ..model.model().clone()
    };
    assert_refused!(
        block_on(store.migrate_vectors(&of_none)),
        StoreError::VectorForm { .. }
    );
    assert_eq!(block_on(store.vectors_done()).unwrap(), (1, 3));
    // What is there already, or no World, is passed over.
    let vectors = vec![(0, encoded("sunrise")), (7, encoded("sunrise"))];
    assert_eq!(add(model.model(), vectors).unwrap(), 0);
    block_on(store.migrate_vectors(other.model())).unwrap();
    assert_eq!(block_on(store.vectors_done()).unwrap(), (0, 3));
    assert_eq!(found(store, &by_meaning("kite")), [""; 0]);
    rig.is_sound();
}

/// Its half-precision row and its sign bits are in no file once the World is erased, of a sealed store as well.
#[test]
fn the_vector_goes_with_its_world() {
    static SEALED: Sqlite = Sqlite::sealed();
    goes_with_its_world(&three());
    let sealed = Suite::new(&SEALED);
    fill(&sealed);
    goes_with_its_world(&sealed);
    // What is missing is made again, and lacks the vectors.
    let index = sealed.folder.join("index.db");
    let sealed = {
        let Suite { store, .. } = sealed;
        drop(store);
        std::fs::remove_file(index).unwrap();
        Suite {
            store: SEALED.open(&sealed.folder, &sealed.setup),
            ..sealed
        }
    };
    assert_eq!(block_on(sealed.store.vectors_done()).unwrap(), (0, 2));
    assert_eq!(embed(&sealed.store).len(), 2);
    sealed.is_sound();
}

fn goes_with_its_world(rig: &Suite<'_, Sqlite>) {
    let gone = halves(&encoded(&embed(&rig.store)[0])).unwrap();
    assert_eq!(rig.holding_bytes(&gone).len(), 1);
    rig.erase(&id("w-1"));
    assert_eq!(rig.holding_bytes(&gone), [""; 0]);
    assert_eq!(block_on(rig.store.vectors_done()).unwrap(), (2, 2));
    assert!(!found(&rig.store, &by_meaning("the kite")).contains(&"w-1".to_owned()));
    assert_eq!(embed(&rig.store), [""; 0], "it is not asked for again");
    rig.is_sound();
}

#[test]
fn what_is_archived_has_no_vector_until_it_is_restored() {
    let rig = three();
    embed(&rig.store);
    rig.wait(10 * DAY_US);
    rig.remember("w-4", "the harbour at night");
    embed(&rig.store);
    let segment = rig.archives();
    assert_eq!(rig.count("SELECT count(*) FROM vector"), 1);
    assert_eq!(embed(&rig.store), [""; 0]);
    rig.is_sound();
    let names = vec![segment.name];
    block_on(rig.store.restore(rig.archive(), names)).unwrap();
    assert_eq!(embed(&rig.store).len(), 3);
    rig.is_sound();
}

/// A World without text has no vector, and is asked for again after a rebuild alone.
#[test]
fn a_world_without_text_is_asked_for_once() {
    let rig = three();
    let mut numbers = world("w-4", "").to_value();
    numbers["data"] = serde_json::json!({ "amount": 12 });
    let numbers = counterfoil_capsule::World::from_json(numbers.to_string().as_bytes()).unwrap();
    block_on(rig.store.append(agent(1), vec![Draft::new(numbers)])).unwrap();
    assert_eq!(embed(&rig.store).last().unwrap(), "");
    assert_eq!(block_on(rig.store.vectors_done()).unwrap(), (4, 4));
    assert_eq!(embed(&rig.store), [""; 0]);
    block_on(rig.store.rebuild()).unwrap();
    assert_eq!(embed(&rig.store), [""]);
}

#[test]
fn an_audit_notices_rows_and_bits_that_do_not_fit() {
    for (sql, expected) in [
        (
            "UPDATE vector_block SET rows = zeroblob(length(rows))",
            "vector_block",
        ),
        ("UPDATE vector_block SET rows = x'00'", "cannot be read"),
        ("DELETE FROM vector_block", "entry 0: a row is missing"),
        ("DELETE FROM vector WHERE idx = 1", "a row is too many"),
        (
            "UPDATE vector SET halves = (SELECT halves FROM vector WHERE idx = 1)",
            "is not what the vector makes it",
        ),
        ("UPDATE vector SET halves = x'0000'", "of another length"),
        (
            "UPDATE vector SET idx = 99 WHERE idx = 1",
            "without its memory",
        ),
        ("UPDATE vector_model SET rows = 7", "it counts other rows"),
        (
            "UPDATE vector_model SET centre = zeroblob(256)",
            "is not what the vector makes it",
        ),
    ] {
        let rig = three();
        embed(&rig.store);
        rig.tamper(sql);
        let found = rig.differences().join("\n");
        assert!(found.contains(expected), "{sql}: {found}");
        assert!(block_on(rig.store.rebuild()).is_ok());
        let after = rig.differences();
        let rows_are_wrong = sql.contains("halves");
        assert_eq!(
            after.is_empty(),
            !rows_are_wrong || sql.contains("idx = 1)"),
            "{sql}: {after:?}"
        );
    }
}

/// Each reader has the blocks of its own moment, whoever wrote since.
#[test]
fn a_reader_sees_the_vectors_of_its_moment() {
    let rig = Rig::new();
    for number in 0..50 {
        rig.remember(&format!("w-{number}"), &format!("sentence number {number}"));
    }
    let add = |range: std::ops::Range<u64>| {
        let vectors = range.map(|index| (index, encoded(&index.to_string())));
        let encoder = encoder();
        let added = rig.store.add_vectors(encoder.model(), vectors.collect());
        block_on(added).unwrap();
    };
    let (cache, hidden) = (SignCache::default(), BTreeSet::new());
    let count = |connection: &Connection| {
        let wanted = Wanted {
            last: u64::MAX,
            created: (i64::MIN, i64::MAX),
            hidden: &hidden,
            scope: None,
            each_version: false,
        };
        let vector = encoded("sentence");
        nearest(connection, &cache, &vector, &wanted, 100)
            .unwrap()
            .len()
    };
    let (early, now) = (rig.raw(), rig.raw());
    add(0..3);
    early
        .execute_batch("BEGIN; SELECT count(*) FROM vector")
        .unwrap();
    assert_eq!((count(&early), count(&now)), (3, 3));
    add(3..5);
    assert_eq!(
        (count(&early), count(&now), count(&early), count(&now)),
        (3, 5, 3, 5)
    );
    // The centre is made again, and all blocks with it.
    add(5..50);
    assert_eq!(rig.count("SELECT centred FROM vector_model"), 50);
    assert_eq!((count(&now), count(&early), count(&now)), (50, 3, 50));
    block_on(rig.store.migrate_vectors(encoder().model())).unwrap();
    assert_eq!((count(&now), count(&early)), (0, 3));
    rig.is_sound();
}

/// Rows go into further blocks once one is full, and all are found.
#[test]
fn blocks_hold_so_many_rows() {
    let rig = Rig::new();
    let rows = u64::try_from(BLOCK_ROWS).unwrap() + 10;
    let drafts = (0..rows).map(|number| Draft::new(world(&format!("w-{number}"), "x")));
    block_on(rig.store.append(agent(1), drafts.collect())).unwrap();
    for chunk in (0..rows).collect::<Vec<_>>().chunks(100) {
        let vectors = chunk
            .iter()
            .map(|index| (*index, encoded(&index.to_string())));
        let encoder = encoder();
        let added = rig.store.add_vectors(encoder.model(), vectors.collect());
        block_on(added).unwrap();
    }
    assert_eq!(rig.count("SELECT count(*) FROM vector_block"), 2);
    for index in [0, 511, 512, rows - 1] {
        let query = by_meaning(&index.to_string());
        assert_eq!(found(&rig.store, &query)[0], format!("w-{index}"));
    }
    assert_eq!(rig.differences(), [""; 0]);
}
