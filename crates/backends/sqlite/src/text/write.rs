//! Keeping the index: what each World says goes in once, of a later version what it changes, and
//! again when its neighbours change.

use std::collections::BTreeSet;

use counterfoil_capsule::delta::Delta;
use counterfoil_life::port::IndexedWorld;
use counterfoil_store::StoreError;
use counterfoil_types::Scope;
use rusqlite::{Connection, params};

use super::source::{Place, Turn, is_claim, prefix};
use super::{marks, scopes};
use crate::counts;
use crate::statement::Statements;

/// Maximum distance of a neighbour: the columns `near1` and `near2`.
const REACH: i64 = 2;
/// The first bytes of a neighbour's text that are searched.
const MAX_NEIGHBOUR_BYTES: usize = 4 * 1024;

/// The dialogue and position that a World holds.
type Position = (i64, i64);

/// New Worlds of one transaction, in log order: their rows are written at once, their postings at its end.
///
/// Each row of postings is written once, however many neighbours it gains, and in ascending order: FTS5 spills a segment
/// whenever the order is broken.
#[derive(Default)]
pub(crate) struct TextBatch {
    new: Vec<(u64, Turn, Option<Position>)>,
    /// Rows whose neighbours have changed.
    touched: BTreeSet<u64>,
}

impl TextBatch {
    /// Adds a World, and its row to `text_turns`.
    pub(crate) fn add(
        &mut self,
        connection: &Connection,
        said: &IndexedWorld<'_>,
    ) -> Result<(), StoreError> {
        let (turn, place) = add(connection, said, &mut self.touched)?;
        self.new.push((said.index, turn, place));
        Ok(())
    }

    /// Adds the Worlds of a later batch.
    pub(crate) fn extend(&mut self, later: Self) {
        self.new.extend(later.new);
        self.touched.extend(later.touched);
    }

    /// Writes the postings.
    pub(crate) fn write(mut self, connection: &Connection) -> Result<(), StoreError> {
        counts::add(connection, "text_turns", self.new.len())?;
        for (idx, ..) in &self.new {
            self.touched.remove(idx);
        }
        for idx in self.touched {
            let (body, dated, dialogue, position): (String, String, Option<i64>, Option<i64>) =
                connection.get(
                    "SELECT body, dated, dialogue, position FROM text_turns WHERE idx = ?1",
                    [idx],
                )?;
            let replace = "INSERT OR REPLACE INTO text_index (rowid, turn, near1, near2, date)
                 VALUES (?1, ?2, ?3, ?4, ?5)";
            add_postings(
                connection,
                replace,
                idx,
                (&body, &dated),
                dialogue.zip(position),
            )?;
        }
        let insert =
            "INSERT INTO text_index (rowid, turn, near1, near2, date) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.new.into_iter().try_for_each(|(idx, turn, place)| {
            add_postings(connection, insert, idx, (&turn.body, &turn.dated), place)
        })
    }
}

/// Adds the row of a World to `text_turns`. Rows whose neighbour it is are added to `touched`.
fn add(
    connection: &Connection,
    said: &IndexedWorld<'_>,
    touched: &mut BTreeSet<u64>,
) -> Result<(Turn, Option<Position>), StoreError> {
    let (mut first, mut delta) = (None, None);
    if let Some(follows) = &said.follows {
        let chain = follows.chain.as_bytes();
        let sql = "SELECT idx FROM chain WHERE chain = ?1 ORDER BY seq LIMIT 1";
        first = connection
            .find(sql, [chain])?
            .filter(|first: &u64| *first != said.index);
        let before_is_there = connection.has(
            "SELECT 1 FROM text_turns WHERE idx = (SELECT idx FROM chain
             WHERE chain = ?1 AND idx < ?2 ORDER BY seq DESC LIMIT 1)",
            params![chain, said.index],
        )?;
        // A delta of another form says nothing of words.
        let text = follows.delta.as_ref().filter(|_| before_is_there);
        delta = text.and_then(|delta| Delta::parse(delta.as_bytes()).ok());
    }
    // What nothing rewrites the postings of is not kept.
    let (turn, place, is_kept) = match delta {
        Some(delta) => (Turn::changed(said.world, &delta), None, false),
        None => {
            let turn = Turn::of(said.world);
            let place = match &turn.place {
                Some(place) => free_place(connection, place, touched)?,
                None => None,
            };
            (turn, place, !is_claim(said.world))
        }
    };
    scopes::add(connection, said.index, &Scope::of(said.world.data()))?;
    marks::add(connection, said.index, said.world)?;
    let kept = |text| if is_kept { text } else { "" };
    let (dialogue, position) = place.unzip();
    connection.run(
        "INSERT INTO text_turns (idx, created_at, first, dialogue, position, body, dated, speaker, asks)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            said.index,
            turn.created_at,
            first,
            dialogue,
            position,
            kept(&turn.body),
            kept(&turn.dated),
            turn.speaker,
            turn.asks
        ],
    )?;
    Ok((turn, place))
}

/// The dialogue and position of `place`, unless an earlier World holds them. The rows whose
/// neighbour a World at that place is are added to `touched`.
fn free_place(
    connection: &Connection,
    place: &Place,
    touched: &mut BTreeSet<u64>,
) -> Result<Option<Position>, StoreError> {
    let known = connection.find(
        "SELECT id FROM text_dialogues WHERE name = ?1",
        [&place.dialogue],
    )?;
    let dialogue = match known {
        Some(id) => id,
        None => connection.get(
            "INSERT INTO text_dialogues (name) VALUES (?1) RETURNING id",
            [&place.dialogue],
        )?,
    };
    let around: Vec<(u64, i64)> = connection.list(
        "SELECT idx, position FROM text_turns WHERE dialogue = ?1 AND position BETWEEN ?2 AND ?3",
        within_reach((dialogue, place.position)),
    )?;
    if around.iter().any(|(_, other)| *other == place.position) {
        return Ok(None);
    }
    touched.extend(around.into_iter().map(|(idx, _)| idx));
    Ok(Some((dialogue, place.position)))
}

/// The positions at most [`REACH`] from a position, in its dialogue.
const fn within_reach((dialogue, position): Position) -> [i64; 3] {
    [
        dialogue,
        position.saturating_sub(REACH),
        position.saturating_add(REACH),
    ]
}

/// Writes a row of `text_index` by the statement `insert`, with the neighbours that are in `text_turns`.
fn add_postings(
    connection: &Connection,
    insert: &str,
    idx: u64,
    (turn, date): (&str, &str),
    place: Option<Position>,
) -> Result<(), StoreError> {
    let (mut near1, mut near2) = (String::new(), String::new());
    if let Some(place) = place {
        let around: Vec<(i64, String)> = connection.list(
            "SELECT position, body FROM text_turns
             WHERE dialogue = ?1 AND position BETWEEN ?2 AND ?3 ORDER BY position",
            within_reach(place),
        )?;
        for (position, body) in &around {
            let column = match position.abs_diff(place.1) {
                1 => &mut near1,
                2 => &mut near2,
                _ => continue,
            };
            if !column.is_empty() {
                column.push('\n');
            }
            column.push_str(prefix(body, MAX_NEIGHBOUR_BYTES));
        }
    }
    connection.run(insert, params![idx, turn, near1, near2, date])
}
