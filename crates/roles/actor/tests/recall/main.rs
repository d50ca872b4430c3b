//! The actor on a small shelf of Worlds: from recall to proposal, and attaching by hand.
#![expect(clippy::expect_used, reason = "helpers of tests may panic too")]

mod annotations;
mod attaching;
mod deliberation;
mod second_reading;
mod support;
