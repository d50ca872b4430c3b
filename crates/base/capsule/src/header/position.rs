//! Place of a new capsule: chain, number, link and transaction time (capsules 4.4).

use alloc::string::ToString;

use counterfoil_types::Blake3Hash;
use counterfoil_types::json::Map;

use super::{BodyRef, Header};
use crate::extensions::Extensions;
use crate::id::{CapsuleId, ChainId};
use crate::stamp::{LastTimes, Stamp};
use crate::timestamp::Timestamp;

/// The place of a capsule that is about to be sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    pub(super) id: CapsuleId,
    pub(super) chain: ChainId,
    pub(super) seq: u64,
    /// Hash of the capsule before it, and the change against it; `None` for a seed.
    pub(super) follows: Option<(Blake3Hash, BodyRef)>,
    stamp: Stamp,
    extensions: Extensions,
}

impl Position {
    /// The first capsule of a new chain, which takes its name from it.
    pub fn seed(id: CapsuleId, stamp: Stamp) -> Self {
        Self {
            id,
            chain: ChainId::of_seed(id),
            seq: 0,
            follows: None,
            stamp,
            extensions: Extensions::default(),
        }
    }

    /// The capsule after `predecessor`, in its chain. `delta` names the change; the caller ensures that it leads
    /// from the one content to the other.
    pub fn after(predecessor: &Header, delta: BodyRef, id: CapsuleId, stamp: Stamp) -> Self {
        Self {
            chain: predecessor.chain(),
            seq: predecessor.seq() + 1,
            follows: Some((predecessor.hash(), delta)),
            ..Self::seed(id, stamp)
        }
    }

    /// The times of the capsule, for the one after it.
    pub const fn times(&self) -> LastTimes {
        LastTimes {
            timestamp: self.stamp.timestamp(),
            recorded: self.stamp.recorded(),
        }
    }

    /// With members of `ext` that its header gets.
    #[must_use]
    pub fn with(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// The transaction time.
    pub const fn timestamp(&self) -> Timestamp {
        self.stamp.timestamp()
    }

    /// `ext` as far as the position gives it.
    pub(super) fn ext(&self) -> Map {
        let mut ext = Map::new();
        if self.stamp.is_held() {
            ext.insert("clock".into(), "held".into());
        }
        if self.stamp.recorded() != self.stamp.timestamp() {
            ext.insert("observed".into(), self.stamp.recorded().to_string().into());
        }
        self.extensions.write(&mut ext);
        ext
    }
}
