//! What agents send each other, strictly read and written in one spelling (docs/format/exchange.md §1-§7).
//!
//! A document that is held here is whole: each was made by its `parse` or by its draft's `sign`.

mod asked;
mod attestation;
mod capability;
mod draft;
mod error;
mod hop;
mod id;
mod proof;
mod read;
mod request;
mod response;
#[cfg(feature = "schema")]
mod schema;
mod verify;
mod vouch;
mod wire;
mod words;

#[cfg(test)]
mod tests;

pub use attestation::{
    Attestation, AttestationParts, Category, Claim, ClaimKind, Decay, Evidence, ProvenanceSource,
    Salience, StructuredClaim,
};
pub use capability::{Capability, CapabilityParts};
pub use error::{DocumentError, DocumentKind, Member};
pub use hop::{Chain, ChainBreak, Hop};
pub use id::{ClaimHash, DocumentHash, NoId, Nonce, RequestHash, RequestId};
pub use proof::{Form, Party, Signature};
pub(crate) use read::object;
pub use request::{
    Audience, Filters, Format, Preferences, Query, Request, RequestHeader, RequestParts, TimeWindow,
};
pub use response::{
    Meta, Response, ResponseHeader, ResponseParts, ResultParts, Status, StatusCode,
};
#[cfg(feature = "schema")]
pub use schema::schemas;
pub use verify::{
    RequestedCheck, Testimony, VerifyParts, VerifyRequest, VerifyResult, VerifyResultParts,
};
pub use vouch::{Competence, Revocation, RevocationParts, Vouch, VouchConfidence, VouchParts};
pub use words::{Domain, NoDomain, NoText, Text};

/// The version that is written, and the drafts' that is read.
pub const VERSION: &str = "1";
/// The longest life of a request, in microseconds: from `timestamp` to `expires` (R5).
pub const MAX_LIFE_US: u64 = 300_000_000;
/// The most bytes of a document.
pub const MAX_DOCUMENT_BYTES: usize = 1 << 20;
