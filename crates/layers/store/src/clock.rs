//! Time and randomness as parameters: nothing in this crate reads a clock or draws a number.

use crate::StoreError;

/// A source of the present time.
pub trait Clock: Send + Sync {
    /// Microseconds since the Unix epoch. May step back or stand still: a store stamps strictly
    /// increasing times all the same.
    fn now_micros(&self) -> u64;
}

/// A source of unpredictable bytes.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with unpredictable bytes.
    ///
    /// # Errors
    /// [`StoreError::NoRandomness`] when the source has none to give; nothing is written then.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError>;
}
