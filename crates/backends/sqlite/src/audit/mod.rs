//! The audit: everything stored is compared with what was signed, everything derived with the
//! ground (F6: no column that can change an answer is left out).

mod beside;
mod claims;
mod derived;
mod exchange;
mod fulltext;
mod ground;
mod head;

pub(crate) use derived::scratch;
pub(crate) use head::log_state;

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::Connection;

use crate::options::Options;
use crate::schema;
use crate::statement::table_of;
use crate::upkeep;

/// After this many differences an audit stops listing them.
const MAX_DIFFERENCES: usize = 1_000;

/// The outcome of an audit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditReport {
    /// Number of examined entries.
    pub entries: u64,
    /// Place and detail of each difference, at most 1,000.
    pub differences: Vec<(StoreLocation, String)>,
    /// Number of all differences.
    pub total: u64,
}

impl AuditReport {
    /// Tests whether nothing differs.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.total == 0
    }

    fn add(&mut self, table: &str, index: Option<u64>, detail: impl Into<String>) {
        let place = match index {
            Some(index) => StoreLocation::entry(table, index),
            None => StoreLocation::table(table),
        };
        self.push(place, detail.into());
    }

    fn push(&mut self, place: StoreLocation, detail: String) {
        self.total += 1;
        if self.differences.len() < MAX_DIFFERENCES {
            self.differences.push((place, detail));
        }
    }

    /// Damage is a difference; any other error ends the audit.
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

/// Audits the database behind `connection`, which is inside of one read transaction; with `deep` the proofs as well.
pub(crate) fn audit(
    connection: &Connection,
    options: &Options,
    deep: bool,
) -> Result<AuditReport, StoreError> {
    let mut report = AuditReport::default();
    for line in upkeep::integrity(connection)? {
        report.add("database", None, line);
    }
    let scratch = scratch()?;
    for line in schema::differences(connection, &scratch)? {
        report.add("sqlite_schema", None, line);
    }
    let outcome = ground::examine(connection, options, &mut report)?;
    report.entries = outcome.frontier.size();
    beside::examine(connection, &mut report)?;
    claims::examine(connection, &mut report)?;
    exchange::examine(connection, &mut report)?;
    head::examine(connection, options, &outcome, &mut report)?;
    if deep {
        head::prove_all(connection, &outcome, &mut report)?;
    }
    derived::examine(connection, scratch, &mut report)?;
    Ok(report)
}
