//! What the gate asks of a line, answered from a list: all there is, whatever the limit.

use counterfoil_claims::time::{Micros as Instant, Window};
use counterfoil_claims::{
    Act, ClaimError, ClaimInView, ClaimRef, FactValue, Identifier, LineState, LineView, Unit,
};
use counterfoil_types::{DidKey, WorldId};

use super::{Pure, Served};

/// What one agent has at an instant.
pub(super) struct View<'a> {
    pub(super) agent: DidKey,
    pub(super) stamp: u64,
    pub(super) all: &'a Pure,
}

impl View<'_> {
    fn own(&self) -> impl Iterator<Item = &Unit> {
        let units = self.all.units.iter();
        units.filter(|unit| unit.line().agent == self.agent)
    }

    fn claims(&self, subject: &Identifier, predicate: &Identifier) -> Vec<(&Unit, &FactValue)> {
        let on_line = self
            .own()
            .filter(|unit| unit.line().subject == *subject && unit.line().predicate == *predicate);
        on_line
            .filter_map(|unit| match unit.act() {
                Act::Claim(body) => Some((unit, &body.value)),
                _ => None,
            })
            .collect()
    }

    fn in_view(&self, claim: &Unit) -> ClaimInView {
        let name = claim.reference();
        let names = |unit: &&Unit| match unit.act() {
            Act::Claim(body) => body.supersedes.contains(name),
            Act::Affirm { target, rivals } => target == name || rivals.contains(name),
            other => other.target() == Some(name),
        };
        let assertions: Vec<Unit> = self.own().filter(names).cloned().collect();
        let taker = |unit: &&Unit| {
            assertions.iter().any(|by| match by.act() {
                Act::Claim(_) => by.reference() == unit.reference(),
                Act::Affirm { target, rivals } => {
                    rivals.contains(name) && target == unit.reference()
                }
                Act::Supersede { by, .. } => by == unit.reference(),
                _ => false,
            })
        };
        ClaimInView {
            claim: claim.clone(),
            takers: self.own().filter(taker).cloned().collect(),
            assertions,
        }
    }

    fn is_served(&self, served: &Served, what: (&Identifier, &Identifier, &FactValue)) -> bool {
        (served.0, &served.1, &served.2, &served.3) == (self.agent, what.0, what.1, what.2)
    }
}

impl LineView for View<'_> {
    fn line(&self, subject: &Identifier, predicate: &Identifier) -> Result<LineState, ClaimError> {
        let mut state = LineState::default();
        for unit in self.own() {
            if unit.line().subject != *subject || unit.line().predicate != *predicate {
                continue;
            }
            state.record(unit);
        }
        Ok(state)
    }

    fn of_value(
        &self,
        subject: &Identifier,
        predicate: &Identifier,
        value: &FactValue,
        _window: Window,
        _limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        let claims = self.claims(subject, predicate).into_iter();
        let same = claims.filter(|(_, its)| *its == value);
        Ok(same.map(|(claim, _)| self.in_view(claim)).collect())
    }

    fn touching(
        &self,
        subject: &Identifier,
        predicate: &Identifier,
        _window: Window,
        but: &FactValue,
        _limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        let claims = self.claims(subject, predicate).into_iter().rev();
        let others = claims.filter(|(claim, its)| *its != but && claim.provenance().is_external());
        Ok(others.map(|(claim, _)| self.in_view(claim)).collect())
    }

    fn live(
        &self,
        subject: &Identifier,
        predicate: &Identifier,
        _at: Instant,
        _limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        let claims = self.claims(subject, predicate).into_iter();
        Ok(claims.map(|(claim, _)| self.in_view(claim)).collect())
    }

    fn claim(&self, reference: &ClaimRef) -> Result<Option<ClaimInView>, ClaimError> {
        let mut own = self.own();
        let claim =
            own.find(|unit| unit.reference() == reference && matches!(unit.act(), Act::Claim(_)));
        Ok(claim.map(|claim| self.in_view(claim)))
    }

    fn anchor(&self, world: &WorldId) -> Result<Option<String>, ClaimError> {
        let place = self.all.names.worlds.iter().position(|name| name == world);
        Ok(place.map(|number| format!("{:064x}", self.all.chains[number])))
    }

    fn was_served(
        &self,
        subject: &Identifier,
        predicate: &Identifier,
        value: &FactValue,
    ) -> Result<bool, ClaimError> {
        let mut served = self.all.served.iter();
        Ok(served.any(|served| self.is_served(served, (subject, predicate, value))))
    }

    fn re_entries(
        &self,
        subject: &Identifier,
        predicate: &Identifier,
        value: &FactValue,
    ) -> Result<u32, ClaimError> {
        let seen = self.all.re_entries.iter().filter(|(served, at)| {
            self.is_served(served, (subject, predicate, value)) && self.stamp - at < 60_000_000
        });
        Ok(u32::try_from(seen.count()).unwrap())
    }

    fn keyed(&self, key: &str) -> Result<Option<Unit>, ClaimError> {
        Ok(self.own().find(|unit| unit.key() == Some(key)).cloned())
    }
}
