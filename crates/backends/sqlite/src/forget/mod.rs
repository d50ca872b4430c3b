//! Forgetting: a tombstone in the log, and no selection gives the World any more (MEM-MAINT-1..10).
//! Nothing is taken away: that is [`SqliteStore::erase`].

#[cfg(test)]
mod tests;

use std::sync::Arc;

use counterfoil_capsule::documents::{ApprovedForgetting, Tombstone};
use counterfoil_capsule::{Document, Header, RecordKind, Signer};
use counterfoil_store::{Draft, StoreError};
use counterfoil_types::WorldId;
use rusqlite::{Connection, params};

use crate::records::{EVERYONE, record_at};
use crate::rows::{self, id_text};
use crate::statement::Statements;
use crate::store::SqliteStore;
use crate::unit::Unit;

/// Log index, header and content of a tombstone.
type TombstoneAt = (u64, Header, Tombstone);

impl SqliteStore {
    /// Forgets a World, with all its versions: a tombstone of the signer's agent is appended with the reason, which is for
    /// people and kept for ever, and no selection of that agent gives it any more, after a rebuild, an import or a restore
    /// either. With the decision of an authority no selection of any agent does. It can still be fetched by its id.
    /// To repeat it writes nothing. Returns the tombstone, and true if this call wrote it; `None` when there is no such
    /// World.
    ///
    /// # Errors
    /// [`StoreError::NotDecided`] when the decision is about another World or actor,
    /// [`StoreError::Seal`] for a reason that cannot be written; when the store cannot be written.
    pub async fn forget(
        &self,
        signer: Arc<dyn Signer>,
        world_id: &WorldId,
        decision: Option<Box<ApprovedForgetting>>,
        reason: &str,
    ) -> Result<Option<(TombstoneAt, bool)>, StoreError> {
        let (world_id, reason) = (world_id.clone(), reason.to_owned());
        self.unit(move |unit| forget(unit, &*signer, &world_id, decision.as_deref(), &reason))
            .await
    }

    /// All tombstones that count, in the order of the log, or those of one World: what a selection leaves out, and why.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn tombstones(
        &self,
        world_id: Option<&WorldId>,
    ) -> Result<Vec<TombstoneAt>, StoreError> {
        let world = world_id.map(|world_id| id_text(world_id).into_owned());
        self.read(move |connection| {
            let records: Vec<u64> = connection.list(
                "SELECT DISTINCT record FROM forgotten WHERE ?1 IS NULL OR world = ?1 ORDER BY record",
                [world],
            )?;
            let read = |record| tombstone_at(connection, record);
            records.into_iter().map(read).collect()
        })
        .await
    }
}

fn forget(
    unit: &mut Unit<'_>,
    signer: &dyn Signer,
    world_id: &WorldId,
    decision: Option<&ApprovedForgetting>,
    reason: &str,
) -> Result<Option<(TombstoneAt, bool)>, StoreError> {
    let connection = unit.transaction();
    if rows::index_of(connection, world_id)?.is_none() {
        return Ok(None);
    }
    let agent = signer.agent();
    let mut text = None;
    if let Some(decision) = decision.map(ApprovedForgetting::decision) {
        if decision.world != *world_id || decision.actor != agent {
            return Err(StoreError::NotDecided {
                world_id: world_id.clone(),
                actor: agent,
            });
        }
        let canonical = counterfoil_types::json::canonical(decision.to_value());
        let missing = |_| StoreError::Bug("a decision without canonical form");
        text = Some(canonical.map_err(missing)?);
    }
    let actor = agent.to_string();
    let document = Tombstone::new(world_id.clone(), text.as_deref(), &actor, reason);
    let document = document.map_err(|source| StoreError::Seal {
        subject: "the tombstone".to_owned(),
        source,
    })?;
    let actor = decision.map_or(&*actor, |_| EVERYONE);
    let before = connection.find(
        "SELECT record FROM forgotten WHERE world = ?1 AND actor = ?2",
        params![id_text(world_id), actor],
    )?;
    if let Some(record) = before {
        return Ok(Some((tombstone_at(connection, record)?, false)));
    }
    let draft = Draft::record(RecordKind::Tombstone, document.to_value());
    let placed = unit.append(signer, &[draft])?;
    let placed = placed.into_iter().next();
    let placed = placed.ok_or(StoreError::Bug("an append without an answer"))?;
    let tombstone = tombstone_at(unit.transaction(), placed.index)?;
    Ok(Some((tombstone, true)))
}

fn tombstone_at(connection: &Connection, record: u64) -> Result<TombstoneAt, StoreError> {
    record_at(connection, record, "it is no tombstone", |value| {
        Tombstone::parse(value).ok()
    })
}
