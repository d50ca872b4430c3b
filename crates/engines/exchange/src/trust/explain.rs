//! A trust level with its reasons: the paths and the arithmetic.

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::{Level, Mark};
use crate::documents::DocumentHash;

/// Trust in an agent, with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustReport {
    /// The level, after the caps.
    pub level: Level,
    /// Summed path weight, in ppm; saturating.
    pub score_ppm: u64,
    /// Minimum summed path weight for level 2, in ppm.
    pub threshold_ppm: u64,
    /// The vertex-disjoint paths that were counted, the heaviest first.
    pub paths: Vec<TrustPath>,
    /// Caps that lowered the level.
    pub caps: Vec<Cap>,
    /// Number of vouches beyond the limit, which were not counted.
    pub left_out: usize,
}

/// A path of vouches from a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustPath {
    /// Keys from the root to the subject.
    pub keys: Vec<DidKey>,
    /// Hashes of the vouches, one for each hop.
    pub vouches: Vec<DocumentHash>,
    /// The weight of each hop, in ppm.
    pub edges_ppm: Vec<u64>,
    /// The weight of all of it, in ppm.
    pub weight_ppm: u64,
}

/// A cap on a level.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cap {
    /// Distrusted by this agent: level 0.
    Distrusted,
    /// Marked by this agent.
    Marked(Mark),
    /// Disputed by a directly trusted agent: level 1.
    Disputed {
        /// Key of that agent.
        by: DidKey,
    },
}

impl Cap {
    /// Highest level under the cap.
    pub const fn ceiling(&self) -> Level {
        match self {
            Self::Distrusted | Self::Marked(Mark::Compromise) => Level::Anonymous,
            Self::Marked(Mark::Equivocation | Mark::Framing) | Self::Disputed { .. } => {
                Level::Identified
            }
        }
    }
}
