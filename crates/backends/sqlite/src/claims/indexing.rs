//! Rows that a unit adds to derived tables: one function for submissions, receipts, rebuilds and audits (I3).

use counterfoil_claims::belief::own_window;
use counterfoil_claims::time::Window;
use counterfoil_claims::{Act, ActKind, ClaimInView, Disposition, Unit};
use counterfoil_life::entries::Sides;
use counterfoil_store::StoreError;
use rusqlite::Connection;

use super::checks::{signed, unsigned};
use super::line::{FEW, LineRow, class_number};
use super::unit_row::{OPEN, UnitRow};
use super::units::{Units, named_by};
use super::{linked, tags, tree};
use crate::error::from_sqlite;
use crate::schema;
use crate::statement::Statements;

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

/// Makes the tables of claims anew; returns the log indices of their units.
pub(crate) fn clear(derived: &Connection) -> Result<Vec<u64>, StoreError> {
    let units = match linked::are_begun(derived)? {
        true => {
            let found = linked::list(derived, [linked::UNIT])?.into_iter();
            found.map(|[_, index, ..]| unsigned(index)).collect()
        }
        // A migration has left them (`schema`).
        false => derived.list("SELECT a FROM claim_entry WHERE list = ?1", [linked::UNIT])?,
    };
    derived
        .execute_batch(&schema::in_words(derived, schema::LINES_SQL))
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
        None => units.begin_agent(unit)?,
    };
    let before = units.row(line)?;
    let mut row = match &before {
        Some(before) => before.clone(),
        None => LineRow::beginning(agent, unit),
    };
    row.note(unit);
    let gap = before
        .as_ref()
        .map_or(0, |before| index.saturating_sub(before.newest));
    let own = match unit.act() {
        Act::Claim(_) => NamedState::of(units, unit)?,
        _ => NamedState::default(),
    };
    add_own(connection, &mut row, (unit, gap), &own)?;
    for name in named_by(unit) {
        let tag = tags::of_name(name);
        linked::add(connection, [linked::NAMED, tag, signed(index), 0, 0])?;
    }
    if let Some(key) = unit.key() {
        let tag = tags::of_key(key);
        linked::add(connection, [linked::KEY, agent, tag, signed(index), 0])?;
    }
    note_affected(units, &mut row, unit)?;
    if row.units > FEW && !row.in_tree {
        row.in_tree = true;
        for claim in UnitRow::claims(connection, &row)? {
            index_claim(connection, &mut row, &claim)?;
        }
    }
    row.save(connection, line, before.as_ref())?;
    units.note_row(line, row);
    Ok(())
}

/// Adds a claim of a line that is in the tree to the lists by value and window.
fn index_claim(
    connection: &Connection,
    row: &mut LineRow,
    claim: &UnitRow,
) -> Result<(), StoreError> {
    if let Some(tag) = claim.tag {
        let entry = [linked::VALUE, signed(row.line), tag, signed(claim.index), 0];
        linked::add(connection, entry)?;
    }
    match claim.window {
        Some(window) => tree::add(connection, row, claim.index, window),
        None => Ok(()),
    }
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
    /// Stamp of the last change, and its own window.
    changed: Option<(u64, Window)>,
}

impl NamedState {
    fn of(units: &Units<'_>, unit: &Unit) -> Result<Self, StoreError> {
        let mut view = ClaimInView {
            claim: unit.clone(),
            assertions: Vec::new(),
            takers: Vec::new(),
        };
        // The name of one that is submitted was drawn a moment ago.
        let is_named = !units.is_ahead(unit.index()) && !units.naming(unit.reference())?.is_empty();
        if is_named {
            view = units.view(view.claim)?;
        }
        let stamps = view.assertions.iter().map(|unit| unit.stamp().micros());
        Ok(Self {
            window: view.window_in_force(),
            waits: unit.disposition() == Disposition::QueuedForAdjudication
                && !view.assertions.iter().any(is_verdict),
            is_named,
            changed: stamps.max().zip(own_window(unit)),
        })
    }
}

/// Adds the rows of a unit itself, which comes so many entries after the one before it.
fn add_own(
    connection: &Connection,
    row: &mut LineRow,
    (unit, gap): (&Unit, u64),
    own: &NamedState,
) -> Result<(), StoreError> {
    let claim = match unit.act() {
        Act::Claim(claim) => Some(claim),
        _ => None,
    };
    let added = UnitRow {
        line: row.line,
        index: unit.index(),
        gap,
        number: unit.number(),
        stamp_us: unit.stamp().micros(),
        class: class_number(unit.provenance()),
        window: own.window,
        tag: claim.map(|claim| tags::of_value(&claim.value)),
        registered: claim.and_then(|claim| claim.registered),
        changed: own.changed,
    };
    added.save(connection)?;
    let [index, line, stamp] = [added.index, added.line, added.stamp_us].map(signed);
    linked::add(connection, [linked::UNIT, index, line, row.agent, stamp])?;
    if own.waits {
        linked::add(connection, [linked::PENDING, row.agent, index, 0, 0])?;
    }
    // Of the last claim the gate has judged that already.
    if own.is_named || (own.window.is_some() && added.index != row.last) {
        row.may_be_contested();
    }
    match row.in_tree {
        true => index_claim(connection, row, &added),
        false => Ok(()),
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
            let entry = [linked::PENDING, row.agent, signed(index), 0, 0];
            linked::remove(connection, entry)?;
        }
        let mut kept = UnitRow::find(connection, row.line, index)?;
        let own = own_window(&claim).unwrap_or(OPEN);
        let after = units.view(claim)?.window_in_force();
        if kept.window != after {
            note_window(connection, row, &kept, after)?;
            let before_us = kept.changed.map_or(0, |(changed_us, _)| changed_us);
            kept.window = after;
            kept.changed = Some((before_us.max(unit.stamp().micros()), own));
            kept.save(connection)?;
        }
    }
    Ok(())
}

/// Notes the window that a claim gets in the place of its earlier one.
fn note_window(
    connection: &Connection,
    row: &mut LineRow,
    claim: &UnitRow,
    after: Option<Window>,
) -> Result<(), StoreError> {
    let grew = match (claim.window, after) {
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
    if grew && claim.index != row.last {
        row.may_be_contested();
    }
    if !row.in_tree {
        return Ok(());
    }
    if let Some(before) = claim.window {
        tree::remove(connection, row, claim.index, before)?;
    }
    match after {
        Some(after) => tree::add(connection, row, claim.index, after),
        None => Ok(()),
    }
}
