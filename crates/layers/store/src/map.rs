//! Builds the map beside the log (`docs/format/standing.md`): rows of nodes, of which a batch of changes rewrites a few a key,
//! and lookups. `counterfoil-verifier` checks them.
//!
//! A row holds four levels of the tree, and a subtree of up to 16 keys is one row. So a map of 2^20 keys has about
//! 100,000 rows, five of them on the path of a key.

mod node;
mod of_log;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use counterfoil_types::Sha256Hash;
use counterfoil_verifier::map::{Lookup, bit, value_hash};

use crate::StoreError;
pub use of_log::{LogMap, MapLog};

use node::{Halves, Inner, Leaf, Node, Summary};

/// Rows of a map. Those of nodes have as their place the path from the root, four bits a byte; the places of the others, which a
/// [`LogMap`] keeps beside them, begin with a byte of 16 or more.
pub trait MapNodes {
    /// Returns the row at `place`.
    ///
    /// # Errors
    /// When it cannot be read.
    fn node(&self, place: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Writes the row at `place`, in the place of one that is there.
    ///
    /// # Errors
    /// When it cannot be written.
    fn put_node(&self, place: &[u8], node: &[u8]) -> Result<(), StoreError>;

    /// Writes the row at `place`, and returns true, unless there is one.
    ///
    /// # Errors
    /// When it cannot be written.
    fn add_node(&self, place: &[u8], node: &[u8]) -> Result<bool, StoreError>;
}

/// Rows in memory.
impl MapNodes for RefCell<BTreeMap<Vec<u8>, Vec<u8>>> {
    fn node(&self, place: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.borrow().get(place).cloned())
    }

    fn put_node(&self, place: &[u8], node: &[u8]) -> Result<(), StoreError> {
        self.borrow_mut().insert(place.to_vec(), node.to_vec());
        Ok(())
    }

    fn add_node(&self, place: &[u8], node: &[u8]) -> Result<bool, StoreError> {
        match self.borrow_mut().entry(place.to_vec()) {
            Entry::Occupied(_) => Ok(false),
            Entry::Vacant(vacant) => {
                vacant.insert(node.to_vec());
                Ok(true)
            }
        }
    }
}

/// Sets the values of keys, given by the SHA-256 of each, and returns the new root. Reads and writes each row on the paths
/// of these keys once.
///
/// # Errors
/// [`StoreError::IndexDamaged`] for a row that is no node; when rows cannot be read or written.
pub fn update(
    nodes: &dyn MapNodes,
    changes: &BTreeMap<Sha256Hash, Sha256Hash>,
) -> Result<Sha256Hash, StoreError> {
    let changes: Vec<Leaf> = changes.iter().map(|(key, value)| (*key, *value)).collect();
    match changes.is_empty() {
        true => root(nodes),
        false => Ok(apply(nodes, (&mut Vec::new(), false), &changes)?.hash),
    }
}

/// The root of the map, as its rows have it.
///
/// # Errors
/// [`StoreError::IndexDamaged`] for a row that is no node; when it cannot be read.
pub fn root(nodes: &dyn MapNodes) -> Result<Sha256Hash, StoreError> {
    Ok(read(nodes, &[])?
        .map_or(Summary::EMPTY, |node| node.summary(0))
        .hash)
}

/// The lookup of `key`, whose value is `value` if the map has it.
///
/// # Errors
/// [`StoreError::IndexDamaged`] if the rows have another value, or a row is missing or no node; when rows cannot be read.
pub fn look_up(
    nodes: &dyn MapNodes,
    key: &Sha256Hash,
    value: Option<&str>,
) -> Result<Lookup, StoreError> {
    let mut siblings = Vec::new();
    let found = descend(nodes, key, &mut siblings)?;
    siblings.reverse();
    let at_key = found.filter(|(found, _)| found == key);
    if at_key.map(|(_, hash)| hash) != value.map(value_hash) {
        return Err(corrupt());
    }
    Ok(Lookup {
        siblings,
        value: value.map(str::to_owned),
        other: found.filter(|(found, _)| found != key),
    })
}

/// Writes the changes, sorted and at least one, below `place`, which has a row already if `has_row`.
fn apply(
    nodes: &dyn MapNodes,
    (place, has_row): (&mut Vec<u8>, bool),
    changes: &[Leaf],
) -> Result<Summary, StoreError> {
    let depth = place.len();
    let before = match has_row || depth == 0 {
        true => read(nodes, place)?,
        false => None,
    };
    let is_new = before.is_none();
    let node = match before {
        None if has_row => return Err(corrupt()),
        Some(Node::Inner(mut inner)) => {
            descend_into(nodes, place, &mut inner, changes)?;
            Node::Inner(inner)
        }
        found => {
            let mut leaves: BTreeMap<_, _> = match found {
                Some(Node::Bucket(leaves)) => leaves.into_iter().collect(),
                _ => BTreeMap::new(),
            };
            leaves.extend(changes.iter().copied());
            let leaves: Vec<Leaf> = leaves.into_iter().collect();
            if leaves.len() <= node::BUCKET {
                Node::Bucket(leaves)
            } else {
                let mut inner = Box::<Inner>::default();
                descend_into(nodes, place, &mut inner, &leaves)?;
                Node::Inner(inner)
            }
        }
    };
    match is_new {
        // A row that no other leads to is refused.
        true if !nodes.add_node(place, &node.to_bytes())? => return Err(corrupt()),
        true => {}
        false => nodes.put_node(place, &node.to_bytes())?,
    }
    Ok(node.summary(depth))
}

/// Writes the changes into the children of `inner`, and what becomes of these into `inner`.
fn descend_into(
    nodes: &dyn MapNodes,
    place: &mut Vec<u8>,
    inner: &mut Inner,
    changes: &[Leaf],
) -> Result<(), StoreError> {
    let depth = place.len();
    for group in
        changes.chunk_by(|one, two| node::nibble(&one.0, depth) == node::nibble(&two.0, depth))
    {
        let Some((key, _)) = group.first() else {
            continue;
        };
        let slot = node::nibble(key, depth);
        place.push(slot);
        let summary = apply(nodes, (&mut *place, inner.has(slot)), group)?;
        inner.set(slot, summary);
        place.pop();
    }
    Ok(())
}

/// Walks towards `key`, and returns the only leaf of the subtree at the end of the path. Siblings come from the root down.
fn descend(
    nodes: &dyn MapNodes,
    key: &Sha256Hash,
    siblings: &mut Vec<Sha256Hash>,
) -> Result<Option<Leaf>, StoreError> {
    let mut place = Vec::new();
    loop {
        let depth = place.len();
        let inner = match read(nodes, &place)? {
            Some(Node::Inner(inner)) => inner,
            Some(Node::Bucket(leaves)) => {
                return Ok(node::in_bucket(&leaves, key, depth, siblings));
            }
            None if depth == 0 => return Ok(None),
            None => return Err(corrupt()),
        };
        let mut part = Halves::of(&inner);
        let mut at = depth * node::LEVELS;
        while part.is_divided() {
            let (left, right) = part.split();
            let (own, beside) = match bit(key, at) {
                true => (right, left),
                false => (left, right),
            };
            siblings.push(beside.summary().hash);
            part = own;
            at += 1;
        }
        match part.only() {
            None => return Ok(None),
            Some(slot) => place.push(slot),
        }
    }
}

fn read(nodes: &dyn MapNodes, place: &[u8]) -> Result<Option<Node>, StoreError> {
    nodes
        .node(place)?
        .map(|bytes| Node::from_bytes(place, &bytes).ok_or_else(corrupt))
        .transpose()
}

const fn corrupt() -> StoreError {
    StoreError::IndexDamaged { table: "map_node" }
}

#[cfg(test)]
mod tests;
