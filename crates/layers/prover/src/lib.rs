//! Layer 2b: prove, a pure function of a reference and a World (specification §6.2, M-8, CR-16).
//!
//! [`MemoryVerifier`] is the specification's interface: `prove` here, `verify_proof` from its
//! supertrait. They are two traits in two crates so that an authority, which may only verify, cannot
//! even name `prove` (FP-15). One prover for each method; each holds the verifier of that method.
//!
//! A prover reads the receipt that the store laid beside the World (`metadata.receipt`), recomputes
//! content address and field tree from the content, and gives out a proof only if they are what the
//! signed entry says. It does not judge signatures or checkpoints: whoever holds anchors does that,
//! in `verify_proof`.
//!
//! ```
//! use counterfoil_capsule::World;
//! use counterfoil_prover::{HashProver, MemoryVerifier, ProveError, ProveResult};
//! use counterfoil_types::{MemoryRef, UnixMillis, WorldId};
//! use counterfoil_verifier::HashVerifier;
//!
//! let id = WorldId::new("world-1")?;
//! let world = World::remember(id.clone(), UnixMillis::new(1_770_000_000_000)?, "tea".into())?;
//! let result = HashProver::new(HashVerifier).prove(&MemoryRef::new(id), &world);
//! assert_eq!(result, ProveResult::Invalid(ProveError::NoReceipt));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]

extern crate alloc;

mod examine;
mod memory_verifier;
mod methods;
mod opening;
mod result;

pub use counterfoil_verifier::ProofVerifier;
pub use memory_verifier::MemoryVerifier;
pub use methods::{ExistenceProver, HashProver, MerkleProver, NoneProver, Prover, SignatureProver};
pub use opening::open;
pub use result::{ProveError, ProveResult};
