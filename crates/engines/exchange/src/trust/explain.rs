//! A level with the reasons for it: the paths and the arithmetic.

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::{Level, Mark};
use crate::documents::DocumentHash;

/// How far an agent is trusted, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The level, after the caps.
    pub level: Level,
    /// What paths sum to, in ppm; saturating.
    pub score_ppm: u64,
    /// What they must sum to.
    pub threshold_ppm: u64,
    /// The vertex-disjoint paths that were counted, the heaviest first.
    pub paths: Vec<Path>,
    /// What lowered the level.
    pub caps: Vec<Cap>,
    /// Vouches that were not looked at because there are too many.
    pub left_out: usize,
}

/// A path of vouches from a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// From the root to the key that is asked about.
    pub keys: Vec<DidKey>,
    /// The vouch of each hop.
    pub vouches: Vec<DocumentHash>,
    /// The weight of each hop, in ppm.
    pub edges_ppm: Vec<u64>,
    /// The weight of all of it, in ppm.
    pub weight_ppm: u64,
}

/// What lowers a level.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cap {
    /// I distrust it: level 0.
    Distrusted,
    /// Something was seen of it.
    Marked(Mark),
    /// One whom I trust directly disputes it: level 1.
    Disputed {
        /// Who.
        by: DidKey,
    },
}

impl Cap {
    /// The highest level that it leaves.
    #[must_use]
    pub const fn ceiling(&self) -> Level {
        match self {
            Self::Distrusted | Self::Marked(Mark::Compromise) => Level::Anonymous,
            Self::Marked(Mark::Equivocation | Mark::Framing) | Self::Disputed { .. } => {
                Level::Identified
            }
        }
    }
}
