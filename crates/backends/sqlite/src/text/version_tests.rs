//! Versions in the index: compared with a model that searches whole texts, however they came in.

use std::collections::BTreeSet;

use counterfoil_capsule::delta::{Change, normalise};
use counterfoil_capsule::{CapsuleId, ChainId, World};
use counterfoil_store::text_index::{TermPlace, TextQuery};
use counterfoil_types::json::Value;
use counterfoil_types::{Scope, TimeRange, UnixMillis};
use proptest::prelude::*;
use rusqlite::{Connection, params};
use serde_json::json;

use super::cached::SearchCaches;
use super::search;
use super::search::RankedWorld;
use super::sql::{TOKENIZER, tables_sql};
use super::tests::{check_integrity, digest_of, empty, query, world};
use super::write::TextBatch;
use counterfoil_life::port::{IndexedWorld, Succession};

/// A version in the log: which memory it is of, and what it says.
#[derive(Debug, Clone)]
struct Version {
    memory: usize,
    seq: u64,
    world: World,
    delta: Option<String>,
}

/// Memories that change, in log order: the place in the list is the log index.
#[derive(Debug, Clone, Default)]
struct Log(Vec<Version>);

impl Log {
    fn say(&mut self, memory: usize, day: u64, data: Value) {
        let world = world(day, data);
        let before = self.0.iter().rev().find(|version| version.memory == memory);
        let delta = before.map(|before| {
            let change = Change::Replacement(world.content_value());
            let delta = normalise(before.world.content_value(), change).unwrap();
            delta.canonical().unwrap()
        });
        let seq = before.map_or(0, |before| before.seq + 1);
        self.0.push(Version {
            memory,
            seq,
            world,
            delta,
        });
    }

    fn chain(memory: usize) -> ChainId {
        let byte = u8::try_from(memory).unwrap();
        ChainId::of_seed(CapsuleId::from_parts(1, [byte; 10]))
    }

    /// Indexed in batches that end at `cuts`.
    fn indexed(&self, cuts: &[usize]) -> Connection {
        let mut connection = empty();
        let mut start = 0;
        for end in cuts.iter().copied().chain([self.0.len()]) {
            let end = end.clamp(start, self.0.len());
            let transaction = connection.transaction().unwrap();
            let batch = (start..end).zip(&self.0[start..end]);
            let mut text = TextBatch::default();
            for (index, version) in batch {
                let world = said(&transaction, index, version);
                text.add(&transaction, &world).unwrap();
            }
            text.write(&transaction).unwrap();
            transaction.commit().unwrap();
            start = end;
        }
        connection
    }

    fn search(
        &self,
        connection: &Connection,
        query: &TextQuery,
        last: Option<u64>,
    ) -> Vec<RankedWorld> {
        let content = |index: u64| Ok(Some(self.0[usize::try_from(index).unwrap()].world.clone()));
        search(
            connection,
            query,
            last,
            (&content, &SearchCaches::default()),
        )
        .unwrap()
    }

    /// What a search must give: of each memory the version that was current at `last` if it says a
    /// term, else the newest that did.
    fn expected(&self, query: &TextQuery, last: usize) -> BTreeSet<usize> {
        let memories: BTreeSet<usize> = self.0.iter().map(|version| version.memory).collect();
        let chosen = memories.into_iter().filter_map(|memory| {
            let upto = self.0.iter().enumerate().take(last + 1).rev();
            let mut versions = upto.filter(|(_, version)| version.memory == memory);
            let (index, version) = versions.find(|(_, version)| says(&version.world, query))?;
            let at = version.world.created_at();
            let range = query.time_range.as_ref();
            let in_range = range.is_none_or(|range| range.contains(at));
            (in_range && passes(&version.world, query)).then_some(index)
        });
        chosen.collect()
    }
}

fn said<'v>(connection: &Connection, index: usize, version: &'v Version) -> IndexedWorld<'v> {
    let (chain, index) = (Log::chain(version.memory), u64::try_from(index).unwrap());
    connection
        .execute(
            "INSERT INTO chain (chain, seq, idx) VALUES (?1, ?2, ?3)",
            params![chain.as_bytes(), version.seq, index],
        )
        .unwrap();
    let follows = (version.seq > 0).then(|| Succession {
        chain,
        delta: version.delta.clone(),
    });
    IndexedWorld {
        index,
        world: &version.world,
        follows,
    }
}

/// Tests whether the whole text or the date of a World holds a term. The words of these tests are their
/// own stems.
fn says(world: &World, query: &TextQuery) -> bool {
    let (turn, date) = super::source::whole(world);
    let text = format!("{turn}\n{date}");
    let mut words = text.split_whitespace();
    words.any(|word| query.terms().iter().any(|term| term == word))
}

/// Tests whether text or date of a World holds all phrases and nothing that is excluded.
fn passes(world: &World, query: &TextQuery) -> bool {
    let (turn, date) = super::source::whole(world);
    let within = format!(" {turn} \n {date} ");
    let holds = |phrase: &String| within.contains(&format!(" {phrase} "));
    query.phrases().iter().all(holds) && !query.excluded().iter().any(holds)
}

fn at(found: &[RankedWorld]) -> Vec<u64> {
    found.iter().map(|found| found.idx).collect()
}

/// A log of one memory, a version each.
fn of_one(versions: impl IntoIterator<Item = Value>) -> Log {
    let mut log = Log::default();
    versions.into_iter().for_each(|data| log.say(0, 0, data));
    log
}

fn note(text: &str) -> Value {
    json!({"kind": "note", "text": text})
}

/// A phrase that a version took away is not in the memory, and one that it inherited is.
#[test]
fn filters_hold_for_the_version_that_is_given() {
    let log = of_one([
        note("kite over fog"),
        note("kite over red fog"),
        note("red fog"),
    ]);
    let index = log.indexed(&[]);
    let found = |required: &[&str], excluded: &[&str], last| {
        let all = |texts: &[&str]| Vec::from_iter(texts.iter().map(|text| (*text).to_owned()));
        let query = query(&["fog"])
            .filtered(all(required), all(excluded))
            .unwrap();
        at(&log.search(&index, &query, Some(last)))
    };
    assert_eq!(found(&["red fog"], &[], 2), [2]);
    assert_eq!(found(&["kite"], &[], 2), [0; 0]);
    assert_eq!(found(&["kite"], &[], 1), [1]);
    assert_eq!(found(&[], &["kite"], 2), [2]);
    assert_eq!(found(&[], &["kite"], 1), [0; 0]);
    assert_eq!(found(&["over fog"], &[], 0), [0]);
    assert_eq!(found(&["red"], &[], 0), [0; 0]);
    assert_eq!(found(&[], &["red"], 0), [0]);
}

#[test]
fn a_single_text_is_cut_into_words_as_the_index_is() {
    assert!(tables_sql().contains(TOKENIZER));
}

/// What a version inherits is not indexed again, and is found all the same.
#[test]
fn a_version_is_found_by_the_words_that_it_inherited() {
    let mut log = Log::default();
    let long: Vec<String> = (0..500).map(|n| format!("word{n}")).collect();
    let data = |more: &str| json!({"list": long, "more": more});
    log.say(0, 0, data("heron"));
    let before = log.indexed(&[]);
    for n in 1..20 {
        log.say(0, n, data(&format!("kite{n}")));
    }
    let index = log.indexed(&[]);
    let found = log.search(&index, &query(&["word250", "kite19"]), None);
    assert_eq!(at(&found), [19]);
    assert_eq!(found[0].places, [Some(TermPlace::Turn); 2]);
    assert_eq!(at(&log.search(&index, &query(&["kite7"]), None)), [7]);
    let words = |index: &Connection| -> i64 {
        let sql = "SELECT count(*) FROM text_terms";
        index.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    assert!(words(&index) - words(&before) < 19 * 8);
}

#[test]
fn each_version_that_brought_a_word_is_listed_when_asked_for() {
    let log = of_one(["kite red", "kite blue", "plane"].map(note));
    let index = log.indexed(&[]);
    let mut all = query(&["kite"]);
    all.each_version = true;
    assert_eq!(at(&log.search(&index, &all, None)), [0, 1]);
    assert_eq!(at(&log.search(&index, &query(&["kite"]), None)), [1]);
}

/// A turn keeps its place in the conversation, and with it the words of its neighbours.
#[test]
fn a_changed_turn_is_still_found_by_its_neighbours() {
    let turn = |position: u64, text: &str| {
        let source = json!({"conversation": "c", "position": position});
        json!({"kind": "turn", "text": text, "source": source})
    };
    let mut log = Log::default();
    log.say(0, 0, turn(0, "sunrise"));
    log.say(1, 0, turn(1, "yes"));
    log.say(1, 0, turn(1, "no"));
    let index = log.indexed(&[]);
    let found = log.search(&index, &query(&["sunrise"]), None);
    assert_eq!(at(&found), [0, 2]);
    assert_eq!(found[1].places, [Some(TermPlace::Near1)]);
}

/// A kind that makes a turn of other data, or other data of a turn, changes which strings are its text.
#[test]
fn what_becomes_text_with_another_kind_is_found() {
    let data = |kind: &str| json!({"kind": kind, "text": "heron", "place": "ghent"});
    let log = of_one(["note", "card"].map(data));
    let index = log.indexed(&[]);
    assert_eq!(at(&log.search(&index, &query(&["ghent"]), None)), [1]);
    assert!(log.search(&index, &query(&["ghent"]), Some(0)).is_empty());
}

/// Once the version before is erased, all of the next is indexed, as its change is unknown.
#[test]
fn a_version_whose_delta_is_gone_is_indexed_as_a_whole() {
    let mut log = of_one(["kite", "plane"].map(|b| json!({"a": "heron", "b": b})));
    log.0[1].delta = None;
    let index = log.indexed(&[]);
    assert_eq!(at(&log.search(&index, &query(&["heron"]), None)), [1]);
    let sql = "SELECT body FROM text_turns WHERE idx = 1";
    let body: String = index.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(body, "heron plane");
}

/// A store of the first schema, whose deltas replace the whole content, is brought to the form that
/// a rebuild makes.
#[test]
fn the_tables_of_the_first_schema_become_those_of_this_one() {
    let mut log = Log::default();
    log.say(0, 0, json!({"list": ["kite", "kite"], "more": "heron"}));
    log.say(1, 0, note("plane"));
    log.say(0, 1, json!({"list": ["kite"], "more": "fog"}));
    let whole = |world: &World| world.content().unwrap();
    let [old, new] = [0, 2].map(|index: usize| whole(&log.0[index].world));
    let delta = format!(r#"[{{"old":{old},"op":"replace","path":"","value":{new}}}]"#);
    log.0[2].delta = Some(delta);
    let expected = digest_of(&log.indexed(&[]));
    let before = log.indexed(&[]);
    before
        .execute_batch(
            "CREATE TABLE old AS SELECT idx, created_at, dialogue, position, body, dated
                 FROM text_turns;
             UPDATE old SET body = 'kite fog', dated = 'tuesday 9 may 2023' WHERE idx = 2;
             DROP TABLE text_turns;
             ALTER TABLE old RENAME TO text_turns;",
        )
        .unwrap();
    before.execute_batch(super::UPGRADE_SQL).unwrap();
    assert_eq!(digest_of(&before), expected);
    assert_eq!(at(&log.search(&before, &query(&["kite"]), None)), [2]);
}

const WORDS: [&str; 6] = ["kit", "ada", "red", "blue", "sun", "fog"];

fn data() -> impl Strategy<Value = Value> {
    let words = |most| {
        let some = proptest::collection::vec(proptest::sample::select(WORDS.to_vec()), 0..most);
        some.prop_map(|words| words.join(" "))
    };
    prop_oneof![
        words(4).prop_map(|text| note(&text)),
        (words(2), words(2), words(2))
            .prop_map(|(a, b, c)| json!({"a": a, "list": [b, {"c": c}], "n": 1})),
        words(3).prop_map(Value::String),
    ]
}

/// Turns whose neighbours and places collide, and what has no place.
fn turns() -> impl Strategy<Value = Value> {
    let turn = |(data, session, position): (Value, u8, i64)| {
        let source =
            json!({"conversation": "c", "session": session.to_string(), "position": position});
        json!({"kind": "turn", "text": data.to_string(), "source": source})
    };
    prop_oneof![data(), (data(), 0..2_u8, 0..8_i64).prop_map(turn)]
}

fn log(data: impl Strategy<Value = Value>) -> impl Strategy<Value = Log> {
    let steps = proptest::collection::vec((0..4_usize, 0..3_u64, data), 1..24);
    steps.prop_map(|steps| {
        let mut log = Log::default();
        for (memory, day, data) in steps {
            log.say(memory, day, data);
        }
        log
    })
}

fn terms() -> impl Strategy<Value = Vec<&'static str>> {
    let words: Vec<&str> = WORDS.into_iter().chain(["monday", "wednesday"]).collect();
    proptest::collection::vec(proptest::sample::select(words), 1..4)
}

/// A few phrases that have to be there, or that may not.
fn phrases() -> impl Strategy<Value = Vec<String>> {
    let phrase = proptest::collection::vec(proptest::sample::select(WORDS.to_vec()), 1..3);
    proptest::collection::vec(phrase.prop_map(|words| words.join(" ")), 0..2)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Of each memory the version that the model gives, whatever the bound and the times.
    #[test]
    fn a_search_gives_what_the_model_gives(
        log in log(data()),
        terms in terms(),
        last in 0..24_usize,
        day in proptest::option::of(0..3_u64),
        phrases in phrases(),
        excluded in phrases(),
    ) {
        let last = last.min(log.0.len() - 1);
        let index = log.indexed(&[]);
        let mut query = query(&terms).page(0, 100).filtered(phrases, excluded).unwrap();
        if let Some(day) = day {
            // The bounds are exclusive.
            let at = |day| UnixMillis::new(1_683_504_000_000 + day * 86_400_000).unwrap();
            let after = day.checked_sub(1).map(at);
            query.time_range = Some(TimeRange::new(after, Some(at(day + 1))).unwrap());
        }
        let found = log.search(&index, &query, Some(u64::try_from(last).unwrap()));
        let indexes: BTreeSet<usize> =
            found.iter().map(|found| usize::try_from(found.idx).unwrap()).collect();
        prop_assert_eq!(indexes.len(), found.len(), "one hit for a memory");
        prop_assert_eq!(&indexes, &log.expected(&query, last));
        for found in &found {
            let world = &log.0[usize::try_from(found.idx).unwrap()].world;
            for (term, place) in terms.iter().zip(&found.places) {
                let alone = super::tests::query(&[term]);
                prop_assert_eq!(place.is_some(), says(world, &alone), "{} in {:?}", term, world);
            }
        }
        prop_assert!(found.windows(2).all(|two| two[0].score >= two[1].score));
    }

    /// However versions came in, the index is the same, byte by byte, and so are its pages.
    #[test]
    fn batches_of_versions_leave_no_trace(
        log in log(turns()),
        cuts in proptest::collection::btree_set(0..24_usize, 0..8),
        terms in terms(),
        size in 1..4_usize,
        excluded in phrases(),
    ) {
        let (whole, parts) = (log.indexed(&[]), log.indexed(&Vec::from_iter(cuts)));
        prop_assert_eq!(digest_of(&parts), digest_of(&whole));
        check_integrity(&parts);
        let query = query(&terms).filtered(vec![], excluded).unwrap();
        let all = log.search(&whole, &query.clone().page(0, 100), None);
        let mut laid = Vec::new();
        loop {
            let page = log.search(&parts, &query.clone().page(laid.len(), size), None);
            if page.is_empty() {
                break;
            }
            laid.extend(page);
        }
        prop_assert_eq!(laid, all);
    }
}

/// A memory in one of few scopes: number of the memory, words, place in a conversation.
fn in_scopes() -> impl Strategy<Value = Log> {
    let words = ["kite", "red", "fog", "over", "kite red"];
    let said = (
        0..6_usize,
        proptest::collection::vec(proptest::sample::select(words.to_vec()), 1..4),
        proptest::option::of(0..4_u64),
    );
    proptest::collection::vec(said, 0..24).prop_map(|said| {
        let mut log = Log::default();
        for (memory, words, position) in said {
            // The scope of a memory is that of all its versions.
            let scope = match memory {
                0 | 1 => json!({"user": "kit", "session": memory.to_string()}),
                2 => json!({"user": "kit"}),
                3 => json!({"user": "bo", "session": "1"}),
                4 => json!("user=kit"),
                _ => json!({}),
            };
            let source = position.map(|at| json!({"conversation": "c", "position": at}));
            let data = json!({
                "kind": "turn", "text": words.join(" "), "scope": scope, "source": source,
            });
            log.say(memory, 0, data);
        }
        log
    })
}

proptest! {
    /// Law (b) of scopes: a scoped search gives what an index with nothing but the Worlds of the scope gives, scores, places and
    /// page included.
    #[test]
    fn a_scoped_search_is_that_of_an_index_of_the_scope_alone(
        log in in_scopes(),
        scope in proptest::sample::select(vec!["user=kit", "session=1", "session=1,user=kit", "user=eve"]),
        terms in proptest::sample::subsequence(vec!["kite", "red", "fog", "absent"], 1..4),
        filters in (any::<bool>(), any::<bool>()),
        each_version in any::<bool>(),
        last in 0..24_u64,
        (offset, limit) in (0..3_usize, 1..4_usize),
    ) {
        let scope: Scope = scope.parse().unwrap();
        let within = |version: &Version| Scope::of(version.world.data()).contains(&scope);
        let (rows, alone): (Vec<u64>, Vec<Version>) =
            (0..).zip(&log.0).filter(|(_, it)| within(it)).map(|(row, it)| (row, it.clone())).unzip();
        let alone = Log(alone);
        let phrases = if filters.0 { vec!["kite red"] } else { vec![] };
        let excluded = if filters.1 { vec!["over"] } else { vec![] };
        let mut query = query(&terms).filtered(phrases, excluded).unwrap().page(offset, limit);
        query.each_version = each_version;
        let last_alone = rows.iter().filter(|row| **row <= last).count().checked_sub(1);
        let expected = match last_alone {
            None => Vec::new(),
            Some(last) => alone.search(&alone.indexed(&[]), &query, Some(last.try_into().unwrap())),
        };
        query.scope = scope;
        let mut found = log.search(&log.indexed(&[]), &query, Some(last));
        for hit in &mut found {
            hit.idx = rows.iter().position(|row| *row == hit.idx).unwrap().try_into().unwrap();
        }
        prop_assert_eq!(found, expected);
    }
}

/// A word that only the turn beside says, in another scope, finds nothing; in one scope turns are beside each other.
#[test]
fn what_is_beside_is_in_the_same_scope() {
    let turn = |position: u64, text: &str, user: &str| {
        let source = json!({"conversation": "c", "position": position});
        json!({"kind": "turn", "text": text, "source": source, "scope": {"user": user}})
    };
    let mut log = Log::default();
    log.say(0, 0, turn(0, "sunrise", "bo"));
    log.say(1, 0, turn(1, "yes", "kit"));
    log.say(2, 0, turn(1, "no", "bo"));
    let index = log.indexed(&[]);
    let mut query = query(&["sunrise"]);
    assert_eq!(at(&log.search(&index, &query, None)), [0, 2]);
    query.scope = "user=kit".parse().unwrap();
    assert_eq!(at(&log.search(&index, &query, None)), [0; 0]);
}
