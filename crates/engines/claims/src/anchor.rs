//! Anchors: Worlds that a claim cites as evidence.

use alloc::string::String;

use counterfoil_types::WorldId;
use serde::{Deserialize, Serialize};

/// World that a claim cites, with its chain: versions of one memory are one source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// World that is cited.
    pub world: WorldId,
    /// Id of its chain, 1 to 250 bytes.
    #[serde(deserialize_with = "crate::limits::chain")]
    pub source: String,
}
