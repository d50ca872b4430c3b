//! Rows of the index of claims that were changed by hand: nothing is answered from them (docs/format/database.md 2).

use std::fmt::Debug;

use counterfoil_store::StoreError;
use proptest::prelude::*;
use rusqlite::Connection;

use super::indexes::{requested, steps};
use super::*;

/// A table, a row and a column by their numbers, and what becomes of the value; `None` takes the row away.
type Edit = (usize, u32, usize, Option<i64>);

fn edit() -> impl Strategy<Value = Edit> {
    let value = prop_oneof![
        3 => Just(None),
        2 => Just(Some(1)),
        2 => Just(Some(-1)),
        1 => any::<i64>().prop_map(Some),
    ];
    (0..DERIVED.len(), any::<u32>(), 0_usize..18, value)
}

/// Changes one column of one row, or removes it; a constraint may forbid that.
fn perform(raw: &Connection, (table, row, column, value): Edit) {
    let table = DERIVED[table];
    let read = |sql: &str| -> Vec<(String, String)> {
        let mut statement = raw.prepare(sql).unwrap();
        let rows = statement.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().map(Result::unwrap).collect()
    };
    let columns = read("SELECT name, type FROM pragma_table_info(?1)");
    let keys = read("SELECT name, type FROM pragma_table_info(?1) WHERE pk > 0");
    let keys: Vec<_> = keys.into_iter().map(|(name, _)| name).collect();
    let keys = keys.join(", ");
    let rows: u32 = raw
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        })
        .unwrap();
    let place = format!(
        "WHERE ({keys}) = (SELECT {keys} FROM {table} LIMIT 1 OFFSET {})",
        row % rows
    );
    let (name, kind) = &columns[column % columns.len()];
    let sql = match value {
        None => format!("DELETE FROM {table} {place}"),
        Some(_) if kind == "TEXT" => format!("UPDATE {table} SET {name} = {name} || 'x' {place}"),
        Some(by @ (1 | -1)) => {
            format!("UPDATE {table} SET {name} = coalesce({name}, 0) + {by} {place}")
        }
        Some(value) => format!("UPDATE {table} SET {name} = {value} {place}"),
    };
    // A row may be in the way of another.
    drop(raw.execute(&sql, []));
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
            let subject = store.believe_subject(of, ada.clone(), None, asked, settings.clone());
            answers.push(shown(block_on(subject)));
            let contested = ClaimStore::contested(store, of, asked, None, 9, settings.clone());
            answers.push(shown(block_on(contested)));
            let history = store.claim_history(line("Ada", "lives in"), asked, settings.clone());
            answers.push(shown(block_on(history)));
        }
    }
    answers.push(shown(block_on(store.units(line("Ada", "lives in"), None))));
    answers.push(shown(block_on(store.pending(of, settings.clone()))));
    answers.push(shown(block_on(store.predicates(of, None))));
    answers.push(shown(block_on(store.committed(of, "first"))));
    for (claim, before) in [
        (None, None),
        (None, Some(7)),
        (claims.first().cloned(), None),
    ] {
        answers.push(shown(block_on(store.ledger(of, claim, before, 5))));
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// I3, CLM-31: whatever is done to one row of the index, an answer is the one of before, or it is refused, and so is a
    /// claim; once the index was made again all is as it was.
    #[test]
    fn an_edited_index_answers_as_before_or_not_at_all(
        steps in steps(),
        edits in proptest::collection::vec(edit(), 12),
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
        for edit in edits {
            let edited = rig.copied();
            perform(&edited.raw(), edit);
            for (found, expected) in answers(&edited, &claims).iter().zip(&expected) {
                match found {
                    Ok(found) => prop_assert_eq!(Some(found), expected.as_ref().ok(), "{:?}", edit),
                    Err(StoreError::IndexDamaged { .. }) => {}
                    Err(error) => prop_assert!(false, "{:?}: {}", edit, error),
                }
            }
        }
    }
}
