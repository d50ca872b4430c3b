//! The keys of an agent: pre-committed, rotated with two proofs, marked when stolen (capsules 4.7, C12).
//!
//! An agent is named after its first key and commits in advance, by hash, to its next key and to a
//! recovery key. Its **key chain** is one chain of records: a [`KeyInception`], then a
//! [`KeyRotation`] or a [`KeyCompromise`] each. A rotation reveals the next key and carries a proof
//! by it beside one by the current key, so a thief of the current key alone cannot rotate. Capsules that
//! the thief signs until then are marked afterwards, by the recovery key.
//!
//! [`KeyHistory`] is the fold of a key chain: which key has which number, which is current. A capsule
//! names the number of the key that signs it (`ext.key`), and is checked with the key of that
//! number, never with the key of some moment.
//!
//! Not protected against: a thief of the first key, before the inception is published, can publish
//! another one. The holder of the true one then has a proof of equivocation.

mod commitment;
mod compromise;
mod document;
mod fork_resolution;
mod history;
mod inception;
mod rotation;

pub use commitment::{next_key_commitment, recovery_key_commitment};
pub use compromise::KeyCompromise;
pub use document::KeyDocument;
pub use fork_resolution::ForkResolution;
pub use history::KeyHistory;
pub use inception::KeyInception;
pub use rotation::KeyRotation;

pub use crate::key_error::KeyError;

/// Limit on a `reason` and on the other texts for people, in bytes.
pub const MAX_REASON: usize = 1024;
