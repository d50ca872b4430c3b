//! The index as a whole: what is found, in which order, and that its making leaves no trace.

use counterfoil_capsule::World;
use counterfoil_store::text_index::{
    MAX_READ_TEXTS, MAX_READINGS, MAX_TERMS, Reading, TermPlace, TextQuery, Weights,
};
use counterfoil_types::json::Value;
use counterfoil_types::{Sha256Hash, UnixMillis, WorldId};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::json;

use super::cached::SearchCaches;
use super::search::RankedWorld;
use super::weigh::POOL;
use super::write::TextBatch;
use crate::{derived, schema};
use counterfoil_life::port::IndexedWorld;

/// 8 May 2023, a Monday.
const START_MS: u64 = 1_683_504_000_000;
const DAY_MS: u64 = 86_400_000;

pub(super) fn empty() -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    schema::create(&mut connection, schema::APPLICATION_ID).unwrap();
    connection
}

pub(super) fn add(connection: &mut Connection, first: u64, worlds: &[World]) {
    let transaction = connection.transaction().unwrap();
    let mut batch = TextBatch::default();
    for (index, world) in (first..).zip(worlds) {
        let follows = None;
        let world = IndexedWorld {
            index,
            world,
            follows,
        };
        batch.add(&transaction, &world).unwrap();
    }
    batch.write(&transaction).unwrap();
    transaction.commit().unwrap();
}

/// A search over memories of one version each, whose content nobody asks for.
fn search(
    connection: &Connection,
    query: &TextQuery,
    last: Option<u64>,
) -> Result<Vec<RankedWorld>, counterfoil_store::StoreError> {
    super::search(
        connection,
        query,
        last,
        (&|_| Ok(None), &SearchCaches::default()),
    )
}

fn indexed(worlds: &[World]) -> Connection {
    let mut connection = empty();
    add(&mut connection, 0, worlds);
    connection
}

pub(super) fn world(day: u64, data: Value) -> World {
    let at = UnixMillis::new(START_MS + day * DAY_MS).unwrap();
    counterfoil_capsule::remember(WorldId::new("w").unwrap(), at, data).unwrap()
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

/// A query brings the weights of the columns with it.
#[test]
fn the_weights_of_a_query_decide_the_order() {
    let beside = [
        turn("s", 0, "kite kite kite"),
        turn("s", 1, "fog over the long harbour"),
    ];
    let alone = note("a kite over the long harbour and the fog and the rain and the ships");
    let connection = indexed(&[beside[0].clone(), beside[1].clone(), alone]);
    let order = |weights: [f64; 4]| -> Vec<u64> {
        let mut query = query(&["kite"]);
        query.weights = Weights {
            words: weights,
            own: 0.0,
            session: 0.0,
            ..query.weights
        };
        let hits = search(&connection, &query, None).unwrap();
        hits.iter().map(|hit| hit.idx).collect()
    };
    assert_eq!(order(Weights::default().words), [0, 1, 2]);
    assert_eq!(order([1.0, 0.0, 0.1, 1.0]), [0, 2, 1]);
    assert_eq!(order([1.0, 9.0, 0.1, 1.0]), [1, 0, 2]);
}

/// Compares the order of two Worlds with and without one weight.
#[track_caller]
fn assert_raised(
    terms: &[&str],
    worlds: &[World],
    (raised, over): (u64, u64),
    without: fn(&mut Weights),
) {
    let connection = indexed(worlds);
    let places = |query: &TextQuery| {
        let hits = search(&connection, query, None).unwrap();
        let place = |idx| hits.iter().position(|hit| hit.idx == idx).unwrap();
        (place(raised), place(over))
    };
    let mut query = query(terms);
    let with = places(&query);
    without(&mut query.weights);
    assert!(with.0 < with.1, "{with:?}");
    assert!(places(&query).0 > places(&query).1);
}

#[test]
fn a_statement_goes_before_a_question() {
    for mark in ["?", "？", "؟"] {
        let worlds = [
            note(&format!("where is the kite{mark} ")),
            note("there is the kite!"),
        ];
        assert_raised(&["kite"], &worlds, (1, 0), |it| it.asks = 0.0);
    }
}

#[test]
fn an_answer_goes_before_words_that_stand_beside() {
    let worlds = [
        turn("s", 0, "where is the kite. I forgot"),
        turn("s", 1, "behind the old harbour"),
        turn("t", 0, "where is the kite? I forgot"),
        turn("t", 1, "behind the old harbour"),
    ];
    assert_raised(&["kite"], &worlds, (3, 1), |it| it.answers = 0.0);
}

#[test]
fn the_one_speaker_that_is_named_goes_first() {
    let said = |speaker: &str, text: &str| {
        world(0, json!({"kind": "turn", "speaker": speaker, "text": text}))
    };
    let of_kim = said("Kim", "ada, the kite");
    let worlds = [of_kim.clone(), said("Ada", "the kite is")];
    assert_raised(&["ada", "kite"], &worlds, (1, 0), |it| it.speaker = 0.0);
    // Where two are named, neither is meant.
    let query = query(&["ada", "kim", "kite"]);
    let mut without = query.clone();
    without.weights.speaker = 0.0;
    let connection = indexed(&worlds);
    assert_eq!(
        search(&connection, &query, None).unwrap(),
        search(&connection, &without, None).unwrap()
    );
}

#[test]
fn a_session_with_a_good_memory_lifts_the_others() {
    let worlds = [
        turn("s", 0, "the kite of the shop"),
        turn("t", 0, "the kite of the shop"),
        turn("t", 1, "fog"),
        turn("t", 2, "rain"),
        turn("t", 3, "a kite over the harbour"),
    ];
    assert_raised(&["kite", "harbour"], &worlds, (1, 0), |it| it.session = 0.0);
}

#[test]
fn own_words_count_more_than_those_nearby() {
    let long = format!("the kite over the harbour, {}", "with fog ".repeat(2));
    let mut worlds = vec![turn("s", 0, "kite"), turn("s", 1, "harbour"), note(&long)];
    worlds.extend((0..9).map(|_| note("rain")));
    assert_raised(&["kite", "harbour"], &worlds, (2, 0), |it| it.own = 0.0);
}

/// The pages are one list, also where the candidates that are weighed end.
#[test]
fn pages_go_on_where_the_weighed_ones_end() {
    let text = |n: usize| match n % 3 {
        0 => format!("is it kite {n}?"),
        1 => format!("kite kite {n} of ada"),
        _ => format!("the kite {n} over the harbour"),
    };
    let worlds: Vec<World> = (0..POOL * 2 + 7).map(|n| note(&text(n))).collect();
    let connection = indexed(&worlds);
    let page = |offset, limit| {
        let query = query(&["ada", "kite"]).page(offset, limit);
        search(&connection, &query, None).unwrap()
    };
    let all = page(0, 1_000);
    assert_eq!(all.len(), worlds.len());
    assert!(all.is_sorted_by(|one, next| one.score >= next.score && next.score > 0.0));
    let pages: Vec<RankedWorld> = (0..9).flat_map(|number| page(number * 31, 31)).collect();
    assert_eq!(pages, all);
}

/// Speaker and caption belong to the text of a turn; of other data every string is searched. Names of members and the
/// kind are no text.
#[test]
fn every_text_of_a_world_is_searched() {
    let turn = json!({"kind": "turn", "speaker": "Ada", "text": "Look", "caption": "a red kite"});
    let other = json!({"city": "Lisbon", "tags": ["harbour", {"deep": "tram"}], "n": 28});
    let data = [turn, other, json!("alone"), json!(7)];
    let connection = indexed(&data.map(|data| world(0, data)));
    let words = [
        &["ada", "look", "kite"][..],
        &["lisbon", "harbour", "tram"],
        &["alone"],
    ];
    for (row, words) in (0..).zip(words) {
        assert_found(&connection, words, row, TermPlace::Turn);
    }
    for none in ["turn", "city"] {
        assert_eq!(found(&connection, &[none]), []);
    }
}

#[test]
fn words_are_found_in_the_language_of_each_text() {
    let connection = indexed(&[
        note("Die Rechnungen sind noch nicht bezahlt"),
        note("Elle a mangé les pommes avec nous"),
        note("新买的自行车在店里"),
        note("наши книги"),
        note("the painted boats"),
    ]);
    let cases = [
        ("Rechnung", 0),
        ("pomme", 1),
        ("自行", 2),
        ("车", 2),
        ("книга", 3),
        ("painting", 4),
    ];
    for (word, row) in cases {
        assert_found(&connection, &[word], row, TermPlace::Turn);
    }
    // Each language by itself: the stem of an English question is no German one.
    let mut english = query(&["Rechnungs"]);
    english.languages = vec![counterfoil_words::Language::English];
    assert_eq!(search(&connection, &english, None).unwrap().len(), 1);
    english = query(&["mangeons"]);
    english.languages = vec![counterfoil_words::Language::English];
    assert_eq!(search(&connection, &english, None).unwrap().len(), 0);
}

#[test]
fn phrases_are_required_and_exclusions_hold() {
    let connection = indexed(&[
        note("a red kite over the harbour"),
        note("a kite, red as the harbour"),
        note("红色自行车在店里"),
    ]);
    let rows = |terms: &[&str], phrases: &[&str], excluded: &[&str]| -> Vec<u64> {
        let all = |texts: &[&str]| Vec::from_iter(texts.iter().map(|text| (*text).to_owned()));
        let query = query(terms).filtered(all(phrases), all(excluded)).unwrap();
        let hits = search(&connection, &query, None).unwrap();
        hits.iter().map(|hit| hit.idx).collect()
    };
    assert_eq!(rows(&["harbour"], &["RED kites"], &[]), [0]);
    assert_eq!(rows(&["harbour"], &[], &["red kite"]), [1]);
    assert_eq!(rows(&["harbour"], &["red", "over"], &[]), [0]);
    assert_eq!(rows(&["harbour"], &[], &["over", "as"]), [0; 0]);
    assert_eq!(rows(&["自行"], &["色自行车在"], &[]), [2]);
    assert_eq!(rows(&["自行"], &["行自"], &[]), [0; 0]);
    assert_eq!(
        rows(&["harbour"], &["monday 8 may"], &[]).len(),
        2,
        "of the date"
    );
    let many: Vec<String> = (0..64).map(|n| format!("word{n}s")).collect();
    let query = TextQuery::new(many.clone()).unwrap();
    let query = query.filtered(many.clone(), many).unwrap();
    assert_eq!(search(&connection, &query, None).unwrap(), []);
}

/// Terms of other rules are not searched.
#[test]
fn an_index_of_other_rules_is_not_searched() {
    let connection = indexed(&[note("kite")]);
    let other = "UPDATE text_rules SET rules = rules + 1";
    connection.execute_batch(other).unwrap();
    let refused = search(&connection, &query(&["kite"]), None).unwrap_err();
    assert!(
        refused.to_string().contains("open it once for writing"),
        "{refused}"
    );
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

/// A reading is found as its term is: in texts and dates, by words and phrases.
#[test]
fn a_reading_of_a_term_counts_as_the_term() {
    let said = |day, text: &str| world(day, json!({"kind": "note", "text": text}));
    let worlds = [
        said(0, "Robert fed the herons"),
        said(9, "a kite, on 9 May 2023"),
        said(1, "nothing"),
        said(5, "a kite of yesterday"),
    ];
    let connection = indexed(&worlds);
    let read = |texts: &[&str]| Reading {
        term: 1,
        words: "bob".to_owned(),
        name: String::new(),
        texts: texts.iter().map(|text| (*text).to_owned()).collect(),
    };
    let found = |terms: &[&str], texts: &[&str]| -> Vec<(u64, Vec<Option<TermPlace>>)> {
        let query = query(terms).read_as([read(texts)]);
        let mut hits = search(&connection, &query, None).unwrap();
        hits.sort_by_key(|hit| hit.idx);
        hits.into_iter().map(|hit| (hit.idx, hit.places)).collect()
    };
    let (turn, date) = (Some(TermPlace::Turn), Some(TermPlace::Date));
    assert_eq!(
        found(&["herons", "bob"], &["robert", "smith"]),
        [(0, vec![turn, turn])]
    );
    assert_eq!(
        found(&["herons", "yesterday"], &["9 may 2023", "may 9 2023"]),
        [
            (0, vec![turn, None]),
            (1, vec![None, turn]),
            (2, vec![None, date]),
            (3, vec![None, turn])
        ]
    );
}

/// The most readings of the most texts, in every language, are one query.
#[test]
fn many_readings_are_looked_for() {
    let connection = indexed(&[note("it was on 64 july 2023")]);
    let texts = (0..MAX_READ_TEXTS).map(|day| format!("{day} july 2023"));
    let reading = Reading {
        term: 0,
        words: String::new(),
        name: String::new(),
        texts: texts.collect(),
    };
    let read_as = query(&["kite"]).read_as(vec![reading; MAX_READINGS]);
    let hits = search(&connection, &read_as, None).unwrap();
    assert_eq!(hits[0].places, [Some(TermPlace::Turn)]);
    let apart = (0..MAX_TERMS).map(|number| format!("word{number}"));
    let apart = TextQuery::new(apart.collect::<Vec<_>>()).unwrap();
    let readings = (0..MAX_READINGS).map(|term| Reading {
        term,
        ..read_as.readings()[0].clone()
    });
    let hits = search(&connection, &apart.read_as(readings), None).unwrap();
    assert_eq!(hits.len(), 1);
}

/// Of memories that say as much, the one that is dated as the question asks comes first, or names the date.
#[test]
fn a_named_date_lifts_what_was_said_then() {
    let said = |day, text: &str| world(day, json!({"kind": "note", "text": text}));
    let worlds = [
        said(11, "we chose 9 kites"),
        said(1, "we chose a gate"),
        said(400, "we chose, on 9 May 2023"),
    ];
    let connection = indexed(&worlds);
    let order = |dates: &[&str]| -> Vec<u64> {
        let mut query = query(&["chose", "9", "may", "2023"]);
        query.dates = dates.iter().map(|date| (*date).to_owned()).collect();
        query.weights.dated = 1.0;
        let hits = search(&connection, &query, None).unwrap();
        hits.iter().map(|hit| hit.idx).collect()
    };
    assert_eq!(order(&["9 may 2023"])[2], 0);
    assert_eq!(order(&["1 june 2023", "19 may 2023"])[0], 0);
    assert_ne!(order(&[])[2], 0);
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

#[test]
fn an_index_beyond_the_database_is_an_error() {
    let connection = indexed(&[note("a kite")]);
    assert!(search(&connection, &query(&["kite"]), Some(u64::MAX)).is_err());
}

#[test]
fn a_long_text_is_searched_up_to_its_limit() {
    let long = format!("{} tail", "ab ".repeat(20_000));
    let connection = indexed(&[note(&format!("head {long}"))]);
    assert_eq!(found(&connection, &["head"]).len(), 1);
    assert_eq!(found(&connection, &["tail"]).len(), 0);
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
        if let Ok(query) = TextQuery::new(terms.clone()) {
            let query = query.filtered(terms.clone(), terms).unwrap();
            search(&connection, &query, None).unwrap();
        }
        check_integrity(&connection);
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
