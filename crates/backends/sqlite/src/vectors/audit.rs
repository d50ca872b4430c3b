//! Audits vectors: rows of memories that are there, and the sign bits that rows and centre make.

use std::collections::BTreeMap;

use counterfoil_life::AuditReport;
use counterfoil_store::StoreError;
use rusqlite::Connection;

use super::halves::numbers;
use super::rows::centre;
use super::signs::{Block, signs, words};
use crate::statement::Statements;

/// Rows of the blocks by log index: time and sign bits.
type Rows = BTreeMap<u64, (i64, Vec<u64>)>;

/// Compares rows, blocks and model.
pub(crate) fn examine(connection: &Connection, report: &mut AuditReport) -> Result<(), StoreError> {
    let examined = compare(connection, report);
    report.damage(examined).map(drop)
}

fn compare(connection: &Connection, report: &mut AuditReport) -> Result<(), StoreError> {
    let sql = "SELECT dimensions, rows, centre FROM vector_model WHERE id = 0";
    let model: Option<(usize, u64, Vec<u8>)> = connection.find(sql, [])?;
    let (dimensions, count, centre) = match model {
        Some((dimensions, count, bytes)) => (dimensions, count, centre(&bytes)),
        None => (0, 0, Vec::new()),
    };
    let mut blocks = blocks(connection, dimensions, report)?;
    let mut rows = 0;
    let sql = "SELECT vector.idx, halves, created_at FROM vector LEFT JOIN text_turns USING (idx)";
    connection.each(sql, [], |row| {
        let (index, created): (u64, Option<i64>) = (row.get(0)?, row.get(2)?);
        let halves = row.get_ref(1)?.as_blob()?;
        rows += 1;
        let in_blocks = blocks.remove(&index);
        let expected = (created.unwrap_or_default(), signs(numbers(halves), &centre));
        if created.is_none() {
            report.add("vector", Some(index), "a vector without its memory");
        } else if halves.len() != dimensions * 2 {
            report.add("vector", Some(index), "a vector of another length");
        } else if in_blocks.is_none() {
            report.add("vector_block", Some(index), "a row is missing");
        } else if in_blocks != Some(expected) {
            let detail = "a row is not what the vector makes it";
            report.add("vector_block", Some(index), detail);
        }
        Ok(())
    })?;
    for index in blocks.into_keys() {
        report.add("vector_block", Some(index), "a row is too many");
    }
    if rows != count {
        report.add("vector_model", None, "it counts other rows");
    }
    Ok(())
}

fn blocks(
    connection: &Connection,
    dimensions: usize,
    report: &mut AuditReport,
) -> Result<Rows, StoreError> {
    let mut rows = Rows::new();
    connection.each("SELECT number, rows FROM vector_block", [], |row| {
        let number = row.get(0)?;
        let Some(block) = Block::parse(row.get_ref(1)?.as_blob()?, dimensions) else {
            report.add("vector_block", Some(number), "a block cannot be read");
            return Ok(());
        };
        let signs = block.signs.chunks_exact(words(dimensions).max(1));
        let of_rows = block.indexes.iter().zip(block.created).zip(signs);
        for ((index, created), signs) in of_rows {
            let row = (created, signs.to_vec());
            if rows.insert(*index, row).is_some() {
                report.add("vector_block", Some(*index), "a row is there twice");
            }
        }
        Ok(())
    })?;
    Ok(rows)
}
