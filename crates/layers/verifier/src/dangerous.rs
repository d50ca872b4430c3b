//! Partial checks, spelled so that a reviewer can search for them.
//!
//! None of them proves anything about a memory: a path says nothing without a signed root, a
//! consistency proof nothing without two. They are here for those who build logs, audits and
//! monitors. A verifier of proofs uses [`Examiner::examine`](crate::Examiner).

use counterfoil_types::Sha256Hash;

use crate::checkpoint::Checkpoint;
use crate::consistency;
use crate::inclusion;
use crate::merkle::LOG;
use crate::note::{Algorithm, SignedNote, VerifierKey};
use crate::refusal::Refusal;

/// The root to which a path leads from a leaf (RFC 9162 §2.1.3.2). The caller must compare it with
/// a root that it trusts for exactly this `size`.
///
/// # Errors
/// [`Refusal::TreeTooLarge`] beyond 2^62 leaves, [`Refusal::IndexOutOfRange`],
/// [`Refusal::PathLength`].
pub fn root_from_inclusion_proof(
    index: u64,
    size: u64,
    leaf: &Sha256Hash,
    path: &[Sha256Hash],
) -> Result<Sha256Hash, Refusal> {
    inclusion::fold(LOG, index, size, leaf, path)
}

/// Returns `Ok` if a tree extends another (RFC 9162 §2.1.4.2). Both roots must be trusted already.
///
/// # Errors
/// [`Refusal::ConsistencyRange`] from an empty tree or to a smaller one,
/// [`Refusal::ConsistencyLength`], [`Refusal::ConsistencyRoot`], [`Refusal::TooMuch`] beyond 65
/// hashes, [`Refusal::TreeTooLarge`] beyond 2^62 leaves.
pub fn verify_consistency(
    from: (u64, Sha256Hash),
    to: (u64, Sha256Hash),
    hashes: &[Sha256Hash],
) -> Result<(), Refusal> {
    consistency::verify(from, to, hashes)
}

/// The checkpoint in a signed note that a log's key has signed. The note is believed for its signature, not for its place.
pub fn checkpoint_signed_by(key: &VerifierKey, note: &str) -> Option<Checkpoint> {
    let note = SignedNote::parse(note).ok()?;
    let signed = note.signatures.iter().any(|line| {
        let signature: Result<&[u8; 64], _> = line.signature.as_slice().try_into();
        let same_key = line.name == key.name() && line.key_id == key.key_id();
        same_key && signature.is_ok_and(|it| log_key_signed(key, note.text, it))
    });
    Checkpoint::parse(note.text).ok().filter(|_| signed)
}

/// Returns true if a log's key signed a text, by `verify_strict`. Says nothing about its meaning.
pub fn log_key_signed(key: &VerifierKey, text: &str, signature: &[u8; 64]) -> bool {
    key.algorithm() == Algorithm::Ed25519 && key.signed(text.as_bytes(), signature)
}
