//! Admission of requests, and the rules by which they are answered (docs/format/exchange.md §10; R3, R4, R14, R15, R19).

mod admission;
mod cursor;
mod policy;
mod refusal;
mod world;

pub use admission::{SeenQuotas, Sighting, admit, admit_verify, remembered_until_us};
pub use cursor::CursorKey;
pub use policy::{PassOn, Share, applying};
pub use refusal::Refusal;
pub use world::{attestation_of_received, claim_of_world};
