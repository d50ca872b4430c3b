//! Differences that an audit finds.

use counterfoil_store::{StoreError, StoreLocation};

/// Number of differences after which an audit stops listing them.
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
    pub const fn is_clean(&self) -> bool {
        self.total == 0
    }

    /// Returns place and detail of the first difference.
    pub(crate) fn first(&self) -> Option<String> {
        let first = self.differences.first();
        first.map(|(place, detail)| format!("{place}: {detail}"))
    }

    /// Adds a difference in an entry of a table, or in a table as a whole.
    pub fn add(&mut self, table: &str, index: Option<u64>, detail: impl Into<String>) {
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

    /// Adds a [`StoreError::Corrupt`] or [`StoreError::IndexDamaged`] as a difference and returns `None` for it.
    ///
    /// # Errors
    /// Any other error of `result`: it ends the audit.
    pub fn damage<T>(&mut self, result: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(StoreError::Corrupt { place, detail }) => {
                self.push(place, detail);
                Ok(None)
            }
            Err(StoreError::IndexDamaged { table }) => {
                self.add(table, None, "the rows do not fit each other");
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }
}
