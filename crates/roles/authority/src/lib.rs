//! All that an Authority may do (specification §7.4, §9.2.3): read a trace and check its proofs.
//!
//! [`Authority::review`] takes a proposal and the time, and returns a [`ReviewReport`]: an [`MemoryOutcome`]
//! for each memory and a [`ReviewDecision`] under a [`Policy`]; [`Authority::decide`] signs what it decides. There is no store, no selector and no
//! `prove` in this crate's reach (FP-04, FP-15, FP-16), and no way to hand a verifier evidence
//! instead of a proof (M-12, CR-21, FP-17): the extraction happens inside.
//!
//! ```
//! use counterfoil_authority::{Authority, Policy, Preset, Verdict};
//! use counterfoil_authority::types::{Proposal, UnixMillis};
//! use counterfoil_authority::verifier::{Anchors, VerifierSet};
//!
//! # fn anchors() -> Anchors {
//! #     Anchors::from_json(br#"{"type":"counterfoil/anchors","version":"1","agents":[],"logs":[
//! #         {"origin":"PeterNeumann","verifierKey":"PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"}]}"#).unwrap()
//! # }
//! # fn main() -> Result<(), Box<dyn core::error::Error>> {
//! # let anchors = anchors();
//! let authority = Authority::new(VerifierSet::new(anchors), Policy::preset(Preset::Standard));
//! let proposal = Proposal::from_json(br#"{"proposalId":"prop-1","actor":{"actorId":"planner",
//!     "kind":"agent"},"intent":{"body":{"type":"note.add"},"intentId":"intent-1","intentKey":"k",
//!     "meta":{"origin":{"projectionId":"p","source":{"kind":"agent","eventId":"e"},
//!     "actor":{"actorId":"planner","kind":"agent"}}}},"baseWorld":"world-1",
//!     "submittedAt":1700000000000,"status":"submitted"}"#)?;
//! let report = authority.review(&proposal, UnixMillis::new(1_700_000_000_500)?);
//! assert_eq!(report.decision().verdict(), Verdict::Rejected); // it has no trace, and no signature
//! # Ok(())
//! # }
//! ```
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod authority;
mod belief;
mod decision;
mod examination;
mod nonce;
mod origin;
mod outcome;
mod policy;
mod reason;
mod received;
mod record;
mod report;
mod rules;
mod standing;
mod time;
mod verified;

pub use authority::Authority;
pub use belief::{BeliefFold, ClaimStanding, FoldedBelief};
pub use counterfoil_trace as trace;
pub use counterfoil_trace::types;
pub use counterfoil_verifier as verifier;
pub use counterfoil_verifier::decision::Verdict;
pub use decision::ReviewDecision;
pub use nonce::NonceMemory;
pub use origin::MemoryOrigin;
pub use outcome::{MemoryCause, MemoryOutcome};
pub use policy::{
    AuthorRule, BeliefMarker, ForgottenRule, Policy, PolicyError, Preset, UnprovenRule,
};
pub use reason::DecisionReason;
pub use report::{MemoryReport, ReviewReport};
pub use standing::Departure;
