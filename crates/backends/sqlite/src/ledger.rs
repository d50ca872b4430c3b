//! Writes capsules inside a transaction: the rows of the ground and of what is derived at once.

use counterfoil_capsule::{ChainId, Timestamp};
use counterfoil_store::append::{Ledger, NewCapsule};
use counterfoil_store::{Head, Place, StoreError, StoredCapsule};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};
use rusqlite::{CachedStatement, Connection, params};

use crate::derived::Tables;
use crate::error::from_sqlite;
use crate::rows;

/// The store inside of one transaction, for one append.
pub(crate) struct Rows<'c> {
    connection: &'c Connection,
    ground: Ground<'c>,
    derived: Tables<'c>,
}

impl<'c> Rows<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Result<Self, StoreError> {
        let prepare = || -> rusqlite::Result<_> {
            Ok(Self {
                connection,
                ground: Ground::new(connection)?,
                derived: Tables::new(connection)?,
            })
        };
        prepare().map_err(from_sqlite)
    }

    /// Writes what was counted. To be called when the append has succeeded.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        self.derived.finish().map_err(from_sqlite)
    }
}

impl Ledger for Rows<'_> {
    fn claim(&mut self, world_id: &WorldId, index: u64) -> Result<Option<u64>, StoreError> {
        if self.derived.claim(world_id, index).map_err(from_sqlite)? {
            return Ok(None);
        }
        rows::index_of(self.connection, world_id)
    }

    fn capsule(&mut self, index: u64) -> Result<StoredCapsule, StoreError> {
        rows::capsule(self.connection, index)?.ok_or_else(|| {
            StoreError::corrupt(Place::entry("world", index), "a row points to no capsule")
        })
    }

    fn head(&mut self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        rows::chain_head(self.connection, chain)
    }

    fn last_recorded(&mut self, agent: &DidKey) -> Result<Option<Timestamp>, StoreError> {
        rows::last_recorded(self.connection, agent)
    }

    fn insert(&mut self, new: &NewCapsule<'_>) -> Result<(), StoreError> {
        self.ground
            .insert(new)
            .and_then(|()| self.derived.insert(new.index, &new.sealed.header))
            .map_err(from_sqlite)
    }
}

/// The statements that write the ground, looked up once for an append.
struct Ground<'c> {
    capsule: CachedStatement<'c>,
    body: CachedStatement<'c>,
    log: CachedStatement<'c>,
}

impl<'c> Ground<'c> {
    fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            capsule: connection.prepare_cached(
                "INSERT INTO capsule (idx, header, signature, field_root, field_count)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?,
            body: connection.prepare_cached(
                "INSERT INTO body (idx, payload, salt, delta, delta_salt)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?,
            log: connection.prepare_cached("INSERT INTO log (idx, hashes) VALUES (?1, ?2)")?,
        })
    }

    fn insert(&mut self, new: &NewCapsule<'_>) -> rusqlite::Result<()> {
        let (idx, sealed) = (new.index, new.sealed);
        self.capsule.execute(params![
            idx,
            sealed.header.canonical(),
            sealed.signature,
            sealed.entry.field_root().as_bytes(),
            sealed.entry.field_count(),
        ])?;
        self.body.execute(params![
            idx,
            sealed.payload,
            sealed.salt,
            new.delta.map(|delta| &delta.text),
            new.delta.map(|delta| delta.salt),
        ])?;
        self.log.execute(params![idx, concatenated(new.hashes)])?;
        Ok(())
    }
}

/// The row of `log`: the hashes of the subtrees that end at the leaf, lowest first.
pub(crate) fn concatenated(hashes: &[Sha256Hash]) -> Vec<u8> {
    let mut row = Vec::with_capacity(hashes.len() * 32);
    for hash in hashes {
        row.extend_from_slice(hash.as_bytes());
    }
    row
}
