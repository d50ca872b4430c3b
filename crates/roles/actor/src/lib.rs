//! All that an Actor may do (specification §9.2.1): recall, and propose with the trace of it.
//!
//! [`signed`] puts a proposal under the actor's signature; what was [`decided`] about it is kept as a World, and the
//! [`outcome`] of an approved one is the next.
//!
//! A [`Deliberation`] hands out what was recalled as
//! [`Recalled`], which borrows from it; the only way from there to a proposal is
//! [`Deliberation::decide`], which ends the deliberation, and with it every borrow, and puts the
//! trace of each recall into the proposal. So a proposal built here from recalled memories has its
//! trace (M-2, CR-01, FP-02), and nothing can be selected after submission (M-3, CR-10).
//!
//! ```
//! use counterfoil_actor::{Actor, types::{IntentInstance, Proposal, Query, UnixMillis, WorldId}};
//!
//! async fn plan(actor: &Actor, intent: IntentInstance, now: UnixMillis)
//!     -> Result<Proposal, Box<dyn core::error::Error>>
//! {
//!     let deliberation = actor.deliberate(WorldId::new("world-42")?);
//!     let recalled = deliberation.recall(Query::new("where does Ann live")?, None).await?;
//!     let summary = format!("Book a table near what {} memories say", recalled.len());
//!     Ok(deliberation.propose(intent, summary, "prop-1", now)?)
//! }
//! ```

mod actor;
mod deliberation;
mod envelope;
mod error;
mod intent;
mod outcome;
mod proven;
mod recalled;

pub use actor::Actor;
pub use counterfoil_capsule as capsule;
pub use counterfoil_memory_selector as selector;
pub use counterfoil_memory_store as store;
pub use counterfoil_prover as prover;
pub use counterfoil_trace_writer as trace;
pub use counterfoil_types as types;
pub use counterfoil_verifier as verifier;
pub use deliberation::{Deliberation, NeedsIntent, NeedsSubmission};
pub use envelope::signed;
pub use error::ActError;
pub use intent::{IntentDraft, SourceKind, intent_key};
pub use outcome::{DECISION, decided, outcome, outcome_id};
pub use recalled::{Recalled, RecalledMemory};
