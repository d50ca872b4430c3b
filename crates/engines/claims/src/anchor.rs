//! Anchors: Worlds that a claim cites as evidence.

use alloc::string::String;

use counterfoil_types::WorldId;

/// A World that a claim cites, and the chain that it stands in: versions of one memory are one source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Anchor {
    /// The World.
    pub world: WorldId,
    /// The id of its chain.
    pub source: String,
}
