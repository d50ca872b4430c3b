//! State of each claim of a line (docs/format/claims.md 7).

use alloc::vec::Vec;

use super::fold::{Fold, value_numbers};
use super::handover::{Held, held};
use super::partition::Partition;
use super::side::{count, currency};
use super::{BeliefStatus, ClaimState, HistoryEntry, Question};
use crate::effective::Effective;
use crate::{Cardinality, ClaimRef, CurrencyLimits, Line, Unit};

/// A state, and the unit that made it so.
type Became = (ClaimState, Option<ClaimRef>);

pub(super) fn history(
    line: &Line,
    units: &[Unit],
    question: Question,
    limits: CurrencyLimits,
) -> Vec<HistoryEntry> {
    let partition = Partition::new(line, units, question.as_of_us);
    let claims: Vec<Effective<'_>> = partition.effective().collect();
    let contest = Contest::of(&claims, partition.cardinality(), question);
    let in_force: Vec<&Effective<'_>> = claims.iter().filter(|claim| claim.in_force()).collect();
    let held = if partition.cardinality() == Cardinality::Many {
        Vec::new()
    } else {
        let values = value_numbers(in_force.iter().copied());
        let valued: Vec<_> = in_force.iter().copied().zip(values).collect();
        held(&valued)
    };
    let mut place = 0;
    let mut entries = Vec::new();
    for claim in &claims {
        let (state, because_of) = if claim.in_force() {
            let held = held.get(place);
            place += 1;
            in_force_state(claim, held, &in_force, question, &contest)
        } else if claim.in_quarantine {
            (ClaimState::Quarantined, None)
        } else if let Some(denial) = claim.denied_by {
            (ClaimState::Denied, Some(denial.reference().clone()))
        } else {
            ended(claim)
        };
        entries.push(HistoryEntry {
            claim: claim.claim.clone(),
            state,
            window: claim.extent.window(),
            because_of,
            corroborations: count(claim.corroborated_by.len()),
            currency: currency(claim.confirmed, question.as_of_us, limits),
        });
    }
    entries
}

fn in_force_state(
    claim: &Effective<'_>,
    held: Option<&Held>,
    in_force: &[&Effective<'_>],
    question: Question,
    contest: &Contest<'_>,
) -> Became {
    let window = claim.extent.window();
    let at = question.valid_at;
    if window.end.is_some_and(|end| end <= at) {
        return ended(claim);
    }
    if window.start.is_some_and(|start| at < start) {
        return (ClaimState::Scheduled, None);
    }
    let other = |place: Option<usize>| {
        let claim = in_force.get(place?)?;
        Some(claim.claim.reference().clone())
    };
    if let Some(held) = held {
        if held.window.end.is_some_and(|end| end <= at) {
            return (ClaimState::Ended, other(held.before));
        }
        if held.window.start.is_some_and(|start| at < start) {
            return (ClaimState::Scheduled, other(held.after));
        }
    }
    contest.state_of(claim.claim)
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
struct Contest<'a> {
    members: Vec<(u64, &'a ClaimRef)>,
    /// The first claim of another value than the first claim's.
    opened_by: Option<(u64, &'a ClaimRef)>,
}

impl<'a> Contest<'a> {
    fn of(claims: &[Effective<'a>], cardinality: Cardinality, question: Question) -> Self {
        let mut fold = Fold::new(cardinality, question);
        for claim in claims {
            fold.take(claim.clone());
        }
        let parts = fold.parts();
        let mut contest = Self {
            members: Vec::new(),
            opened_by: None,
        };
        if fold.status(&parts) == BeliefStatus::Contested {
            contest.members = fold.orders(&parts);
            contest.opened_by = parts
                .deciding
                .get(1)
                .and_then(|group| fold.candidates.get(*group.claims.first()?))
                .map(|claim| claim.claim.order());
        }
        contest
    }

    /// Those that were there before the first contradiction are contested because of it; the others made it so
    /// themselves.
    fn state_of(&self, claim: &Unit) -> Became {
        if self.members.binary_search(&claim.order()).is_err() {
            return (ClaimState::Current, None);
        }
        let because_of = self
            .opened_by
            .filter(|opened_by| claim.order() < *opened_by);
        (
            ClaimState::Contested,
            because_of.map(|(_, reference)| reference.clone()),
        )
    }
}
