//! Lines of an agent for the gate, inside of a write: slow, and plainly right (I1, I3).

use counterfoil_capsule::Kind;
use counterfoil_claims::time::{Micros, Window};
use counterfoil_claims::{
    Act, ClaimError, ClaimInView, ClaimRef, FactValue, Identifier, Line, LineState, LineView, Unit,
};
use counterfoil_types::{DidKey, WorldId};

use super::state::State;
use crate::StoreError;
use crate::claims::ClaimTxn;

/// Lines of one agent inside of one write.
pub(super) struct View<'s> {
    pub(super) state: &'s mut State,
    pub(super) agent: DidKey,
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
        let is_wanted = |unit: &Unit| match unit.act() {
            Act::Claim(body) => wanted(unit, &body.value),
            _ => false,
        };
        let units = lines.of_line(line).into_iter().filter(is_wanted);
        units.map(|unit| lines.in_view(&unit)).collect()
    }
}

impl LineView for View<'_> {
    fn line(&self, subject: &Identifier, predicate: &Identifier) -> Result<LineState, ClaimError> {
        let line = self.on_line(subject, predicate);
        let mut state = LineState::default();
        for unit in self.state.lines.of_line(&line) {
            state.record(&unit);
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
    ) -> Result<Vec<ClaimInView>, ClaimError> {
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
    ) -> Result<Vec<ClaimInView>, ClaimError> {
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
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        Ok(self.claims(&self.on_line(subject, predicate), |_, _| true))
    }

    fn claim(&self, reference: &ClaimRef) -> Result<Option<ClaimInView>, ClaimError> {
        let lines = &self.state.lines;
        let unit = lines.unit(&self.agent, reference);
        let claim = unit.filter(|unit| matches!(unit.act(), Act::Claim(_)));
        Ok(claim.map(|claim| lines.in_view(claim)))
    }

    fn anchor(&self, world: &WorldId) -> Result<Option<String>, ClaimError> {
        let Some(&index) = self.state.worlds.get(world) else {
            return Ok(None);
        };
        let row = self.state.row(index);
        let header = &row
            .map_err(|error| ClaimError::View(error.to_string()))?
            .stored
            .header;
        let is_unit = header.kind() == Kind::Claim;
        Ok((!is_unit).then(|| header.chain().to_string()))
    }

    fn keyed(&self, key: &str) -> Result<Option<Unit>, ClaimError> {
        Ok(self.state.lines.keyed(&self.agent, key).cloned())
    }
}

impl ClaimTxn for View<'_> {
    fn index_unit(&mut self, unit: &Unit) -> Result<(), StoreError> {
        self.state.lines.index_unit(unit.clone());
        Ok(())
    }
}
