//! What an audit found, and where.

use counterfoil_store::{StoreError, StoreLocation};

/// After this many differences an audit stops listing them.
const MAX_DIFFERENCES: usize = 1_000;

/// The outcome of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditReport {
    /// Number of examined entries.
    pub entries: u64,
    /// Differences, at most 1,000.
    pub differences: Vec<Difference>,
    /// Number of all differences.
    pub total: u64,
}

impl AuditReport {
    /// Tests whether nothing differs.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.total == 0
    }
}

/// One thing that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Where.
    pub place: StoreLocation,
    /// What.
    pub detail: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.detail)
    }
}

/// Collects differences.
#[derive(Debug, Default)]
pub(super) struct Findings {
    differences: Vec<Difference>,
    total: u64,
}

impl Findings {
    pub(super) fn add(&mut self, table: &str, index: Option<u64>, detail: impl Into<String>) {
        let place = match index {
            Some(index) => StoreLocation::entry(table, index),
            None => StoreLocation::table(table),
        };
        self.push(place, detail.into());
    }

    /// Damage is a difference; any other error ends the audit.
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

    pub(super) fn into_report(self, entries: u64) -> AuditReport {
        AuditReport {
            entries,
            differences: self.differences,
            total: self.total,
        }
    }

    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    fn push(&mut self, place: StoreLocation, detail: String) {
        self.total += 1;
        if self.differences.len() < MAX_DIFFERENCES {
            self.differences.push(Difference { place, detail });
        }
    }
}
