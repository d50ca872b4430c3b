//! Level 2: the score of the vouches for a key (docs/format/trust.md, "Level 2").

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::flow::{Assignment, Options};
use super::graph::{Edge, Edges, Route, Walk, total};
use super::view::View;
use super::{Level, MAX_PATHS, ONE_PPM, TrustPath, TrustReport, longer};

/// Counts the vouches for a key: level 2 if they suffice, else level 1, with the arithmetic.
pub(super) fn score(view: View<'_>, key: &DidKey) -> TrustReport {
    let threshold_ppm = view.settings.threshold_ppm;
    let mut report = TrustReport {
        level: Level::Identified,
        score_ppm: 0,
        threshold_ppm,
        paths: Vec::new(),
        caps: Vec::new(),
        left_out: 0,
    };
    let hops = view.settings.max_hops.clamp(1, 3);
    let Some(mut walk) = Walk::towards(view, key) else {
        return report;
    };
    let last = walk.last_edges(hops);
    let direct = last.iter().filter(|(agent, _)| walk.is_root(agent));
    let surely = direct
        .map(|(_, edge)| edge.weight)
        .any(|weight| weight >= ONE_PPM);
    let choices = Choices::of(&mut walk, &last, hops);
    let mut routes = choices.heaviest(threshold_ppm);
    if hops > 2 && !reaches(&routes, threshold_ppm) {
        let mut all = longer::routes(&mut walk, &last);
        all.extend(choices.routes.into_iter().flatten());
        routes = longer::heaviest(all, routes, threshold_ppm);
    }
    routes.sort_by(|a, b| (b.weight, &a.agents).cmp(&(a.weight, &b.agents)));
    let records = &view.records.records;
    let paths = routes.iter().map(|route| {
        let edges = route.edges.iter();
        let vouchers = edges.clone().map(|edge| edge.voucher);
        let vouches = edges.clone().filter_map(|edge| records.get(edge.place));
        TrustPath {
            keys: vouchers.chain([*key]).collect(),
            vouches: vouches.map(super::Record::hash).collect(),
            edges_ppm: edges.map(|edge| edge.weight).collect(),
            weight_ppm: route.weight,
        }
    });
    report.paths = paths.collect();
    report.score_ppm = total(&routes);
    report.left_out = walk.left_out;
    if surely || reaches(&routes, threshold_ppm) {
        report.level = Level::Vouched;
    }
    report
}

/// Are there two roots at least, and enough weight?
fn reaches(routes: &[Route], threshold: u64) -> bool {
    routes.len() > 1 && total(routes) >= threshold
}

/// The paths of each root of at most two hops.
#[derive(Default)]
struct Choices {
    options: Vec<Options>,
    /// By root, the paths of its options, in their order.
    routes: Vec<Vec<Route>>,
    places: usize,
}

impl Choices {
    fn of(walk: &mut Walk<'_>, last: &Edges, hops: u8) -> Self {
        let mut choices = Self::default();
        let mut roots: Vec<DidKey> = Vec::new();
        let mut found: Vec<(DidKey, usize, Route)> = Vec::new();
        for (agent, edge) in last {
            let ways = ways(walk, agent, *edge, hops);
            if ways.is_empty() {
                continue;
            }
            for route in ways {
                if let Some(root) = route.agents.first().copied() {
                    roots.push(root);
                    found.push((root, choices.places, route));
                }
            }
            choices.places = choices.places.saturating_add(1);
        }
        roots.sort_unstable();
        roots.dedup();
        found.sort_by_key(|(root, place, _)| (*root, *place));
        for same in found.chunk_by(|(a, ..), (b, ..)| a == b) {
            let options = same.iter().map(|(_, place, route)| (*place, route.weight));
            choices.options.push(options.collect());
            choices
                .routes
                .push(same.iter().map(|(.., route)| route.clone()).collect());
        }
        choices
    }

    /// The heaviest paths that share no agent: the fewest that reach the threshold, at least two, or as many as add to
    /// the weight.
    fn heaviest(&self, threshold: u64) -> Vec<Route> {
        let mut best = Assignment::new(&self.options, self.places);
        for count in 1..=MAX_PATHS {
            let mut next = best.clone();
            if !next.augment() || count > 2 && next.total() <= best.total() {
                break;
            }
            best = next;
            if count > 1 && best.total() >= threshold {
                break;
            }
        }
        best.pairs()
            .filter_map(|(root, place)| self.route(root, place))
            .collect()
    }

    fn route(&self, root: usize, place: usize) -> Option<Route> {
        let at = self
            .options
            .get(root)?
            .iter()
            .position(|(it, _)| *it == place)?;
        self.routes.get(root)?.get(at).cloned()
    }
}

/// The paths of at most two hops that end with this edge: one where a root vouches, else one from each root that vouches
/// for the voucher.
fn ways(walk: &mut Walk<'_>, agent: &DidKey, last: Edge, hops: u8) -> Vec<Route> {
    if walk.is_root(agent) {
        return walk
            .route(alloc::vec![*agent], alloc::vec![last])
            .into_iter()
            .collect();
    }
    if hops < 2 {
        return Vec::new();
    }
    let first = walk.root_edges(agent);
    let roots = first
        .into_iter()
        .filter(|(root, _)| walk.is_root(root))
        .collect::<Vec<_>>();
    let routes = roots
        .into_iter()
        .map(|(root, first)| walk.route(alloc::vec![root, *agent], alloc::vec![first, last]));
    routes.flatten().collect()
}
