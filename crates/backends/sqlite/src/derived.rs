//! Derived state: what one capsule adds to it, and the digest that says that two are the same.

use std::collections::BTreeMap;

use counterfoil_capsule::Header;
use counterfoil_store::StoreError;
use counterfoil_store::log::Frontier;
use counterfoil_types::{DidKey, Sha256Hash, WorldId};
use counterfoil_verifier::merkle;
use rusqlite::types::ValueRef;
use rusqlite::{CachedStatement, Connection, params};

use crate::error::from_sqlite;
use crate::rows::id_text;
use crate::text;

/// Writes the tables of Worlds, chains and agents, in log order, inside of one transaction.
pub(crate) struct Tables<'c> {
    connection: &'c Connection,
    worlds: CachedStatement<'c>,
    chains: CachedStatement<'c>,
    /// What the table of agents gains: kept in memory and written once.
    agents: BTreeMap<DidKey, (u64, u64)>,
}

impl<'c> Tables<'c> {
    pub(crate) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            connection,
            worlds: connection.prepare_cached(
                "INSERT INTO world (idx, id) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING",
            )?,
            chains: connection
                .prepare_cached("INSERT INTO chain (chain, seq, idx) VALUES (?1, ?2, ?3)")?,
            agents: BTreeMap::new(),
        })
    }

    /// Whether the World got `index`: it does not when it has one.
    pub(crate) fn claim(&mut self, world_id: &WorldId, index: u64) -> rusqlite::Result<bool> {
        let rows = self.worlds.execute(params![index, id_text(world_id)])?;
        Ok(rows == 1)
    }

    /// Adds the capsule of a World that was claimed.
    pub(crate) fn insert(&mut self, index: u64, header: &Header) -> rusqlite::Result<()> {
        let (capsules, recorded_us) = self.agents.entry(header.agent()).or_default();
        *capsules += 1;
        *recorded_us = header.timestamp().micros();
        self.chains
            .execute(params![header.chain().as_bytes(), header.seq(), index])
            .map(drop)
    }

    /// Adds what was counted to the table of agents.
    pub(crate) fn finish(self) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO agent (did, capsules, recorded_at) VALUES (?1, ?2, ?3)
             ON CONFLICT (did) DO UPDATE SET
             capsules = capsules + excluded.capsules, recorded_at = excluded.recorded_at",
        )?;
        for (agent, (capsules, recorded_us)) in self.agents {
            statement.execute(params![agent.to_string(), capsules, recorded_us])?;
        }
        Ok(())
    }
}

/// The tables of this module, each in the order of its key. `text` adds its own.
pub(crate) const ROWS: [(&str, &str); 3] = [
    ("world", "SELECT idx, id FROM world ORDER BY idx"),
    (
        "chain",
        "SELECT chain, seq, idx FROM chain ORDER BY chain, seq",
    ),
    (
        "agent",
        "SELECT did, capsules, recorded_at FROM agent ORDER BY did",
    ),
];

/// A digest over everything derived, equal for any two ways of deriving it from the same ground.
///
/// # Errors
/// When a table cannot be read.
pub(crate) fn digest(connection: &Connection) -> Result<Sha256Hash, StoreError> {
    let mut digest = Digest::default();
    let read = |digest: &mut Digest| -> rusqlite::Result<()> {
        for (_, sql) in ROWS {
            let mut statement = connection.prepare(sql)?;
            let columns = statement.column_count();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                for column in 0..columns {
                    digest.value(row.get_ref(column)?);
                }
            }
            digest.update(b"end");
        }
        text::digest(connection, &mut |bytes| digest.update(bytes))
    };
    read(&mut digest).map_err(from_sqlite)?;
    Ok(digest.finish())
}

/// A Merkle root over chunks of a stream: the hash function of the log serves here as well.
#[derive(Default)]
struct Digest {
    chunk: Vec<u8>,
    frontier: Frontier,
}

impl Digest {
    const CHUNK_BYTES: usize = 1 << 16;

    fn update(&mut self, bytes: &[u8]) {
        self.chunk.extend_from_slice(bytes);
        while self.chunk.len() >= Self::CHUNK_BYTES {
            let rest = self.chunk.split_off(Self::CHUNK_BYTES);
            self.frontier.append(merkle::leaf_hash(&self.chunk));
            self.chunk = rest;
        }
    }

    fn value(&mut self, value: ValueRef<'_>) {
        let (tag, bytes): (u8, &[u8]) = match value {
            ValueRef::Null => (b'n', &[]),
            ValueRef::Integer(number) => return self.number(number),
            ValueRef::Real(number) => return self.number(i64::from_be_bytes(number.to_be_bytes())),
            ValueRef::Text(bytes) => (b't', bytes),
            ValueRef::Blob(bytes) => (b'b', bytes),
        };
        self.update(&[tag]);
        self.update(&u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
        self.update(bytes);
    }

    fn number(&mut self, number: i64) {
        self.update(b"i");
        self.update(&number.to_be_bytes());
    }

    fn finish(mut self) -> Sha256Hash {
        self.frontier.append(merkle::leaf_hash(&self.chunk));
        self.frontier.root()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_depends_on_the_bytes_and_not_on_their_pieces() {
        let bytes: Vec<u8> = (0..200_000_u32).flat_map(u32::to_be_bytes).collect();
        let mut whole = Digest::default();
        whole.update(&bytes);
        let mut pieces = Digest::default();
        bytes.chunks(777).for_each(|piece| pieces.update(piece));
        assert_eq!(whole.finish(), pieces.finish());
    }
}
