//! W3C Data Integrity proofs `eddsa-jcs-2022` over JSON documents that travel between agents (capsules 4.2, C2, C12).
//!
//! ```json
//! {"type":"key_rotation", …, "proof":{"type":"DataIntegrityProof","cryptosuite":"eddsa-jcs-2022",
//!  "created":"2026-02-10T00:00:00Z","verificationMethod":"did:key:z6Mk…#z6Mk…",
//!  "proofPurpose":"assertionMethod","proofValue":"z…"}}
//! ```
//! What is signed is `SHA-256(JCS(proof without proofValue)) || SHA-256(JCS(document without proof))`
//! (vc-di-eddsa §3.3): the whole document, every member of it. Several proofs stand in an array,
//! each over the document without any of them.
//!
//! Stricter than the standard where it leaves a choice: closed members, `created` in UTC, an
//! `@context` in a proof is exactly the document's, Ed25519 `verify_strict` and no batch.

mod created;
mod error;
mod proof;
mod sign;
mod verify;

pub use created::Created;
pub use error::ProofError;
pub use proof::{Purpose, verification_method};
pub use sign::{Binding, sign, sign_digest};
pub use verify::{KnownKeys, MAX_PROOFS, canonical_with_digest, verify, verify_digest};
