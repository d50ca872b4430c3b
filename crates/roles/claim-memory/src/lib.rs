//! The memory of facts in three lines: [`ClaimMemory`] (I3-I7; docs/format/claims.md).
//!
//! ```
//! use std::sync::Arc;
//!
//! use counterfoil_capsule::Signer;
//! use counterfoil_claim_memory::{ClaimMemory, ClaimMemoryError, Settings};
//! use counterfoil_store::ClaimStore;
//! use counterfoil_claims::Channels;
//!
//! async fn moved(store: Arc<dyn ClaimStore>, signer: Arc<dyn Signer>) -> Result<(), ClaimMemoryError> {
//!     // The host, once, when it configures itself: what users type goes through this channel.
//!     let channels = Channels::of_host();
//!     let user = channels.user();
//!
//!     let memory = ClaimMemory::new(store, signer, user, Settings::default());
//!     memory.remember("ann", "lives in", "Lisbon").from("2024-03").await?;
//!     let belief = memory.believe("ann", "lives in").await?;
//!
//!     assert_eq!(belief.primary().map(|city| city.canonical()), Some("\"Lisbon\""));
//!     Ok(())
//! }
//! ```
//!
//! # Channels
//! The provenance of a claim follows from the [`Channel`] of the memory, and from no member of a request (I4). A host depends on `counterfoil-claims`, calls `Channels::of_host` once, where it reads its configuration,
//! and wires each way into the agent to one channel: the prompt of the user to `user`, its own sensors and tools to
//! `first_hand`, the output of a model to `model`, what an agent extracts from its own recall to `recall`, messages of
//! another agent to `peer` with the trust level that it has now. It keeps the `Channels` to itself.
//!
//! An actor depends on this crate, which does not give out `Channels`: it gets a [`ClaimMemory`] or a [`Channel`], from
//! which no other channel can be made.
//!
//! Guesses of models are proposals ([`ClaimMemory::consider`]) that the gate judges like every claim; a
//! [`ClaimProposal`] cannot commit itself (I5).

mod assert;
mod believe;
mod claim_memory;
mod consult;
mod error;
mod prove;
mod query;
mod remember;

pub use claim_memory::ClaimMemory;
pub use consult::Consultation;
pub use counterfoil_claims::belief::{
    Belief, BeliefChange, BeliefSide, BeliefStatus, Currency, HistoryEntry, Marker, Question,
    Support,
};
pub use counterfoil_claims::ports::{
    Change, ClaimProposal, Extractor, Oracle, OracleVerdict, Passage,
};
pub use counterfoil_claims::time::Boundary;
pub use counterfoil_claims::{
    Cardinality, Channel, ClaimError, ClaimOutcome, ClaimRef, Disposition, FactValue, Identifier,
    Line, Settings, Unit,
};
pub use error::ClaimMemoryError;
pub use prove::{BELIEF_FORMAT, BeliefProof, MAX_PROVEN_UNITS, prove_belief, prove_with_trust};
pub use query::BeliefQuery;
pub use remember::RememberRequest;
