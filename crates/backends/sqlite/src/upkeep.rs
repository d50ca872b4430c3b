//! Looking after a store: is it what was signed, is it sound, and what is in it.

use counterfoil_store::StoreError;
use counterfoil_types::Sha256Hash;

use crate::audit::{self, AuditReport, Depth};
use crate::rebuild::{self, RebuildReport};
use crate::stats::{self, Health, Stats};
use crate::{SqliteStore, derived};

impl SqliteStore {
    /// Compares all stored data with the signatures, and derived tables with the
    /// ground. A clean report says that no column of any table differs.
    ///
    /// # Errors
    /// When the file cannot be read at all. Damage is not an error but a difference.
    pub async fn audit(&self, depth: Depth) -> Result<AuditReport, StoreError> {
        let options = self.options().clone();
        self.read(move |connection| audit::audit(connection, &options, depth))
            .await
    }

    /// Throws derived state away and makes it again from the capsules.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when a capsule cannot be read: nothing is changed then.
    pub async fn rebuild(&self) -> Result<RebuildReport, StoreError> {
        self.maintain(rebuild::rebuild).await
    }

    /// A digest over all derived state: equal before and after a rebuild.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn derived_digest(&self) -> Result<Sha256Hash, StoreError> {
        self.read(derived::digest).await
    }

    /// Counts and sizes.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn stats(&self) -> Result<Stats, StoreError> {
        self.read(stats::stats).await
    }

    /// Checks file, library and settings.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub async fn health(&self) -> Result<Health, StoreError> {
        let guard = self.guard_mismatch().map(ToString::to_string);
        self.read(move |connection| stats::health(connection, guard))
            .await
    }
}
