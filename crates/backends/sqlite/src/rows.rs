//! Reads the ground: capsules, tree nodes and the head, on any connection or transaction.

use std::borrow::Cow;

use counterfoil_capsule::{ChainId, Header, LogEntry, Timestamp};
use counterfoil_store::log::{EntryReader, NodeReader, NodeRow};
use counterfoil_store::{Body, Head, Place, StoreError, StoredCapsule};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::{at, from_sqlite};

/// The only row that changes: how long the log is, and the checkpoint signed at that size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogHead {
    pub(crate) size: u64,
    pub(crate) checkpoint: String,
}

/// The head of the log.
pub(crate) fn log_head(connection: &Connection) -> Result<LogHead, StoreError> {
    connection
        .prepare_cached("SELECT size, checkpoint FROM head WHERE id = 0")
        .and_then(|mut statement| {
            statement.query_row([], |row| {
                Ok(LogHead {
                    size: row.get(0)?,
                    checkpoint: row.get(1)?,
                })
            })
        })
        .map_err(at(Place::table("head")))
}

/// The verifier key that the log was made with.
pub(crate) fn origin(connection: &Connection) -> Result<String, StoreError> {
    connection
        .query_row("SELECT verifier_key FROM origin WHERE id = 0", [], |row| {
            row.get(0)
        })
        .map_err(at(Place::table("origin")))
}

/// The log index of a World.
pub(crate) fn index_of(
    connection: &Connection,
    world_id: &WorldId,
) -> Result<Option<u64>, StoreError> {
    connection
        .prepare_cached("SELECT idx FROM world WHERE id = ?1")
        .and_then(|mut statement| {
            statement
                .query_row([id_text(world_id)], |row| row.get(0))
                .optional()
        })
        .map_err(at(Place::table("world")))
}

/// The World at a log index.
pub(crate) fn world_at(connection: &Connection, index: u64) -> Result<WorldId, StoreError> {
    let place = || Place::entry("world", index);
    let id: String = connection
        .prepare_cached("SELECT id FROM world WHERE idx = ?1")
        .and_then(|mut statement| statement.query_row([index], |row| row.get(0)))
        .map_err(at(place()))?;
    WorldId::new(id).map_err(|error| StoreError::corrupt(place(), error))
}

/// The World that was appended last; `None` while there is none.
pub(crate) fn latest_world(connection: &Connection) -> Result<Option<WorldId>, StoreError> {
    let last: Option<u64> = connection
        .prepare_cached("SELECT max(idx) FROM world")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(at(Place::table("world")))?;
    last.map(|last| world_at(connection, last)).transpose()
}

/// A WorldId as the text that it was made from.
pub(crate) fn id_text(world_id: &WorldId) -> Cow<'_, str> {
    String::from_utf8_lossy(world_id.opaque_bytes())
}

/// The columns that [`stored_capsule`] reads, in its order.
pub(crate) const CAPSULE_COLUMNS: &str =
    "capsule.idx, header, signature, field_root, field_count, payload, salt, delta, delta_salt";

/// The capsule at `index`; `None` when there is none.
pub(crate) fn capsule(
    connection: &Connection,
    index: u64,
) -> Result<Option<StoredCapsule>, StoreError> {
    let sql = format!(
        "SELECT {CAPSULE_COLUMNS} FROM capsule LEFT JOIN body USING (idx) WHERE capsule.idx = ?1"
    );
    let mut statement = connection.prepare_cached(&sql).map_err(from_sqlite)?;
    let mut rows = statement.query([index]).map_err(from_sqlite)?;
    let row = rows.next().map_err(at(Place::entry("capsule", index)))?;
    row.map(|row| stored_capsule(index, row)).transpose()
}

/// A row of [`CAPSULE_COLUMNS`] as a capsule. The header is parsed strictly; nothing is verified.
pub(crate) fn stored_capsule(index: u64, row: &Row<'_>) -> Result<StoredCapsule, StoreError> {
    let place = || Place::entry("capsule", index);
    let bytes = row
        .get_ref(1)
        .and_then(|value| Ok(value.as_bytes()?))
        .map_err(at(place()))?;
    let header = Header::parse(bytes).map_err(|error| StoreError::corrupt(place(), error))?;
    let signature = row.get(2).map_err(at(place()))?;
    let field_root = row
        .get(3)
        .map(Sha256Hash::from_bytes)
        .map_err(at(place()))?;
    let field_count = row.get(4).map_err(at(place()))?;
    let entry = LogEntry::of(&header, field_root, field_count)
        .map_err(|error| StoreError::corrupt(place(), error))?;
    let payload = body(row, 5).map_err(at(Place::entry("body", index)))?;
    let delta = body(row, 7).map_err(at(Place::entry("body", index)))?;
    Ok(StoredCapsule {
        index,
        key: header.agent(),
        header,
        entry,
        signature,
        payload,
        delta,
    })
}

/// A body and its salt, in the columns `first` and `first + 1`.
fn body(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Body>> {
    let (text, salt) = (row.get::<_, Option<String>>(first)?, row.get(first + 1)?);
    Ok(text.zip(salt).map(|(text, salt)| Body { text, salt }))
}

/// The last capsule of a chain.
pub(crate) fn chain_head(
    connection: &Connection,
    chain: &ChainId,
) -> Result<Option<Head>, StoreError> {
    let index: Option<u64> = connection
        .prepare_cached("SELECT idx FROM chain WHERE chain = ?1 ORDER BY seq DESC LIMIT 1")
        .and_then(|mut statement| {
            statement
                .query_row([chain.as_bytes()], |row| row.get(0))
                .optional()
        })
        .map_err(at(Place::table("chain")))?;
    let Some(index) = index else {
        return Ok(None);
    };
    let damaged = || StoreError::corrupt(Place::table("chain"), "a row points to no capsule");
    let header = capsule(connection, index)?.ok_or_else(damaged)?.header;
    if header.chain() != *chain {
        return Err(damaged());
    }
    Ok(Some(Head {
        agent: header.agent(),
        seq: header.seq(),
        capsule: header.hash(),
        index,
    }))
}

/// The time of an agent's last record.
pub(crate) fn last_recorded(
    connection: &Connection,
    agent: &DidKey,
) -> Result<Option<Timestamp>, StoreError> {
    let micros: Option<u64> = connection
        .prepare_cached("SELECT recorded_at FROM agent WHERE did = ?1")
        .and_then(|mut statement| {
            statement
                .query_row([agent.to_string()], |row| row.get(0))
                .optional()
        })
        .map_err(at(Place::table("agent")))?;
    micros
        .map(Timestamp::from_micros)
        .transpose()
        .map_err(|error| StoreError::corrupt(Place::table("agent"), error))
}

/// The tree and the entries of the log.
pub(crate) struct LogRows<'c>(pub(crate) &'c Connection);

impl NodeReader for LogRows<'_> {
    fn node(&self, level: u32, index: u64) -> Result<Sha256Hash, StoreError> {
        let row = NodeRow::of(level, index).ok_or(StoreError::Bug("a node beyond 2^63"))?;
        let place = || Place::entry("log", row.leaf);
        let mut statement = self
            .0
            .prepare_cached("SELECT substr(hashes, ?2, 32) FROM log WHERE idx = ?1")
            .map_err(from_sqlite)?;
        statement
            .query_row(params![row.leaf, row.position * 32 + 1], |row| row.get(0))
            .map(Sha256Hash::from_bytes)
            .map_err(at(place()))
    }
}

impl EntryReader for LogRows<'_> {
    fn entry(&self, index: u64) -> Result<String, StoreError> {
        let stored = capsule(self.0, index)?.ok_or_else(|| {
            StoreError::corrupt(Place::entry("capsule", index), "there is no capsule")
        })?;
        Ok(stored.entry.to_text())
    }
}
