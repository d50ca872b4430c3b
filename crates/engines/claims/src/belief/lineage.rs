//! Ancestors of derived claims (docs/format/claims.md 7, `PendingReview`).

use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;

use super::Question;
use crate::{ClaimRef, Unit};

/// Most ancestors of a side that are looked up. A side with more needs review.
pub const MAX_ANCESTORS: usize = 256;

/// Looks up a claim that another was derived from, by its reference: the claims that it was itself derived from, if it holds
/// at the question that is asked. `None` where it does not, or where its content was erased or cannot be read: claims that
/// were derived from it need review. [`parents_in_view`](super::parents_in_view) answers it.
pub type LookUp<'a> = &'a dyn Fn(&ClaimRef, Question) -> Option<Vec<ClaimRef>>;

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
            Some(parents) => next.extend(parents),
            None => return true,
        }
        seen.insert(reference);
    }
    false
}
