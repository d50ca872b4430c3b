//! State of each claim of a line (docs/format/claims.md 7).

use alloc::vec::Vec;

use super::fold::{Fold, value_numbers};
use super::handover::{Held, held};
use super::partition::Partition;
use super::side::{count, currency};
use super::trust::{TrustContext, UnitOrder};
use super::{BeliefStatus, ClaimState, HistoryEntry, Question};
use crate::effective::Effective;
use crate::time::Micros;
use crate::{Cardinality, ClaimRef, Line, Settings, Unit};

/// A state, and the unit that made it so.
type Became = (ClaimState, Option<ClaimRef>);

/// Returns every claim of the line with its state, in the order of their numbers. `units` as for
/// [`believe`](super::believe).
pub fn history(
    line: &Line,
    units: &[Unit],
    question: Question,
    settings: &Settings,
) -> Vec<HistoryEntry> {
    let trust = TrustContext::new(settings, line, question);
    let partition = Partition::new(&trust, units);
    let limits = trust.limits();
    let claims = partition.effective().map(|claim| trust.weigh(claim));
    let claims: Vec<Effective<'_>> = claims.collect();
    let cardinality = trust.cardinality(partition.cardinality());
    let contest = Contest::of(&claims, cardinality, question);
    let in_force: Vec<&Effective<'_>> = claims.iter().filter(|claim| claim.in_force()).collect();
    let values = value_numbers(in_force.iter().copied());
    let held = held(in_force.iter().copied(), &values, cardinality);
    let other = |place: Option<usize>| {
        let claim = in_force.get(place?)?;
        Some(claim.claim.reference().clone())
    };
    let mut place = 0;
    let mut entries = Vec::new();
    for claim in &claims {
        let window = claim.extent.window();
        let (state, because_of) = if claim.in_force() {
            let held = held.get(place).copied();
            let held = held.unwrap_or(Held::undisputed(window));
            place += 1;
            let has_ended = |end: Option<Micros>| end.is_some_and(|end| end <= question.valid_at);
            let begins = |start: Option<Micros>| start.is_some_and(|at| question.valid_at < at);
            match (window, held.window) {
                (own, _) if has_ended(own.end) => ended(claim),
                (own, _) if begins(own.start) => (ClaimState::Scheduled, None),
                (_, undisputed) if has_ended(undisputed.end) => {
                    (ClaimState::Ended, other(held.before))
                }
                (_, undisputed) if begins(undisputed.start) => {
                    (ClaimState::Scheduled, other(held.after))
                }
                _ => contest.state_of(claim),
            }
        } else if claim.in_quarantine {
            (ClaimState::Quarantined, None)
        } else if let Some(denial) = claim.denied_by {
            (ClaimState::Denied, Some(denial.reference().clone()))
        } else if let Some(retraction) = claim.retracted_by {
            (ClaimState::Retracted, Some(retraction.reference().clone()))
        } else {
            ended(claim)
        };
        entries.push(HistoryEntry {
            claim: claim.claim.clone(),
            state,
            window,
            because_of,
            corroborations: count(trust.corroborations(core::iter::once(claim))),
            currency: currency(claim.confirmed(), question.as_of_us, limits),
        });
    }
    entries
}

fn ended(claim: &Effective<'_>) -> Became {
    let state = if claim.is_superseded() {
        ClaimState::Superseded
    } else {
        ClaimState::Ended
    };
    (state, claim.cut.map(|cut| cut.unit.reference().clone()))
}

/// Claims on the sides of the contest, if there is one, in their order.
#[derive(Default)]
struct Contest<'a> {
    members: Vec<UnitOrder<'a>>,
    /// The first claim of another value than the first claim's.
    opened_by: Option<UnitOrder<'a>>,
}

impl<'a> Contest<'a> {
    fn of(claims: &[Effective<'a>], cardinality: Cardinality, question: Question) -> Self {
        let fold = Fold::of(cardinality, question, claims.iter().cloned());
        let parts = fold.parts();
        if fold.status(&parts) != BeliefStatus::Contested {
            return Self::default();
        }
        let second = parts.deciding.get(1).and_then(|group| group.claims.first());
        Self {
            members: parts.orders(),
            opened_by: second.map(|claim| claim.order),
        }
    }

    /// Those that were there before the first contradiction are contested because of it; the others made it so
    /// themselves.
    fn state_of(&self, claim: &Effective<'_>) -> Became {
        if self.members.binary_search(&claim.order).is_err() {
            return (ClaimState::Current, None);
        }
        let because_of = self.opened_by.filter(|opened_by| claim.order < *opened_by);
        (
            ClaimState::Contested,
            because_of.map(|(.., reference)| reference.clone()),
        )
    }
}
