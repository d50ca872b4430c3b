//! The names of units: as those of memories are made.

use core::fmt::Write;

use counterfoil_types::WorldId;

use crate::{Entropy, StoreError};

/// Returns a fresh name: 128 random bits.
///
/// # Errors
/// [`StoreError::NoRandomness`].
pub fn random_world_id(entropy: &dyn Entropy) -> Result<WorldId, StoreError> {
    let mut bytes = [0_u8; 16];
    entropy.fill(&mut bytes)?;
    let mut name = String::from("mem_");
    for byte in bytes {
        write!(name, "{byte:02x}").map_err(|_| StoreError::Bug("a text that takes no more"))?;
    }
    WorldId::new(name).map_err(|_| StoreError::Bug("an id that is none"))
}
