//! Rows that a unit adds to derived tables: one function for submissions, receipts, rebuilds and audits (I3).

use counterfoil_claims::belief::own_window;
use counterfoil_claims::time::{Micros, Window};
use counterfoil_claims::{Act, ActKind, ClaimInView, Disposition, Unit};
use counterfoil_life::entries::Sides;
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::{Connection, params};

use super::line::{FEW, LineRow, cardinality_number, class_number, kind_number};
use super::tags;
use super::tree::{self, ClaimWindow};
use super::units::{Units, named_by};
use crate::error::{at, from_sqlite};
use crate::statement::Statements;

/// A window that is open on both sides.
const OPEN: Window = Window {
    start: None,
    end: None,
};

/// Writes the rows of a unit that is in the log, which the ground reads.
pub(crate) fn derive(
    sides: Sides<'_>,
    derived: &Connection,
    unit: &Unit,
) -> Result<(), StoreError> {
    let units = Units::new(sides, derived);
    index_unit(&units, unit)?;
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

/// Writes the rows of a unit; [`Units::finish`] writes the rest. Its capsule need not be in the log yet.
pub(super) fn index_unit(units: &Units<'_>, unit: &Unit) -> Result<(), StoreError> {
    let connection = units.derived();
    let (line, index, stamp_us) = (unit.line(), unit.index(), unit.stamp().micros());
    let agent = match units.agent_number(&line.agent)? {
        Some(number) => {
            units.note_stamp(number, stamp_us)?;
            number
        }
        // A new number is the log index of the first unit.
        None => connection.get(
            "INSERT INTO claim_agent (id, did, latest) VALUES (?1, ?2, ?3) RETURNING id",
            params![index, line.agent.to_string(), stamp_us],
        )?,
    };
    let before = units.row(line)?;
    let mut row = match &before {
        Some(before) => before.clone(),
        None => LineRow::beginning(agent, unit),
    };
    row.note(unit);
    let own = match unit.act() {
        Act::Claim(_) => NamedState::of(units, unit)?,
        _ => NamedState::default(),
    };
    add_own(connection, &mut row, unit, &own)?;
    for name in named_by(unit) {
        connection.run(
            "INSERT OR IGNORE INTO claim_named (tag, idx) VALUES (?1, ?2)",
            params![tags::of_name(name), index],
        )?;
    }
    if let Some(key) = unit.key() {
        connection.run(
            "INSERT OR IGNORE INTO claim_key (agent, tag, idx) VALUES (?1, ?2, ?3)",
            params![agent, tags::of_key(key), index],
        )?;
    }
    note_affected(units, &mut row, unit)?;
    if row.units > FEW && !row.in_tree {
        let all: Vec<ClaimWindow> = connection.list_with(
            "SELECT idx, class, tag, start, until FROM claim_unit WHERE line = ?1 AND force = 1",
            [row.line],
            ClaimWindow::read,
        )?;
        row.in_tree = true;
        all.iter()
            .try_for_each(|kept| tree::add(connection, &mut row, kept.index, kept.window))?;
    }
    row.save(connection, unit, before.as_ref())?;
    units.note_row(line, row);
    Ok(())
}

/// State of a new claim by the units that name it already: a received claim may have been named before it came.
#[derive(Default)]
struct NamedState {
    /// Its window; `None` while it is not in force.
    window: Option<Window>,
    /// True if it waits for a verdict.
    waits: bool,
    /// True if some unit names it.
    is_named: bool,
    /// Its own window, and when it was changed last.
    change: Option<(Window, u64)>,
}

impl NamedState {
    fn of(units: &Units<'_>, unit: &Unit) -> Result<Self, StoreError> {
        let mut view = ClaimInView {
            claim: unit.clone(),
            assertions: Vec::new(),
            takers: Vec::new(),
        };
        let is_named = !units.naming(unit.reference())?.is_empty();
        if is_named {
            view = units.view(view.claim)?;
        }
        let stamps = view.assertions.iter().map(|unit| unit.stamp().micros());
        Ok(Self {
            window: view.window_in_force(),
            waits: unit.disposition() == Disposition::QueuedForAdjudication
                && !view.assertions.iter().any(is_verdict),
            is_named,
            change: own_window(unit).zip(stamps.max()),
        })
    }
}

/// Adds the rows of a unit itself.
fn add_own(
    connection: &Connection,
    row: &mut LineRow,
    unit: &Unit,
    own: &NamedState,
) -> Result<(), StoreError> {
    let (tag, registered) = match unit.act() {
        Act::Claim(claim) => (
            Some(tags::of_value(&claim.value)),
            claim.registered.map(cardinality_number),
        ),
        _ => (None, None),
    };
    let window = own.window.unwrap_or(OPEN);
    connection.run(
        "INSERT INTO claim_unit (line, idx, agent, number, stamp, kind, class, force, tag,
         registered, start, until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            row.line,
            unit.index(),
            row.agent,
            unit.number(),
            unit.stamp().micros(),
            kind_number(unit.act().kind()),
            class_number(unit.provenance()),
            own.window.is_some(),
            tag,
            registered,
            window.start,
            window.end,
        ],
    )?;
    if own.is_named {
        row.may_be_contested();
    }
    if own.waits {
        connection.run(
            "INSERT OR IGNORE INTO claim_pending (agent, idx) VALUES (?1, ?2)",
            params![row.agent, unit.index()],
        )?;
    }
    if let Some(window) = own.window {
        // Of the last claim the gate has judged that already.
        if unit.index() != row.last {
            row.may_be_contested();
        }
        if row.in_tree {
            tree::add(connection, row, unit.index(), window)?;
        }
    }
    match own.change {
        Some(change) => note_change(connection, row, unit.index(), change),
        None => Ok(()),
    }
}

fn is_verdict(unit: &Unit) -> bool {
    matches!(
        unit.act().kind(),
        ActKind::Affirm | ActKind::Deny | ActKind::Undecided
    )
}

/// The windows of the claims that a unit names.
fn note_affected(units: &Units<'_>, row: &mut LineRow, unit: &Unit) -> Result<(), StoreError> {
    if unit.act().kind() == ActKind::Corroborate {
        return Ok(());
    }
    for name in named_by(unit) {
        let of_line =
            |claim: &Unit| claim.line() == unit.line() && claim.act().kind() == ActKind::Claim;
        let Some(claim) = units.named(name)?.filter(of_line) else {
            continue;
        };
        let (connection, index) = (units.derived(), claim.index());
        if is_verdict(unit) {
            connection.run(
                "DELETE FROM claim_pending WHERE agent = ?1 AND idx = ?2",
                params![row.agent, index],
            )?;
        }
        let kept = "SELECT start, until FROM claim_unit WHERE line = ?1 AND idx = ?2 AND force = 1";
        let kept: Option<(Option<Micros>, Option<Micros>)> = connection
            .find(kept, params![row.line, index])
            .map_err(at(StoreLocation::entry("claim_unit", index)))?;
        let before = kept.map(|(start, end)| Window { start, end });
        let own = own_window(&claim).unwrap_or(OPEN);
        let after = units.view(claim)?.window_in_force();
        if before != after {
            place(connection, row, index, before, after)?;
            note_change(connection, row, index, (own, unit.stamp().micros()))?;
        }
    }
    Ok(())
}

/// Keeps the window of a claim in the place of an earlier one.
fn place(
    connection: &Connection,
    row: &mut LineRow,
    index: u64,
    before: Option<Window>,
    after: Option<Window>,
) -> Result<(), StoreError> {
    let grew = match (before, after) {
        (Some(before), Some(after)) => {
            let starts_earlier = before
                .start
                .is_some_and(|start| after.start.is_none_or(|after| after < start));
            let ends_later = before
                .end
                .is_some_and(|end| after.end.is_none_or(|after| end < after));
            starts_earlier || ends_later
        }
        (None, after) => after.is_some(),
        (Some(_), None) => false,
    };
    // Of a new claim the gate has judged that already.
    if grew && index != row.last {
        row.may_be_contested();
    }
    let window = after.unwrap_or(OPEN);
    connection.run(
        "UPDATE claim_unit SET force = ?3, start = ?4, until = ?5 WHERE line = ?1 AND idx = ?2",
        params![row.line, index, after.is_some(), window.start, window.end],
    )?;
    if !row.in_tree {
        return Ok(());
    }
    if let Some(before) = before {
        tree::remove(connection, row, index, before)?;
    }
    match after {
        Some(after) => tree::add(connection, row, index, after),
        None => Ok(()),
    }
}

/// Notes when the window of a claim was changed last, and what it was before anything was asserted: for questions
/// about earlier times.
fn note_change(
    connection: &Connection,
    row: &LineRow,
    index: u64,
    (own, at_us): (Window, u64),
) -> Result<(), StoreError> {
    connection.run(
        "UPDATE claim_unit SET changed = max(coalesce(changed, 0), ?3), own_start = ?4,
             own_until = ?5 WHERE line = ?1 AND idx = ?2",
        params![row.line, index, at_us, own.start, own.end],
    )
}
