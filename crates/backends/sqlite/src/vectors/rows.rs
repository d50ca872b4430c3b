//! Writing of vectors: rows in half precision, the centre, and the blocks of sign bits.

use counterfoil_store::StoreError;
use counterfoil_store::vectors::{MAX_DIMENSIONS, MAX_VECTORS, VectorModel};
use rusqlite::{Connection, params};

use super::halves::{halves, numbers, rounded};
use super::signs::{Block, signs};
use crate::statement::Statements;

/// The centre is made again once there are so many times the rows of which it is the mean.
const GROWTH: u64 = 16;
/// Rows of which a mean is good for any number of rows.
const ENOUGH_ROWS: u64 = 1 << 16;

/// Worlds that have no vector and are not known to be without text.
const MISSING: &str = "SELECT idx FROM text_turns
     WHERE NOT EXISTS (SELECT 1 FROM vector WHERE vector.idx = text_turns.idx)
     AND NOT EXISTS (SELECT 1 FROM vector_none WHERE vector_none.idx = text_turns.idx)";

/// The model of the vectors that are kept; `None` before the first one.
pub(crate) fn model(connection: &Connection) -> Result<Option<VectorModel>, StoreError> {
    let sql = "SELECT fingerprint, dimensions FROM vector_model WHERE id = 0";
    connection.find_with(sql, [], |row| {
        Ok(VectorModel {
            fingerprint: row.get(0)?,
            dimensions: row.get(1)?,
        })
    })
}

/// Number of Worlds with a vector or without text, and of all.
pub(crate) fn progress(connection: &Connection) -> Result<(u64, u64), StoreError> {
    let sql =
        "SELECT coalesce((SELECT rows FROM vector_model), 0) + (SELECT count(*) FROM vector_none),
                      coalesce((SELECT rows FROM index_rows WHERE name = 'text_turns'), 0)";
    connection.get(sql, [])
}

/// Log indices of the Worlds without vector from `from` on, in their order: at most `limit`.
pub(crate) fn missing(
    connection: &Connection,
    from: u64,
    limit: usize,
) -> Result<Vec<u64>, StoreError> {
    let limit = i64::try_from(limit.min(MAX_VECTORS)).unwrap_or(i64::MAX);
    let sql = format!("{MISSING} AND idx >= ?1 ORDER BY idx LIMIT ?2");
    connection.list(&sql, params![from, limit])
}

/// Drops all vectors and begins with those of `to`.
pub(crate) fn migrate(connection: &Connection, to: &VectorModel) -> Result<(), StoreError> {
    if !(1..=MAX_DIMENSIONS).contains(&to.dimensions) {
        return Err(form_error(to, to.dimensions));
    }
    for table in super::sql::TABLES {
        connection.run(&format!("DELETE FROM {table}"), [])?;
    }
    connection.run(
        "INSERT INTO vector_model (id, fingerprint, dimensions, rows, centred, mark, change, centre)
         VALUES (0, ?1, ?2, 0, 0, randomblob(16), 0, zeroblob(4 * ?2))",
        params![to.fingerprint, to.dimensions],
    )
}

/// Adds vectors of `of`, each with the log index of its World: an empty one for a World without text. Returns the number of those that were added.
pub(crate) fn add(
    connection: &Connection,
    of: &VectorModel,
    vectors: &[(u64, Vec<f32>)],
) -> Result<usize, StoreError> {
    if vectors.len() > MAX_VECTORS {
        let vectors = vectors.len();
        return Err(StoreError::TooManyVectors { vectors });
    }
    match model(connection)? {
        None => migrate(connection, of)?,
        Some(kept) if kept == *of => {}
        Some(kept) => {
            return Err(StoreError::OtherModel {
                kept: kept.fingerprint,
                given: of.fingerprint.clone(),
            });
        }
    }
    let (mut added, mut new) = (0, Vec::new());
    let is_missing = format!("{MISSING} AND idx = ?1");
    for (index, vector) in vectors {
        let is_missing = connection.has(&is_missing, [index])?;
        if vector.is_empty() {
            added += usize::from(is_missing);
            let sql = "INSERT INTO vector_none (idx) SELECT ?1 WHERE ?2";
            connection.run(sql, params![index, is_missing])?;
            continue;
        }
        let halves = halves(vector).filter(|_| vector.len() == of.dimensions);
        let halves = halves.ok_or_else(|| form_error(of, vector.len()))?;
        if is_missing {
            let sql = "INSERT INTO vector (idx, halves) VALUES (?1, ?2)";
            connection.run(sql, params![index, halves])?;
            new.push((*index, halves));
        }
    }
    if !new.is_empty() {
        add_signs(connection, &new)?;
    }
    Ok(added + new.len())
}

/// Removes the vectors of Worlds that are gone, and makes centre and blocks anew, in which they had a part. Worlds without text are asked for again.
pub(crate) fn finish_index(connection: &Connection) -> Result<(), StoreError> {
    connection.run("DELETE FROM vector_none", [])?;
    if model(connection)?.is_none() {
        return Ok(());
    }
    let gone = "DELETE FROM vector
         WHERE NOT EXISTS (SELECT 1 FROM text_turns WHERE text_turns.idx = vector.idx)";
    connection.run(gone, [])?;
    let count = "UPDATE vector_model SET rows = (SELECT count(*) FROM vector)";
    connection.run(count, [])?;
    make_signs(connection)
}

/// The error for a vector that is none of a model.
pub(super) fn form_error(model: &VectorModel, found: usize) -> StoreError {
    StoreError::VectorForm {
        model: model.fingerprint.clone(),
        dimensions: model.dimensions,
        found,
    }
}

/// Reads a centre: a number of 4 bytes for each dimension, little-endian.
pub(super) fn centre(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.as_chunks().0.iter();
    numbers.map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// Adds sign bits of new rows to the last block, and makes all anew where the centre is one of too few rows.
fn add_signs(connection: &Connection, new: &[(u64, Vec<u8>)]) -> Result<(), StoreError> {
    let sql = "UPDATE vector_model SET rows = rows + ?1, change = change + 1
         RETURNING rows, centred, change, centre";
    let (rows, centred, change, bytes): (u64, u64, i64, Vec<u8>) =
        connection.get(sql, [new.len()])?;
    if centred < ENOUGH_ROWS && rows >= centred.saturating_mul(GROWTH) {
        return make_signs(connection);
    }
    let centre = centre(&bytes);
    let mut blocks = Blocks::last(connection, change, centre.len())?;
    for (index, halves) in new {
        blocks.push(*index, &signs(numbers(halves), &centre))?;
    }
    blocks.write()
}

/// Makes the centre, which is the mean of all rows, and all blocks.
fn make_signs(connection: &Connection) -> Result<(), StoreError> {
    let dimensions: usize = connection.get("SELECT dimensions FROM vector_model", [])?;
    let (mut sums, mut rows) = (vec![0.0_f64; dimensions], 0_u32);
    let in_order = "SELECT idx, halves FROM vector ORDER BY idx";
    connection.each(in_order, [], |row| {
        let numbers = numbers(row.get_ref(1)?.as_blob()?);
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += f64::from(number);
        }
        rows = rows.saturating_add(1);
        Ok(())
    })?;
    let count = f64::from(rows.max(1));
    let mean: Vec<f32> = sums.iter().map(|sum| rounded(sum / count)).collect();
    let bytes: Vec<u8> = mean.iter().flat_map(|it| it.to_le_bytes()).collect();
    let sql = "UPDATE vector_model
         SET centred = ?1, change = change + 1, mark = randomblob(16), centre = ?2 RETURNING change";
    let change: i64 = connection.get(sql, params![rows, bytes])?;
    connection.run("DELETE FROM vector_block", [])?;
    let mut blocks = Blocks::last(connection, change, dimensions)?;
    let read = |row: &rusqlite::Row<'_>| {
        let halves = numbers(row.get_ref(1)?.as_blob()?);
        Ok((row.get(0)?, signs(halves, &mean)))
    };
    connection.visit(in_order, [], read, |(index, signs): (u64, _)| {
        blocks.push(index, &signs).map(|()| true)
    })?;
    blocks.write()
}

/// The block that takes further rows.
struct Blocks<'c> {
    connection: &'c Connection,
    change: i64,
    number: u64,
    block: Block,
}

impl<'c> Blocks<'c> {
    fn last(
        connection: &'c Connection,
        change: i64,
        dimensions: usize,
    ) -> Result<Self, StoreError> {
        let sql = "SELECT number, rows FROM vector_block ORDER BY number DESC LIMIT 1";
        let last: Option<(u64, Vec<u8>)> = connection.find(sql, [])?;
        let (number, bytes) = last.unwrap_or_default();
        let damaged = StoreError::IndexDamaged {
            table: "vector_block",
        };
        let block = Block::parse(&bytes, dimensions).ok_or(damaged)?;
        Ok(Self {
            connection,
            change,
            number,
            block,
        })
    }

    fn push(&mut self, index: u64, signs: &[u64]) -> Result<(), StoreError> {
        if self.block.is_full() {
            self.write()?;
            self.number += 1;
            self.block = Block::default();
        }
        let sql = "SELECT created_at FROM text_turns WHERE idx = ?1";
        let created = self.connection.get(sql, [index])?;
        self.block.push(index, created, signs);
        Ok(())
    }

    fn write(&self) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO vector_block (number, change, rows) VALUES (?1, ?2, ?3)";
        let bytes = self.block.to_bytes();
        self.connection
            .run(sql, params![self.number, self.change, bytes])
    }
}
