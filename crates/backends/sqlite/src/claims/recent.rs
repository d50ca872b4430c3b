//! Claims of a line by their rows: which of them the gate has to see (I6, I7).

use std::rc::Rc;

use counterfoil_claims::time::{Micros, Window};
use counterfoil_store::StoreError;
use rusqlite::{Connection, Row, params};

use super::line::{FEW, LineRow};
use super::tree::{self, ClaimWindow, touches};
use crate::statement::Statements;

/// Number of the newest claims that are examined one by one when very many touch a window.
const NEWEST: u64 = FEW;
/// More than this are very many.
pub(super) const MANY: usize = 256;

/// Row of a claim.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recent {
    pub(super) kept: ClaimWindow,
    pub(super) number: u64,
    in_force: bool,
}

impl Recent {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            kept: ClaimWindow::read(row)?,
            number: row.get(5)?,
            in_force: row.get(6)?,
        })
    }

    /// Tests whether its window holds something of `window`.
    pub(super) fn touches(&self, window: Window) -> bool {
        self.in_force && touches(self.kept.window, window)
    }
}

/// The columns of [`Recent`].
macro_rules! columns {
    () => {
        "idx, class, tag, start, until, number, force"
    };
}

/// Condition for claims that are not in force, were changed, or touch the window from `?3` until `?2`.
macro_rules! matters {
    () => {
        "(force = 0 OR changed IS NOT NULL
          OR (coalesce(start, ?3) < ?2 AND coalesce(until, ?2) > ?3))"
    };
}

/// Of a line that is not in the tree, the claims that may matter when something is said of `window`.
pub(super) fn of_few(
    connection: &Connection,
    row: &LineRow,
    window: Window,
) -> Result<Rc<[Recent]>, StoreError> {
    let sql = concat!(
        "SELECT ",
        columns!(),
        " FROM claim_unit
         WHERE line = ?1 AND +tag IS NOT NULL AND ",
        matters!(),
        " ORDER BY idx"
    );
    let (until, from) = ends(window);
    // With the plus the table itself is read, and not an index first.
    let found: Vec<_> = connection.list_with(sql, params![row.line, until, from], Recent::read)?;
    Ok(found.into())
}

/// Of the newest `limit` claims of a line whose values have that tag, those that may matter when something is said of
/// `window`.
pub(super) fn of_tag(
    connection: &Connection,
    row: &LineRow,
    window: Window,
    (tag, limit): (i64, usize),
) -> Result<Vec<Recent>, StoreError> {
    let sql = concat!(
        "SELECT ",
        columns!(),
        " FROM claim_unit
         JOIN (SELECT line AS of, idx AS at FROM claim_unit WHERE line = ?1 AND tag = ?4
               ORDER BY idx DESC LIMIT ?5) ON line = of AND idx = at
         WHERE ",
        matters!()
    );
    let (until, from) = ends(window);
    connection.list_with(
        sql,
        params![row.line, until, from, tag, limit],
        Recent::read,
    )
}

/// Of a line that is in the tree, the claims in force that touch `window`, the newest first; `limit` of them at most.
pub(super) fn of_tree(
    connection: &Connection,
    row: &LineRow,
    window: Window,
    limit: usize,
) -> Result<Vec<ClaimWindow>, StoreError> {
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
) -> Result<Vec<ClaimWindow>, StoreError> {
    let sql = concat!(
        "SELECT ",
        columns!(),
        " FROM claim_unit
         WHERE line = ?1 AND tag IS NOT NULL ORDER BY idx DESC LIMIT ?2"
    );
    let newest: Vec<_> = connection.list_with(sql, params![row.line, NEWEST], Recent::read)?;
    let touching = newest.iter().filter(|it| it.touches(window));
    Ok(touching.map(|it| it.kept).collect())
}

/// Returns end and start of a window.
fn ends(window: Window) -> (Micros, Micros) {
    (
        window.end.unwrap_or(Micros::MAX),
        window.start.unwrap_or(Micros::MIN),
    )
}
