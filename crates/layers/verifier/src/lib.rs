//! Layer 2a: `verify_proof`, offline and pure (specification §6.2, M-8, CR-21).
//!
//! An authority that has never seen the store decides from a proof, from what it trusts
//! ([`Anchors`]) and from nothing else: no clock, no IO, no randomness. Every check of
//! `docs/format/proof.md` is made, in its order, cheap ones first; what is unknown is refused.
//!
//! ```
//! use counterfoil_types::{VerificationProof, WorldId};
//! use counterfoil_verifier::{Anchors, Examiner, Expected, Refusal, Session, VerifierSet};
//!
//! let anchors = Anchors::from_json(br#"{
//!     "type": "counterfoil/anchors", "version": "1", "agents": [],
//!     "logs": [{
//!         "origin": "PeterNeumann",
//!         "verifierKey": "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
//!     }]
//! }"#)?;
//! let verifiers = VerifierSet::new(anchors);
//!
//! // Roots that the prover wrote down himself prove nothing.
//! let proof = VerificationProof::from_json(
//!     br#"{"method":"merkle","proof":{"computedRoot":"abc","expectedRoot":"abc"}}"#,
//! )?;
//! let world = WorldId::new("world-123")?;
//! let verdict = verifiers.examine(&proof, Expected::World(&world), &mut Session::new());
//! assert!(matches!(verdict, Err(Refusal::MissingMember { member: "entry", .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]

extern crate alloc;

pub use counterfoil_types as types;

pub mod anchors;
pub mod attestations;
pub mod checkpoint;
pub mod dangerous;
pub mod decision;
pub mod digest;
pub mod entry;
pub mod envelope;
pub mod equivocation;
pub mod field;
pub mod integrity;
pub mod limits;
pub mod map;
pub mod merkle;
pub mod note;
pub mod opened;
pub mod payload;
pub mod tlog_proof;

mod consistency;
mod disclosure;
mod error;
mod fingerprint;
mod floor;
mod inclusion;
mod methods;
mod proven;
mod refusal;
mod session;
mod set;
mod text;
mod vouch;

pub use anchors::{Anchors, LogAnchor};
pub use checkpoint::Checkpoint;
pub use consistency::Consistency;
pub use counterfoil_types::ProofVerifier;
pub use entry::Entry;
pub use error::AnchorError;
pub use fingerprint::KeyFingerprint;
pub use methods::{
    Examiner, ExistenceVerifier, Expected, HashVerifier, MerkleVerifier, NoneVerifier,
    SignatureVerifier,
};
pub use note::VerifierKey;
pub use proven::{Proven, Strength};
pub use refusal::Refusal;
pub use session::Session;
pub use set::VerifierSet;
pub use tlog_proof::TlogProof;
