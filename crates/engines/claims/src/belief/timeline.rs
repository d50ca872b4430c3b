//! Belief over the whole of valid time: a sweep over the ends of windows, O(k log k).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::fold::{status, value_numbers};
use super::handover::held;
use super::outline::{MAX_OUTLINED, Outline};
use super::partition::Partition;
use super::trust::TrustContext;
use super::{Question, Support};
use crate::effective::{Effective, Weight};
use crate::time::{Boundary, Granularity, Micros, Window};
use crate::{Cardinality, Line, Settings, Unit};

/// The belief of the line at every instant, as known at `as_of_us`: segments without gaps, from the open past to the
/// open future. Status, support, values and claims are those of [`believe`](super::believe) at each of their instants.
/// `units` as for `believe`.
pub fn timeline(
    line: &Line,
    units: &[Unit],
    as_of_us: u64,
    settings: &Settings,
) -> Vec<(Window, Outline)> {
    let question = Question {
        valid_at: 0,
        as_of_us,
    };
    let trust = TrustContext::new(settings, line, question);
    let partition = Partition::new(&trust, units);
    let claims = partition.effective().filter(Effective::in_force);
    let claims: Vec<Effective<'_>> = claims.map(|claim| trust.weigh(claim)).collect();
    let values = value_numbers(claims.iter());
    let cardinality = trust.cardinality(partition.cardinality());
    let mut sweep = Sweep {
        claims: &claims,
        values: &values,
        cardinality,
        ended: false,
        camps: Default::default(),
        touched: [false; 2],
    };
    let events = events(&claims, &values, cardinality);
    let mut segments = Vec::new();
    let mut start = None;
    let mut current = sweep.outline();
    for now in events.chunk_by(|one, other| one.at == other.at) {
        let decided = sweep.decides();
        sweep.touched = [false; 2];
        for event in now {
            sweep.apply(event);
        }
        let touched = sweep.touched.get(decided).copied().unwrap_or_default();
        let regrouped = touched || decided != sweep.decides();
        let next = sweep.outline();
        if !regrouped && next == current {
            continue;
        }
        let at = now.first().and_then(|event| event.at);
        let belief = core::mem::replace(&mut current, next);
        if at.is_some() {
            let window = Window { start, end: at };
            segments.push((window, belief));
            start = at;
        }
    }
    segments.push((Window { start, end: None }, current));
    segments
}

/// Events at an instant; `None` is the open past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: Option<Micros>,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// From now on something has ended.
    Ended,
    /// A claim begins to hold.
    Joins(usize),
    /// It ceases to.
    Leaves(usize),
    /// Its timing becomes certain.
    Firm(usize),
    /// It ceases to be.
    Soft(usize),
}

/// Claims that hold at the instant that the sweep has come to.
struct Sweep<'c, 'a> {
    claims: &'c [Effective<'a>],
    values: &'c [usize],
    cardinality: Cardinality,
    ended: bool,
    /// Models' claims, and external ones.
    camps: [Camp; 2],
    /// Camps that have changed.
    touched: [bool; 2],
}

/// Claims that decide together or not at all.
#[derive(Default)]
struct Camp {
    /// The places of its claims, which are in the order of their numbers.
    claims: BTreeSet<usize>,
    /// Those of each value.
    by_value: BTreeMap<usize, BTreeSet<usize>>,
    /// First claims of values, with their values.
    order: BTreeSet<(usize, usize)>,
    /// Number of claims with a certain timing.
    firm: usize,
}

impl Sweep<'_, '_> {
    /// Camp that decides.
    fn decides(&self) -> usize {
        let [_, external] = &self.camps;
        usize::from(!external.claims.is_empty())
    }

    fn apply(&mut self, event: &Event) {
        let (What::Joins(place) | What::Leaves(place) | What::Firm(place) | What::Soft(place)) =
            event.what
        else {
            self.ended = true;
            return;
        };
        let (Some(claim), Some(value)) = (self.claims.get(place), self.values.get(place)) else {
            return;
        };
        let which = match claim.weight {
            Weight::External => 1,
            Weight::Inferred => 0,
            // It decides nothing.
            Weight::Untrusted => return,
        };
        let (Some(camp), Some(touched)) = (self.camps.get_mut(which), self.touched.get_mut(which))
        else {
            return;
        };
        match event.what {
            What::Firm(_) => camp.firm += 1,
            What::Soft(_) => camp.firm -= 1,
            joins_or_leaves => {
                *touched = true;
                // The order of first claims follows the claims of the value.
                let places = camp.by_value.entry(*value).or_default();
                if let Some(first) = places.first() {
                    camp.order.remove(&(*first, *value));
                }
                for places in [&mut camp.claims, &mut *places] {
                    match joins_or_leaves {
                        What::Joins(_) => places.insert(place),
                        _ => places.remove(&place),
                    };
                }
                if let Some(first) = places.first() {
                    camp.order.insert((*first, *value));
                }
            }
        }
    }

    fn outline(&self) -> Outline {
        let [models, external] = &self.camps;
        let (camp, support) = if external.claims.is_empty() {
            (models, Support::Inferred)
        } else {
            (external, Support::External)
        };
        let claim = |place: &usize| self.claims.get(*place);
        let values = camp.order.iter().take(MAX_OUTLINED);
        let claims = camp.claims.iter().take(MAX_OUTLINED);
        let firm = camp.firm > 0;
        Outline {
            status: status(camp.order.len(), self.cardinality, firm, self.ended),
            support: (!camp.claims.is_empty()).then_some(support),
            values: values
                .filter_map(|(place, _)| claim(place))
                .map(|claim| claim.body.value.clone())
                .collect(),
            value_count: camp.order.len(),
            claims: claims
                .filter_map(claim)
                .map(|claim| claim.claim.reference().clone())
                .collect(),
            claim_count: camp.claims.len(),
        }
    }
}

/// All events, in their order.
fn events(claims: &[Effective<'_>], values: &[usize], cardinality: Cardinality) -> Vec<Event> {
    let held = held(claims.iter(), values, cardinality);
    let mut events = Vec::new();
    let ends = claims.iter().filter_map(|claim| claim.extent.window().end);
    events.extend(ends.min().map(|at| Event {
        at: Some(at),
        what: What::Ended,
    }));
    let mut put = |window: Window, begins: What, ends: What| {
        let start = (!window.is_empty()).then_some((window.start, begins));
        let end = window.end.filter(|_| !window.is_empty());
        let both = start.into_iter().chain(end.map(|at| (Some(at), ends)));
        events.extend(both.map(|(at, what)| Event { at, what }));
    };
    for (place, claim) in claims.iter().enumerate() {
        let effective = claim.extent.window();
        let window = held.get(place).map_or(effective, |held| held.window);
        put(window, What::Joins(place), What::Leaves(place));
        if let Some(valid) = claim.body.valid.filter(|_| claim.dated) {
            // The part outside of the claim's own boundaries of a month or a year.
            let coarse = |own: &Boundary| own.granularity() >= Granularity::Month;
            let mut firm = window;
            firm.start = firm
                .start
                .max(valid.from.filter(coarse).map(|from| from.end()));
            let ends = [
                firm.end,
                valid.until.filter(coarse).map(|until| until.begin()),
            ];
            firm.end = ends.into_iter().flatten().min();
            put(firm, What::Firm(place), What::Soft(place));
        }
    }
    events.sort_unstable();
    events
}
