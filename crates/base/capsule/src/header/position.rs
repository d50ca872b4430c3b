//! Place of a new capsule: chain, number, link and transaction time (capsules 4.4).

use counterfoil_types::Blake3Hash;
use counterfoil_types::json::Map;

use super::{BodyRef, Header};
use crate::extensions::Extensions;
use crate::id::{CapsuleId, ChainId};
use crate::stamp::{ClockState, Stamp};
use crate::timestamp::Timestamp;

/// The place of a capsule that is about to be sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    id: CapsuleId,
    chain: ChainId,
    stamp: Stamp,
    follows: Option<Follows>,
    extensions: Extensions,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Follows {
    seq: u64,
    previous: Blake3Hash,
    delta: BodyRef,
}

impl Position {
    /// The first capsule of a new chain, which takes its name from it.
    #[must_use]
    pub fn seed(id: CapsuleId, stamp: Stamp) -> Self {
        Self {
            id,
            chain: ChainId::of_seed(id),
            stamp,
            follows: None,
            extensions: Extensions::default(),
        }
    }

    /// The capsule after `predecessor`, in its chain. `delta` names the change; the caller ensures that it leads
    /// from the one content to the other.
    #[must_use]
    pub fn after(predecessor: &Header, delta: BodyRef, id: CapsuleId, stamp: Stamp) -> Self {
        let (seq, previous) = (predecessor.seq() + 1, predecessor.hash());
        let follows = Some(Follows {
            seq,
            previous,
            delta,
        });
        Self {
            id,
            chain: predecessor.chain(),
            stamp,
            follows,
            extensions: Extensions::default(),
        }
    }

    /// With members of `ext` that its header gets.
    #[must_use]
    pub fn with(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// The name of the capsule.
    #[must_use]
    pub const fn id(&self) -> CapsuleId {
        self.id
    }

    /// Chain of the capsule.
    #[must_use]
    pub const fn chain(&self) -> ChainId {
        self.chain
    }

    /// Its number in the chain.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.follows.as_ref().map_or(0, |follows| follows.seq)
    }

    /// The transaction time.
    #[must_use]
    pub const fn timestamp(&self) -> Timestamp {
        self.stamp.timestamp()
    }

    /// Source of that time.
    #[must_use]
    pub const fn clock(&self) -> ClockState {
        self.stamp.clock()
    }

    /// `ext` as far as the position gives it.
    pub(crate) fn ext(&self) -> Map {
        let mut ext = self.stamp.clock().ext();
        self.extensions.write(&mut ext);
        ext
    }

    pub(crate) fn follows(&self) -> Option<(Blake3Hash, &BodyRef)> {
        self.follows
            .as_ref()
            .map(|follows| (follows.previous, &follows.delta))
    }
}
