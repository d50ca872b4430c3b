//! The first claim in an order that reaches far enough and has another value: a segment tree.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::effective::Effective;
use crate::time::Boundary;

/// Claim with the number of its value, which is the same for equal values.
pub(super) type Valued<'e, 'a> = (&'e Effective<'a>, usize);

/// Claim in the order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Place among the claims.
    pub(super) at: usize,
    /// Place among the claims, but for their references.
    pub(super) order: (u64, u64),
    /// Granule that orders the entry.
    pub(super) granule: Boundary,
    /// Instant to which the claim reaches, mirrored where the order is.
    pub(super) reach: i128,
    /// The number of its value.
    pub(super) value: usize,
}

/// The two farthest reaches of different values below a node.
#[derive(Debug, Clone, Copy, Default)]
struct Best {
    first: Option<(i128, usize)>,
    second: Option<i128>,
}

/// Claims whose granules are of one granularity, so that begins and ends of granules have one order.
pub(super) struct Reach {
    entries: Vec<Entry>,
    /// A binary tree over the entries: the children of `n` are `2n` and `2n + 1`, the leaves begin at `width`.
    nodes: Vec<Best>,
    width: usize,
}

/// Granule that comes first in an order; of equal ones the lower number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Earlier,
    Later,
}

impl Reach {
    /// Returns one order for each granularity.
    pub(super) fn by_class(
        claims: &[Valued<'_, '_>],
        order: Order,
        entry: impl Fn(usize, &Effective<'_>, usize) -> Option<Entry>,
    ) -> Vec<Self> {
        let claims = claims.iter().enumerate();
        let mut entries: Vec<Entry> = claims
            .filter_map(|(at, (claim, value))| entry(at, claim, *value))
            .collect();
        entries.sort_unstable_by_key(|entry| {
            let begin = i128::from(entry.granule.begin());
            let place = if order == Order::Later { -begin } else { begin };
            (entry.granule.granularity(), place, entry.order)
        });
        let classes =
            entries.chunk_by(|one, other| one.granule.granularity() == other.granule.granularity());
        classes.map(Self::of_class).collect()
    }

    fn of_class(entries: &[Entry]) -> Self {
        let width = entries.len().next_power_of_two();
        let mut nodes = vec![Best::default(); width];
        nodes.extend(entries.iter().map(|entry| Best {
            first: Some((entry.reach, entry.value)),
            second: None,
        }));
        nodes.resize(2 * width, Best::default());
        for node in (1..width).rev() {
            let best = Best::of(nodes.get(2 * node), nodes.get(2 * node + 1));
            if let Some(place) = nodes.get_mut(node) {
                *place = best;
            }
        }
        Self {
            entries: entries.to_vec(),
            nodes,
            width,
        }
    }

    /// Returns the number of entries before the first that `test` does not hold of.
    pub(super) fn count_while(&self, test: impl Fn(Boundary) -> bool) -> usize {
        self.entries.partition_point(|entry| test(entry.granule))
    }

    /// The first entry in `range` that reaches at least `far` and is not of `value`. O(log k).
    pub(super) fn first(&self, range: Range<usize>, far: i128, value: usize) -> Option<Entry> {
        if range.is_empty() {
            return None;
        }
        self.descend(1, 0..self.width, &range, (far, value))
    }

    fn descend(
        &self,
        node: usize,
        below: Range<usize>,
        range: &Range<usize>,
        wanted: (i128, usize),
    ) -> Option<Entry> {
        let outside = below.end <= range.start || range.end <= below.start;
        if outside || !self.nodes.get(node)?.has(wanted) {
            return None;
        }
        if below.len() == 1 {
            return self.entries.get(below.start).copied();
        }
        let middle = usize::midpoint(below.start, below.end);
        self.descend(2 * node, below.start..middle, range, wanted)
            .or_else(|| self.descend(2 * node + 1, middle..below.end, range, wanted))
    }
}

impl Best {
    fn of(one: Option<&Self>, other: Option<&Self>) -> Self {
        let mut best = Self::default();
        for part in [one, other].into_iter().flatten() {
            let Some((reach, value)) = part.first else {
                continue;
            };
            let lesser = match best.first {
                Some((first, of)) if of == value => {
                    best.first = Some((first.max(reach), value));
                    None
                }
                Some((first, _)) if first < reach => {
                    best.first = Some((reach, value));
                    Some(first)
                }
                Some(_) => Some(reach),
                None => {
                    best.first = Some((reach, value));
                    None
                }
            };
            best.second = best.second.max(lesser);
            best.second = best.second.max(part.second);
        }
        best
    }

    fn has(&self, (far, value): (i128, usize)) -> bool {
        match self.first {
            Some((reach, of)) if of != value => reach >= far,
            _ => self.second.is_some_and(|reach| reach >= far),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The tree finds what a walk over the entries finds.
        #[test]
        fn the_first_that_reaches_far_enough_is_found(
            claims in prop::collection::vec((0..6_i128, 0..4_usize), 1..20),
            (start, end, far, value) in (0..20_usize, 0..21_usize, 0..7_i128, 0..5_usize),
        ) {
            let entries: Vec<Entry> = (0_u32..).zip(&claims).map(|(at, (reach, value))| Entry {
                at: usize::try_from(at).unwrap(),
                order: (0, at.into()),
                granule: Boundary::instant(at.into()),
                reach: *reach,
                value: *value,
            }).collect();
            let end = end.min(entries.len());
            let start = start.min(end);
            let wanted = |entry: &&Entry| entry.reach >= far && entry.value != value;
            let naive = entries[start..end].iter().find(wanted);
            let found = Reach::of_class(&entries).first(start..end, far, value);
            prop_assert_eq!(found.map(|entry| entry.at), naive.map(|entry| entry.at));
        }
    }
}
