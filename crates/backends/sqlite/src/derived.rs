//! Derived state: what one capsule adds to it, and the digest that says that two are the same.

use std::collections::BTreeMap;

use counterfoil_capsule::{ChainId, Header};
use counterfoil_store::StoreError;
use counterfoil_store::log::Frontier;
use counterfoil_types::{DidKey, Sha256Hash, WorldId};
use counterfoil_verifier::merkle;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};

use crate::error::from_sqlite;
use crate::rows::id_text;
use crate::text;

/// What the derived tables keep of one capsule.
pub(crate) struct Facts {
    index: u64,
    world: String,
    agent: DidKey,
    chain: ChainId,
    seq: u64,
    recorded_us: u64,
}

impl Facts {
    pub(crate) fn of(index: u64, world_id: &WorldId, header: &Header) -> Self {
        Self {
            index,
            world: id_text(world_id),
            agent: header.agent(),
            chain: header.chain(),
            seq: header.seq(),
            recorded_us: header.timestamp().micros(),
        }
    }
}

/// Adds one capsule, in log order, to all tables but that of the agents.
pub(crate) fn insert(connection: &Connection, facts: &Facts) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO world (idx, id) VALUES (?1, ?2)")?
        .execute(params![facts.index, facts.world])?;
    connection
        .prepare_cached("INSERT INTO chain (chain, seq, idx) VALUES (?1, ?2, ?3)")?
        .execute(params![facts.chain.as_bytes(), facts.seq, facts.index])?;
    Ok(())
}

/// What the table of agents gains by some capsules: kept in memory and written once.
#[derive(Debug, Default)]
pub(crate) struct Agents(BTreeMap<DidKey, (u64, u64)>);

impl Agents {
    /// Counts one capsule, in log order.
    pub(crate) fn count(&mut self, facts: &Facts) {
        let (capsules, recorded_us) = self.0.entry(facts.agent).or_default();
        *capsules += 1;
        *recorded_us = facts.recorded_us;
    }

    /// Adds what was counted to the table.
    pub(crate) fn write(self, connection: &Connection) -> rusqlite::Result<()> {
        for (agent, (capsules, recorded_us)) in self.0 {
            connection
                .prepare_cached(
                    "INSERT INTO agent (did, capsules, recorded_at) VALUES (?1, ?2, ?3)
                     ON CONFLICT (did) DO UPDATE SET
                     capsules = capsules + excluded.capsules, recorded_at = excluded.recorded_at",
                )?
                .execute(params![agent.to_string(), capsules, recorded_us])?;
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
