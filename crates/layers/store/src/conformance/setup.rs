//! What the suite gives a backend: keys, a clock that is set by hand, and numbers that repeat.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use counterfoil_capsule::{AgentSigner, SecretKey, Signer};

use crate::log::NoteSigner;
use crate::{Clock, Entropy, StoreError};

/// 2026-03-01T00:00:00Z, in microseconds.
const START_US: u64 = 1_772_323_200_000_000;

/// Name, clock, randomness and floor of a store of the suite.
#[derive(Clone)]
#[non_exhaustive]
pub struct Setup {
    /// The clock: microseconds since 1970.
    pub clock: Arc<AtomicU64>,
    /// The randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The size from which receipts carry a consistency proof.
    pub floor: Option<u64>,
}

impl Setup {
    /// Returns a setup with its clock in March 2026.
    pub fn new() -> Self {
        Self {
            clock: Arc::new(AtomicU64::new(START_US)),
            entropy: seeded_entropy(1),
            floor: None,
        }
    }

    /// The same with a floor.
    #[must_use]
    pub const fn with_floor(mut self, floor: u64) -> Self {
        self.floor = Some(floor);
        self
    }

    /// Sets the clock, back as well.
    pub fn set_clock(&self, now_us: u64) {
        self.clock.store(now_us, Ordering::SeqCst);
    }

    /// The log's signer; the same each time.
    ///
    /// # Errors
    /// Those of [`NoteSigner::new`].
    pub fn note_signer(&self) -> Result<NoteSigner, StoreError> {
        NoteSigner::new("conformance.example/log", SecretKey::from_seed([0x10; 32]))
    }

    /// An agent; the same each time for one `number`.
    pub fn agent(&self, number: u8) -> Arc<dyn Signer> {
        Arc::new(AgentSigner::new(SecretKey::from_seed([number; 32])))
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self::new()
    }
}

/// A clock that moves a microsecond a reading, and otherwise only by hand ([`Setup::set_clock`]).
impl Clock for AtomicU64 {
    fn now_micros(&self) -> u64 {
        self.fetch_add(1, Ordering::SeqCst)
    }
}

/// Returns numbers that look random and are the same in each run for one `seed` (splitmix64). Never for real keys.
pub fn seeded_entropy(seed: u64) -> Arc<dyn Entropy> {
    Arc::new(SeededEntropy(AtomicU64::new(seed)))
}

struct SeededEntropy(AtomicU64);

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError> {
        let step = 0x9e37_79b9_7f4a_7c15;
        for chunk in bytes.chunks_mut(8) {
            let mut mixed = self.0.fetch_add(step, Ordering::SeqCst).wrapping_add(step);
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            for (byte, random) in chunk.iter_mut().zip(mixed.to_le_bytes()) {
                *byte = random;
            }
        }
        Ok(())
    }
}
