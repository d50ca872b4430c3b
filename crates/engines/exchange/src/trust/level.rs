//! The four trust levels of the protocol (MRP "Trust Levels"), their settings, and a level with its reasons
//! (docs/format/trust.md).

use alloc::vec::Vec;

use counterfoil_types::{DidKey, words};

use super::Mark;
use crate::documents::{Competence, DocumentHash};

words! {
    /// Trust level of an agent. Vouches give at most [`Vouched`](Self::Vouched).
    #[derive(PartialOrd, Ord, Hash, Default)]
    pub enum Level {
        /// An agent without a valid proof of possession.
        #[default]
        Anonymous = "anonymous",
        /// A key.
        Identified = "identified",
        /// A key that trusted agents vouch for.
        Vouched = "vouched",
        /// A key that this agent trusts itself.
        Direct = "direct",
    }
}

impl Level {
    /// Number of the level, 0 to 3.
    pub const fn number(self) -> u8 {
        match self {
            Self::Anonymous => 0,
            Self::Identified => 1,
            Self::Vouched => 2,
            Self::Direct => 3,
        }
    }

    /// The level of that number.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The next lower level; the lowest stays.
    #[must_use]
    pub fn lowered(self) -> Self {
        Self::of_number(self.number().saturating_sub(1)).unwrap_or_default()
    }
}

/// Settings of trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustSettings {
    /// Longest path, 1 to 3 hops. Default 2.
    pub max_hops: u8,
    /// Minimum competence of a vouch that counts.
    pub required: Competence,
    /// Minimum summed path weight for level 2, in ppm. Default 600,000.
    pub threshold_ppm: u64,
    /// Factor of each hop but the first, in ppm. Default 800,000.
    pub decay_ppm: u64,
}

impl TrustSettings {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        max_hops: 2,
        required: Competence::Competent,
        threshold_ppm: 600_000,
        decay_ppm: 800_000,
    };
}

impl Default for TrustSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

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
