//! Layer 2 of the memory protocol: the interface of a verifier that can prove (specification §6.2, M-7, M-8, CR-16).
//!
//! [`MemoryVerifier`] is the specification's interface: `prove` here, `verify_proof` from its
//! supertrait. They are two traits in two crates so that an authority, which may only verify, cannot
//! even name `prove` (FP-15).
#![no_std]

extern crate alloc;

mod memory_verifier;
mod prove_result;

pub use counterfoil_types::ProofVerifier;
pub use memory_verifier::MemoryVerifier;
pub use prove_result::ProveResult;
