//! Vocabulary of the memory protocol (specification §5, §12, appendix A): the words that every
//! other crate speaks, with the checks that make a half-valid value impossible.
//!
//! Each type is parsed, not validated: it has private fields, and the only ways in are a
//! constructor that checks and the JSON entrance, which reports every violation in the words of
//! §12. Nothing here reads a clock, draws randomness or performs IO.
//!
//! ```
//! use counterfoil_types::{MemoryRef, SelectedMemory};
//!
//! let memory = SelectedMemory::from_json(
//!     br#"{"ref":{"worldId":"w-1"},"reason":"says \"Lisbon\"","confidence":1.0,"verified":false}"#,
//! )?;
//! assert_eq!(memory.confidence().value(), 1.0);
//!
//! let refused = MemoryRef::from_json(br#"{"worldId":""}"#).unwrap_err();
//! assert_eq!(refused.to_string(), "worldId must be non-empty string");
//! # Ok::<(), counterfoil_types::ReadError>(())
//! ```
#![no_std]

extern crate alloc;

pub mod calendar;
pub mod document;
pub mod json;
pub mod terminal;
pub mod wire;

mod actor;
mod confidence;
mod did;
mod digest;
mod evidence;
mod intent;
mod limits;
mod memory;
mod method;
mod proof;
mod proposal;
mod scope;
mod selection;
mod shape;
mod standing;
mod text;
mod time;
mod verify;
mod world;
mod world_id;

pub use actor::{ActorKind, ActorRef};
pub use confidence::Confidence;
pub use did::DidKey;
pub use digest::{Blake3Hash, Sha256Hash};
pub use evidence::VerificationEvidence;
pub use intent::{IntentBody, IntentInstance};
pub use limits::{
    MAX_PROOF_BYTES, MAX_QUERY_BYTES, MAX_REASON_BYTES, MAX_SAFE_INTEGER, MAX_SELECTED,
    MAX_WORLD_ID_BYTES,
};
pub use memory::{MemoryRef, SelectedMemory};
pub use method::VerificationMethod;
pub use proof::VerificationProof;
pub use proposal::{Proposal, ProposalStatus, ProposalTrace};
pub use scope::{Scope, ScopeError};
pub use selection::{SelectionConstraints, SelectionRequest, SelectionResult, TimeRange};
pub use shape::{BoxError, ReadError, ShapeError};
pub use standing::{BeliefStatus, Contest, Marker, Support};
pub use text::{Query, Reason};
pub use time::UnixMillis;
pub use verify::ProofVerifier;
pub use world::World;
pub use world_id::WorldId;
