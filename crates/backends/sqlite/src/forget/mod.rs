//! ForgetRequest: a tombstone in the log, and no selection gives the World any more (MEM-MAINT-1..10).
//! Nothing is taken away: that is [`SqliteStore::erase`].

#[cfg(test)]
mod tests;

use std::sync::Arc;

use counterfoil_capsule::documents::{ApprovedForgetting, Tombstone};
use counterfoil_capsule::{Document, RecordKind, Signer};
use counterfoil_store::{Draft, StoreError, StoreLocation};
use counterfoil_types::{DidKey, WorldId};
use rusqlite::{Connection, params};

use crate::error::at;
use crate::records::{EVERYONE, RecordAt, record_at};
use crate::rows::{self, id_text};
use crate::statement::Statements;
use crate::store::SqliteStore;
use crate::unit::Unit;

/// Request to forget a World.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgetRequest {
    /// The World; any version of an evolving one means all of them.
    pub world_id: WorldId,
    /// Decision of an authority to forget for all; `None`: for the signer's agent alone.
    pub decision: Option<Box<ApprovedForgetting>>,
    /// Reason, for people; it is kept for ever.
    pub reason: String,
}

/// Result of forgetting.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForgetReport {
    /// This call wrote the tombstone.
    Now(RecordAt<Tombstone>),
    /// There was one already; nothing was written.
    Before(RecordAt<Tombstone>),
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
        forgetting: ForgetRequest,
    ) -> Result<Option<ForgetReport>, StoreError> {
        self.unit(move |unit| forget(unit, &*signer, &forgetting))
            .await
    }

    /// All tombstones that count, in the order of the log: what a selection leaves out, and why.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn tombstones(&self) -> Result<Vec<RecordAt<Tombstone>>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT DISTINCT record FROM forgotten ORDER BY record";
            let records: Vec<u64> = connection.list(sql, [])?;
            let read = |record| tombstone_at(connection, record);
            records.into_iter().map(read).collect()
        })
        .await
    }

    /// The tombstones of a World, in the order of the log.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn tombstones_of(
        &self,
        world_id: &WorldId,
    ) -> Result<Vec<RecordAt<Tombstone>>, StoreError> {
        let world_id = world_id.clone();
        self.read(move |connection| {
            let sql = "SELECT DISTINCT record FROM forgotten WHERE world = ?1 ORDER BY record";
            let records: Vec<u64> = connection.list(sql, [id_text(&world_id)])?;
            let read = |record| tombstone_at(connection, record);
            records.into_iter().map(read).collect()
        })
        .await
    }
}

fn forget(
    unit: &mut Unit<'_>,
    signer: &dyn Signer,
    forgetting: &ForgetRequest,
) -> Result<Option<ForgetReport>, StoreError> {
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
    let before = connection
        .find(
            "SELECT record FROM forgotten WHERE world = ?1 AND actor = ?2",
            params![id_text(&forgetting.world_id), actor],
        )
        .map_err(at(StoreLocation::table("forgotten")))?;
    if let Some(record) = before {
        return Ok(Some(ForgetReport::Before(tombstone_at(
            connection, record,
        )?)));
    }
    let draft = Draft::record(RecordKind::Tombstone, document.to_value());
    let placed = unit.append(signer, &[draft])?;
    let placed = placed.into_iter().next();
    let placed = placed.ok_or(StoreError::Bug("an append without an answer"))?;
    Ok(Some(ForgetReport::Now(RecordAt {
        index: placed.index,
        capsule: placed.capsule,
        recorded_at: placed.recorded_at,
        document,
    })))
}

fn tombstone(agent: DidKey, forgetting: &ForgetRequest) -> Result<Tombstone, StoreError> {
    let world_id = &forgetting.world_id;
    let decision = match &forgetting.decision {
        None => None,
        Some(approved) => {
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
        source,
    })
}

fn tombstone_at(connection: &Connection, record: u64) -> Result<RecordAt<Tombstone>, StoreError> {
    record_at(connection, record, "it is no tombstone", |value| {
        Tombstone::parse(value).ok()
    })
}
