//! What reversible deltas promise, held against the crate's public interface (CAP-3).
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod adversarial;
mod any;
mod difference;
mod format;
mod laws;
mod official;
