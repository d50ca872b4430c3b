//! Claims in memory: the gate inside of one lock, and beliefs folded when they are asked for (I3, I5, I9).

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::Signer;
use counterfoil_claims::belief::{Belief, HistoryEntry};
use counterfoil_claims::{ClaimError, ClaimOutcome, Identifier, Line, Settings, Unit};
use counterfoil_types::{DidKey, WorldId};

use super::InMemoryStore;
use super::beliefs::Asking;
use super::view::View;
use crate::StoreError;
use crate::append::AppendContext;
use crate::claim_store::{
    AsOf, ClaimRequest, ClaimStore, LedgerEntry, LedgerPage, PendingClaim, ServedClaim,
};
use crate::claims::{JudgeBase, judge_all, random_world_id, unit_in};

impl InMemoryStore {
    fn asking<'a>(&self, asked: AsOf, settings: &'a Settings) -> Asking<'a> {
        Asking {
            asked,
            now_us: self.clock.now_micros(),
            settings,
        }
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
        let (agent, now_us) = (signer.agent(), self.clock.now_micros());
        let context = AppendContext {
            signer: &*signer,
            clock: &*self.clock,
            entropy: &*self.entropy,
        };
        self.write(|appender, state| {
            let base = JudgeBase {
                agent,
                first_index: state.size(),
                last_stamp_us: state.agents.get(&agent).map(|last| last.micros()),
                now_us,
            };
            let mut view = View {
                state,
                agent,
                now_us,
            };
            let mut mint = || random_world_id(&*self.entropy);
            let judged = judge_all(&mut view, base, &settings, &requests, &mut mint)?;
            appender.append_judged(state, context, base, &judged)?;
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
        let asking = self.asking(asked, &settings);
        Ok(self.state()?.belief(&line, asking))
    }

    async fn believe_subject(
        &self,
        agent: DidKey,
        subject: Identifier,
        after: Option<Identifier>,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<Belief>, StoreError> {
        let asking = self.asking(asked, &settings);
        let state = self.state()?;
        Ok(state.beliefs_of(&agent, &subject, after.as_ref(), asking))
    }

    async fn claim_history(
        &self,
        line: Line,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<HistoryEntry>, StoreError> {
        let asking = self.asking(asked, &settings);
        Ok(self.state()?.history(&line, asking))
    }

    async fn units(&self, line: Line, as_of_us: Option<u64>) -> Result<Vec<Unit>, StoreError> {
        let mut units = self.state()?.units(&line);
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
        let asking = self.asking(asked, &settings);
        let state = self.state()?;
        Ok(state.contested(&agent, after.as_ref(), limit, asking))
    }

    async fn pending(
        &self,
        agent: DidKey,
        settings: Arc<Settings>,
    ) -> Result<Vec<PendingClaim>, StoreError> {
        let now_us = self.clock.now_micros();
        self.state()?.pending(agent, now_us, &settings)
    }

    async fn ledger(
        &self,
        agent: DidKey,
        page: LedgerPage,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        Ok(self.state()?.ledger(&agent, &page))
    }

    async fn predicates(
        &self,
        agent: DidKey,
        subject: Option<Identifier>,
    ) -> Result<Vec<Identifier>, StoreError> {
        Ok(self.state()?.predicates(&agent, subject.as_ref()))
    }

    /// A store that broke down records nothing; it has no log for a warning.
    async fn serve(&self, agent: DidKey, served: Vec<ServedClaim>) {
        let now_us = self.clock.now_micros();
        let Ok(mut state) = self.state() else {
            return;
        };
        for one in served {
            let line = Line {
                agent,
                subject: one.subject,
                predicate: one.predicate,
            };
            state.served.serve((line, one.value), one.claim, now_us);
        }
    }

    async fn last_recorded(&self, agent: DidKey) -> Result<Option<u64>, StoreError> {
        let state = self.state()?;
        Ok(state.agents.get(&agent).map(|last| last.micros()))
    }
}
