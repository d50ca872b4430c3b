//! Random bytes for many capsules, drawn at once: each call of the system costs as much as a hash.

use crate::{Entropy, StoreError};

/// Random bytes of one capsule: its id and the salts of its payload and its delta.
const BYTES_PER_CAPSULE: usize = 10 + 32 + 32;
/// The most bytes that are drawn at once.
const MAX_BYTES: usize = 16 * 1024;

/// Bytes that were drawn and not yet used. Each is given out once.
pub(super) struct Random<'e> {
    entropy: &'e dyn Entropy,
    unused: Vec<u8>,
    capsules: usize,
}

impl<'e> Random<'e> {
    /// Draws for about so many capsules.
    pub(super) const fn new(entropy: &'e dyn Entropy, capsules: usize) -> Self {
        Self {
            entropy,
            unused: Vec::new(),
            capsules,
        }
    }

    pub(super) fn take<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], StoreError> {
        if self.unused.len() < BYTES {
            let wanted = self.capsules.saturating_mul(BYTES_PER_CAPSULE);
            self.unused.clear();
            self.unused.resize(wanted.clamp(BYTES, MAX_BYTES), 0);
            self.entropy.fill(&mut self.unused)?;
        }
        let (rest, taken) = self
            .unused
            .split_last_chunk::<BYTES>()
            .ok_or(StoreError::Bug("fewer random bytes than were drawn"))?;
        let (left, taken) = (rest.len(), *taken);
        self.unused.truncate(left);
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::conformance::seeded_entropy;

    /// A salt that came twice would tie two contents together.
    /// (CAP-8)
    #[test]
    fn no_byte_is_given_out_twice() {
        for capsules in [1, 3, 1000] {
            let entropy = seeded_entropy(7);
            let mut random = Random::new(&*entropy, capsules);
            let taken: BTreeSet<[u8; 32]> = (0..2000).map(|_| random.take().unwrap()).collect();
            assert_eq!(taken.len(), 2000);
        }
    }
}
