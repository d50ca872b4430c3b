//! `prove` against the real verifier: what is proven verifies, and what was changed is not proven.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails where it stands"
)]

mod disclosure;
mod fixture;
mod prove;
