//! Paths of three hops, where the host allows them: a search among the heaviest (docs/format/trust.md, "Level 2").
//!
//! To choose the heaviest disjoint paths of three hops contains three-dimensional matching, for which no fast
//! algorithm is known. The search is bounded; what it finds is always a set of paths that exists, and never less than two hops give.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cmp::Reverse;

use counterfoil_types::DidKey;

use super::MAX_PATHS;
use super::graph::{Edge, Edges, Route, Walk, total};

/// The most paths that are searched.
const MAX_ROUTES: usize = 4_096;
/// The most ways on from one agent, and to it.
const MAX_BRANCHES: usize = 8;
/// The most steps of a search.
const MAX_STEPS: usize = 200_000;

/// The paths of three hops over `last`: through each friend of a root the heaviest ways there and on.
pub(super) fn routes(walk: &mut Walk<'_>, last: &Edges) -> Vec<Route> {
    let mut found = Vec::new();
    for middle in walk.friends() {
        let mut ways: Vec<(DidKey, [Edge; 2])> = Vec::new();
        for (end, edge) in walk.ways_on(&middle, last) {
            ways.extend(last.get(&end).map(|last| (end, [edge, *last])));
        }
        if ways.is_empty() {
            continue;
        }
        ways.sort_by_key(|(end, [second, third])| {
            (Reverse(second.weight.saturating_mul(third.weight)), *end)
        });
        let first = walk.root_edges(&middle).into_iter();
        let mut roots: Vec<(DidKey, Edge)> = first.filter(|(root, _)| walk.is_root(root)).collect();
        roots.sort_by_key(|(root, edge)| (Reverse(edge.weight), *root));
        for (root, first) in roots.into_iter().take(MAX_BRANCHES) {
            for (end, [second, third]) in ways.iter().take(MAX_BRANCHES) {
                let agents = alloc::vec![root, middle, *end];
                found.extend(walk.route(agents, alloc::vec![first, *second, *third]));
            }
        }
    }
    found
}

/// The heaviest disjoint paths of `routes`, at least two of them, or enough of them for `threshold`. Begins with `short`,
/// and gives it back where nothing better is found.
pub(super) fn heaviest(mut routes: Vec<Route>, short: Vec<Route>, threshold: u64) -> Vec<Route> {
    routes.sort_by(|a, b| (b.weight, &a.agents).cmp(&(a.weight, &b.agents)));
    routes.truncate(MAX_ROUTES);
    let roots: BTreeSet<DidKey> = routes
        .iter()
        .filter_map(|route| route.agents.first().copied())
        .collect();
    let mut search = Search {
        routes: &routes,
        roots: roots.len(),
        threshold,
        best: (total(&short), None),
        counts: short.len() > 1,
        chosen: Vec::new(),
        used: BTreeSet::new(),
        steps: 0,
    };
    search.descend(0, 0);
    match search.best.1.take() {
        Some(chosen) => chosen
            .iter()
            .filter_map(|at| routes.get(*at).cloned())
            .collect(),
        None => short,
    }
}

struct Search<'a> {
    routes: &'a [Route],
    roots: usize,
    threshold: u64,
    /// Weight and indexes of the best paths; `None`: the paths that were given.
    best: (u64, Option<Vec<usize>>),
    /// The best are two or more.
    counts: bool,
    chosen: Vec<usize>,
    used: BTreeSet<DidKey>,
    steps: usize,
}

impl Search<'_> {
    fn descend(&mut self, from: usize, sum: u64) {
        for (at, route) in self.routes.iter().enumerate().skip(from) {
            self.steps = self.steps.saturating_add(1);
            let left = self.roots.min(MAX_PATHS).saturating_sub(self.chosen.len());
            let left = u64::try_from(left).unwrap_or(u64::MAX);
            let most = sum.saturating_add(route.weight.saturating_mul(left));
            let is_enough = self.counts && self.best.0 >= self.threshold;
            let is_hopeless = self.counts && most <= self.best.0;
            if self.steps > MAX_STEPS || is_enough || is_hopeless {
                return;
            }
            if left == 0 || route.agents.iter().any(|agent| self.used.contains(agent)) {
                continue;
            }
            let sum = sum.saturating_add(route.weight);
            self.used.extend(&route.agents);
            self.chosen.push(at);
            let counts = self.chosen.len() > 1;
            if (counts, sum) > (self.counts, self.best.0) {
                (self.counts, self.best) = (counts, (sum, Some(self.chosen.clone())));
            }
            self.descend(at.saturating_add(1), sum);
            self.chosen.pop();
            for agent in &route.agents {
                self.used.remove(agent);
            }
        }
    }
}
