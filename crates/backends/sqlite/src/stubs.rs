//! Stubs: what stays of a capsule while a segment holds it, enough to check its chain (capsules 4.6, C9).

use std::fmt::Display;

use counterfoil_capsule::{ChainId, Header, Kind, Timestamp};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::{Blake3Hash, DidKey, WorldId};
use rusqlite::{Connection, params};

use crate::bodies;
use crate::error::at;
use crate::rows::id_text;
use crate::statement::Statements;

/// One row of `stub`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stub {
    pub(crate) index: u64,
    pub(crate) agent: DidKey,
    pub(crate) chain: ChainId,
    pub(crate) seq: u64,
    /// The hash of the capsule.
    pub(crate) hash: Blake3Hash,
    /// Hash of its predecessor and delta; `None` for a seed.
    pub(crate) mutation: Option<Blake3Hash>,
    pub(crate) timestamp: Timestamp,
    /// Of a record its kind.
    pub(crate) kind: Option<String>,
    pub(crate) world: Option<WorldId>,
    /// The log index of the receipt of its segment.
    pub(crate) receipt: u64,
}

impl Stub {
    /// The stub of a capsule that goes into the segment of `receipt`.
    pub(crate) fn of(index: u64, header: &Header, receipt: u64) -> Self {
        Self {
            index,
            agent: header.agent(),
            chain: header.chain(),
            seq: header.seq(),
            hash: header.hash(),
            mutation: header.mutation(),
            timestamp: header.timestamp(),
            kind: match header.kind() {
                Kind::Record(kind) => Some(kind.name().to_owned()),
                Kind::Claim => Some("claim".to_owned()),
                _ => None,
            },
            world: header.world().cloned(),
            receipt,
        }
    }

    /// Tests whether it is the stub of that header.
    pub(crate) fn is_of(&self, header: &Header) -> bool {
        *self == Self::of(self.index, header, self.receipt)
    }

    /// Puts it in the place of its capsule, which keeps its row.
    pub(crate) fn put(&self, connection: &Connection, header: &Header) -> Result<(), StoreError> {
        if !matches!(header.kind(), Kind::World | Kind::Claim | Kind::Record(_)) {
            return Err(StoreError::Bug("a stub of an unknown kind"));
        }
        connection.run(
            "INSERT INTO stub (idx, agent, chain, seq, hash, mutation, timestamp, world, receipt,
             kind)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            params![
                self.index,
                self.agent.to_string(),
                self.chain.as_bytes(),
                self.seq,
                self.hash.as_bytes(),
                self.mutation.as_ref().map(Blake3Hash::as_bytes),
                self.timestamp.micros(),
                self.world.as_ref().map(id_text),
                self.receipt,
                self.kind,
            ],
        )?;
        connection.run(
            "UPDATE capsule SET header = NULL, signature = NULL, field_root = NULL,
                 field_count = NULL WHERE idx = ?1",
            [self.index],
        )?;
        bodies::take_all(connection, self.index)
    }
}

/// Columns of a stub behind its index.
type StubRow = (
    String,
    [u8; 16],
    u64,
    [u8; 32],
    Option<[u8; 32]>,
    u64,
    Option<String>,
    u64,
    Option<String>,
);

/// The stub at `index`; `None` where the capsule itself is.
pub(crate) fn read(connection: &Connection, index: u64) -> Result<Option<Stub>, StoreError> {
    let place = || StoreLocation::entry("stub", index);
    let sql = "SELECT agent, chain, seq, hash, mutation, timestamp, world, receipt, kind FROM stub
         WHERE idx = ?1";
    let row: Option<StubRow> = connection
        .find_with(sql, [index], |row| row.try_into())
        .map_err(at(place()))?;
    let Some((agent, chain, seq, hash, mutation, timestamp, world, receipt, kind)) = row else {
        return Ok(None);
    };
    let damaged = |error: &dyn Display| StoreError::corrupt(place(), error);
    Ok(Some(Stub {
        index,
        agent: agent.parse().map_err(|error| damaged(&error))?,
        chain: ChainId::from_bytes(chain).map_err(|error| damaged(&error))?,
        seq,
        hash: Blake3Hash::from_bytes(hash),
        mutation: mutation.map(Blake3Hash::from_bytes),
        timestamp: Timestamp::from_micros(timestamp).map_err(|error| damaged(&error))?,
        kind,
        world: world
            .map(WorldId::new)
            .transpose()
            .map_err(|error| damaged(&error))?,
        receipt,
    }))
}

/// The error for reading a capsule of which only the stub is here.
///
/// # Errors
/// When the tables cannot be read.
pub(crate) fn archived(connection: &Connection, stub: &Stub) -> Result<StoreError, StoreError> {
    let segment: Option<String> =
        connection.find("SELECT name FROM receipt WHERE idx = ?1", [stub.receipt])?;
    Ok(StoreError::Archived {
        index: stub.index,
        receipt: stub.receipt,
        // A derived table may be damaged; the error is still the right one.
        segment: segment.unwrap_or_else(|| "a segment".to_owned()),
    })
}
