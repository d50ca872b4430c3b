//! What the host decides about trust (docs/format/trust.md).

use crate::documents::Competence;

/// What the host decides about trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustSettings {
    /// The longest path, 1 to 3 hops.
    pub max_hops: u8,
    /// Vouches below this do not count.
    pub required: Competence,
    /// What paths must sum to, in ppm.
    pub threshold_ppm: u64,
    /// What each hop but the first leaves, in ppm.
    pub decay_ppm: u64,
}

impl TrustSettings {
    /// What holds where nothing is set.
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
