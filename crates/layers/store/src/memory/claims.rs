//! Claims in memory: the gate inside of one lock, and beliefs folded from all units of their line when they are asked for
//! (I3, I5, I8, I9, I10).

use std::collections::BTreeSet;
use std::sync::{Arc, MutexGuard};

use async_trait::async_trait;
use counterfoil_capsule::Signer;
use counterfoil_claims::belief::{
    Belief, BeliefStatus, HistoryEntry, Question, believe, history, parents_on_line,
};
use counterfoil_claims::gate::{is_pending, rivals_of};
use counterfoil_claims::{
    ClaimError, ClaimOutcome, ClaimRef, Identifier, Line, LineView, Settings, Unit,
};
use counterfoil_types::{DidKey, WorldId};

use super::InMemoryStore;
use super::lines::names;
use super::state::State;
use super::view::View;
use crate::StoreError;
use crate::claim_store::{AsOf, ClaimRequest, ClaimStore};
use crate::claims::{JudgedDrafts, random_world_id, unit_in};

/// The most that a list holds.
const MAX_LIST: usize = 1_000;

impl InMemoryStore {
    /// The state, and the question of an agent at the later of the clock and of all that it has recorded: a clock that
    /// went back hides nothing.
    fn asked(
        &self,
        agent: &DidKey,
        asked: AsOf,
    ) -> Result<(MutexGuard<'_, State>, Question), StoreError> {
        let now_us = self.clock.now_micros();
        let state = self.state()?;
        let units = state.lines.units_of(agent);
        let recorded = units.map(|unit| unit.stamp().micros()).max();
        let sealed = state.agents.get(agent).map(|last| last.micros());
        let present_us = now_us.max(recorded.max(sealed).unwrap_or(0));
        Ok((state, asked.at(present_us)))
    }
}

impl State {
    fn belief(&self, line: &Line, question: Question, settings: &Settings) -> Belief {
        let ancestry = |reference: &ClaimRef, question| {
            let ancestor = self.lines.unit(&line.agent, reference)?;
            let units = self.lines.of_line(ancestor.line());
            parents_on_line(reference, &units, question)
        };
        let (units, limits) = (
            self.lines.of_line(line),
            settings.limits_of(&line.predicate),
        );
        believe(line, &units, question, limits, Some(&ancestry))
    }

    /// The lines of which something was recorded until the question's `as_of`, in their order.
    fn known_lines(&self, agent: &DidKey, question: Question) -> impl Iterator<Item = &Line> {
        self.lines.of_agent(agent).filter(move |line| {
            let units = self.lines.of_line(line);
            units
                .iter()
                .any(|unit| unit.stamp().micros() <= question.as_of_us)
        })
    }
}

#[async_trait]
impl ClaimStore for InMemoryStore {
    async fn submit(
        &self,
        signer: Arc<dyn Signer>,
        settings: Arc<Settings>,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, StoreError> {
        let agent = signer.agent();
        let context = self.context(&*signer);
        self.write(|frontier, state| {
            let last = state.agents.get(&agent).copied();
            let mut judged = JudgedDrafts::new(agent, state.size(), last, &*self.clock)?;
            let mut view = View { state, agent };
            let mut mint = || random_world_id(&*self.entropy);
            judged.judge_all(&mut view, &settings, &requests, &mut mint)?;
            frontier.append_judged(state, context, &judged)?;
            Ok(judged.answers)
        })
    }

    async fn committed(
        &self,
        agent: DidKey,
        key: &str,
    ) -> Result<Option<ClaimOutcome>, StoreError> {
        let state = self.state()?;
        Ok(state.lines.keyed(&agent, key).map(ClaimOutcome::of_unit))
    }

    async fn believe(
        &self,
        line: Line,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Belief, StoreError> {
        let (state, question) = self.asked(&line.agent, asked)?;
        Ok(state.belief(&line, question, &settings))
    }

    async fn believe_subject(
        &self,
        agent: DidKey,
        subject: Identifier,
        after: Option<Identifier>,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<Belief>, StoreError> {
        let (state, question) = self.asked(&agent, asked)?;
        let lines = state.known_lines(&agent, question);
        let beliefs = lines
            .filter(|line| line.subject == subject)
            .filter(|line| after.as_ref().is_none_or(|after| line.predicate > *after))
            .map(|line| state.belief(line, question, &settings));
        Ok(beliefs.take(MAX_LIST).collect())
    }

    async fn claim_history(
        &self,
        line: Line,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<HistoryEntry>, StoreError> {
        let (state, question) = self.asked(&line.agent, asked)?;
        let limits = settings.limits_of(&line.predicate);
        Ok(history(
            &line,
            &state.lines.of_line(&line),
            question,
            limits,
        ))
    }

    async fn units(&self, line: Line, as_of_us: Option<u64>) -> Result<Vec<Unit>, StoreError> {
        let mut units = self.state()?.lines.of_line(&line);
        units.retain(|unit| as_of_us.is_none_or(|as_of_us| unit.stamp().micros() <= as_of_us));
        Ok(units)
    }

    async fn unit_of(&self, world: &WorldId) -> Result<Option<Unit>, StoreError> {
        let state = self.state()?;
        let Some(&index) = state.worlds.get(world) else {
            return Ok(None);
        };
        Ok(unit_in(&state.row(index)?.stored))
    }

    async fn contested(
        &self,
        agent: DidKey,
        asked: AsOf,
        after: Option<(Identifier, Identifier)>,
        limit: usize,
        settings: Arc<Settings>,
    ) -> Result<Vec<Belief>, StoreError> {
        let (state, question) = self.asked(&agent, asked)?;
        let is_after = |line: &&Line| {
            let place = (line.subject.clone(), line.predicate.clone());
            after.as_ref().is_none_or(|after| place > *after)
        };
        let lines = state.known_lines(&agent, question).filter(is_after);
        let beliefs = lines.map(|line| state.belief(line, question, &settings));
        let contested = beliefs.filter(|belief| belief.status == BeliefStatus::Contested);
        Ok(contested.take(limit).collect())
    }

    async fn pending(
        &self,
        agent: DidKey,
        settings: Arc<Settings>,
    ) -> Result<Vec<(Unit, Vec<Unit>, u64)>, StoreError> {
        let (mut state, question) = self.asked(&agent, AsOf::default())?;
        let present_us = question.as_of_us;
        let units: Vec<Unit> = state.lines.units_of(&agent).cloned().collect();
        let view = View {
            state: &mut state,
            agent,
        };
        let unreadable = |error: ClaimError| StoreError::Unavailable {
            doing: "looking for what waits for a verdict",
            detail: error.to_string(),
        };
        let mut pending = Vec::new();
        for claim in units {
            let claim = view.claim(claim.reference()).map_err(unreadable)?;
            let Some(claim) = claim else { continue };
            if let Some(expires_us) = is_pending(&claim, present_us, &settings) {
                let rivals = rivals_of(&view, &claim.claim).map_err(unreadable)?;
                pending.push((claim.claim, rivals, expires_us));
            }
        }
        pending.truncate(MAX_LIST);
        Ok(pending)
    }

    async fn ledger(
        &self,
        agent: DidKey,
        claim: Option<ClaimRef>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Unit>, StoreError> {
        let state = self.state()?;
        let about = |unit: &&Unit, claim| unit.reference() == claim || names(unit.act(), claim);
        let units = state.lines.units_of(&agent).rev();
        let units = units
            .filter(|unit| before.is_none_or(|before| unit.index() < before))
            .filter(|unit| claim.as_ref().is_none_or(|claim| about(unit, claim)));
        let mut page: Vec<Unit> = units.take(limit.min(MAX_LIST)).cloned().collect();
        page.reverse();
        Ok(page)
    }

    async fn predicates(
        &self,
        agent: DidKey,
        subject: Option<Identifier>,
    ) -> Result<Vec<Identifier>, StoreError> {
        let state = self.state()?;
        let lines = state.lines.of_agent(&agent);
        let used: BTreeSet<&Identifier> = lines
            .filter(|line| subject.as_ref().is_none_or(|it| line.subject == *it))
            .map(|line| &line.predicate)
            .collect();
        Ok(used.into_iter().take(MAX_LIST).cloned().collect())
    }

    async fn last_recorded(&self, agent: DidKey) -> Result<Option<u64>, StoreError> {
        let state = self.state()?;
        Ok(state.agents.get(&agent).map(|last| last.micros()))
    }
}
