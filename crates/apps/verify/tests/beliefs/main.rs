//! Proofs of belief: honest ones are approved as their policy says, and attacks are refused, each for its own reason.
#![expect(clippy::expect_used, reason = "helpers of tests may panic too")]

mod attacks;
mod binary;
mod claims;
mod laws;
mod policy;
mod shapes;
mod support;
mod trust;
