//! Claims of a line by their rows: which of them the gate has to see (I6, I7).

use counterfoil_claims::time::{Micros, Window};
use counterfoil_store::StoreError;
use rusqlite::Connection;

use super::checks::signed;
use super::line::{FEW, LineRow};
use super::unit_row::UnitRow;
use super::{linked, tree};

/// Number of the newest claims that are examined one by one when very many touch a window.
const NEWEST: u64 = FEW;
/// More than this are very many.
pub(super) const MANY: usize = 256;

impl UnitRow {
    /// Tests whether its window holds something of `window`.
    pub(super) fn touches(&self, window: Window) -> bool {
        self.window.is_some_and(|own| tree::touches(own, window))
    }

    /// Tests whether it is not in force, was changed, or touches `window`.
    pub(super) fn matters(&self, window: Window) -> bool {
        let (Some(own), None) = (self.window, self.changed) else {
            return true;
        };
        let (from, until) = (
            window.start.unwrap_or(Micros::MIN),
            window.end.unwrap_or(Micros::MAX),
        );
        own.start.unwrap_or(from) < until && own.end.unwrap_or(until) > from
    }
}

/// Returns the newest `limit` claims of a line in the tree whose values have that tag.
pub(super) fn of_tag(
    connection: &Connection,
    row: &LineRow,
    (tag, limit): (i64, usize),
) -> Result<Vec<UnitRow>, StoreError> {
    let mut found = Vec::new();
    let line = signed(row.line);
    let bounds = (
        linked::least([linked::VALUE, line, tag]),
        linked::least([linked::VALUE, line, tag + 1]),
    );
    linked::walk(connection, bounds, &mut |[_, _, _, index, _]| {
        found.push(UnitRow::find(connection, row.line, index)?);
        Ok(found.len() < limit)
    })?;
    Ok(found)
}

/// Of a line that is in the tree, the claims in force that touch `window`, the newest first; `limit` of them at most.
pub(super) fn of_tree(
    connection: &Connection,
    row: &LineRow,
    window: Window,
    limit: usize,
) -> Result<Vec<UnitRow>, StoreError> {
    let mut found = Vec::new();
    tree::touching(connection, row, window, &mut |kept| {
        found.push(kept);
        found.len() < limit
    })?;
    found.sort_unstable_by_key(|kept| std::cmp::Reverse(kept.index));
    Ok(found)
}

/// Of the newest claims of a line those in force that touch `window`.
pub(super) fn newest_touching(
    connection: &Connection,
    row: &LineRow,
    window: Window,
) -> Result<Vec<UnitRow>, StoreError> {
    let mut touching = Vec::new();
    let mut left = NEWEST;
    UnitRow::walk(connection, row, |unit| {
        if unit.tag.is_some() {
            touching.extend(unit.touches(window).then_some(unit));
            left -= 1;
        }
        Ok(left > 0)
    })?;
    Ok(touching)
}
