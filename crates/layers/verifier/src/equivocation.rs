//! Equivocation: proofs that are each valid and cannot all be of one history (`proof.md` §3).

use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry as Slot;
use alloc::string::String;

use counterfoil_types::{Blake3Hash, Sha256Hash, WorldId};

use crate::proven::Proven;

/// Two valid proofs that contradict each other: an anchored log or agent has signed two histories.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Equivocation {
    /// A log showed two roots for one size.
    #[error("the log {origin:?} shows two roots at size {size}; trust nothing of it")]
    Log {
        /// The log's origin.
        origin: String,
        /// The tree size.
        size: u64,
        /// Both roots.
        roots: [Sha256Hash; 2],
    },
    /// A log showed two maps of one size.
    #[error("the log {origin:?} shows two maps at size {size}; trust nothing of it")]
    Map {
        /// The log's origin.
        origin: String,
        /// The tree size.
        size: u64,
        /// The roots of both.
        roots: [Sha256Hash; 2],
    },
    /// A log showed two entries at one index.
    #[error("the log {origin:?} shows two entries at index {index}; trust nothing of it")]
    Index {
        /// The log's origin.
        origin: String,
        /// The index.
        index: u64,
        /// The leaf hashes of both.
        leaves: [Sha256Hash; 2],
    },
    /// One World has two contents.
    #[error("the World {world:?} is proven with two contents; at most one is its own")]
    World {
        /// The World.
        world: WorldId,
        /// The addresses of both contents.
        contents: [Blake3Hash; 2],
        /// The field roots of both.
        field_roots: [Sha256Hash; 2],
    },
}

/// Returns the first contradiction among the proofs of one trace.
///
/// `None` says that these proofs fit together, not that the log showed others the same.
pub fn find(proven: &[Proven]) -> Option<Equivocation> {
    two_roots(proven)
        .or_else(|| two_maps(proven))
        .or_else(|| two_entries(proven))
        .or_else(|| two_contents(proven))
}

fn two_roots(proven: &[Proven]) -> Option<Equivocation> {
    let mut roots = BTreeMap::new();
    proven
        .iter()
        .filter_map(Proven::checkpoint)
        .find_map(|checkpoint| {
            let (origin, size) = (checkpoint.origin(), checkpoint.size());
            let first = differs(&mut roots, (origin, size), checkpoint.root())?;
            Some(Equivocation::Log {
                origin: origin.into(),
                size,
                roots: [first, checkpoint.root()],
            })
        })
}

/// A checkpoint without a map contradicts none with one.
fn two_maps(proven: &[Proven]) -> Option<Equivocation> {
    let mut roots = BTreeMap::new();
    let mut checkpoints = proven.iter().filter_map(Proven::checkpoint);
    checkpoints.find_map(|checkpoint| {
        let (origin, size) = (checkpoint.origin(), checkpoint.size());
        let root = checkpoint.map_root()?;
        let first = differs(&mut roots, (origin, size), root)?;
        Some(Equivocation::Map {
            origin: origin.into(),
            size,
            roots: [first, root],
        })
    })
}

fn two_entries(proven: &[Proven]) -> Option<Equivocation> {
    let mut leaves = BTreeMap::new();
    proven.iter().find_map(|proven| {
        let origin = proven.checkpoint()?.origin();
        let (index, leaf) = (proven.index()?, proven.entry()?.leaf_hash());
        let first = differs(&mut leaves, (origin, index), leaf)?;
        Some(Equivocation::Index {
            origin: origin.into(),
            index,
            leaves: [first, leaf],
        })
    })
}

fn two_contents(proven: &[Proven]) -> Option<Equivocation> {
    let mut contents = BTreeMap::new();
    proven.iter().filter_map(Proven::entry).find_map(|entry| {
        let (content, field_root) = (entry.content, entry.field_root);
        let first = differs(&mut contents, &entry.world, (content, field_root))?;
        Some(Equivocation::World {
            world: entry.world.clone(),
            contents: [first.0, content],
            field_roots: [first.1, field_root],
        })
    })
}

/// Returns the first value under a key, if `value` is another.
fn differs<K: Ord, V: Copy + PartialEq>(seen: &mut BTreeMap<K, V>, key: K, value: V) -> Option<V> {
    match seen.entry(key) {
        Slot::Vacant(slot) => {
            slot.insert(value);
            None
        }
        Slot::Occupied(slot) => (*slot.get() != value).then(|| *slot.get()),
    }
}
