//! The ranking beside FTS5's own, whatever the segments of the index are.

use std::sync::Arc;

use counterfoil_store::text_index::TermPlace;
use proptest::prelude::*;
use proptest::sample::select;
use rusqlite::{Connection, params};
use serde_json::json;

use super::cached::SearchCaches;
use super::rank::Ranking;
use super::segments::Structure;
use super::sizes::{AllSizes, SizeCache, Sizes};
use super::terms::{Expressions, in_column};
use super::tests::{add, empty, query, world};
use crate::statement::Statements;

/// Frequent words first.
const WORDS: [&str; 9] = ["ka", "ka", "ka", "lo", "lo", "自行", "行车", "自然", "mutu"];
/// The last two are a beginning of terms, and terms that follow one another.
const ASKED: [&str; 7] = ["ka", "lo", "mutu", "tuka", "ka lo", "自", "自行车"];
const MAX_ROW: u64 = 60;

#[derive(Debug, Clone)]
enum Write {
    Put(u64, [Vec<&'static str>; 4]),
    Delete(u64),
    /// Ends the transaction, so that a segment is written.
    Commit,
    /// Merges about so many pages.
    Merge(i64),
}

fn words() -> impl Strategy<Value = Vec<&'static str>> {
    proptest::collection::vec(select(&WORDS[..]), 0..6)
}

fn write() -> impl Strategy<Value = Write> {
    prop_oneof![
        12 => (0..MAX_ROW, [words(), words(), words(), words()]).prop_map(|(row, columns)| Write::Put(row, columns)),
        2 => (0..MAX_ROW).prop_map(Write::Delete),
        2 => Just(Write::Commit),
        1 => (1..9_i64).prop_map(Write::Merge),
    ]
}

/// An index of small pages, in which few words make several segments.
fn written(writes: &[Write]) -> Connection {
    let connection = empty();
    set(&connection, "pgsz", 64);
    set(&connection, "automerge", 0);
    put(&connection, writes);
    connection
}

fn put(connection: &Connection, writes: &[Write]) {
    connection.execute_batch("BEGIN").unwrap();
    for write in writes {
        match write {
            Write::Put(row, columns) => {
                let sql = "INSERT OR REPLACE INTO text_index (rowid, turn, near1, near2, date)
                     VALUES (?1, ?2, ?3, ?4, ?5)";
                let [turn, near1, near2, date] = columns.each_ref().map(|it| it.join(" "));
                let values = params![row, turn, near1, near2, date];
                connection.execute(sql, values).unwrap();
            }
            Write::Delete(row) => {
                let sql = "DELETE FROM text_index WHERE rowid = ?1";
                connection.execute(sql, [row]).unwrap();
            }
            Write::Commit => connection.execute_batch("COMMIT; BEGIN").unwrap(),
            Write::Merge(pages) => {
                // A negative number begins a merge of all segments.
                connection.execute_batch("COMMIT; BEGIN").unwrap();
                set(connection, "merge", -pages);
            }
        }
    }
    connection.execute_batch("COMMIT").unwrap();
}

fn set(connection: &Connection, name: &str, value: i64) {
    let sql = "INSERT INTO text_index (text_index, rank) VALUES (?1, ?2)";
    connection.execute(sql, params![name, value]).unwrap();
}

/// Row, score and places by FTS5 itself.
type Row = (u64, f64, Vec<Option<TermPlace>>);

fn by_fts5(connection: &Connection, expressions: &Expressions, last: u64) -> Vec<Row> {
    let sql = "SELECT rowid, -bm25(text_index, 1.0, 0.5, 0.25, 1.0) AS score FROM text_index
         WHERE text_index MATCH ?1 AND rowid <= ?2 ORDER BY score DESC, rowid";
    let rows: Vec<(u64, f64)> = connection
        .list(sql, params![expressions.any(), last])
        .unwrap();
    let columns = [
        ("turn", TermPlace::Turn),
        ("date", TermPlace::Date),
        ("near1", TermPlace::Near1),
        ("near2", TermPlace::Near2),
    ];
    let place = |row: u64, term: &str| {
        columns.into_iter().find_map(|(column, place)| {
            let sql = "SELECT 1 FROM text_index WHERE text_index MATCH ?1 AND rowid = ?2";
            let matches = params![in_column(column, term), row];
            connection.has(sql, matches).unwrap().then_some(place)
        })
    };
    let placed = |(row, score)| {
        let places = expressions.terms.iter().map(|term| place(row, term));
        (row, score, places.collect())
    };
    rows.into_iter().map(placed).collect()
}

proptest! {
    /// To the last bit of each score, also between the steps of a merge and where rows were replaced or deleted, whether rows are
    /// read or held from before.
    #[test]
    fn rows_scores_and_places_are_those_of_fts5(
        writes in proptest::collection::vec(write(), 0..150),
        later in proptest::collection::vec(proptest::collection::vec(write(), 0..5), 2),
        asked in proptest::collection::vec(select(&ASKED[..]), 1..5),
        last in 0..=MAX_ROW,
        page in 1..40_usize,
    ) {
        let connection = written(&writes);
        let query = query(&asked);
        let expressions = Expressions::of(&query);
        let caches = SearchCaches::default();
        for writes in later {
            put(&connection, &writes);
            for _ in 0..2 {
                let ranking = Ranking::new(&connection, (&query, &expressions), (last, None), &caches);
                let mut ranking = ranking.unwrap();
                let mut found = Vec::new();
                loop {
                    let rows = ranking.page((found.len(), page)).unwrap();
                    if rows.is_empty() {
                        break;
                    }
                    found.extend(rows.into_iter().map(|(row, score)| (row, score, ranking.places(row))));
                }
                prop_assert_eq!(found, by_fts5(&connection, &expressions, last));
            }
        }
    }

    /// The sizes that are kept are those that are there, after turns that came between others.
    #[test]
    fn sizes_follow_what_is_written(
        batches in proptest::collection::vec(
            proptest::collection::vec((0..3_u8, 0..12_i64, 1..5_usize), 1..6), 1..6),
    ) {
        let mut connection = empty();
        let (cache, mut first) = (SizeCache::default(), 0);
        let mut before: Option<Arc<AllSizes>> = None;
        for batch in batches {
            let turns: Vec<_> = batch
                .iter()
                .map(|(session, position, words)| {
                    let source = json!({
                        "format": "chat", "conversation": "c",
                        "session": session.to_string(), "position": position,
                    });
                    let text = "ka ".repeat(*words);
                    world(0, json!({"kind": "turn", "speaker": "lo", "text": text, "source": source}))
                })
                .collect();
            add(&mut connection, first, &turns);
            first += u64::try_from(turns.len()).unwrap();
            let structure = Structure::read(&connection).unwrap();
            let sizes = |cache: &SizeCache| match cache.sizes(&connection, &structure, u64::MAX) {
                Ok(Sizes::All(all)) => all,
                _ => panic!("all are asked for"),
            };
            let anew = sizes(&SizeCache::default());
            // And not because all are read again.
            if let Some(before) = &before {
                let changed = before.changed(&connection, &structure).unwrap();
                prop_assert_eq!(changed.as_ref(), Some(&*anew));
            }
            prop_assert_eq!(&sizes(&cache), &anew);
            before = Some(anew);
        }
    }
}

/// A few rows are read one by one; a question that needs many reads the sizes of all.
#[test]
fn sizes_are_kept_once_many_were_asked_for() {
    let rare = |row: u64| if row.is_multiple_of(30) { "mutu" } else { "lo" };
    let writes: Vec<Write> = (0..600)
        .map(|row| Write::Put(row, [vec!["ka", rare(row)], vec![], vec![], vec![]]))
        .collect();
    let connection = written(&writes);
    let caches = SearchCaches::default();
    let rows_of = |word: &str| {
        let query = query(&[word]);
        let expressions = Expressions::of(&query);
        let ranking = Ranking::new(
            &connection,
            (&query, &expressions),
            (u64::MAX, None),
            &caches,
        );
        let found = ranking.unwrap().page((0, 1_000)).unwrap();
        let expected = by_fts5(&connection, &expressions, 1_000);
        assert!(
            found
                .iter()
                .zip(&expected)
                .all(|(it, other)| it.1 == other.1)
        );
        assert_eq!(found.len(), expected.len());
        found.len()
    };
    assert_eq!((rows_of("mutu"), caches.sizes.is_kept()), (20, false));
    assert_eq!((rows_of("ka"), caches.sizes.is_kept()), (600, true));
    assert_eq!((rows_of("mutu"), caches.sizes.is_kept()), (20, true));
}

/// A page with any bytes is refused or read, and nothing panics.
#[test]
fn damaged_pages_are_refused() {
    let writes: Vec<Write> = (0..200)
        .map(|row| Write::Put(row, [vec!["ka", "lo"], vec!["ka"], vec![], vec!["mutu"]]))
        .collect();
    let (query, mut refused) = (query(&["ka", "自"]), 0);
    let expressions = Expressions::of(&query);
    for at in 0..64_u8 {
        for byte in [0_u8, 1, 0x7f, 0xff] {
            let connection = written(&writes);
            let sql = "UPDATE text_index_data SET block =
                 CAST(substr(block, 1, ?1) || ?2 || substr(block, ?1 + 2) AS BLOB) WHERE id > 1";
            connection.execute(sql, params![at, [byte]]).unwrap();
            let caches = SearchCaches::default();
            let ranking = Ranking::new(
                &connection,
                (&query, &expressions),
                (u64::MAX, None),
                &caches,
            );
            refused += u32::from(ranking.is_err());
        }
    }
    assert!(refused > 100, "{refused}");
}
