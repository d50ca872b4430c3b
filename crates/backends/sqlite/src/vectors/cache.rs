//! The blocks of sign bits in memory: shared by all readers of a store, and those of each reader's moment.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use counterfoil_store::StoreError;
use counterfoil_store::vectors::VectorModel;
use rusqlite::{Connection, params};

use super::rows::centre;
use super::signs::Block;
use crate::statement::Statements;

/// The blocks that were read last.
#[derive(Debug, Default)]
pub(crate) struct SignCache(Mutex<Option<Arc<SignBlocks>>>);

/// All blocks as of one commit.
#[derive(Debug)]
pub(super) struct SignBlocks {
    pub(super) model: VectorModel,
    pub(super) centre: Vec<f32>,
    /// By their numbers.
    pub(super) blocks: BTreeMap<u64, Arc<Block>>,
    mark: Vec<u8>,
    change: i64,
}

impl SignCache {
    /// Returns the blocks as the transaction of `connection` sees them; `None` while there are no vectors. Blocks that
    /// changed since the last call are read.
    pub(super) fn blocks(
        &self,
        connection: &Connection,
    ) -> Result<Option<Arc<SignBlocks>>, StoreError> {
        let sql =
            "SELECT fingerprint, dimensions, centre, mark, change FROM vector_model WHERE id = 0";
        let found = connection.find_with(sql, [], |row| {
            Ok(SignBlocks {
                model: VectorModel {
                    fingerprint: row.get(0)?,
                    dimensions: row.get(1)?,
                },
                centre: centre(row.get_ref(2)?.as_blob()?),
                blocks: BTreeMap::new(),
                mark: row.get(3)?,
                change: row.get(4)?,
            })
        })?;
        let Some(mut now) = found else {
            return Ok(None);
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept.as_ref().filter(|before| before.mark == now.mark);
        let mut since = -1;
        match before {
            Some(before) if before.change == now.change => return Ok(Some(Arc::clone(before))),
            Some(before) if before.change < now.change => {
                now.blocks.clone_from(&before.blocks);
                since = before.change;
            }
            _ => {}
        }
        let is_earlier = before.is_some_and(|before| before.change > now.change);
        now.read(connection, since)?;
        let now = Arc::new(now);
        if !is_earlier {
            *kept = Some(Arc::clone(&now));
        }
        Ok(Some(now))
    }
}

impl SignBlocks {
    /// Reads the blocks that were written after the change `since`.
    fn read(&mut self, connection: &Connection, since: i64) -> Result<(), StoreError> {
        let dimensions = self.model.dimensions;
        let sql = "SELECT number, rows FROM vector_block WHERE change > ?1";
        let read = |row: &rusqlite::Row<'_>| {
            let block = Block::parse(row.get_ref(1)?.as_blob()?, dimensions);
            Ok((row.get(0)?, block))
        };
        connection.visit(sql, params![since], read, |(number, block)| {
            let block = block.ok_or(StoreError::IndexDamaged {
                table: "vector_block",
            })?;
            self.blocks.insert(number, Arc::new(block));
            Ok(true)
        })
    }
}

#[cfg(test)]
impl SignBlocks {
    pub(super) const fn empty() -> Self {
        Self {
            model: VectorModel {
                fingerprint: String::new(),
                dimensions: 64,
            },
            centre: Vec::new(),
            blocks: BTreeMap::new(),
            mark: Vec::new(),
            change: 0,
        }
    }
}
