//! The fold for one instant: candidates, sides, status, markers (docs/format/claims.md 7).

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::digest::digest;
use super::handover::{Held, held};
use super::lineage::LookUp;
use super::side::{self, FoldContext, Group};
use super::{Belief, BeliefSide, BeliefStatus, Marker, Question, Support};
use crate::effective::Effective;
use crate::time::{Granularity, Micros};
use crate::{Cardinality, ClaimRef, CurrencyLimits, FactValue, Line, ProvenanceRank};

/// Claims of a line that count for one question.
pub(super) struct Fold<'a> {
    cardinality: Cardinality,
    question: Question,
    /// Claims in force whose effective window contains the instant.
    pub(super) candidates: Vec<Effective<'a>>,
    /// A claim in force has ended by then.
    pub(super) ended: bool,
}

/// The candidates by what they do. Places among the candidates, by value, in the order of first claims.
pub(super) struct Parts<'f> {
    /// Ground of the values that decide.
    pub(super) support: Option<Support>,
    /// Values that decide.
    pub(super) deciding: Vec<Group<'f>>,
    /// Values that do not decide.
    pub(super) others: Vec<Group<'f>>,
    /// A model's candidate is among the others.
    pub(super) dissent: bool,
}

impl<'a> Fold<'a> {
    pub(super) const fn new(cardinality: Cardinality, question: Question) -> Self {
        Self {
            cardinality,
            question,
            candidates: Vec::new(),
            ended: false,
        }
    }

    /// Takes a claim of the line into account.
    pub(super) fn take(&mut self, claim: Effective<'a>) {
        self.ended |= claim.has_ended_by(self.question.valid_at);
        if claim.is_live(self.question.valid_at) {
            self.candidates.push(claim);
        }
    }

    /// Sorts the candidates into those that decide and those that do not.
    pub(super) fn parts(&self) -> Parts<'_> {
        let values = value_numbers(self.candidates.iter());
        let held = self.held(&values);
        let holds = |place: usize| {
            held.get(place)
                .is_none_or(|held| held.holds(self.question.valid_at))
        };
        let external = |place: usize| {
            self.candidates
                .get(place)
                .is_some_and(|claim| claim.claim.provenance().is_external())
        };
        let places = 0..self.candidates.len();
        let decided_outside = places.clone().any(external);
        let (deciding, mut rest): (Vec<usize>, Vec<usize>) =
            places.partition(|place| holds(*place) && external(*place) == decided_outside);
        let support = match (deciding.is_empty(), decided_outside) {
            (true, _) => None,
            (false, true) => Some(Support::External),
            (false, false) => Some(Support::Inferred),
        };
        let decided: BTreeSet<&usize> = deciding
            .iter()
            .filter_map(|place| values.get(*place))
            .collect();
        rest.retain(|place| {
            values
                .get(*place)
                .is_some_and(|value| !decided.contains(value))
        });
        Parts {
            support,
            deciding: self.groups(deciding, &values),
            dissent: rest.iter().any(|place| holds(*place) && !external(*place)),
            others: self.groups(rest, &values),
        }
    }

    /// The belief that follows.
    pub(super) fn into_belief(
        self,
        line: &Line,
        limits: CurrencyLimits,
        look_up: Option<LookUp<'_>>,
    ) -> Belief {
        let parts = self.parts();
        let context = FoldContext {
            question: self.question,
            limits,
            in_set: self.cardinality == Cardinality::Many,
        };
        let (listed, unlisted) = match self.cardinality {
            Cardinality::Many => (parts.deciding.iter().collect(), Vec::new()),
            _ => self.listed(&parts.deciding),
        };
        let sides: Vec<BeliefSide> = listed
            .into_iter()
            .map(|group| side::deciding(context, group, &self.candidates, look_up))
            .collect();
        let alternatives = self
            .listed(&parts.others)
            .0
            .into_iter()
            .map(|group| side::alternative(context, group, &self.candidates))
            .collect();
        let mut markers: BTreeSet<Marker> = self.markers(&parts, &sides).into_iter().collect();
        for group in unlisted {
            markers.extend(side::unlisted(context, group, &self.candidates));
        }
        Belief {
            line: line.clone(),
            question: self.question,
            status: self.status(&parts),
            support: parts.support,
            side_count: parts.deciding.len(),
            sides,
            alternative_count: parts.others.len(),
            alternatives,
            markers: markers.into_iter().collect(),
        }
    }

    /// Returns the certainty of the belief.
    pub(super) fn status(&self, parts: &Parts<'_>) -> BeliefStatus {
        let firm = parts.deciding.iter().any(|group| {
            let claims = group.claims.iter();
            claims
                .filter_map(|place| self.candidates.get(*place))
                .any(|claim| is_firm(claim, self.question.valid_at))
        });
        status(parts.deciding.len(), self.cardinality, firm, self.ended)
    }

    /// The claims that decide, in their order.
    pub(super) fn orders(&self, parts: &Parts<'_>) -> Vec<(u64, &'a ClaimRef)> {
        let places = parts.deciding.iter().flat_map(|group| &group.claims);
        let mut orders: Vec<_> = places
            .filter_map(|place| Some(self.candidates.get(*place)?.claim.order()))
            .collect();
        orders.sort_unstable();
        orders
    }

    /// The groups that are listed, and the others: those of the highest rank first, each in the order of first claims.
    fn listed<'f>(&self, groups: &'f [Group<'f>]) -> (Vec<&'f Group<'f>>, Vec<&'f Group<'f>>) {
        side::first_listed(groups.iter().collect(), |group| {
            let claims = group.claims.iter();
            claims
                .filter_map(|place| Some(self.candidates.get(*place)?.claim.provenance().rank()))
                .max()
        })
    }

    fn held(&self, values: &[usize]) -> Vec<Held> {
        if self.cardinality == Cardinality::Many {
            return Vec::new();
        }
        let valued: Vec<_> = self.candidates.iter().zip(values.iter().copied()).collect();
        held(&valued)
    }

    fn groups(&self, places: Vec<usize>, values: &[usize]) -> Vec<Group<'_>> {
        let mut keyed: Vec<(usize, (u64, &ClaimRef), usize)> = places
            .into_iter()
            .filter_map(|place| {
                let order = self.candidates.get(place)?.claim.order();
                Some((*values.get(place)?, order, place))
            })
            .collect();
        keyed.sort_unstable();
        let mut groups: Vec<((u64, &ClaimRef), Group<'_>)> = keyed
            .chunk_by(|(one, ..), (other, ..)| one == other)
            .filter_map(|claims| {
                let (_, order, place) = claims.first()?;
                let value = &self.candidates.get(*place)?.body.value;
                let claims = claims.iter().map(|(_, _, place)| *place).collect();
                Some((*order, Group { value, claims }))
            })
            .collect();
        groups.sort_unstable_by_key(|(order, _)| *order);
        groups.into_iter().map(|(_, group)| group).collect()
    }

    fn markers(&self, parts: &Parts<'_>, sides: &[BeliefSide]) -> Vec<Marker> {
        let on_a_side = |marker| sides.iter().any(|side| side.markers.contains(&marker));
        let is_peers = |place: &usize| {
            let claim = self.candidates.get(*place);
            claim.is_some_and(|claim| claim.claim.provenance().rank() == ProvenanceRank::Peer)
        };
        let deciding = || parts.deciding.iter().flat_map(|group| &group.claims);
        let applies = |marker: &Marker| match marker {
            Marker::AgingUnconfirmed => sides.iter().any(side::is_aging),
            Marker::AgedSetMember | Marker::PendingReview => on_a_side(*marker),
            Marker::ModelDissent => parts.dissent && parts.support == Some(Support::External),
            Marker::PeerSourced => !sides.is_empty() && deciding().all(is_peers),
        };
        Marker::ALL.into_iter().filter(applies).collect()
    }
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
