//! Commitments to keys that are not revealed yet: a hash each, of its own context (capsules 4.7).

use counterfoil_types::{Blake3Hash, DidKey};

use crate::digest::{RECOVERY_KEY, derived};
pub use counterfoil_verifier::digest::next_key_commitment;

/// `H("recovery-key", public key)`: what an agent says in advance of the key that marks thefts and
/// settles forks.
pub fn recovery_key_commitment(key: &DidKey) -> Blake3Hash {
    derived(RECOVERY_KEY, key.public_key())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adversarial case C31 for keys: a commitment of one kind is none of the other.
    #[test]
    fn the_same_key_is_committed_to_apart() {
        let key = DidKey::from_public_key([7; 32]);
        assert_ne!(next_key_commitment(&key), recovery_key_commitment(&key));
        let expected = blake3::derive_key("memory-capsule 2026-02-10 v1 next-key", &[7; 32]);
        assert_eq!(next_key_commitment(&key).as_bytes(), &expected);
        let expected = blake3::derive_key("memory-capsule 2026-02-10 v1 recovery-key", &[7; 32]);
        assert_eq!(recovery_key_commitment(&key).as_bytes(), &expected);
    }
}
