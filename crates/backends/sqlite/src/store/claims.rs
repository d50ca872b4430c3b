//! The store as a [`ClaimStore`]: submissions go to the writer, questions to the readers (I3, I5, I9).

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::Signer;
use counterfoil_claims::belief::{Belief, HistoryEntry};
use counterfoil_claims::{ClaimError, ClaimOutcome, ClaimRef, Identifier, Line, Settings, Unit};
use counterfoil_life::entries::{self, Sides};
use counterfoil_store::{AsOf, ClaimRequest, ClaimStore, StoreError};
use counterfoil_types::{DidKey, Scope, WorldId};

use super::SqliteStore;
use crate::claims::{Listing, MAX_LIST, QuestionContext, Units, Which, names_after};
use crate::port::Tables;

impl SqliteStore {
    /// Answers a question about units in one read transaction.
    async fn of_units<T: Send + 'static>(
        &self,
        answer: impl FnOnce(&Units<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let check = Arc::clone(&self.options().check);
        self.query(move |connection| {
            let tables = Tables::checked(connection, &check);
            answer(&Units::new(Sides::both(&tables), connection))
        })
        .await
    }

    /// Answers a question about claims of `agent` in one read transaction; the clock is read once.
    pub(crate) async fn asked<T: Send + 'static>(
        &self,
        agent: DidKey,
        asked: AsOf,
        settings: Arc<Settings>,
        answer: impl FnOnce(&Units<'_>, QuestionContext<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let now_us = self.options().clock.now_micros();
        self.of_units(move |units| {
            let asking = QuestionContext {
                question: asked.at(units.present_us(&agent, now_us)?),
                settings: &settings,
            };
            answer(units, asking)
        })
        .await
    }
}

#[async_trait]
impl ClaimStore for SqliteStore {
    async fn submit(
        &self,
        signer: Arc<dyn Signer>,
        settings: Arc<Settings>,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, StoreError> {
        self.writer()?.submit(signer, settings, requests).await
    }

    async fn committed(
        &self,
        agent: DidKey,
        key: &str,
        scope: &Scope,
    ) -> Result<Option<ClaimOutcome>, StoreError> {
        let (key, scope) = (key.to_owned(), scope.clone());
        self.of_units(move |units| {
            let unit = units.keyed(&agent, &key, &scope)?;
            Ok(unit.as_ref().map(ClaimOutcome::of_unit))
        })
        .await
    }

    async fn believe(
        &self,
        line: Line,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Belief, StoreError> {
        self.asked(line.agent, asked, settings, move |units, asking| {
            units.believe(&line, asking)
        })
        .await
    }

    async fn believe_within(
        &self,
        line: Line,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<Belief>, StoreError> {
        self.asked(line.agent, asked, settings, move |units, asking| {
            units.believe_within(&line, MAX_LIST, asking)
        })
        .await
    }

    async fn believe_subject(
        &self,
        agent: DidKey,
        subject: Identifier,
        scope: Scope,
        after: Option<Line>,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<Belief>, StoreError> {
        self.asked(agent, asked, settings, move |units, asking| {
            let listing = Listing {
                which: Which::Subject,
                scope: &scope,
                after: &names_after(Some(&subject), after.as_ref()),
            };
            units.beliefs(agent, listing, MAX_LIST, asking)
        })
        .await
    }

    async fn claim_history(
        &self,
        line: Line,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<HistoryEntry>, StoreError> {
        self.asked(line.agent, asked, settings, move |units, asking| {
            units.history(&line, asking)
        })
        .await
    }

    async fn units(&self, line: Line, as_of_us: Option<u64>) -> Result<Vec<Unit>, StoreError> {
        self.of_units(move |units| units.line_units(&line, as_of_us))
            .await
    }

    async fn units_of(
        &self,
        worlds: &[WorldId],
    ) -> Result<Vec<Result<Option<Unit>, StoreError>>, StoreError> {
        let worlds = worlds.to_vec();
        self.of_units(move |units| Ok(worlds.iter().map(|it| units.named(it)).collect()))
            .await
    }

    async fn contested(
        &self,
        agent: DidKey,
        scope: Scope,
        asked: AsOf,
        after: Option<Line>,
        limit: usize,
        settings: Arc<Settings>,
    ) -> Result<Vec<Belief>, StoreError> {
        self.asked(agent, asked, settings, move |units, asking| {
            let listing = Listing {
                which: Which::Contested,
                scope: &scope,
                after: &names_after(None, after.as_ref()),
            };
            units.beliefs(agent, listing, limit, asking)
        })
        .await
    }

    async fn pending(
        &self,
        agent: DidKey,
        settings: Arc<Settings>,
    ) -> Result<Vec<(Unit, Vec<Unit>, u64)>, StoreError> {
        let asked = AsOf::default();
        self.asked(agent, asked, settings, move |units, asking| {
            units.pending(&agent, asking.question.as_of_us, asking.settings)
        })
        .await
    }

    async fn ledger(
        &self,
        agent: DidKey,
        scope: Scope,
        claim: Option<ClaimRef>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Unit>, StoreError> {
        self.of_units(move |units| units.ledger((&agent, &scope), claim.as_ref(), before, limit))
            .await
    }

    async fn predicates(
        &self,
        agent: DidKey,
        subject: Option<Identifier>,
        scope: Scope,
    ) -> Result<Vec<Identifier>, StoreError> {
        self.of_units(move |units| units.predicates(&agent, subject.as_ref(), &scope))
            .await
    }

    async fn last_recorded(&self, agent: DidKey) -> Result<Option<u64>, StoreError> {
        self.query(move |connection| {
            let last = entries::last_recorded(&Tables::new(connection), &agent)?;
            Ok(last.map(|last| last.recorded.micros()))
        })
        .await
    }
}
