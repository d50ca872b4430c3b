//! The golden documents of the request protocol: fixed parts under fixed seeds, so that their bytes are fixed too.

#![expect(
    clippy::expect_used,
    reason = "a golden document that cannot be made is a test that fails"
)]

mod attestations;
mod golden;
mod parts;
mod questions;
mod standing;

pub use golden::{Golden, golden};
