//! Settings of trust (docs/format/trust.md).

use crate::documents::Competence;

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
