//! The vouches that can carry trust to a key, as edges between agents. Vouches that lead nowhere are not looked at.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::view::View;
use super::{MAX_VOUCHES, ONE_PPM};

/// The most vouches of one agent on the way that are followed to a third hop.
const MAX_WAYS: usize = 1_000;

/// The best vouch of one agent for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    /// The key that vouches.
    pub(super) voucher: DidKey,
    /// Weight in ppm; never 0.
    pub(super) weight: u64,
    /// Place of the vouch in the list of records.
    pub(super) place: usize,
}

/// Edges into one agent by the voucher. An agent is named by the first of its keys.
pub(super) type Edges = BTreeMap<DidKey, Edge>;

/// A path from a root to the subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Route {
    /// Its agents from the root on, without the subject.
    pub(super) agents: Vec<DidKey>,
    /// Its edges, in that order.
    pub(super) edges: Vec<Edge>,
    /// Weight in ppm; never 0.
    pub(super) weight: u64,
}

/// Summed weight of paths, in ppm; saturating.
pub(super) fn total(routes: &[Route]) -> u64 {
    let weights = routes.iter().map(|route| route.weight);
    weights.fold(0, u64::saturating_add)
}

/// Collects edges backwards from the key that is asked about.
pub(super) struct Walk<'a> {
    view: View<'a>,
    /// The keys whose vouches count: the key that is asked about and those before it.
    subjects: BTreeSet<DidKey>,
    /// The agent that is asked about.
    target: BTreeSet<DidKey>,
    /// All keys of all agents that are roots.
    root_keys: BTreeSet<DidKey>,
    names: BTreeMap<DidKey, DidKey>,
    roots: BTreeSet<DidKey>,
    capped: BTreeMap<DidKey, bool>,
    looked_at: usize,
    pub(super) left_out: usize,
}

impl<'a> Walk<'a> {
    /// `None` if the key has no voucher, or no agent is trusted.
    pub(super) fn towards(view: View<'a>, key: &DidKey) -> Option<Self> {
        let subjects = view.before(key);
        if subjects
            .iter()
            .all(|key| view.records.index.vouchers_count(key) == 0)
        {
            return None;
        }
        let mut walk = Self {
            view,
            subjects,
            target: view.agent(key),
            root_keys: BTreeSet::new(),
            names: BTreeMap::new(),
            roots: BTreeSet::new(),
            capped: BTreeMap::new(),
            looked_at: 0,
            left_out: 0,
        };
        let trusted: BTreeSet<DidKey> = view
            .records
            .index
            .trusted()
            .flat_map(|key| view.after(&key))
            .collect();
        for root in trusted.iter().filter(|key| view.is_root(key)) {
            if !walk.target.contains(root) {
                walk.root_keys.extend(view.agent(root));
                let name = walk.name(root);
                walk.roots.insert(name);
            }
        }
        (!walk.roots.is_empty()).then_some(walk)
    }

    pub(super) fn is_root(&self, agent: &DidKey) -> bool {
        self.roots.contains(agent)
    }

    /// The edges into the agent that is asked about. Where more vouch for it than trust can reach, only those are looked
    /// at whom it reaches: a crowd of strangers costs nothing.
    pub(super) fn last_edges(&mut self, hops: u8) -> Edges {
        let index = &self.view.records.index;
        let incoming: usize = self
            .subjects
            .iter()
            .map(|key| index.vouchers_count(key))
            .sum();
        let reached = self.reached(hops, incoming);
        let vouchers = reached.unwrap_or_else(|| {
            let vouches = self.subjects.iter().flat_map(|key| index.vouches_for(key));
            vouches.map(|(voucher, _)| voucher).collect()
        });
        let (subjects, target) = (self.subjects.clone(), self.target.clone());
        self.edges(&subjects, &target, &vouchers)
    }

    /// The keys that may stand before the last hop; `None` when these are more than `limit`.
    fn reached(&self, hops: u8, limit: usize) -> Option<BTreeSet<DidKey>> {
        let mut reached = self.root_keys.clone();
        let mut open = reached.clone();
        for hop in 1..hops {
            let mut next = BTreeSet::new();
            for key in open {
                let most = if hop == 1 { MAX_VOUCHES } else { MAX_WAYS };
                for subject in self.view.records.index.vouched_by(&key).take(most) {
                    next.extend(self.view.agent(&subject));
                    if next.len() > limit {
                        return None;
                    }
                }
            }
            reached.extend(next.iter().copied());
            open = next;
        }
        (reached.len() <= limit).then_some(reached)
    }

    /// The agents for which a root vouches and which are none themselves, by their names.
    pub(super) fn friends(&mut self) -> BTreeSet<DidKey> {
        let index = &self.view.records.index;
        let vouched = self.root_keys.iter().flat_map(|key| index.vouched_by(key));
        let vouched: BTreeSet<DidKey> = vouched.take(MAX_VOUCHES).collect();
        let named = vouched
            .iter()
            .map(|key| self.name(key))
            .collect::<BTreeSet<_>>();
        let ours = |key: &DidKey| !self.is_root(key) && !self.target.contains(key);
        named.into_iter().filter(ours).collect()
    }

    /// The edges from one agent to those among `ends` that are no roots, at most [`MAX_WAYS`].
    pub(super) fn ways_on(&mut self, agent: &DidKey, ends: &Edges) -> Vec<(DidKey, Edge)> {
        let keys = self.view.agent(agent);
        let index = &self.view.records.index;
        let vouched: Vec<DidKey> = keys
            .iter()
            .flat_map(|key| index.vouched_by(key))
            .take(MAX_WAYS)
            .collect();
        let named: BTreeSet<DidKey> = vouched.iter().map(|key| self.name(key)).collect();
        let mut found = Vec::new();
        for end in named {
            if end == *agent || self.is_root(&end) || !ends.contains_key(&end) {
                continue;
            }
            let own = self.view.agent(&end);
            let edge = self.edges(&own, &own, &keys).get(agent).copied();
            found.extend(edge.map(|edge| (end, edge)));
        }
        found
    }

    /// The edges from roots into an agent on the way.
    pub(super) fn root_edges(&mut self, agent: &DidKey) -> Edges {
        let keys = self.view.agent(agent);
        let index = &self.view.records.index;
        let incoming: usize = keys.iter().map(|key| index.vouchers_count(key)).sum();
        let vouchers: BTreeSet<DidKey> = if incoming <= self.root_keys.len() {
            let vouchers = keys.iter().flat_map(|key| index.vouches_for(key));
            vouchers
                .map(|(voucher, _)| voucher)
                .filter(|key| self.root_keys.contains(key))
                .collect()
        } else {
            self.root_keys.clone()
        };
        self.edges(&keys, &keys, &vouchers)
    }

    /// The best edge of each agent of `vouchers` into `subjects`, which are keys of the agent `own`. Roots come first, so
    /// that others cannot crowd them out.
    fn edges(
        &mut self,
        subjects: &BTreeSet<DidKey>,
        own: &BTreeSet<DidKey>,
        vouchers: &BTreeSet<DidKey>,
    ) -> Edges {
        let mut edges = Edges::new();
        let (roots, others): (Vec<DidKey>, Vec<DidKey>) = vouchers
            .iter()
            .partition(|key| self.root_keys.contains(*key));
        for voucher in roots.into_iter().chain(others) {
            if own.contains(&voucher) || self.target.contains(&voucher) {
                continue;
            }
            for subject in subjects {
                for place in self.view.records.index.vouches_of(&voucher, subject) {
                    self.take(&mut edges, voucher, place);
                }
            }
        }
        edges
    }

    fn take(&mut self, edges: &mut Edges, voucher: DidKey, place: usize) {
        if self.looked_at >= MAX_VOUCHES {
            self.left_out = self.left_out.saturating_add(1);
            return;
        }
        self.looked_at = self.looked_at.saturating_add(1);
        let Some((record, vouch)) = self.view.records.vouch(place) else {
            return;
        };
        // An agent whose own trust is capped carries none on.
        let view = self.view;
        let caps = || !view.caps(&voucher).is_empty();
        if *self.capped.entry(voucher).or_insert_with(caps) {
            return;
        }
        let weight = self.view.weight(record, vouch);
        if weight == 0 {
            return;
        }
        let edge = Edge {
            voucher,
            weight,
            place,
        };
        let name = self.name(&voucher);
        let held = edges.entry(name).or_insert(edge);
        if (edge.weight, held.place) > (held.weight, edge.place) {
            *held = edge;
        }
    }

    /// The name of an agent: the first of its keys.
    fn name(&mut self, key: &DidKey) -> DidKey {
        let view = self.view;
        let first = || view.agent(key).first().copied().unwrap_or(*key);
        *self.names.entry(*key).or_insert_with(first)
    }

    /// A path of these agents and edges; `None` when nothing is left of it.
    pub(super) fn route(&self, agents: Vec<DidKey>, edges: Vec<Edge>) -> Option<Route> {
        let decay = self.view.settings.decay_ppm.min(ONE_PPM);
        let part = |weight: u64, of: u64| weight.saturating_mul(of) / ONE_PPM;
        let mut weights = edges.iter().map(|edge| edge.weight);
        let first = weights.next()?;
        let weight = weights.fold(first, |weight, edge| part(part(weight, edge), decay));
        (weight > 0).then_some(Route {
            agents,
            edges,
            weight,
        })
    }
}
