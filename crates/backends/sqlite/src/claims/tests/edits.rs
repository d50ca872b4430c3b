//! Rows of the index of claims that were changed by hand: nothing is answered from them (docs/format/database.md 2).

use std::fmt::Debug;

use counterfoil_store::StoreError;
use proptest::prelude::*;
use proptest::sample::select;
use rusqlite::Connection;

use super::indexes::{requested, steps};
use super::*;
use crate::claims::linked;
use crate::rig::assert_refused;
use crate::schema;

/// Kinds of edits: another value in a column of a table, or a row of the table that is removed.
const KINDS: usize = 48;

/// Returns the kinds: a table, and a column with its type.
fn kinds(raw: &Connection) -> Vec<(&'static str, Option<(String, String)>)> {
    let sql = "SELECT name, type FROM pragma_table_info(?1)";
    let mut columns = raw.prepare(sql).unwrap();
    let mut of = |table| {
        let read = columns.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)));
        let columns: Vec<_> = read.unwrap().map(|it| (table, Some(it.unwrap()))).collect();
        [columns, vec![(table, None)]].concat()
    };
    DERIVED.iter().flat_map(|table| of(*table)).collect()
}

/// A row by its number, and a value: a number or its difference, or one of the names that [`answers`] asks for.
type Edit = (u32, Option<i64>, &'static str);

fn edit() -> impl Strategy<Value = Edit> {
    let number = prop_oneof![
        Just(None),
        Just(Some(0)),
        Just(Some(1)),
        Just(Some(-1)),
        any::<i64>().prop_map(Some)
    ];
    let name = select(&["Ada", "Bob", "lives in", "likes", "owns"][..]);
    (any::<u32>(), number, name)
}

/// Changes one column of one row, or removes the row; returns false where a constraint forbids that.
fn perform(
    raw: &Connection,
    (table, column): &(&str, Option<(String, String)>),
    (row, number, name): Edit,
) -> bool {
    let keys = "SELECT group_concat(name) FROM pragma_table_info(?1) WHERE pk > 0";
    let keys: String = raw.query_row(keys, [table], |row| row.get(0)).unwrap();
    let change = match (column, number) {
        (None, _) => format!("DELETE FROM {table}"),
        (Some((column, kind)), _) if kind == "TEXT" => {
            format!("UPDATE {table} SET {column} = '{name}'")
        }
        (Some((column, _)), None) => format!("UPDATE {table} SET {column} = NULL"),
        (Some((column, _)), Some(by @ (1 | -1))) => {
            format!("UPDATE {table} SET {column} = coalesce({column}, 0) + {by}")
        }
        (Some((column, _)), Some(number)) => format!("UPDATE {table} SET {column} = {number}"),
    };
    let place = format!(
        "({keys}) = (SELECT {keys} FROM {table} LIMIT 1 OFFSET {row} % (SELECT count(*) FROM {table}))"
    );
    raw.execute(&format!("{change} WHERE {place}"), []).is_ok()
}

fn shown<T: Debug>(answer: Result<T, StoreError>) -> Result<String, StoreError> {
    answer.map(|answer| format!("{answer:?}"))
}

/// All that can be asked of the lines of an agent, as text; the last is a claim that is submitted.
fn answers(rig: &Rig, claims: &[ClaimRef]) -> Vec<Result<String, StoreError>> {
    let settings = Arc::new(with_oracle());
    let (store, of, ada) = (&rig.store, agent(1).agent(), identifier("Ada"));
    let mut answers = Vec::new();
    let now = i64::try_from(START_US).unwrap();
    for valid_at in [946_684_800_000_000, 1_199_145_600_000_001, now] {
        for as_of_us in [START_US + 9, START_US + DAY_US] {
            let asked = AsOf {
                valid_at: Some(valid_at),
                as_of_us: Some(as_of_us),
            };
            for (subject, predicate) in [("Ada", "lives in"), ("Bob", "likes"), ("Bob", "owns")] {
                let line = line(subject, predicate);
                answers.push(shown(block_on(store.believe(
                    line,
                    asked,
                    settings.clone(),
                ))));
            }
            let subject =
                store.believe_subject(of, ada.clone(), Scope::new(), None, asked, settings.clone());
            answers.push(shown(block_on(subject)));
            let contested =
                ClaimStore::contested(store, of, Scope::new(), asked, None, 9, settings.clone());
            answers.push(shown(block_on(contested)));
            let history = store.claim_history(line("Ada", "lives in"), asked, settings.clone());
            answers.push(shown(block_on(history)));
        }
    }
    answers.push(shown(block_on(store.units(line("Ada", "lives in"), None))));
    answers.push(shown(block_on(store.pending(of, settings.clone()))));
    answers.push(shown(block_on(store.predicates(of, None, Scope::new()))));
    answers.push(shown(block_on(store.committed(of, "first", &Scope::new()))));
    for (claim, before) in [
        (None, None),
        (None, Some(7)),
        (claims.first().cloned(), None),
    ] {
        answers.push(shown(block_on(store.ledger(
            of,
            Scope::new(),
            claim,
            before,
            5,
        ))));
    }
    for claim in claims {
        answers.push(shown(block_on(store.unit_of(claim))));
    }
    let said = [
        between(says("Ada", "lives in", "town 1"), Some("2004"), None),
        says("Bob", "likes", "tea").keyed("first").unwrap(),
        says("Bob", "owns", "a boat"),
    ];
    let requests = said.map(ClaimRequest::Submit).to_vec();
    let written = block_on(store.submit(agent(1), settings, requests));
    // The names of new units are random.
    answers.push(written.map(|written| {
        let decided = written
            .into_iter()
            .map(|it| it.map(|it| (it.disposition, it.row)));
        format!("{:?}", decided.collect::<Vec<_>>())
    }));
    answers
}

/// An entry was added behind the gap that another one had left, and the one before the gap then named it: nothing showed any more
/// what was missing, and a claim was taken in a second time under its key.
#[test]
fn an_entry_that_is_added_does_not_close_the_gap_of_another() {
    let (key, pending) = ([linked::KEY, 1, 10, 3, 0], [linked::PENDING, 1, 4, 0, 0]);
    for edit in [
        "DELETE FROM claim_entry WHERE",
        "UPDATE claim_entry SET list = 0 WHERE",
    ] {
        let raw = Connection::open_in_memory().unwrap();
        raw.execute_batch(schema::LINES_SQL).unwrap();
        for entry in [[linked::UNIT, 1, 2, 3, 4], key, key] {
            linked::add(&raw, entry).unwrap();
        }
        assert_eq!(linked::list(&raw, [linked::KEY, 1]).unwrap(), [key]);
        let edited = raw.execute(&format!("{edit} list = ?1"), [linked::KEY]);
        assert_eq!(edited.unwrap(), 1);
        assert_refused!(linked::add(&raw, pending), StoreError::IndexDamaged { .. });
        let hidden = linked::list(&raw, [linked::KEY, 1]);
        assert_refused!(hidden, StoreError::IndexDamaged { .. });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// I3, CLM-31: whatever is done to one row of the index, an answer is the one of before, or it is refused, and so is a
    /// claim; once the index was made again all is as it was.
    #[test]
    fn an_edited_index_answers_as_before_or_not_at_all(
        steps in steps(),
        edits in proptest::collection::vec(edit(), KINDS),
    ) {
        let rig = Rig::new();
        rig.told(says("Bob", "likes", "tea").keyed("first").unwrap());
        rig.submits_with(with_oracle(), vec![ClaimRequest::Submit(says("Bob", "likes", "milk"))]);
        let mut claims = Vec::new();
        for step in &steps {
            let request = requested(step, &claims);
            let answer = request.and_then(|request| rig.submits(vec![request]).pop());
            claims.extend(answer.and_then(Result::ok).map(|outcome| outcome.reference));
        }
        let expected = answers(&rig.copied(), &claims);
        for answer in &expected { prop_assert!(answer.is_ok(), "{answer:?}"); }
        let kinds = kinds(&rig.raw());
        prop_assert_eq!(kinds.len(), KINDS);
        for (kind, edit) in kinds.iter().zip(edits) {
            let edited = rig.copied();
            if !perform(&edited.raw(), kind, edit) {
                continue;
            }
            for (found, expected) in answers(&edited, &claims).iter().zip(&expected) {
                match found {
                    Ok(found) => prop_assert_eq!(Some(found), expected.as_ref().ok(), "{:?} {:?}", kind, edit),
                    Err(StoreError::IndexDamaged { .. }) => {}
                    Err(error) => prop_assert!(false, "{:?} {:?}: {}", kind, edit, error),
                }
            }
        }
    }
}
