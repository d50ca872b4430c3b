//! The part of a check that only this backend can do: file, schema, and all tables outside of the log, those of the index
//! against the log that they are derived from (F6: no column that can change an answer is left out).

mod claims;
mod derived;
mod exchange;
mod fulltext;

use counterfoil_life::{AuditReport, Txn};
use counterfoil_store::StoreError;
use rusqlite::Connection;

use crate::statement::{Statements, table_of};
use crate::{schema, vectors};
use derived::Derive;

/// Compares the tables behind `connection`, which is inside of one read transaction, with the log that `ground` reads.
/// `derive` makes the index of the log again in a database without entries.
pub(crate) fn check(
    (ground, connection): (&dyn Txn, &Connection),
    derive: Derive<'_>,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    for line in integrity(connection)? {
        report.add("database", None, line);
    }
    let scratch = schema::scratch(connection)?;
    for line in schema::differences(connection, &scratch)? {
        report.add("sqlite_schema", None, line);
    }
    claims::examine((ground, connection), report)?;
    exchange::examine(connection, report)?;
    vectors::examine(connection, report)?;
    derived::examine(connection, scratch, derive, report)
}

/// Returns the findings of `PRAGMA integrity_check` and `PRAGMA foreign_key_check`, at most 100 lines.
pub(crate) fn integrity(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let orphans =
        "SELECT \"table\" || ': a row without its capsule' FROM pragma_foreign_key_check LIMIT 100";
    let check = || -> Result<Vec<String>, StoreError> {
        let mut found: Vec<String> = connection.list("PRAGMA integrity_check(100)", [])?;
        found.retain(|line| line != "ok");
        found.extend(connection.list::<_, Vec<String>>(orphans, [])?);
        Ok(found)
    };
    match check() {
        Err(StoreError::Corrupt { detail, .. }) => Ok(vec![detail]),
        other => other,
    }
}

/// Tests whether tables and columns of all queries are there; if not, the first missing one is a difference.
fn can_read<'s>(
    connection: &Connection,
    queries: impl IntoIterator<Item = &'s str>,
    report: &mut AuditReport,
) -> bool {
    let unreadable = |sql: &&str| connection.prepare(sql).is_err();
    let first = queries.into_iter().find(unreadable);
    if let Some(sql) = first {
        report.add(table_of(sql), None, "its rows cannot be read");
    }
    first.is_none()
}
