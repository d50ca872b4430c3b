//! The specification's `MemoryVerifier` (§6.2, M-7): the half of it that needs a World.

use counterfoil_types::{MemoryRef, ProofVerifier, World};

use crate::ProveResult;

/// Proves memories to those who have no store (M-7). Called by a selector, with a World that it
/// fetched; never by an authority (FP-15).
pub trait MemoryVerifier: ProofVerifier {
    /// Makes the proof that `world` is what `memory` refers to.
    ///
    /// Pure (M-8, CR-16): the same arguments give the same result, byte for byte, and nothing in it
    /// is a time or an actor (CR-19, CR-20). A proof is given only if the result is valid. Whether
    /// somebody else trusts it is for [`ProofVerifier::verify_proof`].
    fn prove(&self, memory: &MemoryRef, world: &World) -> ProveResult;
}
