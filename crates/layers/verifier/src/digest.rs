//! The two addresses that an entry names, of a content and of a header (`docs/format/capsule.md`, hashes), and the commitment
//! to a key.

use blake3::Hasher;
use counterfoil_types::{Blake3Hash, DidKey};

const PAYLOAD: &str = "memory-capsule 2026-02-10 v1 payload";
const CAPSULE: &str = "memory-capsule 2026-02-10 v1 capsule";
const NEXT_KEY: &str = "memory-capsule 2026-02-10 v1 next-key";

/// The content address of a payload: `H("payload", salt || canonical JSON)`.
///
/// The salt makes a short payload ("blood type A") unguessable from its address; once content and
/// salt are erased the address says nothing.
pub fn payload_hash(salt: &[u8; 32], canonical: &[u8]) -> Blake3Hash {
    salted_hash(PAYLOAD, salt, canonical)
}

/// `H(context, salt || bytes)`: of a body, or of two digests.
pub fn salted_hash(context: &str, salt: &[u8; 32], bytes: &[u8]) -> Blake3Hash {
    let mut hasher = Hasher::new_derive_key(context);
    hasher.update(salt);
    hasher.update(bytes);
    Blake3Hash::from_bytes(*hasher.finalize().as_bytes())
}

/// The hash of a header, which the next capsule links to: `H("capsule", canonical header without signature)`.
pub fn header_hash(canonical: &[u8]) -> Blake3Hash {
    Blake3Hash::from_bytes(blake3::derive_key(CAPSULE, canonical))
}

/// `H("next-key", public key)`: commitment of an agent to the key that it will rotate to.
pub fn next_key_commitment(key: &DidKey) -> Blake3Hash {
    Blake3Hash::from_bytes(blake3::derive_key(NEXT_KEY, key.public_key()))
}
