//! One value of a belief: its claims, its confirmation and its currency (I11).

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::iter;

use super::lineage::{LookUp, needs_review};
use super::trust::{TrustContext, is_peers};
use super::{BeliefSide, Currency, MAX_LISTED, Marker, Question, SideClaim};
use crate::effective::{Effective, Weight};
use crate::{CurrencyLimits, FactValue, ProvenanceRank, TransactionTime, Unit};

const DAY_US: u64 = 86_400_000_000;

/// Claims of one value, in the order of their numbers; at least one.
pub(super) struct Group<'f, 'a> {
    pub(super) value: &'f FactValue,
    pub(super) claims: Vec<&'f Effective<'a>>,
}

/// Inputs that all sides of a belief have in common.
#[derive(Clone, Copy)]
pub(super) struct FoldContext<'s> {
    pub(super) question: Question,
    pub(super) limits: CurrencyLimits,
    pub(super) trust: &'s TrustContext<'s>,
    /// The line holds a set.
    pub(super) in_set: bool,
}

impl Group<'_, '_> {
    /// The highest rank of a claim.
    pub(super) fn rank(&self) -> Option<ProvenanceRank> {
        let claims = self.claims.iter();
        claims.map(|claim| claim.claim.provenance().rank()).max()
    }

    /// Agents below the minimum level alone have stated it.
    pub(super) fn is_untrusted(&self) -> bool {
        let mut claims = self.claims.iter();
        claims.all(|claim| claim.weight == Weight::Untrusted)
    }

    /// A side that decides.
    pub(super) fn deciding(
        &self,
        context: FoldContext<'_>,
        look_up: Option<LookUp<'_>>,
    ) -> BeliefSide {
        let derived: Vec<&Unit> = self.derived().collect();
        let review = !derived.is_empty()
            && look_up.is_some_and(|look_up| needs_review(look_up, &derived, context.question));
        self.side(context, review)
    }

    /// The markers that a side of a contest which is not listed gives to the belief. Its ancestors are not looked up.
    pub(super) fn unlisted(&self, context: FoldContext<'_>) -> impl Iterator<Item = Marker> {
        let (_, currency) = self.confirmed(context);
        let aging = (currency != Currency::Fresh).then_some(Marker::AgingUnconfirmed);
        let review = self.derived().next().map(|_| Marker::PendingReview);
        aging.into_iter().chain(review)
    }

    /// The side, with the marker [`Marker::PendingReview`] if it needs `review`. The ancestors of a side that does not
    /// decide are not looked up.
    pub(super) fn side(&self, context: FoldContext<'_>, review: bool) -> BeliefSide {
        let (confirmed, currency) = self.confirmed(context);
        let applies = |marker: &Marker| match marker {
            Marker::AgingUnconfirmed => currency != Currency::Fresh && !context.in_set,
            Marker::AgedSetMember => currency != Currency::Fresh && context.in_set,
            Marker::PendingReview => review,
            Marker::PeerSourced => self.claims.iter().all(|claim| is_peers(claim.claim)),
            Marker::Untrusted => self.is_untrusted(),
            Marker::ModelDissent => false,
        };
        let rank = |claim: &&Effective<'_>| Some(claim.claim.provenance().rank());
        let (listed, _) = first_listed(self.claims.clone(), rank);
        let listed = listed.into_iter().map(|claim| SideClaim {
            reference: claim.claim.reference().clone(),
            said_of: context.trust.said_of(claim.claim),
            index: claim.claim.index(),
            provenance: claim.claim.provenance(),
            stamp: claim.claim.stamp(),
            valid: claim.body.valid,
            window: claim.extent.window(),
            corroborations: count(context.trust.corroborations(iter::once(claim))),
        });
        BeliefSide {
            value: self.value.clone(),
            claim_count: self.claims.len(),
            claims: listed.collect(),
            corroborations: count(context.trust.corroborations(self.claims.iter().copied())),
            confirmed,
            currency,
            markers: Marker::ALL.into_iter().filter(applies).collect(),
        }
    }

    /// The last confirmation of the value, and its age class.
    fn confirmed(&self, context: FoldContext<'_>) -> (TransactionTime, Currency) {
        let confirmed = self.claims.iter().map(|claim| claim.confirmed()).max();
        let confirmed = confirmed.unwrap_or(TransactionTime::recorded(0));
        let currency = currency(confirmed, context.question.as_of_us, context.limits);
        (confirmed, currency)
    }

    /// The claims that were derived from others.
    fn derived(&self) -> impl Iterator<Item = &Unit> {
        let claims = self.claims.iter().map(|claim| claim.claim);
        claims.filter(|claim| !claim.derived_from().is_empty())
    }
}

/// The first [`MAX_LISTED`] by rank, and the rest; both in the order that was given.
pub(super) fn first_listed<T>(
    items: Vec<T>,
    rank: impl Fn(&T) -> Option<ProvenanceRank>,
) -> (Vec<T>, Vec<T>) {
    if items.len() <= MAX_LISTED {
        return (items, Vec::new());
    }
    let rank_of: Vec<_> = items.iter().map(rank).collect();
    let mut ranks: Vec<usize> = (0..items.len()).collect();
    ranks.sort_by_key(|place| core::cmp::Reverse(rank_of.get(*place)));
    let listed: BTreeSet<usize> = ranks.into_iter().take(MAX_LISTED).collect();
    let (listed, rest): (Vec<_>, Vec<_>) = items
        .into_iter()
        .enumerate()
        .partition(|(place, _)| listed.contains(place));
    let items = |placed: Vec<(usize, T)>| placed.into_iter().map(|(_, item)| item).collect();
    (items(listed), items(rest))
}

/// Returns the age class of a confirmation at `as_of_us`.
pub(super) fn currency(
    confirmed: TransactionTime,
    as_of_us: u64,
    limits: CurrencyLimits,
) -> Currency {
    let days = as_of_us.saturating_sub(confirmed.micros()) / DAY_US;
    if days < limits.fresh_days.into() {
        Currency::Fresh
    } else if days < limits.aging_days.into() {
        Currency::AgingUnconfirmed
    } else {
        Currency::Decayed
    }
}

/// Returns a length as a `u32`, cut at the maximum.
pub(super) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
