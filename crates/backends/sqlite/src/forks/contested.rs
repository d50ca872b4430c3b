//! Which memories rest on a contested capsule (capsules 4.5, 4.7; I7): shown as such, never deleted.

use counterfoil_capsule::{ChainId, Header, Kind, RecordKind};
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::{Connection, params};

use super::branches::frozen_at;
use crate::SqliteStore;
use crate::error::at;
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
    /// When the store cannot be read.
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
    if is_abandoned(connection, index)? {
        return Ok(Some(ContestReason::Abandoned));
    }
    if !anything_is(connection)? {
        return Ok(None);
    }
    if let Some((chain, seq)) = place(connection, index)? {
        let frozen = frozen_at(connection, &chain)?.filter(|at| *at <= seq);
        if let Some(at) = frozen {
            return Ok(Some(ContestReason::Forked { at }));
        }
    }
    compromised(connection, index)
}

fn anything_is(connection: &Connection) -> Result<bool, StoreError> {
    connection.get(
        "SELECT EXISTS (SELECT 1 FROM fork) OR EXISTS (SELECT 1 FROM compromise)",
        [],
    )
}

fn is_abandoned(connection: &Connection, index: u64) -> Result<bool, StoreError> {
    connection
        .get(
            "SELECT EXISTS (SELECT 1 FROM abandoned WHERE idx = ?1)",
            [index],
        )
        .map_err(at(StoreLocation::table("abandoned")))
}

/// Chain and number of a capsule, or of the stub that is left of it.
fn place(connection: &Connection, index: u64) -> Result<Option<(ChainId, u64)>, StoreError> {
    let stub: Option<([u8; 16], u64)> = connection
        .find("SELECT chain, seq FROM stub WHERE idx = ?1", [index])
        .map_err(at(StoreLocation::entry("stub", index)))?;
    if let Some((chain, seq)) = stub {
        let chain = ChainId::from_bytes(chain);
        return Ok(chain.ok().map(|chain| (chain, seq)));
    }
    let header = rows::present_header(connection, index)?;
    Ok(Some((header.chain(), header.seq())))
}

fn compromised(connection: &Connection, index: u64) -> Result<Option<ContestReason>, StoreError> {
    let Ok(header) = rows::present_header(connection, index) else {
        return Ok(None);
    };
    let number = header.key_number();
    let from: Option<u64> = connection
        .get_with(
            "SELECT min(from_idx) FROM compromise WHERE agent = ?1 AND number = ?2",
            params![header.agent().to_string(), number],
            |row| row.get(0),
        )
        .map_err(at(StoreLocation::table("compromise")))?;
    let marked = from.is_some_and(|from| from <= index);
    if !marked || is_owners(connection, index, &header)? {
        return Ok(None);
    }
    Ok(Some(ContestReason::Compromised { key: number }))
}

/// Tests whether it is a mark of a key chain: who holds a stolen key cannot make one, since the recovery
/// key has signed it as well, and the fold checks that.
fn is_owners(connection: &Connection, index: u64, header: &Header) -> Result<bool, StoreError> {
    if header.kind() != Kind::Record(RecordKind::KeyCompromise) {
        return Ok(false);
    }
    let keys = key_chain(connection, &header.agent())?;
    Ok(keys.is_some_and(|keys| keys.records.iter().any(|record| record.index == index)))
}
