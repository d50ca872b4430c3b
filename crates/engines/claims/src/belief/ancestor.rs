//! Folds the line of an ancestor to see if it still holds (docs/format/claims.md 7, `PendingReview`).

use alloc::vec::Vec;

use super::facts::LineFacts;
use super::fold::Fold;
use super::lineage::Ancestor;
use super::partition::Partition;
use super::{BeliefStatus, Question};
use crate::effective::Effective;
use crate::{ClaimInView, ClaimRef, Unit};

impl Ancestor {
    /// Returns the claim `reference` among the units of its line; `None` when it is not there.
    #[must_use]
    pub fn of_line(reference: &ClaimRef, units: &[Unit], question: Question) -> Option<Self> {
        let unit = units.iter().find(|unit| unit.reference() == reference)?;
        let partition = Partition::new(unit.line(), units, question.as_of_us);
        let mut overturned = None;
        let claims = partition.effective().inspect(|claim| {
            if claim.claim.reference() == reference {
                overturned = Some(was_overturned(claim));
            }
        });
        let fold = Fold::of(partition.cardinality(), question, claims);
        Some(Self {
            derived_from: unit.derived_from().to_vec(),
            stands: !overturned? && !is_contested(&fold, reference),
        })
    }

    /// Returns the claim of a view. `around` is asked only if it has to be: it answers for the claim's line at the same
    /// question what [`believe_from`](super::believe_from) needs. `None` when it was recorded later.
    #[must_use]
    pub fn of_view(
        view: &ClaimInView,
        question: Question,
        around: impl FnOnce() -> (LineFacts, Vec<ClaimInView>),
    ) -> Option<Self> {
        let claim = Effective::of_view(view, question.as_of_us)?;
        let contested = || {
            let (facts, claims) = around();
            let claims = claims
                .iter()
                .filter_map(|view| Effective::of_view(view, question.as_of_us));
            let fold = Fold::of(facts.cardinality, question, claims);
            is_contested(&fold, claim.claim.reference())
        };
        let overturned =
            was_overturned(&claim) || (claim.is_live(question.valid_at) && contested());
        Some(Self {
            derived_from: claim.claim.derived_from().to_vec(),
            stands: !overturned,
        })
    }
}

/// Returns whether the claim was denied or superseded.
fn was_overturned(claim: &Effective<'_>) -> bool {
    claim.denied_by.is_some() || claim.is_superseded()
}

/// Returns whether the claim is on a side of a contest.
fn is_contested(fold: &Fold<'_>, reference: &ClaimRef) -> bool {
    let parts = fold.parts();
    fold.status(&parts) == BeliefStatus::Contested
        && parts
            .claims()
            .any(|claim| claim.claim.reference() == reference)
}
