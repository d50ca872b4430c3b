//! The right edge of the tree: all that is needed to append to it. [`append`](crate::append) seals capsules at it.

use counterfoil_types::Sha256Hash;
use counterfoil_verifier::merkle;

use crate::StoreError;
use crate::log::NodeReader;

/// The complete subtrees that a log of some size consists of, largest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    peaks: Vec<Sha256Hash>,
}

impl Frontier {
    /// The frontier of the stored log at `size`; at most 64 nodes are read.
    ///
    /// # Errors
    /// When a node cannot be read.
    pub fn load(reader: &dyn NodeReader, size: u64) -> Result<Self, StoreError> {
        let mut peaks = Vec::new();
        let mut at = 0;
        while at < size {
            let level = (size - at).ilog2();
            peaks.push(reader.node(level, at >> level)?);
            at += 1 << level;
        }
        Ok(Self { size, peaks })
    }

    /// Number of leaves of the log.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf and returns the hashes of all subtrees that it completes, the leaf itself
    /// first: on average two.
    pub fn append(&mut self, leaf: Sha256Hash) -> Vec<Sha256Hash> {
        let complete = self.size.trailing_ones();
        let mut ended = Vec::with_capacity(usize::try_from(complete + 1).unwrap_or_default());
        ended.push(leaf);
        let mut hash = leaf;
        for _ in 0..complete {
            if let Some(left) = self.peaks.pop() {
                hash = merkle::node_hash(&left, &hash);
                ended.push(hash);
            }
        }
        self.peaks.push(hash);
        self.size += 1;
        ended
    }

    /// The complete subtrees by level and number, largest first.
    pub fn nodes(&self) -> impl Iterator<Item = ((u32, u64), Sha256Hash)> + '_ {
        let mut at = 0;
        self.peaks.iter().map(move |hash| {
            let level = (self.size - at).ilog2();
            let node = (level, at >> level);
            at += 1 << level;
            (node, *hash)
        })
    }

    /// The root of the log.
    pub fn root(&self) -> Sha256Hash {
        let mut peaks = self.peaks.iter().rev();
        let Some(&last) = peaks.next() else {
            return merkle::EMPTY_ROOT;
        };
        peaks.fold(last, |hash, left| merkle::node_hash(left, &hash))
    }
}
