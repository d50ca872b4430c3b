//! Forgetting: a tombstone in the log, and no selection gives the memory any more (MEM-MAINT-1..10).
//! Nothing is taken away: that is [`crate::erase`].

use counterfoil_capsule::documents::{ApprovedForgetting, Tombstone};
use counterfoil_capsule::{Document, Header, RecordKind, Signer};
use counterfoil_store::{Draft, StoreError};
use counterfoil_types::WorldId;

use crate::Unit;
use crate::entries::index_of;
use crate::port::rows::ForgottenRow;
use crate::port::{Select, Txn};
use crate::records::{EVERYONE, record_at};

/// Log index, header and content of a tombstone.
pub(crate) type TombstoneAt = (u64, Header, Tombstone);

/// Returns all tombstones that count, in the order of the log, or those of one memory.
pub(crate) fn tombstones(
    txn: &dyn Txn,
    world_id: Option<WorldId>,
) -> Result<Vec<TombstoneAt>, StoreError> {
    let mut select = Select::of::<ForgottenRow>();
    if let Some(world_id) = world_id {
        select = select.with("world", world_id);
    }
    let mut records: Vec<u64> = txn.column(select, &["record"])?;
    records.sort_unstable();
    records.dedup();
    let records = records.into_iter();
    records.map(|record| tombstone_at(txn, record)).collect()
}

/// Forgets a memory. Returns the tombstone, and true if it was written now; `None` when there is no such memory.
pub(crate) fn forget(
    unit: &mut Unit<'_>,
    signer: &dyn Signer,
    world_id: &WorldId,
    decision: Option<&ApprovedForgetting>,
    reason: &str,
) -> Result<Option<(TombstoneAt, bool)>, StoreError> {
    let txn = unit.txn();
    if index_of(txn, world_id)?.is_none() {
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
    let before: Option<ForgottenRow> = txn.find(&[world_id, &actor.to_owned()])?;
    if let Some(ForgottenRow { record, .. }) = before {
        return Ok(Some((tombstone_at(txn, record)?, false)));
    }
    let draft = Draft::record(RecordKind::Tombstone, document.to_value());
    let placed = unit.append(signer, &[draft])?;
    let placed = placed.into_iter().next();
    let placed = placed.ok_or(StoreError::Bug("an append without an answer"))?;
    let tombstone = tombstone_at(txn, placed.index)?;
    Ok(Some((tombstone, true)))
}

fn tombstone_at(txn: &dyn Txn, record: u64) -> Result<TombstoneAt, StoreError> {
    record_at(txn, record, "it is no tombstone", |value| {
        Tombstone::parse(value).ok()
    })
}
