//! Answers about claims in memory: each is folded from all units of its line when it is asked (I3, I8, I10).

use std::collections::BTreeSet;

use counterfoil_claims::belief::{
    Ancestor, Belief, BeliefStatus, HistoryEntry, Question, believe, history,
};
use counterfoil_claims::gate::{is_pending, rivals_of};
use counterfoil_claims::{
    ClaimRef, CurrencyLimits, Identifier, Line, LineView, Settings, Unit, ViewError,
};
use counterfoil_types::DidKey;

use super::lines::names;
use super::state::State;
use super::view::View;
use crate::StoreError;
use crate::claim_store::{AsOf, LedgerEntry, LedgerPage, PendingClaim};

/// The most that a list holds.
const MAX_LIST: usize = 1_000;

/// Query with the settings of the host.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) asked: AsOf,
    /// Present of the clock, microseconds since 1970.
    pub(super) now_us: u64,
    pub(super) settings: &'a Settings,
}

impl Asking<'_> {
    fn limits(&self, line: &Line) -> CurrencyLimits {
        self.settings.limits_of(&line.predicate)
    }
}

impl State {
    /// The later of the clock and of all that the agent has recorded: a clock that went back hides nothing.
    fn present(&self, agent: &DidKey, now_us: u64) -> u64 {
        let units = self.lines.units_of(agent);
        let last = units.map(|unit| unit.stamp().micros()).max();
        let recorded = self.agents.get(agent).map(|last| last.micros());
        now_us.max(last.unwrap_or(0)).max(recorded.unwrap_or(0))
    }

    pub(super) fn question(&self, agent: &DidKey, asking: Asking<'_>) -> Question {
        asking.asked.at(self.present(agent, asking.now_us))
    }

    pub(super) fn units(&self, line: &Line) -> Vec<Unit> {
        self.lines.of_line(line).into_iter().cloned().collect()
    }

    pub(super) fn belief(&self, line: &Line, asking: Asking<'_>) -> Belief {
        let question = self.question(&line.agent, asking);
        let ancestry = |reference: &ClaimRef, question| {
            let ancestor = self.lines.unit(&line.agent, reference)?;
            Ancestor::of_line(reference, &self.units(ancestor.line()), question)
        };
        let units = self.units(line);
        believe(line, &units, question, asking.limits(line), Some(&ancestry))
    }

    pub(super) fn history(&self, line: &Line, asking: Asking<'_>) -> Vec<HistoryEntry> {
        let question = self.question(&line.agent, asking);
        history(line, &self.units(line), question, asking.limits(line))
    }

    /// The lines of which something was recorded until the question's `as_of`, in their order.
    fn known_lines(&self, agent: &DidKey, asking: Asking<'_>) -> impl Iterator<Item = &Line> {
        let as_of_us = self.question(agent, asking).as_of_us;
        self.lines.of_agent(agent).filter(move |line| {
            let units = self.lines.of_line(line);
            units.iter().any(|unit| unit.stamp().micros() <= as_of_us)
        })
    }

    pub(super) fn beliefs_of(
        &self,
        agent: &DidKey,
        subject: &Identifier,
        after: Option<&Identifier>,
        asking: Asking<'_>,
    ) -> Vec<Belief> {
        self.known_lines(agent, asking)
            .filter(|line| line.subject == *subject)
            .filter(|line| after.is_none_or(|after| line.predicate > *after))
            .take(MAX_LIST)
            .map(|line| self.belief(line, asking))
            .collect()
    }

    pub(super) fn contested(
        &self,
        agent: &DidKey,
        after: Option<&(Identifier, Identifier)>,
        limit: usize,
        asking: Asking<'_>,
    ) -> Vec<Belief> {
        self.known_lines(agent, asking)
            .filter(|line| {
                after.is_none_or(|(subject, predicate)| {
                    (&line.subject, &line.predicate) > (subject, predicate)
                })
            })
            .map(|line| self.belief(line, asking))
            .filter(|belief| belief.status == BeliefStatus::Contested)
            .take(limit)
            .collect()
    }

    pub(super) fn predicates(
        &self,
        agent: &DidKey,
        subject: Option<&Identifier>,
    ) -> Vec<Identifier> {
        let lines = self.lines.of_agent(agent);
        let used: BTreeSet<&Identifier> = lines
            .filter(|line| subject.is_none_or(|subject| line.subject == *subject))
            .map(|line| &line.predicate)
            .collect();
        used.into_iter().take(MAX_LIST).cloned().collect()
    }

    pub(super) fn pending(
        &mut self,
        agent: DidKey,
        now_us: u64,
        settings: &Settings,
    ) -> Result<Vec<PendingClaim>, StoreError> {
        let present_us = self.present(&agent, now_us);
        let units: Vec<Unit> = self.lines.units_of(&agent).cloned().collect();
        let view = View {
            state: self,
            agent,
            now_us,
        };
        let mut pending = Vec::new();
        for claim in units {
            let Some(claim) = view.claim(claim.reference()).map_err(unreadable)? else {
                continue;
            };
            if let Some(expires_us) = is_pending(&claim, present_us, settings) {
                pending.push(PendingClaim {
                    rivals: rivals_of(&view, &claim.claim).map_err(unreadable)?,
                    claim: claim.claim,
                    expires_us,
                });
            }
        }
        pending.truncate(MAX_LIST);
        Ok(pending)
    }

    pub(super) fn ledger(&self, agent: &DidKey, page: &LedgerPage) -> Vec<LedgerEntry> {
        let about = |unit: &&Unit| {
            page.claim
                .as_ref()
                .is_none_or(|claim| unit.reference() == claim || names(unit.act(), claim))
        };
        let units = self.lines.units_of(agent).rev();
        let units: Vec<&Unit> = units
            .filter(|unit| page.before.is_none_or(|before| unit.index() < before))
            .filter(about)
            .take(page.limit.min(MAX_LIST))
            .collect();
        let mut entries = Vec::new();
        for unit in units.into_iter().rev() {
            entries.push((
                unit.stamp().micros(),
                0,
                LedgerEntry::Unit(Box::new(unit.clone())),
            ));
            if let Some(times) = self.served.of_claim(unit.line(), unit.reference()) {
                let served = LedgerEntry::Served {
                    claim: unit.reference().clone(),
                    first_us: times.first_us,
                    times: times.times,
                };
                entries.push((times.first_us, 1, served));
            }
        }
        entries.sort_by_key(|(at, rank, _)| (*at, *rank));
        entries.into_iter().map(|(_, _, entry)| entry).collect()
    }
}

fn unreadable(error: ViewError) -> StoreError {
    StoreError::Unavailable {
        doing: "looking for what waits for a verdict",
        detail: error.0,
    }
}
