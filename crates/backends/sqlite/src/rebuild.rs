//! Throws derived state away and makes it again from the capsules.

use counterfoil_capsule::{Kind, World};
use counterfoil_store::claims::unit_in;
use counterfoil_store::{StoreError, StoreLocation, StoredCapsule};
use counterfoil_types::json::{Limits, parse};
use counterfoil_types::{Sha256Hash, WorldId};
use rusqlite::{Connection, Transaction};

use crate::claims;
use crate::derivation::{Record, Sealed, Sides};
use crate::derived::{self, ChainRow, Tables};
use crate::error::from_sqlite;
use crate::records;
use crate::rows::Scan;
use crate::schema;
use crate::statement::Statements;
use crate::stubs;
use crate::text::{IndexedWorld, Succession, TextBatch};

/// Number of Worlds that are indexed at once.
const CHUNK: u64 = 512;

/// Makes all derived tables again, in one transaction; returns as [`SqliteStore::rebuild`](crate::SqliteStore::rebuild).
pub(crate) fn rebuild(
    connection: &mut Connection,
) -> Result<(u64, Option<Sha256Hash>, Sha256Hash), StoreError> {
    let transaction = connection.begin()?;
    let before = derived::digest(&transaction).ok();
    let worlds = again(&transaction)?;
    let after = derived::digest(&transaction)?;
    transaction.commit().map_err(from_sqlite)?;
    Ok((worlds, before, after))
}

/// Makes all derived tables again, inside of a transaction that has changed what they are made
/// from. Nothing of the old tables is left in the new ones. How many capsules they cover.
pub(crate) fn again(transaction: &Transaction<'_>) -> Result<u64, StoreError> {
    // The head may lag: it moves when the transaction ends.
    let size = transaction.get("SELECT coalesce(max(idx) + 1, 0) FROM capsule", [])?;
    transaction.flush_prepared_statement_cache();
    for table in schema::derived_tables(transaction)? {
        let quoted = table.replace('"', "\"\"");
        transaction
            .execute_batch(&format!("DROP TABLE IF EXISTS \"{quoted}\""))
            .map_err(from_sqlite)?;
    }
    transaction
        .execute_batch(&schema::derived_sql())
        .map_err(from_sqlite)?;
    derive(transaction, transaction, size)?;
    Ok(size)
}

/// Derives from the ground behind `from` into the empty derived tables behind `into`.
pub(crate) fn derive(
    from: &Connection,
    into: &Transaction<'_>,
    size: u64,
) -> Result<(), StoreError> {
    let mut start = 0;
    let mut tables = Tables::new(into);
    let mut scan = Scan::default();
    let sides = Sides {
        ground: from,
        derived: into,
    };
    while start < size {
        let end = size.min(start + CHUNK);
        let mut text = TextBatch::default();
        for index in start..end {
            if let Some(stub) = stubs::read(from, index)? {
                claim(&tables, stub.world.as_ref(), index)?;
                tables.insert(&ChainRow {
                    index,
                    agent: stub.agent,
                    chain: stub.chain,
                    seq: stub.seq,
                    hash: stub.hash,
                    timestamp: stub.timestamp,
                    sealed: sealed(from, index)?,
                })?;
                continue;
            }
            let stored = scan.capsule(from, index)?.ok_or_else(|| {
                StoreError::corrupt(
                    StoreLocation::entry("capsule", index),
                    "there is no capsule",
                )
            })?;
            let world = add(sides, &mut tables, &stored)?;
            let Some(world) = world else { continue };
            let follows = stored.header.previous().map(|_| Succession {
                chain: stored.header.chain(),
                delta: stored.delta.map(|delta| delta.text),
            });
            let world = IndexedWorld {
                index,
                world: &world,
                follows,
            };
            text.add(into, &world)?;
        }
        text.write(into)?;
        start = end;
    }
    tables.finish()
}

/// Adds one capsule to the tables but those of full text, and returns its World for these: `None`
/// for a record, and once the content is erased.
fn add(
    sides: Sides<'_>,
    tables: &mut Tables<'_>,
    stored: &StoredCapsule,
) -> Result<Option<World>, StoreError> {
    let damaged = |detail: &dyn std::fmt::Display| {
        StoreError::corrupt(StoreLocation::entry("body", stored.index), detail)
    };
    let (index, header) = (stored.index, &stored.header);
    claim(tables, stored.entry.world(), index)?;
    let sealed = sealed(sides.ground, index)?;
    tables.insert(&ChainRow::of(index, header, sealed))?;
    let Some(payload) = &stored.payload else {
        if header.kind() == Kind::Claim {
            claims::derive_erased(sides, index)?;
        }
        return Ok(None);
    };
    if let Some(unit) = unit_in(stored) {
        claims::derive(sides, &unit)?;
    }
    if stored.entry.world().is_some() {
        return World::from_json(payload.text.as_bytes())
            .map(Some)
            .map_err(|error| damaged(&error));
    }
    let document =
        parse(payload.text.as_bytes(), Limits::CONTENT).map_err(|error| damaged(&error))?;
    let record = Record {
        index,
        header,
        sealed,
        document: &document,
    };
    records::derive(sides, record).map(|()| None)
}

fn claim(tables: &Tables<'_>, world_id: Option<&WorldId>, index: u64) -> Result<(), StoreError> {
    if let Some(world_id) = world_id
        && !tables.claim(world_id, index)?
    {
        return Err(StoreError::corrupt(
            StoreLocation::entry("capsule", index),
            "the WorldId stands in the log twice",
        ));
    }
    Ok(())
}

/// Returns the origin of an entry.
fn sealed(ground: &Connection, index: u64) -> Result<Sealed, StoreError> {
    let received = ground.has("SELECT 1 FROM received WHERE idx = ?1", [index])?;
    Ok(match received {
        true => Sealed::Remote,
        false => Sealed::Local,
    })
}
