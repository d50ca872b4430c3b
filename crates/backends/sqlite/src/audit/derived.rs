//! Audits derived state: it is made again in a scratch database and compared.

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::types::Value;
use rusqlite::{Connection, Row};

use super::report::Findings;
use super::{fulltext, pages};
use crate::error::{at, from_sqlite};
use crate::{rebuild, schema};

/// After this many rows that differ, a table is not looked at any further.
const MAX_ROWS: u64 = 20;

pub(super) fn examine(
    connection: &Connection,
    entries: u64,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let mut scratch = scratch().map_err(from_sqlite)?;
    schema::create(&mut scratch)?;
    let tables = schema::derived_tables(&scratch)?;
    let transaction = scratch.transaction().map_err(from_sqlite)?;
    let made = rebuild::derive(connection, &transaction, entries);
    if findings.damage(made)?.is_none() {
        return Ok(());
    }
    // Full text is written when the transaction ends.
    transaction.commit().map_err(from_sqlite)?;
    for table in &tables {
        for sql in queries(table, &scratch)? {
            compare(table, &sql, connection, &scratch, findings)?;
        }
    }
    for table in &tables {
        let definition = definition(table, &scratch)?;
        if is_vocabulary(&definition) {
            pages::examine_words(table, connection, &scratch, findings)?;
        }
        if is_full_text(&definition) {
            pages::examine_rows(table, connection, findings)?;
        }
    }
    // The last: it writes into the scratch database.
    for table in &tables {
        if is_full_text(&definition(table, &scratch)?) {
            fulltext::examine(table, connection, &scratch, findings)?;
        }
    }
    Ok(())
}

/// A database in a temporary file, which SQLite removes: it may be as large as the derived tables.
fn scratch() -> rusqlite::Result<Connection> {
    let connection = Connection::open("")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "journal_mode", "OFF")?;
    Ok(connection)
}

/// Query that reads a derived table in an order that depends on the rows alone.
///
/// A full-text table keeps no rows of its own. What can change an answer of it is in its
/// vocabulary table (every word with its place), in the lengths and totals from which scores are
/// computed, and in its configuration.
fn queries(table: &str, scratch: &Connection) -> Result<Vec<String>, StoreError> {
    let definition = definition(table, scratch)?;
    if is_vocabulary(&definition) {
        return Ok(vec![format!("SELECT * FROM \"{table}\"")]);
    }
    if is_full_text(&definition) {
        return Ok(vec![
            format!("SELECT id, sz FROM \"{table}_docsize\" ORDER BY id"),
            format!("SELECT id, block FROM \"{table}_data\" WHERE id = 1"),
            format!("SELECT k, v FROM \"{table}_config\" ORDER BY k"),
        ]);
    }
    Ok(vec![format!("SELECT * FROM \"{table}\" NOT INDEXED")])
}

/// The SQL that made a table, in lower case.
fn definition(table: &str, scratch: &Connection) -> Result<String, StoreError> {
    scratch
        .query_row(
            "SELECT lower(sql) FROM sqlite_schema WHERE name = ?1",
            [table],
            |row| row.get(0),
        )
        .map_err(from_sqlite)
}

fn is_vocabulary(definition: &str) -> bool {
    definition.contains("using fts5vocab")
}

fn is_full_text(definition: &str) -> bool {
    definition.contains("using fts5") && !is_vocabulary(definition)
}

/// Compares the rows of a query on both databases, in step.
fn compare(
    table: &str,
    sql: &str,
    live: &Connection,
    scratch: &Connection,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let before = findings.total();
    let compared = compare_rows(table, sql, live, scratch, findings);
    findings.damage(compared.map_err(at(StoreLocation::table(table))))?;
    if findings.total() - before > MAX_ROWS {
        findings.add(table, None, "further rows differ");
    }
    Ok(())
}

fn compare_rows(
    table: &str,
    sql: &str,
    live: &Connection,
    scratch: &Connection,
    findings: &mut Findings,
) -> rusqlite::Result<()> {
    let (mut live, mut scratch) = (live.prepare(sql)?, scratch.prepare(sql)?);
    let columns = scratch.column_count();
    let (mut live, mut scratch) = (live.query([])?, scratch.query([])?);
    let mut differing = 0;
    while differing <= MAX_ROWS {
        let (found, expected) = (live.next()?, scratch.next()?);
        if found.is_none() && expected.is_none() {
            break;
        }
        if !same(found, expected, columns)? {
            differing += 1;
            let [found, expected] = [values(found, columns)?, values(expected, columns)?];
            report(table, found.as_deref(), expected.as_deref(), findings);
        }
    }
    Ok(())
}

/// Tests whether two rows are the same. There are millions of them, so nothing is copied.
fn same(
    found: Option<&Row<'_>>,
    expected: Option<&Row<'_>>,
    columns: usize,
) -> rusqlite::Result<bool> {
    let (Some(found), Some(expected)) = (found, expected) else {
        return Ok(false);
    };
    for column in 0..columns {
        if found.get_ref(column)? != expected.get_ref(column)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn values(row: Option<&Row<'_>>, columns: usize) -> rusqlite::Result<Option<Vec<Value>>> {
    let all = |row: &Row<'_>| (0..columns).map(|column| row.get(column)).collect();
    row.map(all).transpose()
}

fn report(
    table: &str,
    found: Option<&[Value]>,
    expected: Option<&[Value]>,
    findings: &mut Findings,
) {
    let detail = match (found, expected) {
        (None, _) => "a row is missing",
        (_, None) => "a row is too many",
        _ => "a row is not what the capsules make it",
    };
    let key = expected.or(found).and_then(<[Value]>::first);
    match key {
        Some(Value::Integer(index)) => findings.add(table, u64::try_from(*index).ok(), detail),
        Some(Value::Text(name)) => findings.add(table, None, format!("{name:?}: {detail}")),
        _ => findings.add(table, None, detail),
    }
}
