//! Effective windows in an interval tree (Kriegel, Pötke and Seidl, "Managing intervals efficiently in object-relational
//! databases", 2000): what touches a window is found in a few index ranges, however many claims a line has.
//!
//! A window with both ends stands at the node of a virtual binary tree that lies in it and is highest; one that is open
//! stands at node 0. Nodes count steps of 2^16 microseconds.

use counterfoil_claims::time::{Micros, Window};
use counterfoil_store::StoreError;
use rusqlite::Connection;

use super::checks::signed;
use super::line::LineRow;
use super::linked::{self, Entry, least};
use super::unit_row::UnitRow;

/// A step of the nodes, as a power of two in microseconds.
const STEP: u32 = 16;
/// Instants before the year 0001 count as its beginning.
const ORIGIN: Micros = 1 << 56;
/// Node of open windows.
const OPEN: i64 = 0;

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
    ends(line, index, window).try_for_each(|entry| linked::add(connection, entry))
}

/// Takes the window of a claim out again.
pub(super) fn remove(
    connection: &Connection,
    line: &LineRow,
    index: u64,
    window: Window,
) -> Result<(), StoreError> {
    ends(line, index, window).try_for_each(|entry| linked::remove(connection, entry))
}

/// The entries of a window.
fn ends(line: &LineRow, index: u64, window: Window) -> impl Iterator<Item = Entry> {
    let (line, node, index) = (signed(line.line), node_of(window), signed(index));
    let has_start = window.start.is_some() || window.end.is_none();
    let start = has_start.then(|| window.start.unwrap_or(Micros::MIN));
    let start = start.map(|start| [linked::START, line, node, start, index]);
    let until = window
        .end
        .map(|end| [linked::UNTIL, line, node, end, index]);
    start.into_iter().chain(until)
}

/// The claims in force whose effective window touches `window`. `each` says whether to go on.
pub(super) fn touching(
    connection: &Connection,
    line: &LineRow,
    window: Window,
    each: &mut dyn FnMut(UnitRow) -> bool,
) -> Result<(), StoreError> {
    let number = signed(line.line);
    let mut goes_on = true;
    let mut search = |bounds: (Entry, Entry)| {
        if !goes_on {
            return Ok(());
        }
        linked::walk(connection, bounds, &mut |[_, _, _, _, index]| {
            let kept = UnitRow::find(connection, line.line, index)?;
            goes_on = !kept.touches(window) || each(kept);
            Ok(goes_on)
        })
    };
    let (from, until) = (
        window.start.unwrap_or(Micros::MIN),
        window.end.unwrap_or(Micros::MAX),
    );
    let nodes = |list, first: i64, last: i64| {
        let after = last.saturating_add(1);
        (least([list, number, first]), least([list, number, after]))
    };
    let starting = |node| {
        let (all, _) = nodes(linked::START, node, node);
        (all, least([linked::START, number, node, until]))
    };
    let until_after = |node| {
        let (_, all) = nodes(linked::UNTIL, node, node);
        let after = from.saturating_add(1);
        (least([linked::UNTIL, number, node, after]), all)
    };
    let first = window.start.map_or(1, step);
    let last = window
        .end
        .map_or(i64::MAX, |end| step(end.saturating_sub(1)));
    search(starting(OPEN))?;
    search(until_after(OPEN))?;
    search(nodes(linked::START, first, last))?;
    for level in (0..63_u32).filter(|level| line.levels >> level & 1 == 1) {
        let left = first >> level << level;
        if left > OPEN && left < first && left.trailing_zeros() == level {
            search(until_after(left))?;
        }
        let right = (last >> level).checked_add(1).map(|node| node << level);
        if let Some(right) = right.filter(|node| node.trailing_zeros() == level && *node > last) {
            search(starting(right))?;
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
