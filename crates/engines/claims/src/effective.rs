//! The time of a claim after all that was asserted of it (I2, I11; docs/format/claims.md 3).
//!
//! The gate and the fold stand on the same two things:
//!
//! - [`Extent`]: a window with the granularity of its ends; [`Extent::own`] is that of a claim, or of a submission that
//!   is to become one. [`Extent::overlaps`] and [`Extent::hands_over_to`] compare two.
//! - [`Effective`]: a claim under the units that name it: its effective extent and what cut it, its denial,
//!   its quarantine, its corroborations, its weight. [`Effective::of_view`] makes one of a
//!   [`ClaimInView`](crate::ClaimInView).
//!
//! Linear in the units that name a claim, but for a logarithm where units are named by units.

mod extent;

pub(crate) use extent::{Extent, dates, instant_of};

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::slice::from_ref;

use crate::time::Micros;
use crate::{
    Act, ClaimBody, ClaimInView, ClaimRef, Disposition, ProvenanceRank, SourceKey, TransactionTime,
    Unit,
};

/// Part of a claim in a belief, by its provenance and the trust in its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// An agent below the minimum: an alternative that decides and contests nothing.
    Untrusted,
    /// Models: they decide where nothing external does.
    Inferred,
    /// It decides.
    External,
}

/// Effect that ends a claim.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut<'a> {
    /// Where; [`Micros::MIN`] where its place was taken by a claim that is open to the past.
    pub(crate) at: Micros,
    /// The unit that cut it: a bound, a supersede, an affirm, or the claim that names it in `supersedes`.
    pub(crate) unit: &'a Unit,
    /// The claim that took its place; `None` for a bound.
    pub(crate) taken_by: Option<&'a ClaimRef>,
}

/// A claim under the units that name it.
#[derive(Debug, Clone)]
pub(crate) struct Effective<'a> {
    /// The claim.
    pub(crate) claim: &'a Unit,
    /// Content of the claim.
    pub(crate) body: &'a ClaimBody,
    /// The claim's window is used; else it holds from its stamp on.
    pub(crate) dated: bool,
    /// Effective window; empty where nothing is left.
    pub(crate) extent: Extent,
    /// Effect that made its end, unless the end is its own.
    pub(crate) cut: Option<Cut<'a>>,
    /// The denial in force: the first one.
    pub(crate) denied_by: Option<&'a Unit>,
    /// The retraction in force: the first one.
    pub(crate) retracted_by: Option<&'a Unit>,
    /// Kept apart: quarantined, and not released.
    pub(crate) in_quarantine: bool,
    /// Its corroborations and its confirmations.
    pub(crate) confirmations: Vec<&'a Unit>,
    /// Part that it has in a belief; by its provenance alone until the fold weighs it.
    pub(crate) weight: Weight,
    /// Place among the claims of a belief; in its line until the fold weighs it.
    pub(crate) order: (u64, u64, &'a ClaimRef),
}

impl<'a> Effective<'a> {
    /// The claim under `assertions`: all units that name it, in any order. `taker` finds the claim that a supersede
    /// names in `by` and that an affirm is about. `None` when `claim` is no claim.
    ///
    /// Where a taker cannot be found, because its content was erased, the stamp of the unit that names it is the cut.
    pub(crate) fn of<I>(
        claim: &'a Unit,
        assertions: I,
        taker: impl Fn(&ClaimRef) -> Option<&'a Unit>,
    ) -> Option<Self>
    where
        I: Iterator<Item = &'a Unit> + Clone,
    {
        let Act::Claim(body) = claim.act() else {
            return None;
        };
        let own = claim.reference();
        let named = |this: fn(&Act) -> bool| {
            let units = assertions.clone();
            units.filter(move |unit| unit.act().target() == Some(own) && this(unit.act()))
        };
        let undone = undone(claim, assertions.clone());
        let counts = |unit: &&Unit| !undone.contains(unit.reference());
        let first =
            |this: fn(&Act) -> bool| named(this).filter(counts).min_by_key(|unit| unit.order());
        let is_released = named(|act| matches!(act, Act::Release { .. }))
            .next()
            .is_some();
        let mut seen = Self {
            claim,
            body,
            dated: body.valid.as_ref().is_some_and(dates),
            extent: Extent::own(body.valid.as_ref(), claim.stamp().micros()),
            cut: None,
            denied_by: first(|act| matches!(act, Act::Deny { .. })),
            retracted_by: first(|act| matches!(act, Act::Retract { .. })),
            in_quarantine: claim.disposition() == Disposition::Quarantined && !is_released,
            confirmations: named(|act| {
                matches!(act, Act::Corroborate { .. } | Act::Confirm { .. })
            })
            .collect(),
            weight: match claim.provenance().is_external() {
                true => Weight::External,
                false => Weight::Inferred,
            },
            order: (0, claim.number(), claim.reference()),
        };
        // Of equal cuts a bound comes first, then the unit of the lower number.
        let cuts = assertions
            .clone()
            .filter(counts)
            .filter_map(|unit| cut_of(claim, unit, &taker));
        if let Some(cut) = cuts.min_by_key(|cut| (cut.at, cut.taken_by.is_some(), cut.unit.order()))
        {
            let is_before_stamp = !seen.dated
                && cut.taken_by.is_none()
                && cut.at <= instant_of(claim.stamp().micros());
            let extent = match is_before_stamp {
                true => Some(Extent::until(cut.at)),
                false => seen.extent.cut_at(cut.at),
            };
            seen.cut = extent.map(|_| cut);
            seen.extent = extent.unwrap_or(seen.extent);
        }
        Some(seen)
    }

    /// The claim of a view under the units of its line that were recorded until `as_of_us`. `None` when it is no claim, or
    /// later itself.
    pub(crate) fn of_view(view: &'a ClaimInView, as_of_us: u64) -> Option<Self> {
        if view.claim.stamp().micros() > as_of_us {
            return None;
        }
        let line = view.claim.line();
        let mut takers: Vec<&Unit> = view.takers.iter().collect();
        takers.retain(|unit| unit.line() == line);
        takers.sort_unstable_by_key(|unit| unit.reference());
        let find = |reference: &ClaimRef| {
            let at = takers
                .binary_search_by_key(&reference, |unit| unit.reference())
                .ok()?;
            takers.get(at).copied()
        };
        let known = view
            .assertions
            .iter()
            .filter(|unit| unit.stamp().micros() <= as_of_us && unit.line() == line);
        Self::of(&view.claim, known, find)
    }

    /// The latest stamp of itself, its corroborations and its confirmations.
    pub(crate) fn confirmed(&self) -> TransactionTime {
        let stamps = self.confirmations.iter().map(|unit| unit.stamp());
        stamps.fold(self.claim.stamp(), TransactionTime::max)
    }

    /// Its corroborations.
    pub(crate) fn corroborations(&self) -> impl Iterator<Item = &'a Unit> {
        let units = self.confirmations.iter().copied();
        units.filter(|unit| matches!(unit.act(), Act::Corroborate { .. }))
    }

    /// The sources of its corroborations, sorted, none twice.
    pub(crate) fn corroborated_by(&self) -> BTreeSet<&'a SourceKey> {
        let sources = self.corroborations().map(|unit| match unit.act() {
            Act::Corroborate { sources, .. } => sources.as_slice(),
            _ => &[],
        });
        sources.flatten().collect()
    }

    /// Not in quarantine, neither denied nor taken back, and something of its window is left.
    pub(crate) fn in_force(&self) -> bool {
        let is_overturned = self.denied_by.is_some() || self.retracted_by.is_some();
        !self.in_quarantine && !is_overturned && !self.extent.is_empty()
    }

    /// In force, and its effective window holds `at`.
    pub(crate) fn is_live(&self, at: Micros) -> bool {
        self.in_force() && self.extent.contains(at)
    }

    /// Returns whether the claim is in force and has ended at or before `at`.
    pub(crate) fn has_ended_by(&self, at: Micros) -> bool {
        self.in_force() && self.extent.window().end.is_some_and(|end| end <= at)
    }

    /// Returns whether another claim that took its place made its end.
    pub(crate) fn is_superseded(&self) -> bool {
        self.cut.is_some_and(|cut| cut.taken_by.is_some())
    }
}

/// The units that cut or deny the claim, or take it back, and that no reopen has undone, in the order of their numbers: a reopen
/// names them.
pub(crate) fn effects_in_force(view: &ClaimInView) -> Vec<ClaimRef> {
    let own = view.claim.reference();
    let mut units: Vec<&Unit> = not_undone(view)
        .filter(|unit| {
            matches!(unit.act(), Act::Deny { target } | Act::Retract { target, .. } if target == own)
                || cut_of(&view.claim, unit, &|_| None).is_some()
        })
        .collect();
    units.sort_unstable_by_key(|unit| unit.order());
    units
        .into_iter()
        .map(|unit| unit.reference().clone())
        .collect()
}

/// The highest rank of those who have denied the claim, by denials that no reopen has undone.
pub(crate) fn denial_in_force(view: &ClaimInView) -> Option<ProvenanceRank> {
    let own = view.claim.reference();
    not_undone(view)
        .filter(|unit| matches!(unit.act(), Act::Deny { target } if target == own))
        .map(|unit| unit.provenance().rank())
        .max()
}

/// The earliest bound of external provenance that no reopen has undone, where it is before the claim's own end. A model's
/// own cut does not hide it.
pub(crate) fn external_bound(view: &ClaimInView) -> Option<Micros> {
    let Act::Claim(body) = view.claim.act() else {
        return None;
    };
    let own = Extent::own(body.valid.as_ref(), view.claim.stamp().micros());
    not_undone(view)
        .filter(|unit| unit.provenance().is_external())
        .filter_map(|unit| match unit.act() {
            Act::Bound { target, at } if target == view.claim.reference() => Some(at.begin()),
            _ => None,
        })
        .filter(|at| own.window().end.is_none_or(|end| *at < end))
        .min()
}

/// Returns the cut that `unit` makes in `claim`, if any.
fn cut_of<'a>(
    claim: &Unit,
    unit: &'a Unit,
    taker: &impl Fn(&ClaimRef) -> Option<&'a Unit>,
) -> Option<Cut<'a>> {
    let own = claim.reference();
    let (at, taken_by) = match unit.act() {
        Act::Bound { target, at } if target == own => (at.begin(), None),
        Act::Supersede { target, by } if target == own => {
            (start_of(taker(by).unwrap_or(unit)), Some(by))
        }
        Act::Affirm { target, rivals } if rivals.contains(own) => {
            (start_of(taker(target).unwrap_or(unit)), Some(target))
        }
        // Of at least its rank, not kept apart when it was written.
        Act::Claim(body)
            if body.supersedes.contains(own)
                && unit.disposition() != Disposition::Quarantined
                && unit.provenance().rank() >= claim.provenance().rank()
                && !unit.because().ignored.contains(own) =>
        {
            (start_of(unit), Some(unit.reference()))
        }
        _ => return None,
    };
    Some(Cut { at, unit, taken_by })
}

/// The start of a claim: its own, or its stamp; that of any other unit is its stamp.
fn start_of(unit: &Unit) -> Micros {
    let stamp_us = unit.stamp().micros();
    let Act::Claim(body) = unit.act() else {
        return instant_of(stamp_us);
    };
    Extent::own(body.valid.as_ref(), stamp_us)
        .start
        .map_or(Micros::MIN, |start| start.begin())
}

/// The units of the view that neither a reopen of the claim nor a retraction has undone.
fn not_undone(view: &ClaimInView) -> impl Iterator<Item = &Unit> {
    let undone = undone(&view.claim, view.assertions.iter());
    let units = view.assertions.iter();
    units.filter(move |unit| !undone.contains(unit.reference()))
}

/// Returns the units that reopens of the claim have undone, and the claims that took its place when they were stated and were
/// taken back.
fn undone<'a>(claim: &Unit, assertions: impl Iterator<Item = &'a Unit>) -> BTreeSet<&'a ClaimRef> {
    let own = claim.reference();
    assertions
        .filter_map(|unit| match unit.act() {
            Act::Reopen { target, undoes } if target == own => Some(undoes.as_slice()),
            Act::Retract { target, frees, .. } if frees.contains(own) => Some(from_ref(target)),
            _ => None,
        })
        .flatten()
        .collect()
}
