//! Memories that rest on a contested capsule (capsules 4.5, 4.7; I7): shown as such, never deleted.

use counterfoil_capsule::{Kind, RecordKind};
use counterfoil_store::StoreError;
use rusqlite::{Connection, params};

use super::branches::frozen_at;
use crate::SqliteStore;
use crate::keys::key_chain;
use crate::rows;
use crate::statement::Statements;

/// Reason for not relying on an accepted capsule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContestReason {
    /// Its chain has an undecided fork at or before its own number.
    Forked {
        /// First number at which the branches differ.
        at: u64,
    },
    /// It is in a branch that a resolution abandoned.
    Abandoned,
    /// The key that signed it was in other hands by then.
    Compromised {
        /// The number of the key.
        key: u64,
    },
}

impl core::fmt::Display for ContestReason {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Forked { at } => write!(f, "contested: its chain forked at {at}"),
            Self::Abandoned => f.write_str("contested: in an abandoned branch of a forked chain"),
            Self::Compromised { key } => {
                write!(
                    f,
                    "contested: key {key} was in other hands when it was signed"
                )
            }
        }
    }
}

impl SqliteStore {
    /// Returns the reason why the capsule at `index` is contested; `None` when it is not.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn contested(&self, index: u64) -> Result<Option<ContestReason>, StoreError> {
        self.read(move |connection| contested(connection, index))
            .await
    }
}

/// As [`SqliteStore::contested`], on any connection. Cheap where nothing ever forked.
pub(crate) fn contested(
    connection: &Connection,
    index: u64,
) -> Result<Option<ContestReason>, StoreError> {
    if connection.has("SELECT 1 FROM abandoned WHERE idx = ?1", [index])? {
        return Ok(Some(ContestReason::Abandoned));
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
        return Ok(Some(ContestReason::Forked { at }));
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
    Ok(Some(ContestReason::Compromised { key: number }))
}
