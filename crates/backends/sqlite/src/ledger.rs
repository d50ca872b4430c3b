//! Writes capsules inside a transaction: the rows of the ground and of what is derived at once.

use std::borrow::Cow;

use counterfoil_capsule::keys::KeyHistory;
use counterfoil_capsule::{ChainId, Kind, Timestamp};
use counterfoil_store::append::{AppendTxn, NewCapsule, PackedTexts, Packer};
use counterfoil_store::{Head, StoreError, StoreLocation, StoredCapsule};
use counterfoil_types::json::{Limits, parse};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};
use rusqlite::{Connection, params};

use crate::derivation::{Record, Sealed, Sides};
use crate::derived::{ChainRow, Tables};
use crate::packed::{self, Packed};
use crate::records;
use crate::statement::Statements;
use crate::{forks, keys, rows};

/// The store inside of one transaction, for one append.
pub(crate) struct Rows<'c> {
    connection: &'c Connection,
    derived: Tables<'c>,
}

impl<'c> Rows<'c> {
    pub(crate) const fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            derived: Tables::new(connection),
        }
    }

    /// Writes the counts. Called when the append has succeeded.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        self.derived.finish()
    }

    fn insert_ground(&self, new: &NewCapsule<'_>) -> Result<(), StoreError> {
        let stored = new.stored;
        let (index, delta) = (stored.index, stored.delta.as_ref());
        let packed = match new.packed {
            Some(packed) => Cow::Borrowed(packed),
            None => Cow::Owned(pack(stored)),
        };
        let (packed_header, packed_content) = &*packed;
        let header = match packed_header {
            Some(_) => "",
            None => stored.header.canonical(),
        };
        self.connection.run(
            "INSERT INTO capsule (idx, header, signature, field_root, field_count, packed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                index,
                header,
                stored.signature,
                stored.entry.field_root.as_bytes(),
                stored.entry.field_count,
                packed_header,
            ],
        )?;
        let whole = stored.payload.as_ref().filter(|_| !new.follows);
        let whole = whole.map(|content| match stored.header.kind() {
            Kind::Claim => Packed::claim(&content.text, packed_content.as_deref()),
            _ => Packed::of_content(stored.header.seq(), &content.text),
        });
        self.connection.run(
            "INSERT INTO body (idx, payload, salt, delta, delta_salt) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                index,
                whole,
                stored.payload.as_ref().map(|content| content.salt),
                delta.map(|delta| Packed::small(&delta.text)),
                delta.map(|delta| delta.salt),
            ],
        )?;
        let hashes = params![index, concatenated(new.hashes)];
        self.connection
            .run("INSERT INTO log (idx, hashes) VALUES (?1, ?2)", hashes)?;
        match new.received {
            Some((source, at_us)) => self.connection.run(
                "INSERT INTO received (idx, source, at) VALUES (?1, ?2, ?3)",
                params![index, source, at_us],
            ),
            None => Ok(()),
        }
    }
}

impl AppendTxn for Rows<'_> {
    fn reserve(&mut self, world_id: &WorldId, index: u64) -> Result<Option<u64>, StoreError> {
        match self.derived.claim(world_id, index)? {
            true => Ok(None),
            false => rows::index_of(self.connection, world_id),
        }
    }

    fn capsule(&mut self, index: u64) -> Result<StoredCapsule, StoreError> {
        rows::capsule(self.connection, index)?.ok_or_else(|| {
            StoreError::corrupt(
                StoreLocation::entry("world", index),
                "a row points to no capsule",
            )
        })
    }

    fn head(&mut self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        rows::chain_head(self.connection, chain)
    }

    fn last_recorded(&mut self, agent: &DidKey) -> Result<Option<Timestamp>, StoreError> {
        rows::last_recorded(self.connection, agent)
    }

    fn current_key(&mut self, agent: &DidKey) -> Result<(u64, DidKey), StoreError> {
        rows::current_key(self.connection, agent)
    }

    fn key_history(&mut self, agent: &DidKey) -> Result<Option<KeyHistory>, StoreError> {
        Ok(keys::key_chain(self.connection, agent)?.map(|chain| chain.history))
    }

    fn forked_at(&mut self, chain: &ChainId) -> Result<Option<u64>, StoreError> {
        forks::frozen_at(self.connection, chain)
    }

    fn in_chain(
        &mut self,
        chain: &ChainId,
        seq: u64,
    ) -> Result<Option<(u64, Blake3Hash)>, StoreError> {
        let Some(index) = rows::in_chain(self.connection, chain, seq)? else {
            return Ok(None);
        };
        let standing = rows::state(self.connection, index)?;
        Ok(Some((index, standing.capsule)))
    }

    fn packer(&self) -> Packer {
        pack
    }

    fn insert(&mut self, new: &NewCapsule<'_>) -> Result<(), StoreError> {
        let stored = new.stored;
        let sealed = match new.received {
            Some(_) => Sealed::Remote,
            None => Sealed::Local,
        };
        let standing = ChainRow::of(stored.index, &stored.header, sealed);
        self.insert_ground(new)?;
        self.derived.insert(&standing)?;
        let (None, Some(content)) = (stored.entry.world(), &stored.payload) else {
            return Ok(());
        };
        let place = || StoreLocation::entry("body", stored.index);
        let document = parse(content.text.as_bytes(), Limits::CONTENT)
            .map_err(|error| StoreError::corrupt(place(), error))?;
        let record = Record {
            index: stored.index,
            header: &stored.header,
            sealed,
            document: &document,
        };
        records::derive(Sides::both(self.connection), record)
    }
}

/// The texts of a claim unit are kept in frames.
fn pack(capsule: &StoredCapsule) -> PackedTexts {
    let content = capsule.payload.as_ref().map(|body| body.text.as_str());
    match capsule.header.kind() {
        Kind::Claim => (
            packed::packed_claim(capsule.header.canonical()),
            content.and_then(packed::packed_claim),
        ),
        _ => (None, None),
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
