//! Keeping the index: what each World says goes in once, of a later version what it changes, and
//! again when its neighbours change.

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::delta::Delta;
use counterfoil_capsule::{ChainId, World};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Result, Transaction, params};

use super::source::{Place, Turn, is_claim, prefix};

/// Maximum distance of a neighbour: the columns `near1` and `near2`.
const REACH: i64 = 2;
/// The first bytes of a neighbour's text that are searched.
const MAX_NEIGHBOUR_BYTES: usize = 4 * 1024;

/// A World with its place in the log, to be indexed.
pub(crate) struct IndexedWorld<'w> {
    /// Its log index.
    pub(crate) index: u64,
    /// Its content.
    pub(crate) world: &'w World,
    /// The version before it; `None` for the first of a chain.
    pub(crate) follows: Option<Succession>,
}

/// Chain and delta of a later version.
#[derive(Debug, Clone)]
pub(crate) struct Succession {
    /// The chain that both stand in. The row of this version in `chain` must be there.
    pub(crate) chain: ChainId,
    /// The delta as it is kept; `None` once it is erased.
    pub(crate) delta: Option<String>,
}

/// Indexes Worlds, in log order, inside the transaction that records them.
///
/// Within one call each row is written once, however many neighbours it gains, and rows are
/// written in ascending order: FTS5 spills a segment whenever the order is broken.
pub(crate) fn index_worlds<'w>(
    transaction: &Transaction<'_>,
    worlds: impl IntoIterator<Item = IndexedWorld<'w>>,
) -> Result<()> {
    let mut turns = Turns::new(transaction)?;
    let (mut new, mut touched) = (Vec::new(), BTreeSet::new());
    for said in worlds {
        let idx = row_id(said.index)?;
        let (turn, place) = turns.add(idx, &said, &mut touched)?;
        new.push((idx, turn, place));
    }
    for (idx, ..) in &new {
        touched.remove(idx);
    }
    let mut postings = Postings::new(transaction)?;
    touched
        .into_iter()
        .try_for_each(|idx| postings.replace(idx))?;
    new.into_iter()
        .try_for_each(|(idx, turn, place)| postings.insert(idx, turn, place))
}

/// A log index as SQLite's row id.
pub(super) fn row_id(idx: u64) -> Result<i64> {
    i64::try_from(idx).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// The dialogue and position that a World holds.
type Position = (i64, i64);

/// Writes `text_turns`.
struct Turns<'c> {
    connection: &'c Connection,
    insert: CachedStatement<'c>,
    around: CachedStatement<'c>,
    dialogues: BTreeMap<String, i64>,
}

impl<'c> Turns<'c> {
    fn new(connection: &'c Connection) -> Result<Self> {
        Ok(Self {
            connection,
            insert: connection.prepare_cached(
                "INSERT INTO text_turns (idx, created_at, first, dialogue, position, body, dated)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?,
            around: connection.prepare_cached(
                "SELECT idx, position FROM text_turns
                 WHERE dialogue = ?1 AND position BETWEEN ?2 AND ?3",
            )?,
            dialogues: BTreeMap::new(),
        })
    }

    /// Adds the row of a World. Rows whose neighbour it is are added to `touched`.
    fn add(
        &mut self,
        idx: i64,
        said: &IndexedWorld<'_>,
        touched: &mut BTreeSet<i64>,
    ) -> Result<(Turn, Option<Position>)> {
        let (first, delta) = match &said.follows {
            Some(follows) => self.version(idx, follows)?,
            None => (None, None),
        };
        if let Some(delta) = delta {
            let turn = Turn::changed(said.world, &delta);
            // Nothing rewrites its postings, so what they are made from is not kept.
            self.insert(idx, &turn, first, None, ("", ""))?;
            return Ok((turn, None));
        }
        let turn = Turn::of(said.world);
        let place = match &turn.place {
            Some(place) => self.free_place(place, touched)?,
            None => None,
        };
        let kept = match is_claim(said.world) {
            true => ("", ""),
            false => (turn.body.as_str(), turn.dated.as_str()),
        };
        self.insert(idx, &turn, first, place, kept)?;
        Ok((turn, place))
    }

    /// Returns the first log index of a later version's chain, and its delta; no delta when the version
    /// before it is not indexed, or the delta is of a form that says nothing of words.
    fn version(&self, idx: i64, follows: &Succession) -> Result<(Option<i64>, Option<Delta>)> {
        let chain = follows.chain.as_bytes();
        let first = self
            .connection
            .prepare_cached("SELECT idx FROM chain WHERE chain = ?1 ORDER BY seq LIMIT 1")?
            .query_row([chain], |row| row.get(0))
            .optional()?
            .filter(|first| *first != idx);
        let before_is_there = self
            .connection
            .prepare_cached(
                "SELECT 1 FROM text_turns WHERE idx = (SELECT idx FROM chain
                 WHERE chain = ?1 AND idx < ?2 ORDER BY seq DESC LIMIT 1)",
            )?
            .exists(params![chain, idx])?;
        let delta = follows.delta.as_ref().filter(|_| before_is_there);
        let delta = delta.and_then(|delta| Delta::parse(delta.as_bytes()).ok());
        Ok((first, delta))
    }

    fn insert(
        &mut self,
        idx: i64,
        turn: &Turn,
        first: Option<i64>,
        place: Option<Position>,
        (body, dated): (&str, &str),
    ) -> Result<()> {
        let (dialogue, position) = place.unzip();
        self.insert
            .execute(params![
                idx,
                turn.created_at,
                first,
                dialogue,
                position,
                body,
                dated
            ])
            .map(drop)
    }

    /// The dialogue and position of `place`, unless an earlier World holds them. The rows whose
    /// neighbour a World at that place is are added to `touched`.
    fn free_place(
        &mut self,
        place: &Place,
        touched: &mut BTreeSet<i64>,
    ) -> Result<Option<Position>> {
        let (dialogue, position) = (self.dialogue(&place.dialogue)?, place.position);
        let (first, last) = within_reach(position);
        let mut rows = self.around.query(params![dialogue, first, last])?;
        let mut neighbours: Vec<i64> = Vec::new();
        while let Some(row) = rows.next()? {
            if row.get::<_, i64>(1)? == position {
                return Ok(None);
            }
            neighbours.push(row.get(0)?);
        }
        touched.extend(neighbours);
        Ok(Some((dialogue, position)))
    }

    fn dialogue(&mut self, name: &str) -> Result<i64> {
        if let Some(&id) = self.dialogues.get(name) {
            return Ok(id);
        }
        let id = dialogue_id(self.connection, name)?;
        self.dialogues.insert(name.to_owned(), id);
        Ok(id)
    }
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

/// The positions at most [`REACH`] from `position`.
const fn within_reach(position: i64) -> (i64, i64) {
    (
        position.saturating_sub(REACH),
        position.saturating_add(REACH),
    )
}

/// Writes `text_index`, from rows of `text_turns` that are there already.
struct Postings<'c> {
    insert: CachedStatement<'c>,
    replace: CachedStatement<'c>,
    turn: CachedStatement<'c>,
    around: CachedStatement<'c>,
}

impl<'c> Postings<'c> {
    fn new(connection: &'c Connection) -> Result<Self> {
        Ok(Self {
            insert: connection.prepare_cached(
                "INSERT INTO text_index (rowid, turn, near1, near2, date)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?,
            replace: connection.prepare_cached(
                "INSERT OR REPLACE INTO text_index (rowid, turn, near1, near2, date)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?,
            turn: connection.prepare_cached(
                "SELECT body, dated, dialogue, position FROM text_turns WHERE idx = ?1",
            )?,
            around: connection.prepare_cached(
                "SELECT position, body FROM text_turns
                 WHERE dialogue = ?1 AND position BETWEEN ?2 AND ?3 ORDER BY position",
            )?,
        })
    }

    /// Writes the postings of a row that has none.
    fn insert(&mut self, idx: i64, turn: Turn, place: Option<Position>) -> Result<()> {
        let columns = self.columns(turn.body, turn.dated, place)?;
        columns.write(&mut self.insert, idx)
    }

    /// Writes the postings of a row in place of older ones.
    fn replace(&mut self, idx: i64) -> Result<()> {
        let (body, dated, place) = self.turn.query_row([idx], |row| {
            let place = Option::zip(row.get(2)?, row.get(3)?);
            Ok((row.get(0)?, row.get(1)?, place))
        })?;
        let columns = self.columns(body, dated, place)?;
        columns.write(&mut self.replace, idx)
    }

    fn columns(&mut self, turn: String, date: String, place: Option<Position>) -> Result<Columns> {
        let mut columns = Columns {
            turn,
            date,
            ..Columns::default()
        };
        let Some((dialogue, position)) = place else {
            return Ok(columns);
        };
        let (first, last) = within_reach(position);
        let mut rows = self.around.query(params![dialogue, first, last])?;
        while let Some(row) = rows.next()? {
            let distance = position.abs_diff(row.get(0)?);
            let body = row.get_ref(1)?.as_str()?;
            columns.add_neighbour(distance, prefix(body, MAX_NEIGHBOUR_BYTES));
        }
        Ok(columns)
    }
}

/// One row of the index.
#[derive(Default)]
struct Columns {
    turn: String,
    near1: String,
    near2: String,
    date: String,
}

impl Columns {
    fn write(&self, statement: &mut CachedStatement<'_>, idx: i64) -> Result<()> {
        statement
            .execute(params![idx, self.turn, self.near1, self.near2, self.date])
            .map(drop)
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
