//! Whether a request is heard, and by which rule it is answered (docs/format/exchange.md §10; R3, R4, R14, R15, R19).

mod admission;
mod assembly;
mod cursor;
mod policy;
mod refusal;
mod said;
mod seen;

pub use admission::{Admission, Admitted, Asker, admit, admit_verify};
pub use assembly::{AssembledResult, Assembly, assemble};
pub use cursor::{CursorKey, Page};
pub use policy::{Share, ShareClaims, SharePolicy};
pub use refusal::Refusal;
pub use said::{attestation_of_received, claim_of_world};
pub use seen::{SeenQuotas, Sighting};
