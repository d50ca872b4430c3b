//! Erasure of a claim unit, and the rows that its line keeps of it (capsules 4.6).

use std::collections::BTreeSet;

use counterfoil_life::Txn;
use counterfoil_life::entries::{self, Sides};
use counterfoil_store::StoreError;
use rusqlite::Connection;

use super::line::LineRow;
use super::units::Units;

/// Counts an erased unit on its line, as far as units before it tell which one that is.
pub(crate) fn derive_erased(
    sides: Sides<'_>,
    derived: &Connection,
    index: u64,
) -> Result<(), StoreError> {
    let units = Units::new(sides, derived);
    let Some((number, mut beside)) = erased(sides.ground, index)? else {
        return Ok(());
    };
    let mut seen = BTreeSet::new();
    let known = loop {
        // Rows that name each other in a circle are damage.
        if !seen.insert(beside) {
            return Ok(());
        }
        match (units.at(beside)?, erased(sides.ground, beside)?) {
            (Some(unit), _) => break unit,
            // It was erased later, and then named another one that was there.
            (None, Some((_, other))) => beside = other,
            // It comes later, with a higher number.
            (None, None) => return Ok(()),
        }
    };
    let line = known.line();
    let Some(agent) = units.agent_number(&line.agent)? else {
        return Ok(());
    };
    let before = LineRow::find(derived, agent, line)?;
    match &before {
        Some(row) if number >= row.units => {
            let mut row = row.clone();
            row.units = number.saturating_add(1);
            row.last = index;
            row.save(derived, line, before.as_ref())
        }
        _ => Ok(()),
    }
}

/// Number of an erased unit on its line, and another unit of the line.
fn erased(ground: &dyn Txn, index: u64) -> Result<Option<(u64, u64)>, StoreError> {
    entries::erased_unit(ground, index)
}
