//! A changed byte in any column of any table is found by the audit, at its place (F6, R6).

use counterfoil_life::Life as _;
use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use counterfoil_claims::{
    Assertion, Channels, FactValue, Identifier, Settings, Submission, Target,
};
use counterfoil_life::AuditReport;
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::{CapsuleLog, ClaimRequest, ClaimStore, Draft, MemoryStore as _};
use counterfoil_types::WorldId;
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::common::{Place, agent, append, block_on, drafts, signer, world};

/// A store in which every table has rows: several agents, a chain of three, neighbours.
fn filled(place: &Place) {
    let store = place.create();
    append(&store, drafts("w", 20)).unwrap();
    let mut last = append(&store, drafts("v", 1)).unwrap().remove(0);
    for version in 1..3 {
        let next = world(&format!("v-{version}-next"), "a new version");
        let draft = Draft::new(next).following(last.chain, last.capsule);
        last = append(&store, vec![draft]).unwrap().remove(0);
    }
    block_on(store.append(agent(2), drafts("other", 10))).unwrap();
    claims(&store);
}

/// Two claims that contradict each other, and one that ended.
fn claims(store: &SqliteStore) {
    let user = Channels::of_host().user();
    let named = |text| Identifier::new("name", text).unwrap();
    let says = |town: &str| {
        let town = FactValue::new(&town.into()).unwrap();
        Submission::new(&user, named("Ada"), named("lives in"), town)
    };
    let submit = |request| {
        let settings = Arc::new(Settings::default());
        let answers = block_on(store.submit(agent(3), settings, vec![request])).unwrap();
        answers.into_iter().next().unwrap().unwrap().reference
    };
    let lisbon = submit(ClaimRequest::Submit(says("Lisbon").keyed("first").unwrap()));
    submit(ClaimRequest::Submit(says("Porto")));
    let target = Target::Claim(lisbon);
    submit(ClaimRequest::Assert(Assertion::end(&user, target, None)));
}

fn audited(place: &Place) -> AuditReport {
    let store = SqliteStore::open(Options::read_only(place.database())).unwrap();
    block_on(store.audit()).unwrap()
}

/// The first column of a query.
fn texts(connection: &Connection, sql: &str, parameters: impl rusqlite::Params) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map(parameters, |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// All tables, those inside of full text included.
fn tables(connection: &Connection) -> Vec<String> {
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'virtual'
         AND name NOT LIKE 'sqlite%'";
    texts(connection, sql, [])
}

/// Place in a value at which something is changed.
#[derive(Debug, Clone, Copy)]
enum Where {
    First,
    Middle,
    Last,
}

impl Where {
    fn of(self, length: usize) -> usize {
        match self {
            Self::First => 0,
            Self::Middle => length / 2,
            Self::Last => length.saturating_sub(1),
        }
    }
}

/// Another value of the same type: one bit, one letter, one more.
fn changed(value: Value, whereabouts: Where) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Integer(number) => Some(Value::Integer(number + 1_000)),
        Value::Real(number) => Some(Value::Real(number + 1.0)),
        Value::Text(text) => {
            let from = whereabouts.of(text.len());
            let (at, old) = text.char_indices().find(|(at, _)| *at >= from)?;
            let new = if old == 'x' { "y" } else { "x" };
            let rest = &text[at + old.len_utf8()..];
            Some(Value::Text([&text[..at], new, rest].concat()))
        }
        Value::Blob(mut bytes) => {
            let at = whereabouts.of(bytes.len());
            *bytes.get_mut(at)? ^= 1;
            Some(Value::Blob(bytes))
        }
    }
}

/// Puts the file back as it was, without what another connection left beside it.
pub(crate) fn restore(place: &Place, clean: &[u8]) {
    for beside in ["db-wal", "db-shm"] {
        drop(fs::remove_file(place.database().with_extension(beside)));
    }
    fs::write(place.database(), clean).unwrap();
}

/// Writes past triggers, constraints and SQLite's protection of its inner tables, and leaves the
/// triggers as they were.
pub(crate) fn tamper(place: &Place, sql: &str, parameters: &[&dyn rusqlite::ToSql]) -> usize {
    let raw = place.raw();
    raw.execute_batch("PRAGMA foreign_keys = 0; PRAGMA ignore_check_constraints = 1")
        .unwrap();
    let of_triggers = |column| {
        let sql = format!("SELECT {column} FROM sqlite_schema WHERE type = 'trigger'");
        texts(&raw, &sql, []).join(";\n")
    };
    let made = of_triggers("sql");
    raw.execute_batch(&of_triggers("'DROP TRIGGER ' || name"))
        .unwrap();
    let changed = raw.execute(sql, parameters);
    raw.execute_batch(&made).unwrap();
    changed.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

#[test]
fn a_store_that_nobody_touched_is_clean() {
    let place = Place::new();
    filled(&place);
    for report in [
        audited(&place),
        block_on(place.open().audit_deep()).unwrap(),
    ] {
        assert!(report.is_clean(), "{:#?}", report.differences);
        assert_eq!(report.entries, 36);
    }
}

/// CAP-35. What is handed out is what was sealed, or nothing, whatever was changed.
#[test]
fn a_changed_byte_in_any_column_of_any_table_is_found_at_its_place() {
    let place = Place::new();
    filled(&place);
    let clean = fs::read(place.database()).unwrap();
    let mut cases = 0;
    let mut missed = Vec::new();
    let mut elsewhere = Vec::new();
    let tables = tables(&place.raw());
    for table in tables {
        let sql = "SELECT name FROM pragma_table_info(?1)";
        let columns = texts(&place.raw(), sql, [&table]);
        for column in columns {
            for (row, whereabouts) in [
                (0, Where::First),
                (0, Where::Last),
                (7, Where::Middle),
                (22, Where::Last),
            ] {
                let Some(found) = flip(&place, &table, &column, (row, whereabouts)) else {
                    continue;
                };
                cases += 1;
                let case = format!("{table}.{column} row {row} ({whereabouts:?}): {found:?}");
                if found.is_empty() {
                    missed.push(case);
                } else if !found.iter().any(|place| is_place_of(place, &table)) {
                    elsewhere.push(case);
                }
                restore(&place, &clean);
            }
        }
    }
    assert!(cases > 60, "only {cases} columns were changed");
    assert!(missed.is_empty(), "not found: {missed:#?}");
    assert!(elsewhere.is_empty(), "found elsewhere only: {elsewhere:#?}");
}

/// Whether an audit that names `place` has named `table`: what is inside of a full-text table is
/// reported there, or in the vocabulary that is read from it.
fn is_place_of(place: &str, table: &str) -> bool {
    table.starts_with(place) || (table.starts_with("text_index") && place == "text_terms")
}

/// Changes one column of one row; the tables that the audit then names.
fn flip(
    place: &Place,
    table: &str,
    column: &str,
    (row, whereabouts): (usize, Where),
) -> Option<BTreeSet<String>> {
    let key = key_columns(&place.raw(), table);
    let columns = key.join(", ");
    let sql = format!("SELECT \"{column}\", {columns} FROM \"{table}\" LIMIT 1 OFFSET {row}");
    let read = |row: &rusqlite::Row<'_>| (0..=key.len()).map(|at| row.get(at)).collect();
    let mut values: Vec<Value> = place.raw().query_row(&sql, [], read).ok()?;
    values[0] = changed(values[0].clone(), whereabouts)?;
    let which = (2..)
        .zip(&key)
        .map(|(number, name)| format!("{name} IS ?{number}"));
    let which = which.collect::<Vec<_>>().join(" AND ");
    let sql = format!("UPDATE \"{table}\" SET \"{column}\" = ?1 WHERE {which}");
    let parameters = values.iter().map(|value| -> &dyn rusqlite::ToSql { value });
    let parameters: Vec<_> = parameters.collect();
    let before = given(place);
    assert_eq!(tamper(place, &sql, &parameters), 1, "{table}.{column}");
    for (sealed, now) in before.into_iter().zip(given(place)) {
        let holds = now.is_none() || now == sealed;
        assert!(holds, "{table}.{column}: {now:?} in place of {sealed:?}");
    }
    Some(named(place))
}

/// The content handed out for each entry, by index and by id; `None` where it is withheld.
fn given(place: &Place) -> Vec<Option<String>> {
    let Ok(store) = SqliteStore::open(Options::read_only(place.database())) else {
        return Vec::new();
    };
    let mut given = Vec::new();
    for index in 0..36 {
        let stored = block_on(store.capsule(index)).ok().flatten();
        given.push(stored.map(|stored| stored.document().to_text()));
    }
    for id in ["w-0", "w-7", "v-0", "v-1-next", "other-3"] {
        let world = block_on(store.get(&WorldId::new(id).unwrap()));
        let world = world.ok().flatten();
        given.push(world.map(|world| world.content_value().to_string()));
    }
    given
}

/// The columns that tell the rows of a table apart.
fn key_columns(connection: &Connection, table: &str) -> Vec<String> {
    let sql = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk";
    match texts(connection, sql, [table]) {
        names if names.is_empty() => vec!["rowid".to_owned()],
        names => names,
    }
}

/// The tables in which an audit finds something.
fn named(place: &Place) -> BTreeSet<String> {
    let differences = audited(place).differences.into_iter();
    let tables = differences.map(|(place, _)| place.table_name().to_owned());
    tables.collect()
}

#[test]
fn rows_that_are_gone_or_too_many_are_found() {
    let place = Place::new();
    filled(&place);
    let clean = fs::read(place.database()).unwrap();
    for (table, sql) in [
        ("head", "DELETE FROM capsule WHERE idx = 35"),
        ("capsule", "DELETE FROM capsule WHERE idx = 5"),
        ("body", "DELETE FROM body WHERE idx = 5"),
        ("log", "DELETE FROM log WHERE idx = 5"),
        (
            "log",
            "INSERT INTO log SELECT 36, hashes FROM log WHERE idx = 35",
        ),
        (
            "body",
            "INSERT INTO body SELECT 36, payload, salt, delta, delta_salt FROM body LIMIT 1",
        ),
        ("head", "DELETE FROM head"),
        ("origin", "DELETE FROM origin"),
        ("world", "DELETE FROM world WHERE idx = 5"),
        (
            "world",
            "INSERT INTO world (idx, id) VALUES (99, 'invented')",
        ),
        ("chain", "DELETE FROM chain WHERE idx = 5"),
        ("agent", "DELETE FROM agent"),
        ("text_turns", "DELETE FROM text_turns WHERE idx = 5"),
        ("text_terms", "DELETE FROM text_index WHERE rowid = 5"),
        ("sqlite_schema", "DROP TRIGGER log_is_not_updated"),
        ("sqlite_schema", "DROP INDEX text_turns_place"),
    ] {
        if sql.starts_with("DROP") {
            place.raw().execute_batch(sql).unwrap();
        } else {
            tamper(&place, sql, &[]);
        }
        let found = named(&place);
        assert!(found.contains(table), "{sql}: {found:?}");
        if ["world", "chain", "agent", "text_turns", "text_terms"].contains(&table) {
            let store = SqliteStore::open(Options::read_only(place.database())).unwrap();
            assert!(store.miscounted().is_some(), "{sql}");
        }
        restore(&place, &clean);
    }
}

/// A store whose index has several segments of several pages, and rows that were replaced.
fn indexed(place: &Place) {
    let store = place.create();
    for batch in 0..4 {
        let drafts = (0..12).map(|number| {
            let id = format!("{batch}-{}", "x".repeat(batch * 12 + number));
            let words: Vec<String> = (0..60)
                .map(|word| format!("w{}q{batch}", number * 7919 + word * 104_729))
                .collect();
            Draft::new(world(&id, &words.join(" ")))
        });
        append(&store, drafts.collect()).unwrap();
    }
}

/// At most `count` of the rows of a table, from the first to the last.
fn spread(connection: &Connection, table: &str, count: usize) -> Vec<usize> {
    let sql = format!("SELECT count(*) FROM \"{table}\"");
    let rows: usize = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
    let step = rows.div_ceil(count).max(1);
    (0..rows).step_by(step).chain(rows.checked_sub(1)).collect()
}

/// F6: no row of any table, those inside of full text included, goes without being missed.
#[test]
fn a_row_that_goes_from_any_table_is_found() {
    let place = Place::new();
    indexed(&place);
    assert!(audited(&place).is_clean());
    let clean = fs::read(place.database()).unwrap();
    let mut missed = Vec::new();
    let tables = tables(&place.raw());
    for table in tables {
        let key = key_columns(&place.raw(), &table).join(", ");
        let rows = spread(&place.raw(), &table, 4);
        for row in rows {
            let sql = format!(
                "DELETE FROM \"{table}\" WHERE ({key}) IN
                 (SELECT {key} FROM \"{table}\" LIMIT 1 OFFSET {row})"
            );
            assert_eq!(tamper(&place, &sql, &[]), 1, "{sql}");
            if named(&place).is_empty() {
                missed.push(format!("{table} row {row}"));
            }
            restore(&place, &clean);
        }
        let gone = tamper(&place, &format!("DELETE FROM \"{table}\""), &[]);
        if gone > 0 && named(&place).is_empty() {
            missed.push(format!("all of {table}"));
        }
        restore(&place, &clean);
    }
    assert!(missed.is_empty(), "not found: {missed:#?}");
}

/// F6: what FTS5 finds its pages through, and what it would replace a row by.
#[test]
fn a_change_in_the_bookkeeping_of_the_index_is_found() {
    let place = Place::new();
    indexed(&place);
    let clean = fs::read(place.database()).unwrap();
    let mut missed = Vec::new();
    for (table, columns) in [
        ("text_index_idx", &["segid", "term", "pgno"][..]),
        ("text_index_docsize", &["id", "sz", "origin"]),
        ("text_index_config", &["k", "v"]),
    ] {
        let rows = spread(&place.raw(), table, 4);
        for column in columns {
            for &row in &rows {
                for whereabouts in [Where::First, Where::Last] {
                    let found = flip(&place, table, column, (row, whereabouts));
                    if found.is_some_and(|found| found.is_empty()) {
                        missed.push(format!("{table}.{column} row {row} ({whereabouts:?})"));
                    }
                    restore(&place, &clean);
                }
            }
        }
    }
    for sql in [
        "UPDATE text_index_idx SET pgno = pgno + 1 WHERE pgno = 2",
        "UPDATE text_index_idx SET pgno = pgno + 2 WHERE pgno = 4",
        "UPDATE text_index_idx SET pgno = pgno - 2 WHERE pgno = 4",
        "UPDATE text_index_docsize SET origin = origin + 1",
        "UPDATE text_index_docsize SET origin = 0",
        "INSERT INTO text_index_idx SELECT segid, x'7a7a7a', pgno FROM text_index_idx LIMIT 1",
        "INSERT INTO text_index_idx VALUES (77, x'', 2)",
        "INSERT INTO text_index_config VALUES ('rank', 'bm25(0.0)')",
    ] {
        assert!(tamper(&place, sql, &[]) > 0, "{sql}");
        if named(&place).is_empty() {
            missed.push(sql.to_owned());
        }
        restore(&place, &clean);
    }
    assert!(missed.is_empty(), "not found: {missed:#?}");
}

/// One object that is gone is one difference, and the store says so when asked for its health.
#[test]
fn an_object_of_the_schema_that_is_gone_is_one_difference_and_not_sound() {
    let place = Place::new();
    filled(&place);
    let drop = "DROP TRIGGER log_is_not_updated";
    place.raw().execute_batch(drop).unwrap();
    let differences = audited(&place).differences;
    assert_eq!(differences.len(), 1, "{differences:#?}");
    let store = SqliteStore::open(Options::read_only(place.database())).unwrap();
    let health = block_on(store.health()).unwrap();
    assert!(!health.is_sound());
    let missing = "the trigger \"log_is_not_updated\" is missing";
    assert_eq!(health.schema_differences, [missing]);
}

/// R6: single bits of the file. SQLite's own check misses most of those that hit content; the bar
/// is that none changes an answer unnoticed.
/// (CAP-35)
#[test]
fn no_flipped_bit_changes_an_answer_unnoticed() {
    let place = Place::new();
    filled(&place);
    let clean = fs::read(place.database()).unwrap();
    let expected = answers(&place).expect("the answers of a sound store");
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for round in 0..300 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let bit = usize::try_from(random).unwrap() % (clean.len() * 8);
        let mut damaged = clean.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        fs::write(place.database(), damaged).unwrap();
        let found = SqliteStore::open(Options::read_only(place.database()))
            .and_then(|store| block_on(store.audit()));
        if found.is_ok_and(|report| report.is_clean()) {
            let now = answers(&place);
            assert!(
                now.as_ref() == Some(&expected),
                "round {round}: bit {bit} is not found"
            );
        }
        restore(&place, &clean);
    }
}

/// All Worlds with their receipts, and a search; `None` when any of it fails.
fn answers(place: &Place) -> Option<Vec<String>> {
    use counterfoil_store::MemoryStore;
    use counterfoil_store::text_index::{TextIndex, TextQuery};
    let store = SqliteStore::open(Options::read_only(place.database())).ok()?;
    let mut answers = Vec::new();
    for index in 0..block_on(store.size()).ok()? {
        let stored = block_on(store.capsule(index)).ok()??;
        let world = block_on(store.get(stored.entry.world()?)).ok()??;
        answers.push(world.to_value().to_string());
    }
    let query = TextQuery::new(["text", "version"]).unwrap().page(0, 100);
    for hit in block_on(store.search(&query)).ok()? {
        answers.push(format!("{} {:?}", hit.index, hit.score));
    }
    Some(answers)
}

/// The head replaced by an earlier one that the log did sign.
#[test]
fn an_earlier_head_is_found() {
    let place = Place::new();
    filled(&place);
    let early = {
        let other = Place::new();
        append(&other.create(), drafts("w", 1)).unwrap();
        block_on(other.open().checkpoint()).unwrap().unwrap()
    };
    tamper(&place, "UPDATE head SET checkpoint = ?1", &[&early]);
    assert!(named(&place).contains("head"));
}

#[test]
fn another_key_in_the_store_is_found_by_whoever_has_the_right_one() {
    let place = Place::new();
    filled(&place);
    let store = place.open();
    let other = signer().verifier_key().to_string().replace("log7", "other");
    tamper(&place, "UPDATE origin SET verifier_key = ?1", &[&other]);
    let report = block_on(store.audit()).unwrap();
    assert!(
        report
            .differences
            .iter()
            .any(|(place, _)| place.table_name() == "origin")
    );
}
