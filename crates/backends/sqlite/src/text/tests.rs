//! The index as a whole: what is found, in which order, and that its making leaves no trace.

use std::borrow::Cow;

use counterfoil_capsule::World;
use counterfoil_store::text_index::{TermPlace, TextQuery};
use counterfoil_types::json::Value;
use counterfoil_types::{Sha256Hash, TimeRange, UnixMillis, WorldId};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::json;

use super::index_worlds;
use super::search::RankedWorld;
use super::write::IndexedWorld;
use crate::{derived, schema};

/// 8 May 2023, a Monday.
const START_MS: u64 = 1_683_504_000_000;
const DAY_MS: u64 = 86_400_000;

pub(super) fn empty() -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    schema::create(&mut connection).unwrap();
    connection
}

fn add(connection: &mut Connection, first: u64, worlds: &[World]) {
    let transaction = connection.transaction().unwrap();
    let said = (first..).zip(worlds).map(|(index, world)| IndexedWorld {
        index,
        world: Cow::Borrowed(world),
        follows: None,
    });
    index_worlds(&transaction, &said.collect::<Vec<_>>()).unwrap();
    transaction.commit().unwrap();
}

/// A search over memories of one version each, whose content nobody asks for.
fn search(
    connection: &Connection,
    query: &TextQuery,
    last: Option<u64>,
) -> Result<Vec<RankedWorld>, counterfoil_store::StoreError> {
    super::search(connection, query, last, &|_| Ok(None))
}

fn indexed(worlds: &[World]) -> Connection {
    let mut connection = empty();
    add(&mut connection, 0, worlds);
    connection
}

pub(super) fn world(day: u64, data: Value) -> World {
    let at = UnixMillis::new(START_MS + day * DAY_MS).unwrap();
    World::remember(WorldId::new("w").unwrap(), at, data).unwrap()
}

fn note(text: &str) -> World {
    world(0, json!({"kind": "note", "text": text}))
}

fn turn(session: &str, position: i64, text: &str) -> World {
    let source = json!({
        "format": "chat", "conversation": "c", "session": session, "position": position,
    });
    let data = json!({"kind": "turn", "speaker": "ada", "text": text, "source": source});
    world(0, data)
}

pub(super) fn query(terms: &[&str]) -> TextQuery {
    TextQuery::new(terms.iter().copied()).unwrap()
}

fn found(connection: &Connection, terms: &[&str]) -> Vec<(u64, Option<TermPlace>)> {
    let hits = search(connection, &query(terms), None).unwrap();
    hits.into_iter()
        .map(|hit| (hit.idx, hit.places[0]))
        .collect()
}

/// Each word is found in one row alone, at one place.
#[track_caller]
fn assert_found(connection: &Connection, words: &[&str], row: u64, place: TermPlace) {
    for word in words {
        assert_eq!(found(connection, &[word]), [(row, Some(place))], "{word}");
    }
}

fn rows(hits: &[RankedWorld]) -> Vec<u64> {
    hits.iter().map(|hit| hit.idx).collect()
}

pub(super) fn digest_of(connection: &Connection) -> Sha256Hash {
    derived::digest(connection).unwrap()
}

pub(super) fn check_integrity(connection: &Connection) {
    connection
        .execute_batch("INSERT INTO text_index (text_index) VALUES ('integrity-check')")
        .unwrap();
}

#[test]
fn a_word_is_found_by_its_stem_and_without_its_accents() {
    let connection = indexed(&[note("She painted the Café"), note("nothing of the kind")]);
    let words = ["painting", "paint", "CAFE", "cafe\u{301}"];
    assert_found(&connection, &words, 0, TermPlace::Turn);
    assert_eq!(found(&connection, &["absent"]), []);
}

#[test]
fn speaker_and_caption_belong_to_the_text() {
    let data = json!({"kind": "turn", "speaker": "Ada", "text": "Look", "caption": "a red kite"});
    let connection = indexed(&[world(0, data)]);
    let words = ["ada", "look", "kite"];
    assert_found(&connection, &words, 0, TermPlace::Turn);
    assert_eq!(found(&connection, &["turn"]), [], "the kind is no text");
}

#[test]
fn of_other_data_every_string_is_searched() {
    let data = json!({"city": "Lisbon", "tags": ["harbour", {"deep": "tram"}], "n": 28});
    let connection = indexed(&[world(0, data), world(0, json!("alone")), world(0, json!(7))]);
    let words = ["lisbon", "harbour", "tram"];
    assert_found(&connection, &words, 0, TermPlace::Turn);
    assert_found(&connection, &["alone"], 1, TermPlace::Turn);
    // Names of members are no text.
    assert_eq!(found(&connection, &["city"]), []);
}

#[test]
fn a_date_is_found_by_its_words_and_by_those_of_the_source() {
    let data = json!({"kind": "note", "text": "x", "time": "1:56 pm on 8 May, 2023"});
    let connection = indexed(&[
        world(0, data),
        world(40, json!({"kind": "note", "text": "y"})),
    ]);
    assert_found(&connection, &["monday", "may", "pm"], 0, TermPlace::Date);
    assert_found(&connection, &["june", "saturday"], 1, TermPlace::Date);
}

#[test]
fn neighbours_are_found_and_rank_below_the_turn_itself() {
    let worlds: Vec<World> = ["one", "two", "sunrise", "four", "five", "six"]
        .iter()
        .zip(0..)
        .map(|(text, position)| turn("1", position, text))
        .collect();
    let near1 = Some(TermPlace::Near1);
    let near2 = Some(TermPlace::Near2);
    let expected = [
        (2, Some(TermPlace::Turn)),
        (1, near1),
        (3, near1),
        (0, near2),
        (4, near2),
    ];
    assert_eq!(found(&indexed(&worlds), &["sunrise"]), expected);
}

#[test]
fn neighbours_end_with_the_session_and_with_the_conversation() {
    let other = json!({"kind": "turn", "text": "x",
        "source": {"conversation": "d", "session": "1", "position": 1}});
    let worlds = [
        turn("1", 0, "sunrise"),
        turn("2", 1, "x"),
        world(0, other),
        note("x"),
    ];
    assert_found(&indexed(&worlds), &["sunrise"], 0, TermPlace::Turn);
}

#[test]
fn the_first_world_at_a_place_holds_it() {
    let worlds = [
        turn("1", 0, "first"),
        turn("1", 0, "second"),
        turn("1", 1, "third"),
    ];
    let connection = indexed(&worlds);
    assert_found(&connection, &["second"], 1, TermPlace::Turn);
    let near = [(0, Some(TermPlace::Turn)), (2, Some(TermPlace::Near1))];
    assert_eq!(found(&connection, &["first"]), near);
}

#[test]
fn places_far_apart_or_at_the_ends_of_the_integers_are_no_neighbours() {
    const LARGEST: i64 = (1 << 53) - 1;
    let worlds = [
        turn("1", -LARGEST, "sunrise"),
        turn("1", LARGEST, "x"),
        turn("1", 0, "y"),
    ];
    assert_found(&indexed(&worlds), &["sunrise"], 0, TermPlace::Turn);
}

/// The bounds of a time range are exclusive.
#[test]
fn a_time_range_keeps_what_lies_strictly_inside() {
    let worlds: Vec<World> = (0..5)
        .map(|day| world(day, json!({"kind": "note", "text": "kite"})))
        .collect();
    let connection = indexed(&worlds);
    let at = |day| Some(UnixMillis::new(START_MS + day * DAY_MS).unwrap());
    let within = |after, before| {
        let range = TimeRange::new(after, before).unwrap();
        let mut query = query(&["kite"]);
        query.time_range = Some(range);
        rows(&search(&connection, &query, None).unwrap())
    };
    assert_eq!(within(at(1), at(4)), [2, 3]);
    assert_eq!(within(at(3), None), [4]);
    assert_eq!(within(None, at(1)), [0]);
    assert_eq!(within(None, None), [0, 1, 2, 3, 4]);
}

#[test]
fn nothing_after_the_last_index_is_found() {
    let connection = indexed(&[note("kite"), note("kite"), note("kite")]);
    let hits = |last| rows(&search(&connection, &query(&["kite"]), last).unwrap());
    assert_eq!(hits(Some(0)), [0]);
    assert_eq!(hits(Some(1)), [0, 1]);
    assert_eq!(hits(None), [0, 1, 2]);
}

#[test]
fn an_index_beyond_the_database_is_an_error() {
    assert!(search(&empty(), &query(&["kite"]), Some(u64::MAX)).is_err());
}

#[test]
fn a_long_text_is_searched_up_to_its_limit() {
    let long = format!("{} tail", "ab ".repeat(20_000));
    let connection = indexed(&[note(&format!("head {long}"))]);
    assert_eq!(found(&connection, &["head"]).len(), 1);
    assert_eq!(found(&connection, &["tail"]).len(), 0);
}

#[test]
fn the_digest_sees_a_changed_posting() {
    let connection = indexed(&[note("kite")]);
    let before = digest_of(&connection);
    connection
        .execute_batch("INSERT OR REPLACE INTO text_index (rowid, turn) VALUES (0, 'plane')")
        .unwrap();
    assert_ne!(digest_of(&connection), before);
}

/// Separated by `|`.
const SYNTAX: &str = "\"|*|NEAR(|NEAR(a b, 2)|turn:|{turn} :|\0|^|-|AND|OR|NOT|(|a\"b|''|+";

#[test]
fn syntax_is_searched_for_as_words() {
    let connection = indexed(&[note("near and not or turn"), note("ab")]);
    for term in SYNTAX.split('|') {
        search(&connection, &query(&[term]), None).unwrap();
    }
    for (term, row) in [("NOT", 0), ("AND", 0), ("NEAR(", 0), ("turn:", 0)] {
        assert_eq!(found(&connection, &[term])[0].0, row, "{term}");
    }
    // A star is no prefix search.
    assert_eq!(found(&connection, &["a*"]), []);
}

/// Texts of a few words, so that words, neighbours and places collide.
fn small_world() -> impl Strategy<Value = World> {
    let text = proptest::collection::vec(
        proptest::sample::select(vec![
            "kite", "sunrise", "paint", "painted", "ada", "café", "",
        ]),
        0..5,
    );
    (text, 0..2_u8, 0..8_i64, 0..3_u64).prop_map(|(words, session, position, day)| {
        let text = words.join(" ");
        let source =
            json!({"conversation": "c", "session": session.to_string(), "position": position});
        world(day, json!({"kind": "turn", "text": text, "source": source}))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_reaches_the_query_syntax(
        texts in proptest::collection::vec(any_text(), 1..4),
        terms in proptest::collection::vec(any_text(), 1..8),
    ) {
        let worlds: Vec<World> = texts.iter().map(|text| note(text)).collect();
        let connection = indexed(&worlds);
        let terms: Vec<String> = terms.into_iter().filter(|term| !term.is_empty()).collect();
        if let Ok(query) = TextQuery::new(terms) {
            search(&connection, &query, None).unwrap();
        }
        check_integrity(&connection);
    }

    /// However the Worlds came in, the index is the same, byte by byte.
    #[test]
    fn batches_leave_no_trace(
        worlds in proptest::collection::vec(small_world(), 1..24),
        cuts in proptest::collection::vec(1..6_usize, 0..24),
    ) {
        let mut parts = empty();
        let (mut rest, mut next) = (worlds.as_slice(), 0_u64);
        for cut in cuts.into_iter().chain([1].repeat(24)) {
            let (batch, after) = rest.split_at(cut.min(rest.len()));
            add(&mut parts, next, batch);
            next += u64::try_from(batch.len()).unwrap();
            rest = after;
        }
        let whole = indexed(&worlds);
        prop_assert_eq!(digest_of(&parts), digest_of(&whole));
        check_integrity(&parts);
        let terms = query(&["kite", "paint", "ada"]).page(0, 100);
        let left = search(&parts, &terms, None).unwrap();
        prop_assert_eq!(left, search(&whole, &terms, None).unwrap());
    }

    #[test]
    fn pages_laid_end_to_end_are_the_one_big_page(
        worlds in proptest::collection::vec(small_world(), 1..24),
        size in 1..6_usize,
    ) {
        let connection = indexed(&worlds);
        let terms = query(&["kite", "sunrise", "monday"]);
        let whole = search(&connection, &terms.clone().page(0, 100), None).unwrap();
        let mut laid = Vec::new();
        loop {
            let page = search(&connection, &terms.clone().page(laid.len(), size), None).unwrap();
            if page.is_empty() {
                break;
            }
            laid.extend(page);
        }
        prop_assert_eq!(laid, whole);
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<String>(),
        proptest::sample::select(SYNTAX.split('|').collect::<Vec<_>>()).prop_map(str::to_owned),
        "[a-z]{1,8}",
    ];
    proptest::collection::vec(part, 1..4).prop_map(|parts| parts.join(" "))
}
