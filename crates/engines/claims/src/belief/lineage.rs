//! Ancestors of derived claims, looked up in a store (docs/format/claims.md 7, `PendingReview`).

use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;

use super::facts::LineFacts;
use super::fold::Fold;
use super::partition::Partition;
use super::{BeliefStatus, Question};
use crate::effective::Effective;
use crate::{ClaimInView, ClaimRef, Unit};

/// The most ancestors of a side that are looked at. Beyond that, it needs review.
pub const MAX_ANCESTORS: usize = 256;

/// A claim that another was derived from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestor {
    derived_from: Vec<ClaimRef>,
    stands: bool,
}

impl Ancestor {
    /// The claim `reference` among the units of its line. `None` when it is not there.
    #[must_use]
    pub fn of_line(reference: &ClaimRef, units: &[Unit], question: Question) -> Option<Self> {
        let unit = units.iter().find(|unit| unit.reference() == reference)?;
        let partition = Partition::new(unit.line(), units, question.as_of_us);
        let mut fold = Fold::new(partition.cardinality(), question);
        let mut overturned = None;
        for claim in partition.effective() {
            if claim.claim.reference() == reference {
                overturned = Some(was_overturned(&claim));
            }
            fold.take(claim);
        }
        let overturned = overturned?;
        Some(Self {
            derived_from: unit.derived_from().to_vec(),
            stands: !overturned && !is_contested(&fold, reference),
        })
    }

    /// The claim of a view. `around` is asked only if it has to be: it answers for the claim's line at the same
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
            let mut fold = Fold::new(facts.cardinality, question);
            for view in &claims {
                if let Some(claim) = Effective::of_view(view, question.as_of_us) {
                    fold.take(claim);
                }
            }
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

/// Looks up an ancestor by its reference, at the question that is asked. `None` where its content was erased or cannot be
/// read: claims that were derived from it need review.
pub type LookUp<'a> = &'a dyn Fn(&ClaimRef, Question) -> Option<Ancestor>;

/// Returns whether an ancestor of one of the claims was superseded, denied or contested, or more than [`MAX_ANCESTORS`]
/// would have to be looked up.
pub(super) fn needs_review(look_up: LookUp<'_>, claims: &[&Unit], question: Question) -> bool {
    let mut seen: BTreeSet<ClaimRef> = BTreeSet::new();
    let named = claims.iter().flat_map(|claim| claim.derived_from());
    let mut next: VecDeque<ClaimRef> = named.cloned().collect();
    while let Some(reference) = next.pop_front() {
        if seen.contains(&reference) {
            continue;
        }
        if seen.len() == MAX_ANCESTORS {
            return true;
        }
        match look_up(&reference, question) {
            Some(ancestor) if ancestor.stands => next.extend(ancestor.derived_from),
            _ => return true,
        }
        seen.insert(reference);
    }
    false
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
            .deciding
            .iter()
            .flat_map(|group| &group.claims)
            .filter_map(|place| fold.candidates.get(*place))
            .any(|claim| claim.claim.reference() == reference)
}
