//! The part of a check that only this backend can do: file, schema, and all tables outside of the log, those of the index
//! against the log that they are derived from (F6: no column that can change an answer is left out).

mod claims;
mod derived;
mod exchange;
mod fulltext;

pub(crate) use derived::scratch;

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::Connection;

use crate::statement::table_of;
use crate::{schema, upkeep};

/// Receiver of differences.
struct Report<'r> {
    /// Place and detail of each.
    add: &'r mut dyn FnMut(StoreLocation, String),
    /// Number of all.
    total: u64,
}

impl Report<'_> {
    fn add(&mut self, table: &str, index: Option<u64>, detail: impl Into<String>) {
        let place = match index {
            Some(index) => StoreLocation::entry(table, index),
            None => StoreLocation::table(table),
        };
        self.push(place, detail.into());
    }

    fn push(&mut self, place: StoreLocation, detail: String) {
        self.total += 1;
        (self.add)(place, detail);
    }

    /// Damage is a difference; any other error ends the check.
    fn damage<T>(&mut self, result: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(StoreError::Corrupt { place, detail }) => {
                self.push(place, detail);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// Tests whether tables and columns of all queries are there; if not, the first missing one is a difference.
    fn can_read<'s>(
        &mut self,
        connection: &Connection,
        queries: impl IntoIterator<Item = &'s str>,
    ) -> bool {
        let unreadable = |sql: &&str| connection.prepare(sql).is_err();
        let first = queries.into_iter().find(unreadable);
        if let Some(sql) = first {
            self.add(table_of(sql), None, "its rows cannot be read");
        }
        first.is_none()
    }
}

/// Compares the tables behind `connection`, which is inside of one read transaction, with a log of `entries` entries.
pub(crate) fn check(
    connection: &Connection,
    entries: u64,
    add: &mut dyn FnMut(StoreLocation, String),
) -> Result<(), StoreError> {
    let mut report = Report { add, total: 0 };
    for line in upkeep::integrity(connection)? {
        report.add("database", None, line);
    }
    let scratch = scratch()?;
    for line in schema::differences(connection, &scratch)? {
        report.add("sqlite_schema", None, line);
    }
    claims::examine(connection, &mut report)?;
    exchange::examine(connection, &mut report)?;
    derived::examine(connection, (scratch, entries), &mut report)
}
