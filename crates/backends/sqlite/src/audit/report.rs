//! Differences as they are found.

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::Connection;

use crate::statement::table_of;

/// Receiver of differences.
pub(super) struct Report<'r> {
    /// Place and detail of each.
    pub(super) add: &'r mut dyn FnMut(StoreLocation, String),
    /// Number of all.
    pub(super) total: u64,
}

impl Report<'_> {
    pub(super) fn add(&mut self, table: &str, index: Option<u64>, detail: impl Into<String>) {
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
    pub(super) fn damage<T>(
        &mut self,
        result: Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
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
    pub(super) fn can_read<'s>(
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
