//! A log whose map is held in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;

use counterfoil_capsule::{Header, Timestamp};
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, Sha256Hash, WorldId};
use counterfoil_verifier::map::MemoryStanding;

use super::{MapLog, Placed};
use crate::StoreError;
use crate::map::MapNodes;

/// Rows in memory, and of each entry what later ones refer to.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) rows: RefCell<BTreeMap<Vec<u8>, Vec<u8>>>,
    entries: Vec<(Placed, Timestamp)>,
    worlds: BTreeMap<Sha256Hash, u64>,
}

impl Held {
    pub(super) fn add(&mut self, header: &Header) {
        let index = u64::try_from(self.entries.len()).unwrap_or(u64::MAX);
        let memory = header.world().map(MemoryStanding::key);
        let memory = memory.filter(|key| *self.worlds.entry(*key).or_insert(index) == index);
        let placed = (header.hash(), header.agent(), memory);
        self.entries.push((placed, header.timestamp()));
    }

    pub(super) fn index_of_key(&self, key: &Sha256Hash) -> Option<u64> {
        self.worlds.get(key).copied()
    }
}

impl MapNodes for Held {
    fn node(&self, place: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.rows.node(place)
    }

    fn put_node(&self, place: &[u8], node: &[u8]) -> Result<(), StoreError> {
        self.rows.put_node(place, node)
    }

    fn add_node(&self, place: &[u8], node: &[u8]) -> Result<bool, StoreError> {
        self.rows.add_node(place, node)
    }
}

impl MapLog for Held {
    fn placed(&self, index: u64) -> Result<Placed, StoreError> {
        let at = usize::try_from(index).ok();
        let entry = at.and_then(|at| self.entries.get(at));
        Ok(entry.ok_or(StoreError::Bug("an entry that is not held"))?.0)
    }

    fn index_of(&self, world: &WorldId) -> Result<Option<u64>, StoreError> {
        Ok(self.index_of_key(&MemoryStanding::key(world)))
    }

    fn first_since(
        &self,
        agent: &DidKey,
        time: Timestamp,
        end: u64,
    ) -> Result<Option<u64>, StoreError> {
        let mut entries = (0..end).zip(&self.entries);
        let found = entries.find(|(_, ((_, by, _), at))| by == agent && *at >= time);
        Ok(found.map(|(index, _)| index))
    }

    fn record(&self, _: u64) -> Result<(Header, Value), StoreError> {
        // Histories of keys are kept with the map.
        Err(StoreError::Bug("a record that is not held"))
    }
}
