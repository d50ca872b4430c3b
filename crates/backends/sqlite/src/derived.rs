//! A digest over all tables of the index.

use counterfoil_store::StoreError;
use counterfoil_store::log::Frontier;
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::merkle;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::error::from_sqlite;
use crate::text;

/// The tables of this module, each in the order of its key. `text` adds its own.
const ROWS: [&str; 21] = [
    "SELECT idx, id FROM world ORDER BY idx",
    "SELECT chain, seq, idx, tag FROM chain ORDER BY chain, seq",
    "SELECT id, idx FROM version_id ORDER BY id, idx",
    "SELECT did, capsules, recorded_at, observed, sealed, last, worlds FROM agent ORDER BY did",
    "SELECT agent, number, public_key, idx FROM key ORDER BY agent, number",
    "SELECT agent, number, from_idx, idx FROM compromise ORDER BY agent, number, idx",
    "SELECT idx, record FROM redacted ORDER BY idx",
    "SELECT world, actor, record FROM forgotten ORDER BY world, actor",
    "SELECT chain, seq, keep, record FROM resolution ORDER BY chain, seq",
    "SELECT idx, name, manifest, count, first, last FROM receipt ORDER BY idx",
    "SELECT hash, chain, idx FROM abandoned ORDER BY hash",
    "SELECT id, did, latest, checked FROM claim_agent ORDER BY id",
    "SELECT agent, subject, predicate, scope, line, units, last, newest, earliest, latest, registered,
     registered_number, one, many, tag, rivalry, present, levels, checked FROM claim_line
     ORDER BY agent, subject, predicate, scope",
    "SELECT line, idx, gap, number, stamp, class, force, tag, start, until, registered, changed,
     own_start, own_until, checked FROM claim_unit ORDER BY line, idx",
    "SELECT list, a, b, c, d, next FROM claim_entry ORDER BY list, a, b, c, d",
    "SELECT idx, agent, observed FROM correction ORDER BY idx",
    "SELECT idx FROM trust ORDER BY idx",
    "SELECT hash, idx FROM trust_document ORDER BY hash",
    "SELECT name, rows FROM index_rows ORDER BY name",
    "SELECT place, node FROM map_node ORDER BY place",
    "SELECT key, value FROM map_row ORDER BY key",
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
