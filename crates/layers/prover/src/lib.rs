//! Layer 2b: prove, a pure function of a reference and a World (specification §6.2, M-8, CR-16).
//!
//! One prover for each method of the specification, behind its interface [`MemoryVerifier`]; each holds the verifier of that method.
//!
//! A prover reads the receipt that the store laid beside the World (`metadata.receipt`), recomputes
//! content address and field tree from the content, and gives out a proof only if they are what the
//! signed entry says. It does not judge signatures or checkpoints: whoever holds anchors does that,
//! in `verify_proof`.
//!
//! ```
//! use counterfoil_prover::{HashProver, MemoryVerifier, ProveError};
//! use counterfoil_types::{MemoryRef, UnixMillis, WorldId};
//! use counterfoil_verifier::HashVerifier;
//!
//! let id = WorldId::new("world-1")?;
//! let world = counterfoil_capsule::remember(id.clone(), UnixMillis::new(1_770_000_000_000)?, "tea".into())?;
//! let result = HashProver::new(HashVerifier).prove(&MemoryRef::new(id), &world);
//! let error = result.error().and_then(|error| error.downcast_ref());
//! assert_eq!(error, Some(&ProveError::NoReceipt));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]

extern crate alloc;

mod disclosure;
mod error;
mod examine;
mod methods;
mod opening;

pub use counterfoil_memory_verifier::{MemoryVerifier, ProofVerifier, ProveResult};
pub use error::ProveError;
pub use methods::{ExistenceProver, HashProver, MerkleProver, NoneProver, Prover, SignatureProver};
pub use opening::open;
