//! Drafts, version `"0.1"`: read, never written (docs/format/exchange.md §7; R2).
//!
//! A draft says little of its own form, so unknown members are passed over, and `null` and empty texts stand for what is
//! not there. What it does say must be as it is in ours, in the same limits.

mod attestation;
mod look;
mod request;
mod response;

use counterfoil_types::json::Value;

use look::Look;

use super::{
    Attestation, AttestationParts, DocumentError, RequestParts, ResponseParts, VerifyParts,
    VerifyResultParts,
};

pub(super) fn request(value: &Value) -> Result<RequestParts, DocumentError> {
    request::request(&Look::at(value))
}

pub(super) fn response(value: &Value) -> Result<ResponseParts, DocumentError> {
    response::response(&Look::at(value))
}

pub(super) fn attestation(value: &Value) -> Result<AttestationParts, DocumentError> {
    attestation::parts(&Look::at(value))
}

/// An attestation in a draft: ours as it is, and else whatever a draft calls one.
pub(super) fn nested(value: &Value) -> Result<Attestation, DocumentError> {
    attestation::nested(&Look::at(value))
}

pub(super) fn verify(value: &Value) -> Result<VerifyParts, DocumentError> {
    request::verify(&Look::at(value))
}

pub(super) fn verify_result(value: &Value) -> Result<VerifyResultParts, DocumentError> {
    response::verify_result(&Look::at(value))
}
