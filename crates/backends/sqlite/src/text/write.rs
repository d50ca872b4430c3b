//! Keeping the index: what each World says goes in once, and again when its neighbours change.

use std::collections::BTreeSet;

use counterfoil_capsule::World;
use rusqlite::{Connection, OptionalExtension, Result, Transaction, params};

use super::source::{Place, Turn, prefix};

/// How far a neighbour may be: the columns `near1` and `near2`.
const REACH: i64 = 2;
/// The first bytes of a neighbour's text that are searched.
const MAX_NEIGHBOUR_BYTES: usize = 4 * 1024;

/// Indexes Worlds with their log indices, in log order, inside the transaction that records them.
///
/// Within one call each row is written once, however many neighbours it gains, and rows are
/// written in ascending order: FTS5 spills a segment whenever the order is broken.
pub(crate) fn index_worlds<'w>(
    transaction: &Transaction<'_>,
    worlds: impl IntoIterator<Item = (u64, &'w World)>,
) -> Result<()> {
    let mut touched = BTreeSet::new();
    for (idx, world) in worlds {
        let idx = row_id(idx)?;
        touched.insert(idx);
        touched.extend(record(transaction, idx, &Turn::of(world))?);
    }
    touched
        .into_iter()
        .try_for_each(|idx| write_postings(transaction, idx))
}

/// A log index as SQLite's row id.
pub(super) fn row_id(idx: u64) -> Result<i64> {
    i64::try_from(idx).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// Writes the row of `text_turns`, and returns the rows whose neighbour it is.
fn record(connection: &Connection, idx: i64, turn: &Turn) -> Result<Vec<i64>> {
    let place = match &turn.place {
        Some(place) => free_place(connection, place)?,
        None => None,
    };
    let (dialogue, position) = place.unzip();
    connection
        .prepare_cached(
            "INSERT INTO text_turns (idx, created_at, dialogue, position, body, dated)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            idx,
            turn.created_at,
            dialogue,
            position,
            turn.body,
            turn.dated
        ])?;
    match place {
        Some((dialogue, position)) => around(connection, dialogue, position),
        None => Ok(Vec::new()),
    }
}

/// The dialogue and position of `place`, unless an earlier World holds them.
fn free_place(connection: &Connection, place: &Place) -> Result<Option<(i64, i64)>> {
    let dialogue = dialogue_id(connection, &place.dialogue)?;
    let taken = connection
        .prepare_cached("SELECT 1 FROM text_turns WHERE dialogue = ?1 AND position = ?2")?
        .exists(params![dialogue, place.position])?;
    Ok((!taken).then_some((dialogue, place.position)))
}

fn dialogue_id(connection: &Connection, name: &str) -> Result<i64> {
    let known = connection
        .prepare_cached("SELECT id FROM text_dialogues WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    connection
        .prepare_cached("INSERT INTO text_dialogues (name) VALUES (?1)")?
        .insert([name])
}

/// The rows at most [`REACH`] places from `position`, itself among them.
fn around(connection: &Connection, dialogue: i64, position: i64) -> Result<Vec<i64>> {
    connection
        .prepare_cached(
            "SELECT idx FROM text_turns WHERE dialogue = ?1 AND position BETWEEN ?2 AND ?3",
        )?
        .query_map(
            params![
                dialogue,
                position.saturating_sub(REACH),
                position.saturating_add(REACH)
            ],
            |row| row.get(0),
        )?
        .collect()
}

/// Writes the postings of one row from `text_turns`, in place of any older ones.
fn write_postings(connection: &Connection, idx: i64) -> Result<()> {
    let columns = Columns::read(connection, idx)?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO text_index (rowid, turn, near1, near2, date)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            idx,
            columns.turn,
            columns.near1,
            columns.near2,
            columns.date
        ])?;
    Ok(())
}

/// What stands in one row of the index.
#[derive(Default)]
struct Columns {
    turn: String,
    near1: String,
    near2: String,
    date: String,
}

impl Columns {
    fn read(connection: &Connection, idx: i64) -> Result<Self> {
        let (turn, date, dialogue, position) = connection
            .prepare_cached(
                "SELECT body, dated, dialogue, position FROM text_turns WHERE idx = ?1",
            )?
            .query_row([idx], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
        let mut columns = Self {
            turn,
            date,
            ..Self::default()
        };
        if let Some((dialogue, position)) = Option::zip(dialogue, position) {
            columns.add_neighbours(connection, dialogue, position)?;
        }
        Ok(columns)
    }

    fn add_neighbours(
        &mut self,
        connection: &Connection,
        dialogue: i64,
        position: i64,
    ) -> Result<()> {
        let mut statement = connection.prepare_cached(
            "SELECT position, body FROM text_turns
             WHERE dialogue = ?1 AND position BETWEEN ?2 AND ?3 ORDER BY position",
        )?;
        let mut rows = statement.query(params![
            dialogue,
            position.saturating_sub(REACH),
            position.saturating_add(REACH)
        ])?;
        while let Some(row) = rows.next()? {
            let distance = position.abs_diff(row.get(0)?);
            let body = row.get_ref(1)?.as_str()?;
            self.add_neighbour(distance, prefix(body, MAX_NEIGHBOUR_BYTES));
        }
        Ok(())
    }

    fn add_neighbour(&mut self, distance: u64, body: &str) {
        let column = match distance {
            1 => &mut self.near1,
            2 => &mut self.near2,
            _ => return,
        };
        if !column.is_empty() {
            column.push('\n');
        }
        column.push_str(body);
    }
}
