//! Memories that rest on a contested capsule (capsules 4.5, 4.7; I7): shown as such, never deleted.

use counterfoil_capsule::{Kind, RecordKind};
use counterfoil_store::StoreError;
use counterfoil_store::text_index::Contest;
use rusqlite::{Connection, params};

use super::branches::frozen_at;
use crate::SqliteStore;
use crate::keys::key_chain;
use crate::rows;
use crate::statement::Statements;

impl SqliteStore {
    /// Returns the reason why the capsule at `index` is contested; `None` when it is not.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn contested(&self, index: u64) -> Result<Option<Contest>, StoreError> {
        self.read(move |connection| contested(connection, index))
            .await
    }
}

/// As [`SqliteStore::contested`], on any connection. Cheap where nothing ever forked.
pub(crate) fn contested(
    connection: &Connection,
    index: u64,
) -> Result<Option<Contest>, StoreError> {
    if connection.has("SELECT 1 FROM abandoned WHERE idx = ?1", [index])? {
        return Ok(Some(Contest::Abandoned));
    }
    if !connection.get::<bool>(
        "SELECT EXISTS (SELECT 1 FROM fork) OR EXISTS (SELECT 1 FROM compromise)",
        [],
    )? {
        return Ok(None);
    }
    let state = rows::state(connection, index)?;
    let frozen = frozen_at(connection, &state.chain)?;
    if let Some(at) = frozen.filter(|at| *at <= state.version.seq) {
        return Ok(Some(Contest::Fork { at }));
    }
    let Some(header) = rows::header(connection, index)? else {
        return Ok(None);
    };
    let number = header.key_number();
    let from: Option<u64> = connection.get(
        "SELECT min(from_idx) FROM compromise WHERE agent = ?1 AND number = ?2",
        params![header.agent().to_string(), number],
    )?;
    if from.is_none_or(|from| from > index) {
        return Ok(None);
    }
    // A mark of a key chain is its owner's: who holds a stolen key cannot make one, since the recovery
    // key has signed it as well, and the fold checks that.
    if header.kind() == Kind::Record(RecordKind::KeyCompromise) {
        let keys = key_chain(connection, &header.agent())?;
        if keys.is_some_and(|keys| keys.records.iter().any(|record| record.index == index)) {
            return Ok(None);
        }
    }
    Ok(Some(Contest::Key { number }))
}
