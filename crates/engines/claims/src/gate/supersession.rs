//! Which claims a submission may take the place of: those of its line, of equal or lower rank.

use alloc::vec::Vec;

use super::references;
use crate::{ClaimError, ClaimInView, ClaimRef, LineView, ProvenanceRank, Submission};

/// The claims that a submission names in `supersedes`.
pub(super) fn targets(
    view: &dyn LineView,
    submission: &Submission,
) -> Result<Vec<ClaimInView>, ClaimError> {
    submission
        .supersedes
        .iter()
        .map(|reference| {
            let target = references::claim(view, reference)?;
            let line = target.claim.line();
            if line.subject == submission.subject && line.predicate == submission.predicate {
                Ok(target)
            } else {
                Err(ClaimError::OtherLine(reference.clone()))
            }
        })
        .collect()
}

/// Claims whose place is taken, and claims that are ignored.
pub(super) fn divide(
    targets: &[ClaimInView],
    rank: ProvenanceRank,
) -> (Vec<ClaimRef>, Vec<ClaimRef>) {
    let (taken, ignored): (Vec<_>, Vec<_>) = targets
        .iter()
        .map(|target| &target.claim)
        .partition(|target| target.provenance().rank() <= rank);
    let names = |units: Vec<&crate::Unit>| {
        units
            .into_iter()
            .map(|unit| unit.reference().clone())
            .collect()
    };
    (names(taken), names(ignored))
}
