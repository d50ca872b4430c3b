//! Writes capsules inside a transaction: the rows of the ground and of what is derived at once.

use counterfoil_capsule::{ChainId, Timestamp};
use counterfoil_store::append::{Ledger, NewCapsule};
use counterfoil_store::{Head, Place, StoreError, StoredCapsule};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};
use rusqlite::{Connection, params};

use crate::derived::{self, Agents, Facts};
use crate::error::from_sqlite;
use crate::rows;

/// The store inside of one transaction, for one append.
pub(crate) struct Rows<'c> {
    connection: &'c Connection,
    agents: Agents,
}

impl<'c> Rows<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            agents: Agents::default(),
        }
    }

    /// Writes what was counted. To be called when the append has succeeded.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        self.agents.write(self.connection).map_err(from_sqlite)
    }
}

impl Ledger for Rows<'_> {
    fn index_of(&mut self, world_id: &WorldId) -> Result<Option<u64>, StoreError> {
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
        insert_ground(self.connection, new)?;
        let facts = Facts::of(new.index, new.world.world_id(), &new.sealed.header);
        self.agents.count(&facts);
        derived::insert(self.connection, &facts).map_err(from_sqlite)
    }
}

fn insert_ground(connection: &Connection, new: &NewCapsule<'_>) -> Result<(), StoreError> {
    let (idx, sealed) = (new.index, new.sealed);
    let insert = || -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "INSERT INTO capsule (idx, header, signature, field_root, field_count)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                idx,
                sealed.header.canonical(),
                sealed.signature,
                sealed.entry.field_root().as_bytes(),
                sealed.entry.field_count(),
            ])?;
        connection
            .prepare_cached(
                "INSERT INTO body (idx, payload, salt, delta, delta_salt)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                idx,
                sealed.payload,
                sealed.salt,
                new.delta.map(|delta| &delta.text),
                new.delta.map(|delta| delta.salt),
            ])?;
        connection
            .prepare_cached("INSERT INTO log (idx, hashes) VALUES (?1, ?2)")?
            .execute(params![idx, concatenated(new.hashes)])?;
        Ok(())
    };
    insert().map_err(from_sqlite)
}

/// The row of `log`: the hashes of the subtrees that end at the leaf, lowest first.
pub(crate) fn concatenated(hashes: &[Sha256Hash]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| *hash.as_bytes()).collect()
}
