//! The gate: a pure function from a submission and a line to a decision (I5-I7; docs/format/claims.md 4-6).
//!
//! It is total: every request ends in a [`GateDecision`] or in a [`ClaimError`]. What it lets in is written as the document of
//! a unit, and [`Unit::parse`](crate::Unit::parse) reads every document that it has written.

mod assertions;
mod case;
mod matching;
mod references;
mod request;
mod rivals;
mod table;
mod writing;

#[cfg(test)]
mod tests;

use crate::{Assertion, ClaimError, GateDecision, LineView, Settings, Submission};

pub use case::{MAX_DEPTH, depth_of};
pub use rivals::{is_pending, rivals_of};

/// Time and settings of a decision.
#[derive(Debug, Clone, Copy)]
pub struct GateContext<'a> {
    /// Transaction time that the unit gets, microseconds since 1970.
    pub stamp_us: u64,
    /// Settings of the host.
    pub settings: &'a Settings,
}

/// Decides about a claim: the steps of section 4, then the first row of the table of section 5 that holds.
///
/// # Errors
/// [`ClaimError`]: nothing is to be written.
pub fn judge(
    context: GateContext<'_>,
    view: &dyn LineView,
    submission: &Submission,
) -> Result<GateDecision, ClaimError> {
    let keyed = request::of_submission(submission);
    if let Some(again) = request::answered(view, keyed.as_ref())? {
        return Ok(again);
    }
    let case = case::Case::new(context, view, submission, keyed)?;
    table::decide(&case)
}

/// Decides about an assertion (section 6).
///
/// # Errors
/// [`ClaimError`]: nothing is to be written.
pub fn assert(
    context: GateContext<'_>,
    view: &dyn LineView,
    assertion: &Assertion,
) -> Result<GateDecision, ClaimError> {
    let keyed = request::of_assertion(assertion);
    if let Some(again) = request::answered(view, keyed.as_ref())? {
        return Ok(again);
    }
    assertions::decide(context, view, assertion, keyed)
}
