//! The part of a check that only this backend can do: file, schema, and all tables outside of the log, those of the index
//! against the log that they are derived from (F6: no column that can change an answer is left out).

mod claims;
mod derived;
mod exchange;
mod fulltext;
mod report;

use counterfoil_life::Txn;
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::Connection;

use crate::schema;
use crate::statement::Statements;
use derived::Derive;
use report::Report;

/// Compares the tables behind `connection`, which is inside of one read transaction, with the log that `ground` reads.
/// `derive` makes the index of the log again in a database without entries.
pub(crate) fn check(
    (ground, connection): (&dyn Txn, &Connection),
    derive: Derive<'_>,
    add: &mut dyn FnMut(StoreLocation, String),
) -> Result<(), StoreError> {
    let mut report = Report { add, total: 0 };
    for line in integrity(connection)? {
        report.add("database", None, line);
    }
    let scratch = schema::scratch()?;
    for line in schema::differences(connection, &scratch)? {
        report.add("sqlite_schema", None, line);
    }
    claims::examine((ground, connection), &mut report)?;
    exchange::examine(connection, &mut report)?;
    derived::examine(connection, scratch, derive, &mut report)
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
