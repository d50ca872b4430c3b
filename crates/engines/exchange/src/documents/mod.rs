//! Documents that agents send each other, strictly read and written in one spelling (docs/format/exchange.md §1-§7).
//!
//! An [`ExchangeDocument`] is whole: it was made by `parse` or by the `sign` of its kind. Its members are its parts, which are read
//! and written as they are.

mod assembly;
mod attestation;
mod capability;
mod claim;
mod document;
mod draft;
mod error;
#[cfg(feature = "schema")]
mod forms;
mod hop;
mod member;
mod name;
mod proof;
mod referral;
mod request;
mod response;
#[cfg(feature = "schema")]
mod schema;
mod verify;
mod vouch;

#[cfg(test)]
mod tests;

pub use assembly::{AssembledResult, assemble, assemble_draft};
pub use attestation::{
    Attestation, AttestationParts, Category, Decay, EvidenceLink, MAX_ORIGIN_BYTES,
    MemoryProvenance, OriginClass, ProvenanceSource, Salience,
};
pub use capability::{Capability, CapabilityParts};
pub use claim::{Claim, ClaimKind, StructuredClaim};
pub use counterfoil_types::document::{FormError, Text};
pub use document::ExchangeDocument;
pub(crate) use document::object;
pub use error::{DocumentError, DocumentKind};
pub use hop::Chain;
pub(crate) use hop::MAX_RELAYS;
pub(crate) use member::Items;
pub use name::{
    Agent, Audience, ClaimHash, DocumentHash, Domain, Nonce, Party, RequestHash, RequestId,
};
pub use proof::Signature;
pub use referral::{MAX_REFERRAL_ADDRESSES, MAX_REFERRALS, Referral};
pub use request::{
    Filters, Format, MemoryQuery, Preferences, Request, RequestHeader, RequestParts,
};
pub use response::{
    Meta, Response, ResponseHeader, ResponseParts, ResultParts, Retraction, RetractionAct, Status,
    StatusCode,
};
#[cfg(feature = "schema")]
pub use schema::schemas;
pub use verify::{
    RequestedCheck, Testimony, VerifyParts, VerifyRequest, VerifyResult, VerifyResultParts,
};
pub use vouch::{Competence, Revocation, RevocationParts, Vouch, VouchConfidence, VouchParts};

/// The version that is written.
pub const VERSION: &str = "1";
/// Longest life of a request, in microseconds: from `timestamp` to `expires` (R5).
pub const MAX_LIFE_US: u64 = 300_000_000;
/// Largest document, in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 1 << 20;
