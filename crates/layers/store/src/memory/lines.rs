//! Claim units by line, and what the gate asks of them inside of a write: slow, and plainly right (I1, I3, I6).

use std::collections::BTreeMap;

use counterfoil_capsule::Kind;
use counterfoil_claims::time::{Micros, Window};
use counterfoil_claims::{
    Act, AnchorWorld, ClaimInView, ClaimRef, FactValue, Identifier, Line, LineState, LineView,
    Unit, ViewError,
};
use counterfoil_types::{DidKey, WorldId};

use super::state::State;
use crate::StoreError;
use crate::claims::ClaimTxn;

/// A minute, in microseconds: for so long a re-entry counts.
const BURST_US: u64 = 60_000_000;

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
    pub(super) fn of_line(&self, line: &Line) -> Vec<&Unit> {
        let indices = self.lines.get(line).into_iter().flatten();
        let mut units: Vec<_> = indices.filter_map(|index| self.units.get(index)).collect();
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
    fn in_view(&self, claim: &Unit) -> ClaimInView {
        let units = self.of_line(claim.line());
        let assertions: Vec<Unit> = units
            .iter()
            .filter(|unit| names(unit.act(), claim.reference()))
            .map(|unit| (*unit).clone())
            .collect();
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

/// Records beside the log: no proof rests on them, and a rebuild keeps them.
#[derive(Default)]
pub(super) struct ServedLog {
    /// Claims of each value of a line that were handed out.
    said: BTreeMap<(Line, FactValue), BTreeMap<ClaimRef, Times>>,
    /// Times of re-entries of the value.
    re_entries: BTreeMap<(Line, FactValue), Vec<u64>>,
}

/// First time and number of servings of a claim.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) first_us: u64,
    pub(super) times: u64,
}

impl ServedLog {
    pub(super) fn serve(&mut self, said: (Line, FactValue), claim: ClaimRef, now_us: u64) {
        let claims = self.said.entry(said).or_default();
        let served = claims.entry(claim).or_insert(Times {
            first_us: now_us,
            times: 0,
        });
        served.times = served.times.saturating_add(1);
    }

    /// Returns the servings of that claim, if any.
    pub(super) fn of_claim(&self, line: &Line, claim: &ClaimRef) -> Option<Times> {
        let mut said = self.said.iter().filter(|((of, _), _)| of == line);
        said.find_map(|(_, claims)| claims.get(claim)).copied()
    }
}

/// The lines of one agent inside of one write.
pub(super) struct View<'s> {
    pub(super) state: &'s mut State,
    pub(super) agent: DidKey,
    pub(super) now_us: u64,
}

impl View<'_> {
    fn on_line(&self, subject: &Identifier, predicate: &Identifier) -> Line {
        Line {
            agent: self.agent,
            subject: subject.clone(),
            predicate: predicate.clone(),
        }
    }

    /// Claims of a line that `wanted` lets through, in the order of their numbers.
    fn claims(&self, line: &Line, wanted: impl Fn(&Unit, &FactValue) -> bool) -> Vec<ClaimInView> {
        let lines = &self.state.lines;
        let units = lines.of_line(line).into_iter();
        units
            .filter(|unit| match unit.act() {
                Act::Claim(body) => wanted(unit, &body.value),
                _ => false,
            })
            .map(|unit| lines.in_view(unit))
            .collect()
    }

    fn said(
        &self,
        subject: &Identifier,
        predicate: &Identifier,
        value: &FactValue,
    ) -> (Line, FactValue) {
        (self.on_line(subject, predicate), value.clone())
    }
}

impl LineView for View<'_> {
    fn line(&self, subject: &Identifier, predicate: &Identifier) -> Result<LineState, ViewError> {
        let line = self.on_line(subject, predicate);
        let mut state = LineState::default();
        for unit in self.state.lines.of_line(&line) {
            state.record(unit);
        }
        Ok(state)
    }

    fn of_value(
        &self,
        subject: &Identifier,
        predicate: &Identifier,
        value: &FactValue,
        _: Window,
        limit: usize,
    ) -> Result<Vec<ClaimInView>, ViewError> {
        let line = self.on_line(subject, predicate);
        let mut claims = self.claims(&line, |_, said| said == value);
        let older = claims.len().saturating_sub(limit);
        Ok(claims.split_off(older))
    }

    /// All that are external: more than was asked for, and none too few.
    fn touching(
        &self,
        subject: &Identifier,
        predicate: &Identifier,
        _: Window,
        but: &FactValue,
        _: usize,
    ) -> Result<Vec<ClaimInView>, ViewError> {
        let line = self.on_line(subject, predicate);
        let mut claims = self.claims(&line, |unit, said| {
            unit.provenance().is_external() && said != but
        });
        claims.reverse();
        Ok(claims)
    }

    fn live(
        &self,
        subject: &Identifier,
        predicate: &Identifier,
        _: Micros,
        _: usize,
    ) -> Result<Vec<ClaimInView>, ViewError> {
        Ok(self.claims(&self.on_line(subject, predicate), |_, _| true))
    }

    fn claim(&self, reference: &ClaimRef) -> Result<Option<ClaimInView>, ViewError> {
        let lines = &self.state.lines;
        let unit = lines.unit(&self.agent, reference);
        let claim = unit.filter(|unit| matches!(unit.act(), Act::Claim(_)));
        Ok(claim.map(|claim| lines.in_view(claim)))
    }

    fn anchor(&self, world: &WorldId) -> Result<Option<AnchorWorld>, ViewError> {
        let Some(&index) = self.state.worlds.get(world) else {
            return Ok(None);
        };
        let row = self.state.row(index);
        let header = &row
            .map_err(|error| ViewError(error.to_string()))?
            .stored
            .header;
        Ok(Some(AnchorWorld {
            chain: header.chain().to_string(),
            is_unit: header.kind() == Kind::Claim,
        }))
    }

    fn was_served(
        &self,
        subject: &Identifier,
        predicate: &Identifier,
        value: &FactValue,
    ) -> Result<bool, ViewError> {
        let said = self.said(subject, predicate, value);
        Ok(self.state.served.said.contains_key(&said))
    }

    fn re_entries(
        &self,
        subject: &Identifier,
        predicate: &Identifier,
        value: &FactValue,
    ) -> Result<u32, ViewError> {
        let seen = self
            .state
            .served
            .re_entries
            .get(&self.said(subject, predicate, value));
        let lately = |at: &&u64| at.saturating_add(BURST_US) > self.now_us;
        let count = seen.into_iter().flatten().filter(lately).count();
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    fn keyed(&self, key: &str) -> Result<Option<Unit>, ViewError> {
        Ok(self.state.lines.keyed(&self.agent, key).cloned())
    }
}

impl ClaimTxn for View<'_> {
    fn index_unit(&mut self, unit: &Unit) -> Result<(), StoreError> {
        self.state.lines.index_unit(unit.clone());
        Ok(())
    }

    fn re_entered(
        &mut self,
        subject: &Identifier,
        predicate: &Identifier,
        value: &FactValue,
    ) -> Result<(), StoreError> {
        let said = self.said(subject, predicate, value);
        let seen = self.state.served.re_entries.entry(said).or_default();
        seen.push(self.now_us);
        Ok(())
    }
}
