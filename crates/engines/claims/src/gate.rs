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

use crate::{Assertion, Cardinality, ClaimError, GateDecision, LineView, Settings, Submission};

use case::Case;

pub use case::{MAX_DEPTH, depth_of};
pub use rivals::{is_pending, rivals_of};

/// Decides about a claim: the steps of section 4, then the first row of the table of section 5 that holds.
/// The unit gets the transaction time `stamp_us`, microseconds since 1970.
///
/// # Errors
/// [`ClaimError`]: nothing is to be written.
pub fn judge(
    view: &dyn LineView,
    submission: &Submission,
    settings: &Settings,
    stamp_us: u64,
) -> Result<GateDecision, ClaimError> {
    let keyed = request::of_submission(submission);
    if let Some(again) = request::answered(view, keyed.as_ref(), &submission.scope)? {
        return Ok(again);
    }
    let named = submission.named(&settings.aliases, stamp_us);
    let case = Case::new(view, &named, settings, stamp_us, keyed.clone())?;
    if let Some(answer) = table::answered(&case)? {
        return Ok(answer);
    }
    // What is said of another name of the subject answers as well, so that a record of names opens no way around it.
    let (mut others, mut is_second) = (named.of_other_names(settings, stamp_us), Ok(()));
    while let Some(other) = others.pop() {
        let other = Case::new(view, &other, settings, stamp_us, keyed.clone())?;
        if let Some(answer) = table::answered(&other)? {
            return Ok(answer);
        }
        if is_second.is_ok() && case.cardinality() != Cardinality::Many {
            is_second = other.ask_which_is_meant();
        }
    }
    is_second?;
    table::decide(&case)
}

/// Decides about an assertion (section 6), as [`judge`] does.
///
/// # Errors
/// [`ClaimError`]: nothing is to be written.
pub fn assert(
    view: &dyn LineView,
    assertion: &Assertion,
    settings: &Settings,
    stamp_us: u64,
) -> Result<GateDecision, ClaimError> {
    let keyed = request::of_assertion(assertion);
    if let Some(again) = request::answered(view, keyed.as_ref(), &assertion.scope)? {
        return Ok(again);
    }
    assertions::decide(view, assertion, settings, stamp_us, keyed)
}
