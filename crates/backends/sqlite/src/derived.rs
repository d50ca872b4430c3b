//! Derived state: the rows that one capsule adds, and a digest over all of it.

use std::collections::BTreeMap;

use counterfoil_capsule::{ChainId, Header, Timestamp};
use counterfoil_store::StoreError;
use counterfoil_store::log::Frontier;
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};
use counterfoil_verifier::merkle;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};

use crate::derivation::Sealed;
use crate::did_text::did_text;
use crate::error::from_sqlite;
use crate::rows::{self, id_text};
use crate::statement::Statements;
use crate::text;

/// Writes the tables of Worlds, chains and agents, in log order, inside of one transaction.
pub(crate) struct Tables<'c> {
    connection: &'c Connection,
    /// New rows of the table of agents: kept in memory and written once.
    agents: BTreeMap<DidKey, AgentGains>,
}

/// Place of a capsule that is here or in an archive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChainRow {
    pub(crate) index: u64,
    pub(crate) agent: DidKey,
    pub(crate) chain: ChainId,
    pub(crate) seq: u64,
    pub(crate) hash: Blake3Hash,
    pub(crate) timestamp: Timestamp,
    pub(crate) sealed: Sealed,
}

impl ChainRow {
    pub(crate) fn of(index: u64, header: &Header, sealed: Sealed) -> Self {
        Self {
            index,
            agent: header.agent(),
            chain: header.chain(),
            seq: header.seq(),
            hash: header.hash(),
            timestamp: header.timestamp(),
            sealed,
        }
    }
}

/// Capsules of an agent since its row was written.
#[derive(Debug, Default)]
struct AgentGains {
    capsules: u64,
    recorded_us: u64,
    /// True if one of them was sealed here: its time then holds, even if it is lower (C39).
    stamped_here: bool,
}

impl<'c> Tables<'c> {
    pub(crate) const fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            agents: BTreeMap::new(),
        }
    }

    /// Reserves `index` for the World; `false` when the World has an index.
    pub(crate) fn claim(&self, world_id: &WorldId, index: u64) -> Result<bool, StoreError> {
        let sql = "INSERT INTO world (idx, id) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING";
        let rows = self
            .connection
            .change(sql, params![index, id_text(world_id)])?;
        Ok(rows == 1)
    }

    /// Adds a capsule whose World, if it has one, was claimed.
    pub(crate) fn insert(&mut self, row: &ChainRow) -> Result<(), StoreError> {
        let gained = self.agents.entry(row.agent).or_default();
        gained.capsules += 1;
        let micros = row.timestamp.micros();
        match row.sealed {
            Sealed::Local => {
                gained.recorded_us = micros;
                gained.stamped_here = true;
            }
            Sealed::Remote => gained.recorded_us = gained.recorded_us.max(micros),
        }
        let sealed = params![tag(row.hash), row.index];
        self.connection
            .run("INSERT INTO sealed (tag, idx) VALUES (?1, ?2)", sealed)?;
        self.connection.run(
            "INSERT INTO chain (chain, seq, idx) VALUES (?1, ?2, ?3)",
            params![row.chain.as_bytes(), row.seq, row.index],
        )
    }

    /// Adds the counts to the table of agents.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        for (agent, gained) in self.agents {
            self.connection.run(
                "INSERT INTO agent (did, capsules, recorded_at) VALUES (?1, ?2, ?3)
                 ON CONFLICT (did) DO UPDATE SET
                 capsules = capsules + excluded.capsules,
                 recorded_at = iif(?4, excluded.recorded_at,
                                   max(recorded_at, excluded.recorded_at))",
                params![
                    did_text(&agent),
                    gained.capsules,
                    gained.recorded_us,
                    gained.stamped_here
                ],
            )?;
        }
        Ok(())
    }
}

/// Under what a capsule is found by its hash: who finds it compares the hash itself.
pub(crate) fn tag(hash: Blake3Hash) -> i64 {
    let first = hash.as_bytes().first_chunk();
    first.copied().map_or(0, i64::from_be_bytes)
}

/// Finds every capsule by its hash, in a store of a version that did not.
pub(crate) fn seal_all(connection: &mut Connection) -> Result<(), StoreError> {
    if !connection.get(
        "SELECT EXISTS (SELECT 1 FROM chain) AND NOT EXISTS (SELECT 1 FROM sealed)",
        [],
    )? {
        return Ok(());
    }
    let transaction = connection.transaction().map_err(from_sqlite)?;
    let size: u64 = transaction.get("SELECT coalesce(max(idx) + 1, 0) FROM capsule", [])?;
    for index in 0..size {
        let hash = rows::state(&transaction, index)?.capsule;
        transaction.change(
            "INSERT INTO sealed (tag, idx) VALUES (?1, ?2)",
            params![tag(hash), index],
        )?;
    }
    transaction.commit().map_err(from_sqlite)
}

/// The tables of this module, each in the order of its key. `text` adds its own.
const ROWS: [&str; 19] = [
    "SELECT idx, id FROM world ORDER BY idx",
    "SELECT chain, seq, idx FROM chain ORDER BY chain, seq",
    "SELECT did, capsules, recorded_at FROM agent ORDER BY did",
    "SELECT agent, number, public_key, idx FROM key ORDER BY agent, number",
    "SELECT agent, number, from_idx, idx FROM compromise ORDER BY agent, number, idx",
    "SELECT idx, record FROM redacted ORDER BY idx",
    "SELECT world, actor, record FROM forgotten ORDER BY world, actor",
    "SELECT chain, seq, keep, record FROM resolution ORDER BY chain, seq",
    "SELECT idx, name, manifest, count, first, last FROM receipt ORDER BY idx",
    "SELECT tag, idx FROM sealed ORDER BY tag, idx",
    "SELECT hash, chain, idx FROM abandoned ORDER BY hash",
    "SELECT id, did, latest FROM claim_agent ORDER BY id",
    "SELECT agent, subject, predicate, line, units, last, earliest, latest, registered,
     registered_number, one, many, tag, rivalry, present, levels FROM claim_line
     ORDER BY agent, subject, predicate",
    "SELECT line, idx, agent, number, stamp, kind, class, force, tag, start, until,
     registered, changed, own_start, own_until FROM claim_unit ORDER BY line, idx",
    "SELECT tag, idx FROM claim_named ORDER BY tag, idx",
    "SELECT line, node, start, idx FROM claim_start ORDER BY line, node, start, idx",
    "SELECT line, node, until, idx FROM claim_until ORDER BY line, node, until, idx",
    "SELECT agent, tag, idx FROM claim_key ORDER BY agent, tag, idx",
    "SELECT agent, idx FROM claim_pending ORDER BY agent, idx",
];

/// A digest over everything derived, equal for any two ways of deriving it from the same ground.
///
/// # Errors
/// When a table cannot be read.
pub(crate) fn digest(connection: &Connection) -> Result<Sha256Hash, StoreError> {
    let mut digest = Digest::default();
    let read = |digest: &mut Digest| -> rusqlite::Result<()> {
        for sql in ROWS.into_iter().chain(text::ROWS) {
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
        Ok(())
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
