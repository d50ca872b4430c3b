//! Claims in the database: derived tables that the gate and the fold ask (I3, I5, I6, I9).

mod erasing;
mod fold;
mod indexing;
mod ledger;
mod line;
mod lists;
mod recent;
mod store;
mod tags;
#[cfg(test)]
mod tests;
mod tree;
mod units;

pub(crate) use erasing::derive_erased;
pub(crate) use ledger::Ledger;

use counterfoil_claims::{ActKind, Provenance, ProvenanceClass, Unit};
use counterfoil_life::Txn;
use counterfoil_store::StoreError;
use counterfoil_types::DidKey;
use rusqlite::{Connection, params};

use crate::error::from_sqlite;
use crate::statement::Statements;
use units::Units;

/// Writes the rows of a unit that is in the log, which `ground` reads.
pub(crate) fn derive(
    ground: &dyn Txn,
    derived: &Connection,
    unit: &Unit,
) -> Result<(), StoreError> {
    let units = Units::new(Some(ground), derived);
    indexing::index_unit(&units, unit)?;
    units.finish()
}

/// Empties the tables of claims; returns the log indices of their units.
pub(crate) fn clear(derived: &Connection) -> Result<Vec<u64>, StoreError> {
    let units = derived.list("SELECT idx FROM claim_unit", [])?;
    let tables = [
        "agent", "line", "unit", "named", "start", "until", "key", "pending",
    ];
    let deleted = tables.map(|table| format!("DELETE FROM claim_{table};"));
    derived
        .execute_batch(&deleted.concat())
        .map_err(from_sqlite)?;
    Ok(units)
}

/// Database number of a provenance.
const fn class_number(provenance: Provenance) -> i64 {
    match provenance.class() {
        ProvenanceClass::UserAsserted => 0,
        ProvenanceClass::FirstHand => 1,
        ProvenanceClass::Peer { .. } => 2,
        _ => 4,
    }
}

/// Tests whether the provenance in a row comes from outside of the agent.
const fn is_external(class: i64) -> bool {
    class < 3
}

/// Database number of a unit's act.
fn kind_number(kind: ActKind) -> usize {
    let numbered = ActKind::ALL.iter().position(|one| *one == kind);
    numbered.unwrap_or(ActKind::ALL.len())
}

/// The unit that an agent wrote under an idempotency key.
fn keyed(units: &Units<'_>, agent: &DidKey, key: &str) -> Result<Option<Unit>, StoreError> {
    let Some(number) = units.agent_number(agent)? else {
        return Ok(None);
    };
    let indexes: Vec<u64> = units.derived().list(
        "SELECT idx FROM claim_key WHERE agent = ?1 AND tag = ?2 ORDER BY idx",
        params![number, tags::of_key(key)],
    )?;
    for index in indexes {
        let unit = units.present(index)?;
        if unit.key() == Some(key) {
            return Ok(Some(unit));
        }
    }
    Ok(None)
}
