//! The time of a claim after all that was asserted of it (I2, I11; docs/format/claims.md 3).
//!
//! The gate and the fold stand on the same three things:
//!
//! - [`Extent`]: a window with the granularity of its ends; [`Extent::own`] is that of a claim, or of a submission that
//!   is to become one. [`Extent::overlaps`] and [`Extent::hands_over_to`] compare two.
//! - [`Effective`]: a claim under the units that name it: its effective extent and what cut it, whether it is denied
//!   or in quarantine, who has corroborated it. [`Effective::of_view`] makes one of a
//!   [`ClaimInView`](crate::ClaimInView).
//! - [`cardinality`]: how many values a line may hold.
//!
//! Linear in the units that name a claim, but for a logarithm where units are named by units.

mod extent;

pub(crate) use extent::{Extent, dates, instant_of};

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::time::Micros;
use crate::{
    Act, Cardinality, ClaimBody, ClaimInView, ClaimRef, Disposition, ProvenanceRank, SourceKey,
    TransactionTime, Unit,
};

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
    /// Kept apart: quarantined, and not released.
    pub(crate) in_quarantine: bool,
    /// The first release.
    pub(crate) released_by: Option<&'a Unit>,
    /// The latest stamp of itself and of its corroborations.
    pub(crate) confirmed: TransactionTime,
    /// The sources of its corroborations, sorted, none twice.
    pub(crate) corroborated_by: Vec<&'a SourceKey>,
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
        let mut seen = Self {
            claim,
            body,
            dated: body.valid.as_ref().is_some_and(dates),
            extent: Extent::own(body.valid.as_ref(), claim.stamp().micros()),
            cut: None,
            denied_by: None,
            in_quarantine: false,
            released_by: None,
            confirmed: claim.stamp(),
            corroborated_by: Vec::new(),
        };
        let undone = undone(claim, assertions.clone());
        let mut cut = None;
        for unit in assertions {
            seen.note(unit);
            if undone.contains(unit.reference()) {
                continue;
            }
            if matches!(unit.act(), Act::Deny { target } if target == claim.reference()) {
                seen.denied_by = Some(first(seen.denied_by, unit));
            }
            cut = earliest(cut, cut_of(claim, unit, &taker));
        }
        seen.in_quarantine =
            claim.disposition() == Disposition::Quarantined && seen.released_by.is_none();
        seen.corroborated_by.sort_unstable();
        seen.corroborated_by.dedup();
        seen.apply(cut);
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

    /// Not in quarantine, not denied, and something of its window is left.
    pub(crate) fn in_force(&self) -> bool {
        !self.in_quarantine && self.denied_by.is_none() && !self.extent.is_empty()
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

    /// Releases and corroborations, which nothing undoes.
    fn note(&mut self, unit: &'a Unit) {
        match unit.act() {
            Act::Release { target } if target == self.claim.reference() => {
                self.released_by = Some(first(self.released_by, unit));
            }
            Act::Corroborate { target, sources } if target == self.claim.reference() => {
                self.confirmed = self.confirmed.max(unit.stamp());
                self.corroborated_by.extend(sources);
            }
            _ => {}
        }
    }

    fn apply(&mut self, cut: Option<Cut<'a>>) {
        let Some(cut) = cut else { return };
        let before_stamp =
            !self.dated && cut.taken_by.is_none() && cut.at <= instant_of(self.stamp_us());
        let extent = if before_stamp {
            Some(Extent::until(cut.at))
        } else {
            self.extent.cut_at(cut.at)
        };
        if let Some(extent) = extent {
            self.extent = extent;
            self.cut = Some(cut);
        }
    }

    const fn stamp_us(&self) -> u64 {
        self.claim.stamp().micros()
    }
}

/// The units that cut or deny the claim and that no reopen has undone: what a reopen has to name, in the order of their
/// numbers.
pub(crate) fn effects_in_force(view: &ClaimInView) -> Vec<ClaimRef> {
    let undone = undone(&view.claim, view.assertions.iter());
    let mut units: Vec<&Unit> = view
        .assertions
        .iter()
        .filter(|unit| !undone.contains(unit.reference()))
        .filter(|unit| {
            matches!(unit.act(), Act::Deny { target } if target == view.claim.reference())
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
    let undone = undone(&view.claim, view.assertions.iter());
    view.assertions
        .iter()
        .filter(
            |unit| matches!(unit.act(), Act::Deny { target } if target == view.claim.reference()),
        )
        .filter(|unit| !undone.contains(unit.reference()))
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
    let undone = undone(&view.claim, view.assertions.iter());
    view.assertions
        .iter()
        .filter(|unit| unit.provenance().is_external() && !undone.contains(unit.reference()))
        .filter_map(|unit| match unit.act() {
            Act::Bound { target, at } if target == view.claim.reference() => Some(at.begin()),
            _ => None,
        })
        .filter(|at| own.window().end.is_none_or(|end| *at < end))
        .min()
}

/// Returns the cardinality of a line: that of the host, else that of the sources, `one` before `many`.
pub(crate) fn cardinality(
    registered: Option<Cardinality>,
    said_one: bool,
    said_many: bool,
) -> Cardinality {
    match (registered, said_one, said_many) {
        (Some(registered), _, _) => registered,
        (None, true, _) => Cardinality::One,
        (None, false, true) => Cardinality::Many,
        (None, false, false) => Cardinality::Unknown,
    }
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
        Act::Claim(body) if body.supersedes.contains(own) && may_supersede(unit, claim) => {
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
        .start()
        .map_or(Micros::MIN, |start| start.begin())
}

/// Returns whether a claim may take the place of `target`: of at least its rank, not kept apart when it was written.
fn may_supersede(claim: &Unit, target: &Unit) -> bool {
    claim.disposition() != Disposition::Quarantined
        && claim.provenance().rank() >= target.provenance().rank()
        && !claim.because().ignored.contains(target.reference())
}

/// Returns the units that reopens of the claim have undone.
fn undone<'a>(claim: &Unit, assertions: impl Iterator<Item = &'a Unit>) -> BTreeSet<&'a ClaimRef> {
    assertions
        .filter_map(|unit| match unit.act() {
            Act::Reopen { target, undoes } if target == claim.reference() => Some(undoes),
            _ => None,
        })
        .flatten()
        .collect()
}

/// The earlier of two cuts. Of equal ones a bound comes first, then the unit of the lower number.
fn earliest<'a>(one: Option<Cut<'a>>, other: Option<Cut<'a>>) -> Option<Cut<'a>> {
    fn rank<'c>(cut: &'c Cut<'_>) -> (Micros, bool, (u64, &'c ClaimRef)) {
        (cut.at, cut.taken_by.is_some(), cut.unit.order())
    }
    match (one, other) {
        (Some(one), Some(other)) if rank(&other) < rank(&one) => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    }
}

fn first<'a>(found: Option<&'a Unit>, unit: &'a Unit) -> &'a Unit {
    match found {
        Some(found) if found.order() <= unit.order() => found,
        _ => unit,
    }
}
