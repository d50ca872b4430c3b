//! Handover: the claim that yields and the claim that takes its place (docs/format/claims.md 3 and 7).
//!
//! A claim that hands over holds until the handover, whichever instant is asked about; one that takes over holds from
//! it on. So each claim has a *held* window: its effective window less what it yields at its ends. Claims that yield to
//! one another share the instants at which they do, so the held window at an instant needs no claim that does not hold
//! there.

use alloc::vec::Vec;

use super::reach::{Entry, Order, Reach, Valued};
use crate::Cardinality;
use crate::effective::{Effective, Weight};
use crate::time::{Boundary, Window};

/// The part of its effective window in which a claim yields to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    /// Part that is left.
    pub(super) window: Window,
    /// The place of the claim that it took over from.
    pub(super) after: Option<usize>,
    /// The place of the claim that it hands over to.
    pub(super) before: Option<usize>,
}

impl Held {
    /// All of the window: the claim yields to none.
    pub(super) const fn undisputed(window: Window) -> Self {
        Self {
            window,
            after: None,
            before: None,
        }
    }
}

/// The held window of each claim, in the order of `claims`, with the numbers of their values; none on a line that may hold
/// many values. O(k log k).
pub(super) fn held<'e, 'a: 'e>(
    claims: impl Iterator<Item = &'e Effective<'a>>,
    values: &[usize],
    cardinality: Cardinality,
) -> Vec<Held> {
    if cardinality == Cardinality::Many {
        return Vec::new();
    }
    let claims: &[Valued<'_, '_>] = &claims.zip(values.iter().copied()).collect::<Vec<_>>();
    let mut held: Vec<Held> = claims
        .iter()
        .map(|(claim, _)| Held::undisputed(claim.extent.window()))
        .collect();
    // A claim yields to those of its weight or of a higher one.
    for weight in [Weight::External, Weight::Inferred, Weight::Untrusted] {
        let yields = |claim: &Effective<'_>| claim.weight == weight;
        let counts = |claim: &Effective<'_>| claim.weight >= weight;
        let early = |claim: &Effective<'_>| {
            yields(claim) && is_coarse(claim.extent.end) && claim.extent.begins_before_its_end()
        };
        let late = |claim: &Effective<'_>| {
            yields(claim) && is_coarse(claim.extent.start) && claim.extent.ends_after_its_start()
        };
        let ends = held.iter_mut().zip(claims);
        let ends: Vec<_> = ends.filter(|(_, (claim, _))| early(claim)).collect();
        if !ends.is_empty() {
            hand_over(claims, ends, counts);
        }
        let starts = held.iter_mut().zip(claims);
        let starts: Vec<_> = starts.filter(|(_, (claim, _))| late(claim)).collect();
        if !starts.is_empty() {
            take_over(claims, starts, counts);
        }
    }
    held
}

/// Cuts the ends of those that hand over.
fn hand_over(
    claims: &[Valued<'_, '_>],
    yielding: Vec<(&mut Held, &Valued<'_, '_>)>,
    counts: impl Fn(&Effective<'_>) -> bool,
) {
    let entry = |at: usize, claim: &Effective<'_>, value: usize| {
        let start = claim.extent.start.filter(|_| counts(claim))?;
        Some(Entry {
            at,
            order: (claim.order.0, claim.order.1),
            granule: start,
            reach: claim.extent.end.map_or(i128::MAX, |end| end.end().into()),
            value,
        })
    };
    let classes = Reach::by_class(claims, Order::Earlier, entry);
    // The others of them cannot start before an end and take over there.
    let lasting = Reach::by_class(claims, Order::Earlier, |at, claim, value| {
        entry(at, claim, value).filter(|_| claim.extent.ends_after_its_start())
    });
    for (held, (claim, value)) in yielding {
        let Some(end) = claim.extent.end else {
            continue;
        };
        let own = claim.extent.start.map(|start| start.begin());
        let too_early = |start: Boundary| {
            own.is_some_and(|own| start.begin() <= own)
                || start.end().max(start.begin().saturating_add(1)) <= end.begin()
        };
        let starts_before = |start: Boundary| start.begin() < end.begin();
        let within_start = lasting.iter().filter_map(|class| {
            let from = class.count_while(too_early);
            let until = class.count_while(starts_before);
            class.first(from..until, end.end().into(), *value)
        });
        let within_end = classes.iter().filter_map(|class| {
            let from = class.count_while(|start| too_early(start) || starts_before(start));
            let until = class.count_while(|start| start.begin() < end.end());
            class.first(from..until, end.end().into(), *value)
        });
        let first = within_start.chain(within_end).min_by_key(|entry| {
            let begin = entry.granule.begin();
            (begin.max(end.begin()), begin, entry.order)
        });
        if let Some(entry) = first {
            held.window.end = Some(entry.granule.begin().max(end.begin()));
            held.before = Some(entry.at);
        }
    }
}

/// Cuts the starts of those that take over: the same, seen in a mirror.
fn take_over(
    claims: &[Valued<'_, '_>],
    yielding: Vec<(&mut Held, &Valued<'_, '_>)>,
    counts: impl Fn(&Effective<'_>) -> bool,
) {
    let classes = Reach::by_class(claims, Order::Later, |at, claim, value| {
        let end = claim.extent.end.filter(|_| counts(claim))?;
        Some(Entry {
            at,
            order: (claim.order.0, claim.order.1),
            granule: end,
            reach: claim
                .extent
                .start
                .map_or(i128::MAX, |start| -i128::from(start.begin())),
            value,
        })
    });
    for (held, (claim, value)) in yielding {
        let Some(start) = claim.extent.start else {
            continue;
        };
        let own = claim.extent.window().end;
        let too_late =
            |end: Boundary| own.is_some_and(|own| end.end() > own) || end.begin() >= start.end();
        let last = classes
            .iter()
            .filter_map(|class| {
                let from = class.count_while(too_late);
                let until = class.count_while(|end| end.begin() > start.begin());
                class.first(from..until, 1 - i128::from(start.begin()), *value)
            })
            .max_by_key(|entry| (entry.granule.begin(), core::cmp::Reverse(entry.order)));
        if let Some(entry) = last {
            held.window.start = Some(entry.granule.begin());
            held.after = Some(entry.at);
        }
    }
}

/// Returns whether the boundary leaves room for a handover: it is known to a day, a month or a year.
fn is_coarse(boundary: Option<Boundary>) -> bool {
    boundary.is_some_and(|boundary| !boundary.is_instant())
}
