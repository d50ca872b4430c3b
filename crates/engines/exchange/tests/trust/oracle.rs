//! Level 2 against an oracle that tries every set of disjoint paths of a small graph.

use counterfoil_exchange::documents::VouchConfidence;
use counterfoil_exchange::trust::{Level, TrustSettings};
use proptest::prelude::*;

use crate::kit::{self, High, Low, Medium, explained_with, key, vouch};

const AGENTS: u32 = 7;
/// The last one is asked about.
const K: u32 = AGENTS;

#[derive(Debug, Clone)]
struct Graph {
    roots: Vec<u32>,
    /// Voucher, subject, confidence.
    edges: Vec<(u32, u32, VouchConfidence)>,
}

impl Graph {
    /// Every path from a root to K without an agent twice: its agents but K, and what it weighs.
    fn paths(&self, hops: usize) -> Vec<(Vec<u32>, u64)> {
        let mut found = Vec::new();
        for root in &self.roots {
            self.walk(&[*root], None, hops, &mut found);
        }
        found
    }

    fn walk(
        &self,
        so_far: &[u32],
        weight: Option<u64>,
        hops: usize,
        found: &mut Vec<(Vec<u32>, u64)>,
    ) {
        if so_far.len() > hops {
            return;
        }
        for (voucher, to, how) in &self.edges {
            let here = so_far.last() == Some(voucher);
            if !here || so_far.contains(to) {
                continue;
            }
            let edge = match how {
                High => 1_000_000,
                Medium => 600_000,
                Low => 300_000,
            };
            let weight = weight.map_or(edge, |weight| {
                weight * edge / 1_000_000 * 800_000 / 1_000_000
            });
            if *to == K {
                found.push((so_far.to_vec(), weight));
            } else {
                self.walk(&[so_far, &[*to]].concat(), Some(weight), hops, found);
            }
        }
    }
}

/// The heaviest sum of two or more disjoint paths, and of one.
fn heaviest(paths: &[(Vec<u32>, u64)]) -> (Option<u64>, Option<u64>) {
    fn go(paths: &[(Vec<u32>, u64)], used: &[u32], sum: u64, count: usize, best: &mut Option<u64>) {
        if count > 1 {
            *best = (*best).max(Some(sum));
        }
        for (at, (agents, weight)) in paths.iter().enumerate() {
            if agents.iter().all(|agent| !used.contains(agent)) {
                let used = [used, agents].concat();
                go(&paths[at + 1..], &used, sum + weight, count + 1, best);
            }
        }
    }
    let mut best = None;
    go(paths, &[], 0, 0, &mut best);
    (best, paths.iter().map(|(_, weight)| *weight).max())
}

fn graphs() -> impl Strategy<Value = Graph> {
    let how = prop_oneof![Just(High), Just(Medium), Just(Low)];
    let edge = (1..=AGENTS, 1..=AGENTS, how);
    let edges = proptest::collection::btree_map((1..=AGENTS, 1..=AGENTS), edge, 0..22);
    let edges = edges.prop_map(|edges| {
        edges
            .into_iter()
            .map(|((voucher, to), (.., how))| (voucher, to, how))
            .collect()
    });
    let roots = proptest::sample::subsequence((1..AGENTS).collect::<Vec<_>>(), 0..5);
    (roots, edges).prop_map(|(roots, edges)| Graph { roots, edges })
}

fn is_vouched(graph: &Graph, best: Option<u64>) -> bool {
    let sure = graph
        .edges
        .iter()
        .any(|(voucher, to, how)| *to == K && *how == High && graph.roots.contains(voucher));
    sure || best.is_some_and(|best| best >= 600_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// R8: the level is that of the best set of disjoint paths that there is, for one, two and three hops.
    #[test]
    fn level_2_is_given_exactly_when_the_paths_are_there(graph in graphs(), hops in 1_u8..=3) {
        let (best, _) = heaviest(&graph.paths(usize::from(hops)));
        let settings = TrustSettings { max_hops: hops, ..TrustSettings::default() };
        let found = explained_with(kit::graph(&graph.roots, &graph.edges), K, &settings);
        prop_assert_eq!(found.level == Level::Vouched, is_vouched(&graph, best), "{:?} {:?}", best, found);
    }

    /// And the sum that is told is the greatest, where it is not enough.
    #[test]
    fn the_sum_is_the_greatest(graph in graphs(), hops in 1_u8..=3) {
        let (best, alone) = heaviest(&graph.paths(usize::from(hops)));
        let settings =
            TrustSettings { max_hops: hops, threshold_ppm: u64::MAX, ..TrustSettings::default() };
        let found = explained_with(kit::graph(&graph.roots, &graph.edges), K, &settings);
        prop_assert_eq!(found.score_ppm, best.or(alone).unwrap_or_default());
    }

    /// What is told as paths is paths: from roots, over vouches that are there, sharing no agent.
    #[test]
    fn the_paths_that_are_told_exist(graph in graphs(), hops in 1_u8..=3) {
        let settings = TrustSettings { max_hops: hops, ..TrustSettings::default() };
        let found = explained_with(kit::graph(&graph.roots, &graph.edges), K, &settings);
        let mut seen = Vec::new();
        for path in &found.paths {
            let (last, agents) = path.keys.split_last().unwrap();
            prop_assert_eq!(*last, key(K));
            prop_assert!(agents.len() <= usize::from(hops));
            prop_assert!(graph.roots.iter().any(|root| key(*root) == agents[0]));
            for agent in agents {
                prop_assert!(!seen.contains(agent));
                seen.push(*agent);
            }
            for (at, pair) in path.keys.windows(2).enumerate() {
                let edge = graph.edges.iter().find(|(voucher, to, how)| {
                    key(*voucher) == pair[0] && key(*to) == pair[1]
                        && vouch(*voucher, *to, *how).hash() == path.vouches[at]
                });
                prop_assert!(edge.is_some());
            }
        }
        let sum: u64 = found.paths.iter().map(|path| path.weight_ppm).sum();
        prop_assert_eq!(sum, found.score_ppm);
    }
}
