//! Erasure of a claim unit, and the rows that its line keeps of it (capsules 4.6).

use std::collections::BTreeSet;

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::{Connection, params};

use super::line::LineRow;
use super::units::Units;
use crate::derivation::Sides;
use crate::error::at;
use crate::statement::Statements;

/// Data of a unit that is read before its content is erased.
pub(crate) struct UnitErasure {
    index: u64,
    /// Its number, and another unit of its line.
    place: Option<(u64, u64)>,
}

impl UnitErasure {
    /// Of the entry at `index`; `None` when it is no unit.
    pub(crate) fn of(connection: &Connection, index: u64) -> Result<Option<Self>, StoreError> {
        let Some(unit) = Units::both(connection).at(index)? else {
            return Ok(None);
        };
        let beside: Option<u64> = connection.find(
            "SELECT other.idx FROM claim_unit AS unit JOIN claim_unit AS other USING (line)
                 WHERE unit.idx = ?1 AND other.idx <> ?1 ORDER BY other.idx DESC LIMIT 1",
            [index],
        )?;
        Ok(Some(Self {
            index,
            place: beside.map(|beside| (unit.number(), beside)),
        }))
    }

    /// To be called when the content is gone. Keeps the number of the unit for its line.
    pub(crate) fn done(self, connection: &Connection) -> Result<(), StoreError> {
        if let Some((number, beside)) = self.place {
            connection.run(
                "INSERT INTO claim_erased (idx, number, beside) VALUES (?1, ?2, ?3)",
                params![self.index, number, beside],
            )?;
        }
        Ok(())
    }
}

/// Counts an erased unit on its line, as far as units before it tell which one that is.
pub(crate) fn derive_erased(sides: Sides<'_>, index: u64) -> Result<(), StoreError> {
    let units = Units::new(sides);
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
    let before = LineRow::find(sides.derived, agent, line)?;
    match &before {
        Some(row) if number >= row.units => {
            let mut row = row.clone();
            row.units = number.saturating_add(1);
            row.last = index;
            row.save(sides.derived, &known, before.as_ref())
        }
        _ => Ok(()),
    }
}

/// Number of an erased unit on its line, and another unit of the line.
fn erased(ground: &Connection, index: u64) -> Result<Option<(u64, u64)>, StoreError> {
    let sql = "SELECT number, beside FROM claim_erased WHERE idx = ?1";
    ground
        .find(sql, [index])
        .map_err(at(StoreLocation::entry("claim_erased", index)))
}
