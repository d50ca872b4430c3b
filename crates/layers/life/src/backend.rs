//! Backend of a store: runs the jobs of the rules inside of its transactions.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use counterfoil_store::StoreError;

use crate::ground::Ground;
use crate::sealing::ContentKeys;
use crate::{Txn, Unit};

/// Store that runs jobs inside of transactions. [`Life`](crate::Life) is there for each.
pub trait Backend: Send + Sync {
    /// Runs `job` inside of one transaction that reads.
    ///
    /// # Errors
    /// Those of `job`, and when the store cannot be read.
    fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&dyn Txn) -> Result<T, StoreError> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Runs `job` in one transaction of the writer: its rows, its capsules and the checkpoint are on disk together when
    /// this returns. After an error nothing of it is kept.
    ///
    /// # Errors
    /// Those of `job`, and when the store cannot be written.
    fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Unit<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Removes bytes that the engine may keep of deleted rows. Returns the reason if it could not be done: until it is,
    /// old bytes may be read out of the file.
    fn scrub(&self) -> impl Future<Output = Option<String>> + Send;

    /// Opens the keys of content in `folder` that are of the log with the verifier key `log`.
    ///
    /// # Errors
    /// [`StoreError::Sealed`] when there are none, or others; when they cannot be read.
    fn content_keys(&self, folder: &Path, log: &str) -> Result<Box<dyn ContentKeys>, StoreError>;

    /// Opens keys as [`Backend::content_keys`] does, and makes folder and file where they are missing.
    ///
    /// # Errors
    /// As [`Backend::content_keys`]; when they cannot be made.
    fn make_content_keys(
        &self,
        folder: &Path,
        log: &str,
    ) -> Result<Box<dyn ContentKeys>, StoreError>;

    /// Returns the verifier key (C2SP vkey) of the log's signer; `None` for a store that was opened for reading.
    fn log_key(&self) -> Option<String>;

    /// Returns the shared ground that the store is a node of.
    fn ground(&self) -> Option<Arc<dyn Ground>> {
        None
    }

    /// Returns the present time of the store's clock, in microseconds since 1970.
    fn now_micros(&self) -> u64;
}
