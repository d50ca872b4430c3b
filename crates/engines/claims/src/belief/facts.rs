//! Belief without the whole line: what a store has to look up for one instant, and no more.

use super::fold::Fold;
use super::lineage::LookUp;
use super::trust::TrustContext;
use super::{Belief, Question};
use crate::effective::{Effective, Extent};
use crate::time::Window;
use crate::{Act, Cardinality, ClaimInView, Line, Settings, Unit};

/// The fold, of a part of the line, and of those of the other names of its subject.
///
/// The answer is that of [`believe`](super::believe) over all units of them, if
///
/// - `claims` holds each claim with `stamp <= as_of` that may hold at `valid_at`: [`own_window`] contains it, or the
///   claim is undated (its own window starts at its stamp), `valid_at` is before its stamp, and a `bound` at or before
///   its stamp names it;
/// - each of them has in `assertions` all units with `stamp <= as_of` that name it as `target`, in `supersedes`, in
///   `frees` or in `rivals`; and in `takers` the claims that a `supersede` of those names in `by`, and that an `affirm` of those is
///   about;
/// - `cardinality` is that of the line by the units with `stamp <= as_of`: see [`Cardinality::of_line`].
///
/// Where the answer is [`BeliefStatus::NoBelief`](super::BeliefStatus::NoBelief), it is
/// [`BeliefStatus::Ended`](super::BeliefStatus::Ended) if some other claim of the line [`has_ended`] at the question: that
/// is left to the store.
///
/// More claims do no harm, nor do later units or those of another line: they are left out. The order is of no account.
pub fn believe_from(
    line: &Line,
    cardinality: Cardinality,
    claims: &[ClaimInView],
    question: Question,
    settings: &Settings,
    look_up: Option<LookUp<'_>>,
) -> Belief {
    let trust = TrustContext::new(settings, line, question);
    let own = claims.iter().filter(|view| trust.knows(&view.claim));
    let claims = own.filter_map(|view| Effective::of_view(view, question.as_of_us));
    let claims = claims.map(|claim| trust.weigh(claim));
    let cardinality = trust.cardinality(cardinality);
    Fold::of(cardinality, question, claims).into_belief(&trust, look_up)
}

/// Returns whether the claim is in force at `as_of` and has ended at or before `valid_at`.
pub fn has_ended(claim: &ClaimInView, question: Question) -> bool {
    Effective::of_view(claim, question.as_of_us)
        .is_some_and(|claim| claim.has_ended_by(question.valid_at))
}

/// The window of a claim before anything is asserted of it: what a store indexes. `None` for other units.
pub fn own_window(unit: &Unit) -> Option<Window> {
    match unit.act() {
        Act::Claim(body) => Some(Extent::own(body.valid.as_ref(), unit.stamp().micros()).window()),
        _ => None,
    }
}
