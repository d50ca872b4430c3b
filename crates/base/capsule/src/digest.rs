//! The keyed contexts of every BLAKE3 hash in a capsule: no hash of one thing is a hash of another.

use blake3::Hasher;
use counterfoil_types::Blake3Hash;
use counterfoil_verifier::digest::salted_hash;
pub use counterfoil_verifier::digest::{header_hash, payload_hash};

const DELTA: &str = "memory-capsule 2026-02-10 v1 delta";
const MUTATION: &str = "memory-capsule 2026-02-10 v1 mutation";
pub(crate) const RECOVERY_KEY: &str = "memory-capsule 2026-02-10 v1 recovery-key";
pub(crate) const ARCHIVE_MANIFEST: &str = "memory-capsule 2026-02-10 v1 archive-manifest";
pub(crate) const CONTRADICTION: &str = "memory-capsule 2026-02-10 v1 contradiction";
pub(crate) const EVIDENCE: &str = "memory-capsule 2026-02-10 v1 evidence";
pub(crate) const FEED: &str = "memory-capsule 2026-02-10 v1 feed";
pub(crate) const FEED_SALT: &str = "memory-capsule 2026-02-10 v1 feed-salt";
const FIELD_SALT: &str = "memory-capsule 2026-02-10 v1 field-salt";
const JOURNAL: &str = "memory-capsule 2026-02-10 v1 journal";
pub(crate) const LINE: &str = "memory-capsule 2026-02-10 v1 line";

/// The address of a delta: `H("delta", salt || canonical JSON)`. Never equal to a payload's.
pub fn delta_hash(salt: &[u8; 32], canonical: &[u8]) -> Blake3Hash {
    salted_hash(DELTA, salt, canonical)
}

/// The protocol's `hash(previous || delta)`: `H("mutation", previous || delta hash)`, both raw and
/// 32 bytes wide, so that no byte can move from one to the other.
pub fn mutation_hash(previous: &Blake3Hash, delta: &Blake3Hash) -> Blake3Hash {
    salted_hash(MUTATION, previous.as_bytes(), delta.as_bytes())
}

/// Link of a row of the journal: `H("journal", link before || row)`, 32 bytes of zeros before the first
/// (docs/format/database.md 9).
#[must_use]
pub fn journal_link(before: &Blake3Hash, row: &[u8]) -> Blake3Hash {
    salted_hash(JOURNAL, before.as_bytes(), row)
}

/// `H(context, bytes)`, of a context above.
pub(crate) fn derived(context: &str, bytes: &[u8]) -> Blake3Hash {
    Blake3Hash::from_bytes(blake3::derive_key(context, bytes))
}

/// Derives the salt of each field of one content from its content salt.
#[derive(Debug, Clone)]
pub(crate) struct FieldSalts(Hasher);

impl FieldSalts {
    pub(crate) fn new(salt: &[u8; 32]) -> Self {
        let mut hasher = Hasher::new_derive_key(FIELD_SALT);
        hasher.update(salt);
        Self(hasher)
    }

    /// The first 16 bytes of `H("field-salt", salt || path)`.
    pub(crate) fn of(&self, path: &str) -> [u8; 16] {
        let mut salt = [0; 16];
        let mut hasher = self.0.clone();
        hasher.update(path.as_bytes());
        hasher.finalize_xof().fill(&mut salt);
        salt
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    const VECTORS: &str = include_str!("../../../../tests/vectors/blake3/test_vectors.json");

    /// The official BLAKE3 vectors, so that a wrong build of the hash cannot pass for ours.
    #[test]
    fn the_official_blake3_vectors_hold() {
        let vectors: Value = serde_json::from_str(VECTORS).unwrap();
        let text = |value: &Value| String::from(value.as_str().unwrap());
        let (key, context) = (text(&vectors["key"]), text(&vectors["context_string"]));
        let key: [u8; 32] = key.as_bytes().try_into().unwrap();
        let cases = vectors["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 35);
        for case in cases {
            let length = usize::try_from(case["input_len"].as_u64().unwrap()).unwrap();
            let input: Vec<u8> = (0..=250_u8).cycle().take(length).collect();
            for (mut hasher, member) in [
                (Hasher::new(), "hash"),
                (Hasher::new_keyed(&key), "keyed_hash"),
                (Hasher::new_derive_key(&context), "derive_key"),
            ] {
                let expected = hex::decode(text(&case[member])).unwrap();
                let mut output = alloc::vec![0; expected.len()];
                hasher.update(&input).finalize_xof().fill(&mut output);
                assert_eq!(output, expected, "{member} of {length} bytes");
            }
        }
    }

    proptest! {
        /// Adversarial case C31: a hash of one thing presented as the hash of another.
        /// (C1)
        #[test]
        fn the_same_bytes_hash_apart_in_every_context(salt: [u8; 32], body: Vec<u8>) {
            let mut whole = salt.to_vec();
            whole.extend_from_slice(&body);
            let all = [payload_hash(&salt, &body), delta_hash(&salt, &body), header_hash(&whole)];
            prop_assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
            let wide = Blake3Hash::from_bytes(salt);
            prop_assert_ne!(mutation_hash(&wide, &wide), header_hash(&[salt, salt].concat()));
        }

        /// Adversarial case C30: both halves have one width, so the boundary cannot move.
        /// (C1)
        #[test]
        fn no_byte_moves_between_previous_and_delta(a: [u8; 32], b: [u8; 32], c: [u8; 32], d: [u8; 32]) {
            let hash = Blake3Hash::from_bytes;
            let same = (a, b) == (c, d);
            prop_assert_eq!(mutation_hash(&hash(a), &hash(b)) == mutation_hash(&hash(c), &hash(d)), same);
            prop_assert!(a == b || mutation_hash(&hash(a), &hash(b)) != mutation_hash(&hash(b), &hash(a)));
        }
    }
}
