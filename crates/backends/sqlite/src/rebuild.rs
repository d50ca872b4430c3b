//! Throws derived state away and makes it again from the capsules.

use counterfoil_capsule::World;
use counterfoil_store::{Place, StoreError, StoredCapsule};
use counterfoil_types::Sha256Hash;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::derived::{self, Tables};
use crate::error::from_sqlite;
use crate::{rows, schema, text};

/// How many Worlds are indexed at once.
const CHUNK: u64 = 512;

/// What a rebuild made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// How many Worlds the derived state covers.
    pub worlds: u64,
    /// The digest of the derived state before, where it could be read at all.
    pub before: Option<Sha256Hash>,
    /// The digest of the derived state now. Equal to `before` unless something was damaged.
    pub after: Sha256Hash,
}

/// Makes all derived tables again, in one transaction.
pub(crate) fn rebuild(connection: &mut Connection) -> Result<Rebuilt, StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(from_sqlite)?;
    let before = derived::digest(&transaction).ok();
    drop_derived(&transaction)?;
    transaction
        .execute_batch(&schema::derived_sql())
        .map_err(from_sqlite)?;
    let worlds = rows::log_head(&transaction)?.size;
    derive(&transaction, &transaction, worlds)?;
    let after = derived::digest(&transaction)?;
    transaction.commit().map_err(from_sqlite)?;
    Ok(Rebuilt {
        worlds,
        before,
        after,
    })
}

fn drop_derived(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    for table in schema::derived_tables(transaction)? {
        let quoted = table.replace('"', "\"\"");
        transaction
            .execute_batch(&format!("DROP TABLE IF EXISTS \"{quoted}\""))
            .map_err(from_sqlite)?;
    }
    Ok(())
}

/// Derives from the ground behind `from` into the empty derived tables behind `into`.
pub(crate) fn derive(
    from: &Connection,
    into: &Transaction<'_>,
    size: u64,
) -> Result<(), StoreError> {
    let mut start = 0;
    let mut tables = Tables::new(into).map_err(from_sqlite)?;
    while start < size {
        let end = size.min(start + CHUNK);
        let mut worlds = Vec::new();
        for index in start..end {
            let stored = rows::capsule(from, index)?.ok_or_else(|| {
                StoreError::corrupt(Place::entry("capsule", index), "there is no capsule")
            })?;
            worlds.extend(add(&mut tables, &stored)?.map(|world| (index, world)));
        }
        let worlds = worlds.iter().map(|(index, world)| (*index, world));
        text::index_worlds(into, worlds).map_err(from_sqlite)?;
        start = end;
    }
    tables.finish().map_err(from_sqlite)
}

/// Adds one capsule to the tables but those of full text, and returns its World for these.
fn add(tables: &mut Tables<'_>, stored: &StoredCapsule) -> Result<Option<World>, StoreError> {
    let damaged = |detail: &dyn std::fmt::Display| {
        StoreError::corrupt(Place::entry("body", stored.index), detail)
    };
    let index = stored.index;
    if let Some(world_id) = stored.entry.world()
        && !tables.claim(world_id, index).map_err(from_sqlite)?
    {
        return Err(damaged(&"the WorldId stands in the log twice"));
    }
    tables.insert(index, &stored.header).map_err(from_sqlite)?;
    if stored.entry.world().is_none() {
        return Ok(None);
    }
    let payload = stored
        .payload
        .as_ref()
        .ok_or_else(|| damaged(&"the content is absent"))?;
    World::from_json(payload.text.as_bytes())
        .map(Some)
        .map_err(|error| damaged(&error))
}
