//! The fold for one instant: candidates, sides, status, markers (docs/format/claims.md 7).

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::digest::digest;
use super::handover::held;
use super::lineage::LookUp;
use super::side::{FoldContext, Group, first_listed};
use super::trust::{TrustContext, UnitOrder, is_peers};
use super::{Belief, BeliefSide, BeliefStatus, Currency, Marker, Question, Support};
use crate::effective::{Effective, Weight, instant_of};
use crate::time::{Granularity, Micros};
use crate::{Cardinality, FactValue};

/// Claims of a line that count for one question.
pub(super) struct Fold<'a> {
    cardinality: Cardinality,
    question: Question,
    /// Claims in force whose effective window contains the instant.
    pub(super) candidates: Vec<Effective<'a>>,
    /// A claim in force has ended by then.
    pub(super) ended: bool,
}

/// The candidates by value, in the order of first claims: those that decide, and those that do not.
pub(super) struct Parts<'f, 'a> {
    /// Ground of the values that decide.
    pub(super) support: Option<Support>,
    /// Values that decide.
    pub(super) deciding: Vec<Group<'f, 'a>>,
    /// Values that do not decide.
    others: Vec<Group<'f, 'a>>,
    /// A model's candidate is among the others.
    dissent: bool,
    /// A candidate of an agent below the minimum of trust is among the others.
    untrusted: bool,
}

impl<'f, 'a> Parts<'f, 'a> {
    /// The claims that decide, value by value.
    pub(super) fn claims(&self) -> impl Iterator<Item = &'f Effective<'a>> {
        self.deciding
            .iter()
            .flat_map(|group| group.claims.iter().copied())
    }

    /// The claims that decide, in their order.
    pub(super) fn orders(&self) -> Vec<UnitOrder<'a>> {
        let mut orders: Vec<_> = self.claims().map(|claim| claim.order).collect();
        orders.sort_unstable();
        orders
    }
}

impl<'a> Fold<'a> {
    /// The fold of those claims of a line.
    pub(super) fn of(
        cardinality: Cardinality,
        question: Question,
        claims: impl Iterator<Item = Effective<'a>>,
    ) -> Self {
        let at = question.valid_at;
        let mut ended = false;
        let candidates = claims
            .inspect(|claim| ended |= claim.has_ended_by(at))
            .filter(|claim| claim.is_live(at))
            .collect();
        Self {
            cardinality,
            question,
            candidates,
            ended,
        }
    }

    /// Sorts the candidates into those that decide and those that do not.
    pub(super) fn parts(&self) -> Parts<'_, 'a> {
        let values = value_numbers(self.candidates.iter());
        let held = held(self.candidates.iter(), &values, self.cardinality);
        let at = self.question.valid_at;
        let holds = |place: usize| held.get(place).is_none_or(|held| held.window.contains(at));
        let weights = self.candidates.iter().map(|claim| claim.weight);
        let weight = weights.max().unwrap_or(Weight::Untrusted);
        let claims = self.candidates.iter().zip(values).enumerate();
        let claims = claims.map(|(place, (claim, value))| (value, claim, holds(place)));
        let (deciding, mut rest): (Vec<_>, Vec<_>) = claims.partition(|(_, claim, holds)| {
            *holds && claim.weight == weight && weight > Weight::Untrusted
        });
        let support = match weight {
            _ if deciding.is_empty() => None,
            Weight::External => Some(Support::External),
            Weight::Inferred => Some(Support::Inferred),
            Weight::Untrusted => None,
        };
        let decided: BTreeSet<usize> = deciding.iter().map(|(value, ..)| *value).collect();
        rest.retain(|(value, ..)| !decided.contains(value));
        let dissent = rest
            .iter()
            .any(|(_, claim, holds)| *holds && claim.weight == Weight::Inferred);
        let others = groups(rest);
        Parts {
            support,
            deciding: groups(deciding),
            dissent,
            untrusted: others.iter().any(Group::is_untrusted),
            others,
        }
    }

    /// The belief that follows; `trust` is that by which the claims were weighed.
    pub(super) fn into_belief(
        self,
        trust: &TrustContext<'_>,
        look_up: Option<LookUp<'_>>,
    ) -> Belief {
        let parts = self.parts();
        let context = FoldContext {
            question: self.question,
            limits: trust.limits(),
            trust,
            in_set: self.cardinality == Cardinality::Many,
        };
        let (listed, unlisted) = match self.cardinality {
            Cardinality::Many => (parts.deciding.iter().collect(), Vec::new()),
            _ => first_listed(parts.deciding.iter().collect(), |group| group.rank()),
        };
        let sides: Vec<BeliefSide> = listed
            .into_iter()
            .map(|group| group.deciding(context, look_up))
            .collect();
        let (alternatives, _) = first_listed(parts.others.iter().collect(), |group| group.rank());
        let on_a_side = |marker| sides.iter().any(|side| side.markers.contains(&marker));
        let applies = |marker: &Marker| match marker {
            Marker::AgingUnconfirmed => sides.iter().any(|side| side.currency != Currency::Fresh),
            Marker::AgedSetMember | Marker::PendingReview => on_a_side(*marker),
            Marker::ModelDissent => parts.dissent && parts.support == Some(Support::External),
            Marker::PeerSourced => {
                !sides.is_empty() && parts.claims().all(|claim| is_peers(claim.claim))
            }
            Marker::Untrusted => parts.untrusted,
        };
        let mut markers: BTreeSet<Marker> = Marker::ALL.into_iter().filter(applies).collect();
        for group in unlisted {
            markers.extend(group.unlisted(context));
        }
        Belief {
            line: trust.line.clone(),
            names: match trust.names.as_slice() {
                [_] => Vec::new(),
                names => names.to_vec(),
            },
            question: self.question,
            status: self.status(&parts),
            certain_of_time: parts
                .claims()
                .any(|claim| is_certain(claim, self.question.valid_at)),
            support: parts.support,
            side_count: parts.deciding.len(),
            sides,
            alternative_count: parts.others.len(),
            alternatives: alternatives
                .into_iter()
                .map(|group| group.side(context, false))
                .collect(),
            markers: markers.into_iter().collect(),
        }
    }

    /// Returns the certainty of the belief.
    pub(super) fn status(&self, parts: &Parts<'_, '_>) -> BeliefStatus {
        let firm = parts
            .claims()
            .any(|claim| is_firm(claim, self.question.valid_at));
        status(parts.deciding.len(), self.cardinality, firm, self.ended)
    }
}

/// The claims by the number of their value, both in their order.
fn groups<'f, 'a>(mut claims: Vec<(usize, &'f Effective<'a>, bool)>) -> Vec<Group<'f, 'a>> {
    claims.sort_unstable_by_key(|(value, claim, _)| (*value, claim.order));
    let groups = claims.chunk_by(|(one, ..), (other, ..)| one == other);
    let mut groups: Vec<Group<'f, 'a>> = groups
        .filter_map(|claims| {
            let (_, first, _) = claims.first()?;
            let claims = claims.iter().map(|(_, claim, _)| *claim).collect();
            Some(Group {
                value: &first.body.value,
                claims,
            })
        })
        .collect();
    groups.sort_unstable_by_key(|group| group.claims.first().map(|claim| claim.order));
    groups
}

/// The row of the table that fits.
pub(super) fn status(
    values: usize,
    cardinality: Cardinality,
    firm: bool,
    ended: bool,
) -> BeliefStatus {
    match (values, cardinality) {
        (0, _) if ended => BeliefStatus::Ended,
        (0, _) => BeliefStatus::NoBelief,
        (_, Cardinality::Many) => BeliefStatus::Resolved,
        (1, _) if firm => BeliefStatus::Resolved,
        (1, _) => BeliefStatus::TimingUncertain,
        _ => BeliefStatus::Contested,
    }
}

/// Returns whether the claim is dated and `at` lies outside of its own boundaries that are known to a month or a year.
pub(super) fn is_firm(claim: &Effective<'_>, at: Micros) -> bool {
    claim.dated
        && claim.body.valid.is_some_and(|valid| {
            ![valid.from, valid.until].into_iter().flatten().any(|own| {
                own.granularity() >= Granularity::Month && own.begin() <= at && at < own.end()
            })
        })
}

/// Returns whether the claim holds at `at` by each reading of its dates. One without dates holds from its statement on,
/// unless dates that are not trusted say otherwise.
fn is_certain(claim: &Effective<'_>, at: Micros) -> bool {
    let undated = !claim.dated
        && instant_of(claim.claim.stamp.micros()) <= at
        && claim
            .body
            .valid
            .is_none_or(|valid| valid.window().contains(at));
    undated || is_firm(claim, at)
}

/// For each claim the number of its value: equal ones have the same.
pub(super) fn value_numbers<'e, 'a: 'e>(
    claims: impl Iterator<Item = &'e Effective<'a>>,
) -> Vec<usize> {
    let mut filed: Vec<(u64, usize, &FactValue)> = claims
        .enumerate()
        .map(|(place, claim)| {
            let value = &claim.body.value;
            (digest(value.canonical().as_bytes()), place, value)
        })
        .collect();
    filed.sort_unstable_by_key(|(digest, place, _)| (*digest, *place));
    let mut numbers = vec![0; filed.len()];
    let mut next = 0;
    for alike in filed.chunk_by_mut(|(one, ..), (other, ..)| one == other) {
        if alike
            .iter()
            .any(|(_, _, value)| Some(*value) != alike.first().map(|first| first.2))
        {
            alike.sort_unstable_by_key(|(_, _, value)| *value);
        }
        for equal in alike.chunk_by(|(_, _, one), (_, _, other)| one == other) {
            for (_, place, _) in equal {
                if let Some(number) = numbers.get_mut(*place) {
                    *number = next;
                }
            }
            next += 1;
        }
    }
    numbers
}
