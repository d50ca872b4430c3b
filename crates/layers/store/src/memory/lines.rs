//! Claim units by line (I1, I3).

use std::collections::BTreeMap;

use counterfoil_claims::{Act, ClaimInView, ClaimRef, Line, Unit};
use counterfoil_types::DidKey;

/// Units as they were read from the log.
#[derive(Default)]
pub(super) struct Lines {
    /// By log index.
    units: BTreeMap<u64, Unit>,
    /// The log indices of each line's units.
    lines: BTreeMap<Line, Vec<u64>>,
    claims: BTreeMap<ClaimRef, u64>,
    keys: BTreeMap<(DidKey, String), u64>,
}

impl Lines {
    /// Indexes a unit. Indexing it again changes nothing.
    pub(super) fn index_unit(&mut self, unit: Unit) {
        let index = unit.index();
        if self.units.contains_key(&index) {
            return;
        }
        if let Some(key) = unit.key() {
            let key = (unit.line().agent, key.to_owned());
            self.keys.entry(key).or_insert(index);
        }
        self.claims.insert(unit.reference().clone(), index);
        self.lines
            .entry(unit.line().clone())
            .or_default()
            .push(index);
        self.units.insert(index, unit);
    }

    /// The units of a line in the order of their numbers.
    pub(super) fn of_line(&self, line: &Line) -> Vec<Unit> {
        let indices = self.lines.get(line).into_iter().flatten();
        let units = indices.filter_map(|index| self.units.get(index));
        let mut units: Vec<_> = units.cloned().collect();
        units.sort_by_key(|unit| (unit.number(), unit.index()));
        units
    }

    /// The lines of an agent in the order of subject and predicate.
    pub(super) fn of_agent(&self, agent: &DidKey) -> impl Iterator<Item = &Line> {
        self.lines.keys().filter(move |line| line.agent == *agent)
    }

    /// The units of an agent in the order of the log.
    pub(super) fn units_of(&self, agent: &DidKey) -> impl DoubleEndedIterator<Item = &Unit> {
        let units = self.units.values();
        units.filter(move |unit| unit.line().agent == *agent)
    }

    /// The unit of that name, if it is this agent's.
    pub(super) fn unit(&self, agent: &DidKey, reference: &ClaimRef) -> Option<&Unit> {
        let unit = self.units.get(self.claims.get(reference)?)?;
        (unit.line().agent == *agent).then_some(unit)
    }

    /// The unit that was written under a key of the agent.
    pub(super) fn keyed(&self, agent: &DidKey, key: &str) -> Option<&Unit> {
        self.units.get(self.keys.get(&(*agent, key.to_owned()))?)
    }

    /// A claim with all units that name it, and with those whose start cuts it.
    pub(super) fn in_view(&self, claim: &Unit) -> ClaimInView {
        let mut assertions = self.of_line(claim.line());
        assertions.retain(|unit| names(unit.act(), claim.reference()));
        let takers = assertions
            .iter()
            .filter_map(|unit| match unit.act() {
                Act::Claim(_) => Some(unit.reference()),
                Act::Supersede { by, .. } => Some(by),
                Act::Affirm { target, .. } => Some(target),
                _ => None,
            })
            .filter_map(|taker| self.unit(&claim.line().agent, taker))
            .cloned()
            .collect();
        ClaimInView {
            claim: claim.clone(),
            assertions,
            takers,
        }
    }
}

/// Returns whether an act names a claim.
pub(super) fn names(act: &Act, claim: &ClaimRef) -> bool {
    let further = match act {
        Act::Claim(body) => body.supersedes.contains(claim),
        Act::Affirm { rivals, .. } => rivals.contains(claim),
        Act::Supersede { by, .. } => by == claim,
        _ => false,
    };
    further || act.target() == Some(claim)
}
