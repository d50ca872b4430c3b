//! One value of a belief: its claims, its confirmation and its currency (I11).

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::lineage::{LookUp, needs_review};
use super::{BeliefSide, Currency, MAX_LISTED, Marker, Question, SideClaim};
use crate::effective::Effective;
use crate::{CurrencyLimits, FactValue, ProvenanceRank, TransactionTime};

const DAY_US: u64 = 86_400_000_000;

/// Claims of one value.
pub(super) struct Group<'f> {
    /// Value of the claims.
    pub(super) value: &'f FactValue,
    /// Places of the claims among the candidates, in the order of their numbers.
    pub(super) claims: Vec<usize>,
}

/// Inputs that all sides of a belief have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoldContext {
    pub(super) question: Question,
    pub(super) limits: CurrencyLimits,
    /// The line holds a set.
    pub(super) in_set: bool,
}

/// A side that decides.
pub(super) fn deciding(
    context: FoldContext,
    group: &Group<'_>,
    candidates: &[Effective<'_>],
    look_up: Option<LookUp<'_>>,
) -> BeliefSide {
    let derived: Vec<_> = derived(group, candidates)
        .map(|claim| claim.claim)
        .collect();
    let review = !derived.is_empty()
        && look_up.is_some_and(|look_up| needs_review(look_up, &derived, context.question));
    make(context, group, candidates, review)
}

/// The markers that a side of a contest which is not listed gives to the belief. What it was derived from is not looked at.
pub(super) fn unlisted(
    context: FoldContext,
    group: &Group<'_>,
    candidates: &[Effective<'_>],
) -> impl Iterator<Item = Marker> {
    let currency = currency(
        confirmed(group, candidates),
        context.question.as_of_us,
        context.limits,
    );
    let is_aging = currency != Currency::Fresh;
    let review = derived(group, candidates).next().is_some();
    [
        (Marker::AgingUnconfirmed, is_aging),
        (Marker::PendingReview, review),
    ]
    .into_iter()
    .filter_map(|(marker, applies)| applies.then_some(marker))
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

/// Returns a side that does not decide; its ancestors are not looked up.
pub(super) fn alternative(
    context: FoldContext,
    group: &Group<'_>,
    candidates: &[Effective<'_>],
) -> BeliefSide {
    make(context, group, candidates, false)
}

/// Returns whether the side is not fresh.
pub(super) fn is_aging(side: &BeliefSide) -> bool {
    side.currency != Currency::Fresh
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

fn make(
    context: FoldContext,
    group: &Group<'_>,
    candidates: &[Effective<'_>],
    review: bool,
) -> BeliefSide {
    let mut sources: Vec<_> = claims(group, candidates)
        .flat_map(|claim| claim.corroborated_by.iter().copied())
        .collect();
    sources.sort_unstable();
    sources.dedup();
    let confirmed = confirmed(group, candidates);
    let currency = currency(confirmed, context.question.as_of_us, context.limits);
    let only_peers = claims(group, candidates)
        .all(|claim| claim.claim.provenance().rank() == ProvenanceRank::Peer);
    let applies = |marker: &Marker| match marker {
        Marker::AgingUnconfirmed => currency != Currency::Fresh && !context.in_set,
        Marker::AgedSetMember => currency != Currency::Fresh && context.in_set,
        Marker::PendingReview => review,
        Marker::PeerSourced => only_peers,
        Marker::ModelDissent => false,
    };
    BeliefSide {
        value: group.value.clone(),
        claim_count: group.claims.len(),
        claims: first_listed(claims(group, candidates).collect(), |claim| {
            Some(claim.claim.provenance().rank())
        })
        .0
        .into_iter()
        .map(|claim| SideClaim {
            reference: claim.claim.reference().clone(),
            index: claim.claim.index(),
            provenance: claim.claim.provenance(),
            stamp: claim.claim.stamp(),
            valid: claim.body.valid,
            window: claim.extent.window(),
            corroborations: count(claim.corroborated_by.len()),
        })
        .collect(),
        corroborations: count(sources.len()),
        confirmed,
        currency,
        markers: Marker::ALL.into_iter().filter(applies).collect(),
    }
}

/// Returns the last confirmation of the value.
fn confirmed(group: &Group<'_>, candidates: &[Effective<'_>]) -> TransactionTime {
    let stamps = claims(group, candidates).map(|claim| claim.confirmed);
    stamps.max().unwrap_or(TransactionTime::recorded(0))
}

/// Returns the claims of the group that were derived from others.
fn derived<'e, 'a>(
    group: &'e Group<'_>,
    candidates: &'e [Effective<'a>],
) -> impl Iterator<Item = &'e Effective<'a>> {
    claims(group, candidates).filter(|claim| !claim.claim.derived_from().is_empty())
}

fn claims<'e, 'a>(
    group: &'e Group<'_>,
    candidates: &'e [Effective<'a>],
) -> impl Iterator<Item = &'e Effective<'a>> {
    group
        .claims
        .iter()
        .filter_map(|place| candidates.get(*place))
}

/// Returns a length as a `u32`, cut at the maximum.
pub(super) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
