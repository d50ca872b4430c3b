//! What has to be remembered of a request so that it is answered once (R4; case 66).

use counterfoil_types::{DidKey, Sha256Hash};

use crate::documents::RequestId;

/// That a request was heard. Kept durably before it is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Who asked.
    pub key: DidKey,
    /// Under which id.
    pub request_id: RequestId,
    /// What.
    pub hash: Sha256Hash,
    /// Until when, microseconds since 1970.
    pub until_us: u64,
}

/// How many sightings are held. When they are full, requests are refused and nothing is forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenQuotas {
    /// Of one key.
    pub per_key: u32,
    /// Of all.
    pub in_all: u32,
}

impl Default for SeenQuotas {
    fn default() -> Self {
        Self {
            per_key: 600,
            in_all: 100_000,
        }
    }
}
