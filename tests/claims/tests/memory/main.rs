//! The facade over claims: remembering, believing, asserting, consulting an oracle, proving.
#![expect(clippy::expect_used, reason = "helpers of tests may panic too")]

mod asserting;
mod consulting;
mod proving;
mod remembering;
mod support;
