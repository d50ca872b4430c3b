//! Effective windows in an interval tree (Kriegel, Pötke and Seidl, "Managing intervals efficiently in object-relational
//! databases", 2000): what touches a window is found in a few index ranges, however many claims a line has.
//!
//! A window with both ends stands at the node of a virtual binary tree that lies in it and is highest; one that is open
//! stands at node 0. Nodes count steps of 2^16 microseconds.

use counterfoil_claims::time::{Micros, Window};
use counterfoil_store::StoreError;
use rusqlite::{Connection, Row, params};

use super::line::{LineRow, is_external};
use crate::statement::Statements;

/// A step of the nodes, as a power of two in microseconds.
const STEP: u32 = 16;
/// Instants before the year 0001 count as its beginning.
const ORIGIN: Micros = 1 << 56;
/// Node of open windows.
const OPEN: i64 = 0;

/// Window of a claim in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClaimWindow {
    pub(super) index: u64,
    pub(super) external: bool,
    pub(super) tag: i64,
    pub(super) window: Window,
}

impl ClaimWindow {
    /// The columns `idx, class, tag, start, until` of `claim_unit`.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            index: row.get(0)?,
            external: is_external(row.get(1)?),
            tag: row.get(2)?,
            window: Window {
                start: row.get(3)?,
                end: row.get(4)?,
            },
        })
    }
}

/// Adds the window of a claim.
pub(super) fn add(
    connection: &Connection,
    line: &mut LineRow,
    index: u64,
    window: Window,
) -> Result<(), StoreError> {
    let node = node_of(window);
    if node != OPEN {
        line.levels |= 1 << node.trailing_zeros();
    }
    change(
        connection,
        [
            "INSERT INTO claim_start (line, node, start, idx) VALUES (?1, ?2, ?3, ?4)",
            "INSERT INTO claim_until (line, node, until, idx) VALUES (?1, ?2, ?3, ?4)",
        ],
        line.line,
        index,
        window,
    )
}

/// Takes the window of a claim out again.
pub(super) fn remove(
    connection: &Connection,
    line: &LineRow,
    index: u64,
    window: Window,
) -> Result<(), StoreError> {
    change(
        connection,
        [
            "DELETE FROM claim_start WHERE line = ?1 AND node = ?2 AND start = ?3 AND idx = ?4",
            "DELETE FROM claim_until WHERE line = ?1 AND node = ?2 AND until = ?3 AND idx = ?4",
        ],
        line.line,
        index,
        window,
    )
}

fn change(
    connection: &Connection,
    [starts, untils]: [&str; 2],
    line: u64,
    index: u64,
    window: Window,
) -> Result<(), StoreError> {
    let node = node_of(window);
    let run = |sql: &str, end: Micros| connection.run(sql, params![line, node, end, index]);
    if window.start.is_some() || window.end.is_none() {
        run(starts, window.start.unwrap_or(Micros::MIN))?;
    }
    match window.end {
        Some(end) => run(untils, end),
        None => Ok(()),
    }
}

/// The claims in force whose effective window touches `window`. `each` says whether to go on.
pub(super) fn touching(
    connection: &Connection,
    line: &LineRow,
    window: Window,
    each: &mut dyn FnMut(ClaimWindow) -> bool,
) -> Result<(), StoreError> {
    let mut goes_on = true;
    let mut search = |table: &str, condition: &str, (node, end): (i64, i64)| {
        if !goes_on {
            return Ok(());
        }
        let sql = format!(
            "SELECT unit.idx, unit.class, unit.tag, unit.start, unit.until
             FROM {table} AS kept JOIN claim_unit AS unit
             ON unit.line = kept.line AND unit.idx = kept.idx WHERE kept.line = ?1 AND {condition}"
        );
        connection.visit(
            &sql,
            params![line.line, node, end],
            ClaimWindow::read,
            |kept| {
                goes_on = !touches(kept.window, window) || each(kept);
                Ok(goes_on)
            },
        )
    };
    let (starting, until_after) = (
        "kept.node = ?2 AND kept.start < ?3",
        "kept.node = ?2 AND kept.until > ?3",
    );
    let (from, until) = (
        window.start.unwrap_or(Micros::MIN),
        window.end.unwrap_or(Micros::MAX),
    );
    let first = window.start.map_or(1, step);
    let last = window
        .end
        .map_or(i64::MAX, |end| step(end.saturating_sub(1)));
    search("claim_start", starting, (OPEN, until))?;
    search("claim_until", until_after, (OPEN, from))?;
    search("claim_start", "kept.node BETWEEN ?2 AND ?3", (first, last))?;
    for level in (0..63_u32).filter(|level| line.levels >> level & 1 == 1) {
        let left = first >> level << level;
        if left > OPEN && left < first && left.trailing_zeros() == level {
            search("claim_until", until_after, (left, from))?;
        }
        let right = (last >> level).checked_add(1).map(|node| node << level);
        if let Some(right) = right.filter(|node| node.trailing_zeros() == level && *node > last) {
            search("claim_start", starting, (right, until))?;
        }
    }
    Ok(())
}

/// Tests whether two windows share an instant.
pub(super) fn touches(one: Window, other: Window) -> bool {
    let before = |start: Option<Micros>, end: Option<Micros>| match (start, end) {
        (Some(start), Some(end)) => start < end,
        _ => true,
    };
    before(one.start, other.end) && before(other.start, one.end)
}

/// Returns the node of a window: of the steps in it, the one with the most zeros at its end.
fn node_of(window: Window) -> i64 {
    let (Some(start), Some(end)) = (window.start, window.end) else {
        return OPEN;
    };
    let (first, last) = (step(start), step(end.saturating_sub(1)));
    if last <= first {
        return first;
    }
    // The highest place in which a number before the first and the last differ.
    let differing = (first.saturating_sub(1) ^ last).unsigned_abs();
    let level = 63_u32.saturating_sub(differing.leading_zeros());
    last >> level << level
}

/// The step of an instant, from 1 on.
fn step(at: Micros) -> i64 {
    (at.saturating_add(ORIGIN) >> STEP).max(1)
}
