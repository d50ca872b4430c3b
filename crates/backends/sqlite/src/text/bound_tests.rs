//! A search up to a bound finds what it found before anything else was recorded.

use counterfoil_capsule::World;
use counterfoil_store::text_index::TextQuery;
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::json;

use super::cached::SearchCaches;
use super::search;
use super::search::RankedWorld;
use super::tests::{add, empty, query, world};

/// A turn: session, position, words, and true if it asks.
type Said = (u8, i64, Vec<&'static str>, bool);

fn said() -> impl Strategy<Value = Said> {
    let word = proptest::sample::select(&["kite", "fog", "red", "harbour", "boat", "lamp"][..]);
    let words = proptest::collection::vec(word, 1..4);
    (0..2_u8, 0..6_i64, words, any::<bool>())
}

fn turn((session, position, words, asks): &Said) -> World {
    let source = json!({
        "format": "chat", "conversation": "c", "session": session.to_string(), "position": position,
    });
    let text = words.join(" ") + if *asks { "?" } else { "" };
    world(
        0,
        json!({"kind": "turn", "speaker": "ada", "text": text, "source": source}),
    )
}

fn indexed(worlds: &[World]) -> Connection {
    let mut connection = empty();
    add(&mut connection, 0, worlds);
    connection
}

fn found(connection: &Connection, query: &TextQuery, last: u64) -> Vec<RankedWorld> {
    let caches = SearchCaches::default();
    let mut found = search(connection, query, Some(last), (&|_| Ok(None), &caches)).unwrap();
    found.sort_by_key(|found| found.idx);
    found
}

/// A turn that asked was beside its answer before it was recorded.
#[test]
fn a_question_that_came_later_was_not_asked_before() {
    let answer = turn(&(0, 2, vec!["kite"], false));
    let question = turn(&(0, 1, vec!["kite"], true));
    let query = query(&["kite"]);
    let before = found(&indexed(std::slice::from_ref(&answer)), &query, 0);
    let both = indexed(&[answer, question]);
    let after = found(&both, &query, 0);
    assert_eq!((before.len(), after.len()), (1, 1));
    assert!(
        (after[0].score - before[0].score).abs() < 1e-9,
        "{after:?} {before:?}"
    );
    assert!(found(&both, &query, 1)[0].score > after[0].score + 0.01);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// What was recorded later changes neither the memories that are found nor the places of their words. It does change the weight
    /// of a word and the mean size of a row; a single hit has the same score, as scores are relative to the best.
    #[test]
    fn a_bounded_search_is_one_of_the_store_as_it_was(
        turns in proptest::collection::vec(said(), 2..14),
        cut in 1..14_usize,
        asked in proptest::sample::subsequence(&["kite", "fog red", "boat", "lamp"][..], 1..3),
    ) {
        let worlds: Vec<World> = turns.iter().map(turn).collect();
        let cut = cut.min(worlds.len() - 1);
        let last = u64::try_from(cut - 1).unwrap();
        let asked: Vec<&str> = asked.iter().flat_map(|it| it.split(' ')).collect();
        let query = query(&asked).page(0, 50);
        let before = found(&indexed(&worlds[..cut]), &query, last);
        let after = found(&indexed(&worlds), &query, last);
        let places = |found: &[RankedWorld]| -> Vec<_> {
            found.iter().map(|it| (it.idx, it.places.clone())).collect()
        };
        prop_assert_eq!(places(&after), places(&before));
        if let ([after], [before]) = (after.as_slice(), before.as_slice()) {
            prop_assert!((after.score - before.score).abs() < 1e-9, "{:?} {:?}", after, before);
        }
        // Nothing came later than the whole.
        let whole = indexed(&worlds);
        let all = u64::try_from(worlds.len()).unwrap();
        prop_assert_eq!(found(&whole, &query, all), found(&whole, &query, all - 1));
    }
}
