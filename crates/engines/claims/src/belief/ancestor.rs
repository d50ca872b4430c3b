//! Folds the line of an ancestor to see if it still holds (docs/format/claims.md 7, `PendingReview`).

use alloc::vec::Vec;

use super::fold::Fold;
use super::trust::TrustContext;
use super::{BeliefStatus, Question};
use crate::effective::Effective;
use crate::{Cardinality, ClaimInView, ClaimRef, Settings};

/// Returns the claims that the claim of a view was derived from, if it had been recorded and was neither denied,
/// taken back nor superseded, and is not contested. `around` is asked only if it has to be: it answers for the claim's line at the same question
/// what [`believe_from`](super::believe_from) needs.
pub fn parents_in_view(
    view: &ClaimInView,
    question: Question,
    settings: &Settings,
    around: impl FnOnce() -> (Cardinality, Vec<ClaimInView>),
) -> Option<Vec<ClaimRef>> {
    let claim = Effective::of_view(view, question.as_of_us)?;
    let contested = || {
        let (cardinality, claims) = around();
        let trust = TrustContext::new(settings, claim.claim.line(), question);
        let claims = claims
            .iter()
            .filter_map(|view| Effective::of_view(view, question.as_of_us))
            .map(|claim| trust.weigh(claim));
        let fold = Fold::of(trust.cardinality(cardinality), question, claims);
        is_contested(&fold, claim.claim.reference())
    };
    let is_refused = claim.denied_by.is_some() || claim.retracted_by.is_some();
    let overturned =
        is_refused || claim.is_superseded() || (claim.is_live(question.valid_at) && contested());
    (!overturned).then(|| claim.claim.derived_from().to_vec())
}

/// Returns whether the claim is on a side of a contest.
fn is_contested(fold: &Fold<'_>, reference: &ClaimRef) -> bool {
    let parts = fold.parts();
    fold.status(&parts) == BeliefStatus::Contested
        && parts
            .claims()
            .any(|claim| claim.claim.reference() == reference)
}
