//! Drafts, version `"0.1"`: read, never written (docs/format/exchange.md §7; R2).
//!
//! The drafts leave their own form open: unknown members are passed over, and `null` and empty texts are absent members.
//! Members that are present have the form and the limits of version `"1"`.

mod attestation;
mod look;
mod request;
mod response;

pub(super) use attestation::attestation;
pub(super) use request::{request, verify};
pub(super) use response::{response, verify_result};
