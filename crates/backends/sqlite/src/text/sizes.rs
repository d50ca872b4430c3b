//! Sizes of the rows of the index, by which their scores are divided: held in memory once a process has asked for many.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use counterfoil_store::StoreError;
use rusqlite::{Connection, Row};

use super::segments::{Size, Structure, varint};
use crate::statement::Statements;

/// Rows of a chunk.
const CHUNK: u64 = 1 << 12;
/// Rows are read one by one up to this part of all rows: reading one alone takes about so many times as long.
const PART: u64 = 8;
/// Log indices are below it.
pub(super) const ROWS_END: u64 = 1 << 32;

const DAMAGED: StoreError = StoreError::IndexDamaged {
    table: "text_index_docsize",
};

/// Rows that a write gives other neighbours: those beside the new ones, after `?1`. They and the new ones change.
const CHANGED: &str = "SELECT id, sz, origin FROM text_index_docsize WHERE id > ?1
     UNION ALL
     SELECT id, sz, origin FROM text_turns AS new
     CROSS JOIN text_turns AS beside ON beside.dialogue = new.dialogue
          AND beside.position BETWEEN new.position - 2 AND new.position + 2
     CROSS JOIN text_index_docsize ON id = beside.idx
     WHERE new.idx > ?1 AND new.dialogue IS NOT NULL AND beside.idx <= ?1";

/// The sizes that were read last, for all readers of a store.
#[derive(Debug, Default)]
pub(crate) struct SizeCache {
    kept: Mutex<Option<Arc<AllSizes>>>,
    /// Number of rows that were asked for while none are kept.
    asked: AtomicU64,
}

/// Sizes for one question.
pub(super) enum Sizes {
    All(Arc<AllSizes>),
    /// Those that were asked for.
    Asked(HashMap<u64, Size>),
}

/// Sizes of all rows as of one commit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AllSizes {
    chunks: Vec<Arc<Vec<Size>>>,
    /// Number and sum, which [`Structure`] has as well.
    rows: u64,
    tokens: u64,
    /// The last row.
    last: Option<u64>,
    /// As in [`Structure`].
    mark: Vec<u8>,
    tables: i64,
}

impl SizeCache {
    /// Returns the sizes as the transaction of `connection` sees them, for a question that needs about `wanted`.
    pub(super) fn sizes(
        &self,
        connection: &Connection,
        structure: &Structure,
        wanted: u64,
    ) -> Result<Sizes, StoreError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = match kept.as_ref() {
            Some(all) if all.is_of(structure) && all.mark == structure.mark => {
                return Ok(Sizes::All(Arc::clone(all)));
            }
            Some(before) if before.is_of(structure) && before.last.is_some() => {
                before.changed(connection, structure)?
            }
            Some(_) => None,
            None => {
                let asked = self.asked.fetch_add(wanted, Ordering::Relaxed);
                if asked.saturating_add(wanted) < structure.rows / PART {
                    return Ok(Sizes::Asked(HashMap::new()));
                }
                None
            }
        };
        let now = match now {
            Some(now) => now,
            None => AllSizes::read(connection, structure)?,
        };
        let now = Arc::new(now);
        *kept = Some(Arc::clone(&now));
        Ok(Sizes::All(now))
    }
}

impl AllSizes {
    fn read(connection: &Connection, structure: &Structure) -> Result<Self, StoreError> {
        let mut all = Self::default();
        all.take(
            connection,
            ("SELECT id, sz, origin FROM text_index_docsize", None),
        )?;
        all.mark.clone_from(&structure.mark);
        all.tables = structure.tables;
        Ok(all)
    }

    const fn is_of(&self, structure: &Structure) -> bool {
        self.tables == structure.tables
    }

    /// The sizes after writes that added rows; `None` after others.
    pub(super) fn changed(
        &self,
        connection: &Connection,
        structure: &Structure,
    ) -> Result<Option<Self>, StoreError> {
        let mut all = Self {
            chunks: self.chunks.clone(),
            mark: structure.mark.clone(),
            ..*self
        };
        all.take(connection, (CHANGED, self.last))?;
        Ok((all.rows == structure.rows && all.tokens == structure.tokens).then_some(all))
    }

    fn take(
        &mut self,
        connection: &Connection,
        (sql, after): (&str, Option<u64>),
    ) -> Result<(), StoreError> {
        let parameters = rusqlite::params_from_iter(after);
        let read = |row: &Row<'_>| Ok((row.get(0)?, size(row, 1)?));
        connection.visit(sql, parameters, read, |(row, size)| {
            let size = size.filter(|_| row < ROWS_END).ok_or(DAMAGED)?;
            self.put(row, size);
            Ok(true)
        })
    }

    fn put(&mut self, row: u64, size: Size) {
        let Some((chunk, at)) = place(row) else {
            return;
        };
        if self.chunks.len() <= chunk {
            self.chunks.resize_with(chunk + 1, Arc::default);
        }
        let Some(chunk) = self.chunks.get_mut(chunk).map(Arc::make_mut) else {
            return;
        };
        if chunk.len() <= at {
            chunk.resize(at + 1, Size::default());
        }
        if let Some(slot) = chunk.get_mut(at) {
            self.rows += u64::from(slot.origin == 0);
            self.tokens = self.tokens.saturating_sub(slot.tokens.into());
            self.tokens = self.tokens.saturating_add(size.tokens.into());
            *slot = size;
            self.last = self.last.max(Some(row));
        }
    }
}

impl Sizes {
    /// The size of a row; of none where there is no such row.
    pub(super) fn of(&mut self, connection: &Connection, row: u64) -> Result<Size, StoreError> {
        match self {
            Self::All(all) => {
                let found = place(row).and_then(|(chunk, at)| all.chunks.get(chunk)?.get(at));
                Ok(found.copied().unwrap_or_default())
            }
            Self::Asked(known) => {
                if let Some(size) = known.get(&row) {
                    return Ok(*size);
                }
                let sql = "SELECT sz, origin FROM text_index_docsize WHERE id = ?1";
                let found = connection.find_with(sql, [row], |row| size(row, 0))?;
                let size = match found {
                    Some(found) => found.ok_or(DAMAGED)?,
                    None => Size::default(),
                };
                known.insert(row, size);
                Ok(size)
            }
        }
    }
}

/// The chunk of a row, and its place there.
fn place(row: u64) -> Option<(usize, usize)> {
    Some((
        usize::try_from(row / CHUNK).ok()?,
        usize::try_from(row % CHUNK).ok()?,
    ))
}

/// Reads the sizes of columns, and the origin after them; `None` where they are damaged.
fn size(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Size>> {
    let mut columns = row.get_ref(at)?.as_blob()?;
    let mut tokens = Some(0_u64);
    while !columns.is_empty() {
        tokens = varint(&mut columns).and_then(|column| tokens?.checked_add(column));
        if tokens.is_none() {
            break;
        }
    }
    let origin: Option<u32> = row.get(at + 1)?;
    Ok(tokens
        .and_then(|tokens| u32::try_from(tokens).ok())
        .zip(origin)
        .map(|(tokens, origin)| Size { tokens, origin }))
}

#[cfg(test)]
impl SizeCache {
    pub(super) fn is_kept(&self) -> bool {
        self.kept.lock().unwrap().is_some()
    }
}
