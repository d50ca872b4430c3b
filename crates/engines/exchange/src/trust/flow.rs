//! The heaviest vertex-disjoint paths of at most two hops: exact, as an assignment (docs/format/trust.md, "Level 2").
//!
//! A path through a second root is never better than that root's own, so the agents on the way are no roots. Then each
//! root has one place to take: its direct edge, which is its own alone, or one agent on the way, which one path may use.
//! To choose paths is to assign roots to places, and the heaviest assignment of 1, 2, 3… roots is found by as many
//! augmentations along a path of greatest gain, which is a maximum flow of greatest weight.

use alloc::vec::Vec;

/// The places that a root can take, with their weights.
pub(super) type Options = Vec<(usize, u64)>;

/// Assignment of roots to places.
#[derive(Debug, Clone)]
pub(super) struct Assignment<'a> {
    options: &'a [Options],
    /// Place and weight of each root.
    taken: Vec<Option<(usize, u64)>>,
    /// Root of each place.
    holder: Vec<Option<usize>>,
    total: u64,
}

impl<'a> Assignment<'a> {
    /// An empty assignment to a number of places.
    pub(super) fn new(options: &'a [Options], places: usize) -> Self {
        let (taken, holder) = (alloc::vec![None; options.len()], alloc::vec![None; places]);
        Self {
            options,
            taken,
            holder,
            total: 0,
        }
    }

    /// Sum of the weights of the assigned roots.
    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    /// The assigned roots with their places.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let taken = self.taken.iter().enumerate();
        taken.filter_map(|(root, taken)| taken.map(|(place, _)| (root, place)))
    }

    /// Assigns one more root so that the sum is the greatest for that number; it may become smaller. `false`: no root is left.
    pub(super) fn augment(&mut self) -> bool {
        let reached = self.reach();
        let free = reached.iter().enumerate().filter_map(|(place, reached)| {
            let free = self.holder.get(place).is_some_and(Option::is_none);
            reached
                .filter(|_| free)
                .map(|(gain, _)| (gain, core::cmp::Reverse(place)))
        });
        let Some((_, core::cmp::Reverse(place))) = free.max() else {
            return false;
        };
        self.shift(place, &reached);
        let weights = self.taken.iter().flatten().map(|(_, weight)| *weight);
        self.total = weights.fold(0, u64::saturating_add);
        true
    }

    /// Greatest gain of reaching each place from an unassigned root, with the root that takes it then (Bellman and Ford; only
    /// taken places lead on).
    fn reach(&self) -> Vec<Option<(i64, usize)>> {
        let mut reached = alloc::vec![None; self.holder.len()];
        let mut open = Vec::new();
        for (root, taken) in self.taken.iter().enumerate() {
            if taken.is_none() {
                self.spread(root, 0, &mut reached, &mut open);
            }
        }
        // As many rounds as there are roots reach everything.
        for _ in 0..self.taken.len() {
            if open.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for place in core::mem::take(&mut open) {
                let holder = self.holder.get(place).copied().flatten();
                let gain = reached.get(place).copied().flatten().map(|(gain, _)| gain);
                let (Some(root), Some(gain)) = (holder, gain) else {
                    continue;
                };
                let given_up = self
                    .taken
                    .get(root)
                    .copied()
                    .flatten()
                    .map_or(0, |(_, it)| it);
                self.spread(
                    root,
                    gain.saturating_sub(signed(given_up)),
                    &mut reached,
                    &mut next,
                );
            }
            next.sort_unstable();
            next.dedup();
            open = next;
        }
        reached
    }

    /// Records the places that `root` reaches with a greater gain; `open` gets those of them that are taken.
    fn spread(
        &self,
        root: usize,
        before: i64,
        reached: &mut [Option<(i64, usize)>],
        open: &mut Vec<usize>,
    ) {
        let held = self
            .taken
            .get(root)
            .copied()
            .flatten()
            .map(|(place, _)| place);
        for (place, weight) in self.options.get(root).into_iter().flatten() {
            let gain = before.saturating_add(signed(*weight));
            let Some(known) = reached.get_mut(*place) else {
                continue;
            };
            if held == Some(*place) || known.is_some_and(|(best, _)| best >= gain) {
                continue;
            }
            *known = Some((gain, root));
            if self.holder.get(*place).copied().flatten().is_some() {
                open.push(*place);
            }
        }
    }

    /// Every root on the way to `place` moves on by one.
    fn shift(&mut self, mut place: usize, reached: &[Option<(i64, usize)>]) {
        for _ in 0..=self.taken.len() {
            let Some((_, root)) = reached.get(place).copied().flatten() else {
                return;
            };
            let options = self.options.get(root).into_iter().flatten();
            let weight = options
                .filter(|(it, _)| *it == place)
                .map(|(_, weight)| *weight)
                .max();
            let before = self.taken.get(root).copied().flatten();
            if let Some(taken) = self.taken.get_mut(root) {
                *taken = Some((place, weight.unwrap_or_default()));
            }
            if let Some(holder) = self.holder.get_mut(place) {
                *holder = Some(root);
            }
            match before {
                Some((left, _)) => place = left,
                None => return,
            }
        }
    }
}

fn signed(weight: u64) -> i64 {
    i64::try_from(weight).unwrap_or(i64::MAX)
}
