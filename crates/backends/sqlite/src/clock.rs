//! The system's clock and random numbers: the only place of the backend that reads either.

use std::time::{SystemTime, UNIX_EPOCH};

use counterfoil_store::{Clock, Entropy, StoreError};

/// The clock of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    /// Returns 0 when the system's clock is before 1970, which no store accepts as a time.
    fn now_micros(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .ok()
            .and_then(|since| u64::try_from(since.as_micros()).ok())
            .unwrap_or(0)
    }
}

/// The random numbers of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError> {
        getrandom::fill(bytes).map_err(|error| StoreError::NoRandomness {
            detail: error.to_string(),
        })
    }
}
