//! What of the log is at hand while something comes in: an archive is no reason to fail (capsules 4.6, C9).

use counterfoil_store::{StoreError, StoredCapsule};
use rusqlite::Connection;

use crate::rows;

/// The capsule at `index`; `None` when there is none, or when it lies in an archive.
pub(crate) fn capsule(
    connection: &Connection,
    index: u64,
) -> Result<Option<StoredCapsule>, StoreError> {
    match rows::capsule(connection, index) {
        Err(StoreError::Archived { .. }) => Ok(None),
        read => read,
    }
}
