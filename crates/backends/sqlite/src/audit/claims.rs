//! Audits what stands beside the log about claims: what was erased of a line, and what was handed out (I1, I6).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::Kind;
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::{Connection, Params, Row};

use super::report::Findings;
use crate::error::at;
use crate::rows;

const ERASED: (&str, &str) = (
    "claim_erased",
    "SELECT idx, number, beside FROM claim_erased ORDER BY idx",
);
const SERVED: (&str, &str) = (
    "claim_served",
    "SELECT DISTINCT idx FROM claim_served ORDER BY idx",
);
const KEPT: (&str, &str) = (
    "body",
    "SELECT EXISTS (SELECT 1 FROM body WHERE idx = ?1 AND (payload IS NOT NULL OR salt IS NOT NULL))",
);
/// Lines whose units do not have each number once. What came from elsewhere may leave gaps.
const WITH_GAPS: (&str, &str) = (
    "claim_unit",
    "SELECT line, max(idx) FROM claim_unit GROUP BY line
     HAVING count(DISTINCT number) <> max(number) + 1
     AND NOT EXISTS (SELECT 1 FROM claim_unit AS unit JOIN received USING (idx) WHERE unit.line = claim_unit.line)",
);
const NUMBERS: (&str, &str) = (
    "claim_unit",
    "SELECT number FROM claim_unit WHERE line = ?1 ORDER BY number",
);
const LINE_OF: (&str, &str) = ("claim_unit", "SELECT line FROM claim_unit WHERE idx = ?1");

/// A unit that is gone: its number, and another one of its line.
struct Gone {
    number: u64,
    beside: u64,
}

pub(super) fn examine(connection: &Connection, findings: &mut Findings) -> Result<(), StoreError> {
    for (table, sql) in [ERASED, SERVED, WITH_GAPS, NUMBERS, LINE_OF] {
        if connection.prepare(sql).is_err() {
            findings.add(table, None, "its rows cannot be read");
            return Ok(());
        }
    }
    let gone = erased(connection, findings)?;
    for index in all(connection, SERVED, [], |row| row.get(0))? {
        if !is_claim(connection, index)? {
            findings.add(SERVED.0, Some(index), "what was handed out is no claim");
        }
    }
    let gaps = all(connection, WITH_GAPS, [], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    for (line, last) in gaps {
        if !is_made_up_for(connection, line, &gone)? {
            let detail = "a unit of its line is missing, and nothing says that it was erased";
            findings.add("claim_unit", Some(last), detail);
        }
    }
    Ok(())
}

/// Compares each row of `claim_erased` with its entry.
fn erased(
    connection: &Connection,
    findings: &mut Findings,
) -> Result<BTreeMap<u64, Gone>, StoreError> {
    let read = |row: &Row<'_>| {
        let (number, beside) = (row.get(1)?, row.get(2)?);
        Ok((row.get(0)?, Gone { number, beside }))
    };
    let gone: BTreeMap<u64, Gone> = all(connection, ERASED, [], read)?.into_iter().collect();
    for (index, row) in &gone {
        if all(connection, KEPT, [index], |row| row.get::<_, bool>(0))?.contains(&true) {
            findings.add(ERASED.0, Some(*index), "the content of the entry is there");
        } else if !is_claim(connection, *index)? || !is_claim(connection, row.beside)? {
            findings.add(
                ERASED.0,
                Some(*index),
                "it is about something that is no claim",
            );
        }
    }
    Ok(gone)
}

/// Tests whether the numbers of a line, with those that were erased, leave no gap.
fn is_made_up_for(
    connection: &Connection,
    line: i64,
    gone: &BTreeMap<u64, Gone>,
) -> Result<bool, StoreError> {
    let here = all(connection, NUMBERS, [line], |row| row.get::<_, u64>(0))?;
    let mut numbers: BTreeSet<u64> = here.into_iter().collect();
    for row in gone.values() {
        if line_of(connection, row, gone)? == Some(line) {
            numbers.insert(row.number);
        }
    }
    Ok((0..)
        .zip(&numbers)
        .all(|(expected, number)| expected == *number))
}

/// The line of a unit that is gone: that of the unit beside it, which may be gone as well.
fn line_of(
    connection: &Connection,
    row: &Gone,
    gone: &BTreeMap<u64, Gone>,
) -> Result<Option<i64>, StoreError> {
    let (mut seen, mut beside) = (BTreeSet::new(), row.beside);
    while seen.insert(beside) {
        if let Some(line) = all(connection, LINE_OF, [beside], |row| row.get(0))?.pop() {
            return Ok(Some(line));
        }
        match gone.get(&beside) {
            Some(next) => beside = next.beside,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// Tests whether the entry is a claim unit; one whose header cannot be read is found elsewhere.
fn is_claim(connection: &Connection, index: u64) -> Result<bool, StoreError> {
    let header = match rows::header(connection, index) {
        Err(StoreError::Corrupt { .. }) => return Ok(true),
        header => header?,
    };
    Ok(header.is_some_and(|header| header.kind() == Kind::Claim))
}

fn all<T>(
    connection: &Connection,
    (table, sql): (&'static str, &str),
    params: impl Params,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let rows = || -> rusqlite::Result<Vec<T>> {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_map(params, |row| read(row))?.collect()
    };
    rows().map_err(at(StoreLocation::table(table)))
}
