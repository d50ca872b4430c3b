//! Rows of the in-memory backend, and its indexes.

use std::collections::BTreeMap;

use counterfoil_capsule::keys::{KeyDocument, KeyHistory};
use counterfoil_capsule::{ChainId, Timestamp};
use counterfoil_types::json::{Limits, parse};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};

use super::exchanges::Exchanges;
use super::lines::Lines;
use crate::append::keys::extended;
use crate::append::{AppendTxn, NewCapsule};
use crate::capsule_log::{Head, StoredCapsule};
use crate::claims::unit_in;
use crate::log::{NodeReader, row_of};
use crate::{StoreError, StoreLocation};

#[derive(Default)]
pub(super) struct State {
    pub(super) rows: Vec<Row>,
    pub(super) note: String,
    pub(super) worlds: BTreeMap<WorldId, u64>,
    /// The log indices of each chain, by number.
    pub(super) chains: BTreeMap<ChainId, Vec<u64>>,
    keys: BTreeMap<DidKey, KeyHistory>,
    pub(super) agents: BTreeMap<DidKey, Timestamp>,
    /// Index of claim units.
    pub(super) lines: Lines,
    /// Exchanges.
    pub(super) exchanges: Exchanges,
    pub(super) broken: bool,
}

pub(super) struct Row {
    pub(super) stored: StoredCapsule,
    /// Sealed here, by the clock of this store.
    is_local: bool,
    hashes: Vec<Sha256Hash>,
}

impl State {
    pub(super) fn size(&self) -> u64 {
        u64::try_from(self.rows.len()).unwrap_or(u64::MAX)
    }

    pub(super) fn row(&self, index: u64) -> Result<&Row, StoreError> {
        usize::try_from(index)
            .ok()
            .and_then(|index| self.rows.get(index))
            .ok_or_else(|| {
                StoreError::corrupt(StoreLocation::entry("memory", index), "there is no entry")
            })
    }

    /// Checks that the log is as large as a size that is asked about.
    pub(super) fn holds(&self, asked: u64) -> Result<(), StoreError> {
        let size = self.size();
        match asked > size {
            true => Err(StoreError::OutOfRange {
                what: "size",
                asked,
                size,
            }),
            false => Ok(()),
        }
    }

    /// Takes back an append that failed half way.
    pub(super) fn truncate(&mut self, size: u64) {
        self.rows
            .truncate(usize::try_from(size).unwrap_or(usize::MAX));
        self.worlds.clear();
        self.chains.clear();
        self.agents.clear();
        self.keys.clear();
        self.lines = Lines::default();
        let rows = core::mem::take(&mut self.rows);
        rows.iter().for_each(|row| self.derive(row));
        self.rows = rows;
    }

    fn derive(&mut self, row: &Row) {
        let stored = &row.stored;
        let header = &stored.header;
        if let Some(world) = stored.entry.world() {
            self.worlds.insert(world.clone(), stored.index);
        }
        let recorded = self
            .agents
            .entry(header.agent())
            .or_insert(header.timestamp());
        *recorded = match row.is_local {
            true => header.timestamp(),
            false => header.timestamp().max(*recorded),
        };
        self.chains
            .entry(header.chain())
            .or_default()
            .push(stored.index);
        if let Some(keys) = self.extended_keys(stored) {
            self.keys.insert(header.agent(), keys);
        }
        if let Some(unit) = unit_in(stored) {
            self.lines.index_unit(unit);
        }
    }

    /// The key chain of the capsule's agent with it, if it belongs there.
    fn extended_keys(&self, stored: &StoredCapsule) -> Option<KeyHistory> {
        let kind = stored.entry.record()?;
        let payload = parse(stored.payload.as_ref()?.text.as_bytes(), Limits::CONTENT).ok()?;
        let document = KeyDocument::parse(kind, &payload)?.ok()?;
        let history = self.keys.get(&stored.header.agent()).cloned();
        extended(history, &stored.header, &document).ok()
    }

    pub(super) fn head_of(&self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        let last = self.chains.get(chain).and_then(|indices| indices.last());
        let head = last.map(|&index| Ok(Head::of(&self.row(index)?.stored)));
        head.transpose()
    }
}

impl AppendTxn for State {
    fn reserve(&mut self, world_id: &WorldId, index: u64) -> Result<Option<u64>, StoreError> {
        let taken = *self.worlds.entry(world_id.clone()).or_insert(index);
        Ok((taken != index).then_some(taken))
    }

    fn capsule(&mut self, index: u64) -> Result<StoredCapsule, StoreError> {
        self.row(index).map(|row| row.stored.clone())
    }

    fn head(&mut self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        self.head_of(chain)
    }

    fn key_history(&mut self, agent: &DidKey) -> Result<Option<KeyHistory>, StoreError> {
        Ok(self.keys.get(agent).cloned())
    }

    fn in_chain(
        &mut self,
        chain: &ChainId,
        seq: u64,
    ) -> Result<Option<(u64, Blake3Hash)>, StoreError> {
        let seq = usize::try_from(seq).unwrap_or(usize::MAX);
        let index = self.chains.get(chain).and_then(|indices| indices.get(seq));
        let found = index.map(|&index| Ok((index, self.row(index)?.stored.header.hash())));
        found.transpose()
    }

    fn last_recorded(&mut self, agent: &DidKey) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.agents.get(agent).copied())
    }

    fn insert(&mut self, new: &NewCapsule<'_>) -> Result<(), StoreError> {
        let row = Row {
            stored: new.stored.clone(),
            is_local: new.received.is_none(),
            hashes: new.hashes.to_vec(),
        };
        self.derive(&row);
        self.rows.push(row);
        Ok(())
    }
}

impl NodeReader for State {
    fn node(&self, level: u32, index: u64) -> Result<Sha256Hash, StoreError> {
        let row = self.row(row_of(level, index)?)?;
        let position = usize::try_from(level).unwrap_or(usize::MAX);
        row.hashes
            .get(position)
            .copied()
            .ok_or(StoreError::Bug("a leaf without its subtrees"))
    }
}
