//! Forgetting: a tombstone in the log, and no selection gives the World any more (MEM-MAINT-1..10).
//! Nothing is taken away: that is [`SqliteStore::erase`].

#[cfg(test)]
mod tests;

use std::sync::Arc;

use counterfoil_capsule::documents::{ApprovedForgetting, Tombstone};
use counterfoil_capsule::{RecordKind, SealError, Signer, Timestamp};
use counterfoil_store::{Draft, StoreError, StoreLocation};
use counterfoil_types::{Blake3Hash, DidKey, WorldId};
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::error::at;
use crate::left_out::EVERYONE;
use crate::rows::{self, id_text};
use crate::statement::Statements;
use crate::store::SqliteStore;
use crate::unit::Unit;

/// What is to be forgotten, for whom, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgetting {
    /// The World; any version of an evolving one stands for all of them.
    pub world_id: WorldId,
    /// For whom.
    pub scope: ForgetScope,
    /// Why, for people; it is kept for ever.
    pub reason: String,
}

/// For whom something is forgotten. For whom it is not is nobody's choice: the actor is the agent
/// of the signer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForgetScope {
    /// For the agent who forgets.
    Actor,
    /// For all, as an authority has decided.
    Global(Box<ApprovedForgetting>),
}

/// A tombstone and its place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TombstoneAt {
    /// Its place in the log.
    pub index: u64,
    /// The hash of its capsule.
    pub capsule: Blake3Hash,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// What it says.
    pub document: Tombstone,
}

/// What became of a wish to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Forgotten {
    /// This call wrote the tombstone.
    Now(TombstoneAt),
    /// There was one already; nothing was written.
    Before(TombstoneAt),
}

impl SqliteStore {
    /// Forgets a World: a tombstone of the signer's agent is appended, and no selection (of that
    /// agent, or of anyone) gives it any more, after a rebuild, an import or a restore either. It
    /// can still be fetched by its id. To repeat it writes nothing. `None` when there is no such
    /// World.
    ///
    /// # Errors
    /// [`StoreError::NotDecided`] when the decision is about another World or actor,
    /// [`StoreError::Seal`] for a reason that cannot be written; when the store cannot be written.
    pub async fn forget(
        &self,
        signer: Arc<dyn Signer>,
        forgetting: Forgetting,
    ) -> Result<Option<Forgotten>, StoreError> {
        self.unit(move |unit| forget(unit, &*signer, &forgetting))
            .await
    }

    /// All tombstones that count, in the order of the log: what a selection leaves out, and why.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn tombstones(&self) -> Result<Vec<TombstoneAt>, StoreError> {
        self.read(|connection| {
            let records = records(
                connection,
                "SELECT DISTINCT record FROM forgotten ORDER BY record",
                [],
            )?;
            let read = |record| tombstone_at(connection, record);
            records.into_iter().map(read).collect()
        })
        .await
    }

    /// The tombstones of a World, in the order of the log.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn tombstones_of(&self, world_id: &WorldId) -> Result<Vec<TombstoneAt>, StoreError> {
        let world_id = world_id.clone();
        self.read(move |connection| {
            let sql = "SELECT DISTINCT record FROM forgotten WHERE world = ?1 ORDER BY record";
            let records = records(connection, sql, [id_text(&world_id)])?;
            let read = |record| tombstone_at(connection, record);
            records.into_iter().map(read).collect()
        })
        .await
    }
}

fn forget(
    unit: &mut Unit<'_>,
    signer: &dyn Signer,
    forgetting: &Forgetting,
) -> Result<Option<Forgotten>, StoreError> {
    let connection = unit.transaction();
    if rows::index_of(connection, &forgetting.world_id)?.is_none() {
        return Ok(None);
    }
    let agent = signer.agent();
    let document = tombstone(agent, forgetting)?;
    let actor = match &document.decision {
        None => agent.to_string(),
        Some(_) => EVERYONE.to_owned(),
    };
    if let Some(record) = record_of(connection, &forgetting.world_id, &actor)? {
        return Ok(Some(Forgotten::Before(tombstone_at(connection, record)?)));
    }
    let draft = Draft::record(RecordKind::Tombstone, document.to_value());
    let placed = unit.append(signer, &[draft])?;
    let placed = placed.into_iter().next();
    let placed = placed.ok_or(StoreError::Bug("an append without an answer"))?;
    Ok(Some(Forgotten::Now(TombstoneAt {
        index: placed.index,
        capsule: placed.capsule,
        recorded_at: placed.recorded_at,
        document,
    })))
}

fn tombstone(agent: DidKey, forgetting: &Forgetting) -> Result<Tombstone, StoreError> {
    let world_id = &forgetting.world_id;
    let decision = match &forgetting.scope {
        ForgetScope::Actor => None,
        ForgetScope::Global(approved) => {
            let decision = approved.decision();
            if decision.world != *world_id || decision.actor != agent {
                return Err(StoreError::NotDecided {
                    world_id: world_id.clone(),
                    actor: agent,
                });
            }
            let text = counterfoil_types::json::canonical(decision.to_value());
            Some(text.map_err(|_| StoreError::Bug("a decision without canonical form"))?)
        }
    };
    Tombstone::new(
        world_id.clone(),
        decision.as_deref(),
        &agent.to_string(),
        &forgetting.reason,
    )
    .map_err(|source| StoreError::Seal {
        subject: "the tombstone".to_owned(),
        source: SealError::Content(source),
    })
}

/// The record that forgets a World for `actor`.
fn record_of(
    connection: &Connection,
    world_id: &WorldId,
    actor: &str,
) -> Result<Option<u64>, StoreError> {
    connection
        .find(
            "SELECT record FROM forgotten WHERE world = ?1 AND actor = ?2",
            params![id_text(world_id), actor],
        )
        .map_err(at(StoreLocation::table("forgotten")))
}

fn records(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> Result<Vec<u64>, StoreError> {
    connection.list(sql, parameters)
}

fn tombstone_at(connection: &Connection, record: u64) -> Result<TombstoneAt, StoreError> {
    let damaged =
        || StoreError::corrupt(StoreLocation::entry("body", record), "it is no tombstone");
    let stored = rows::capsule(connection, record)?.ok_or_else(damaged)?;
    let payload = stored.payload.ok_or_else(damaged)?;
    let value: Value = serde_json::from_str(&payload.text).map_err(|_| damaged())?;
    Ok(TombstoneAt {
        index: record,
        capsule: stored.header.hash(),
        recorded_at: stored.header.timestamp(),
        document: Tombstone::parse(&value).map_err(|_| damaged())?,
    })
}
