//! Units that changed a belief (I10), for `why`.

use alloc::vec::Vec;

use super::Question;
use super::fold::Fold;
use super::outline::Outline;
use super::partition::Partition;
use super::trust::TrustContext;
use crate::effective::Extent;
use crate::{Act, Cardinality, Line, Settings, Unit};

/// The most units that are folded for one answer, each fold of a line counted with all of them.
const MAX_FOLDED: usize = 1 << 20;

/// Unit that changed a belief.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefChange {
    /// The unit.
    pub unit: Unit,
    /// Belief before the unit.
    pub before: Outline,
    /// Belief from the unit to the next change.
    pub after: Outline,
}

/// The last changes of the belief about `valid_at` up to `as_of`, at most `most`: changes of its status, support,
/// values or claims. What only grew old has not changed. `units` as for [`believe`](super::believe). In the order in which
/// they came about, and whether they are all: false when there are more than were asked for, or when the line is so long
/// that only its end was folded.
///
/// The line is folded once for each of its units, from the last one back, until there are `most` changes or some million
/// units have been folded.
pub fn changes(
    line: &Line,
    units: &[Unit],
    question: Question,
    most: usize,
    settings: &Settings,
) -> (Vec<BeliefChange>, bool) {
    // Not if it only confirms, nor if it is a later claim without effect on the line.
    let may_change = |unit: &Unit| match unit.act() {
        Act::Corroborate { .. } | Act::Undecided { .. } => false,
        Act::Claim(body) => {
            let own = Extent::own(body.valid.as_ref(), unit.stamp().micros());
            own.start
                .is_none_or(|start| start.begin() <= question.valid_at)
                || body.registered.is_some()
                || body.cardinality != Cardinality::Unknown
                || !body.supersedes.is_empty()
        }
        _ => true,
    };
    let mut moments: Vec<&Unit> = units
        .iter()
        .filter(|unit| unit.stamp().micros() <= question.as_of_us && may_change(unit))
        .collect();
    moments.sort_unstable_by_key(|unit| core::cmp::Reverse(unit.stamp()));
    // Of the names that the subject has when it is asked.
    let asked = TrustContext::new(settings, line, question);
    let outline_at = |as_of_us| {
        let trust = asked.known_at(as_of_us);
        let partition = Partition::new(&trust, units);
        let claims = partition.effective().map(|claim| trust.weigh(claim));
        let cardinality = trust.cardinality(partition.cardinality());
        let fold = Fold::of(cardinality, question, claims);
        let parts = fold.parts();
        (Outline::of(&fold, &parts), parts.orders())
    };
    let mut left = MAX_FOLDED;
    let mut found = Vec::new();
    let mut complete = true;
    let mut after = outline_at(question.as_of_us);
    for unit in moments {
        if found.len() == most || left < units.len() {
            complete = false;
            break;
        }
        left -= units.len();
        let before = match unit.stamp().micros().checked_sub(1) {
            Some(as_of_us) => outline_at(as_of_us),
            None => (Outline::of_nothing(), Vec::new()),
        };
        if before != after {
            found.push(BeliefChange {
                unit: unit.clone(),
                before: before.0.clone(),
                after: after.0,
            });
        }
        after = before;
    }
    found.reverse();
    (found, complete)
}
