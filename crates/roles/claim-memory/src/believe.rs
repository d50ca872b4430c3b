//! Questions about beliefs; none of them writes (I3, I6, I7).

use std::sync::Arc;

use counterfoil_claims::belief::{self, Belief, BeliefChange, HistoryEntry};
use counterfoil_claims::{ClaimRef, Identifier, Unit};
use counterfoil_store::{all_contested, believe_whole_subject, units_of_names};
use counterfoil_types::Scope;

use crate::{BeliefQuery, ClaimMemory, ClaimMemoryError};

impl ClaimMemory {
    /// Belief of a line: a value, a set, all sides of a contest, or none.
    ///
    /// ```
    /// use counterfoil_claim_memory::{ClaimMemoryError, BeliefStatus, ClaimMemory};
    ///
    /// /// Home of Ann in 2021, as known at the beginning of 2023.
    /// async fn home(memory: &ClaimMemory) -> Result<String, ClaimMemoryError> {
    ///     let belief = memory.believe("ann", "lives in").at("2021").as_of("2023").await?;
    ///     let values: Vec<_> = belief.sides.iter().map(|side| side.value.to_string()).collect();
    ///     Ok(match belief.status {
    ///         BeliefStatus::Contested => format!("either of {}", values.join(", ")),
    ///         _ => values.join(", "),
    ///     })
    /// }
    /// ```
    pub fn believe(&self, subject: &str, predicate: &str) -> BeliefQuery<'_, Belief> {
        let line = self.line(subject, predicate);
        BeliefQuery::new(move |asked, _| async move {
            let settings = Arc::clone(&self.settings);
            let belief = self.store.believe(line?, asked, settings).await?;
            Ok(belief)
        })
    }

    /// Beliefs of a subject in every scope, by predicate.
    pub fn believe_subject(&self, subject: &str) -> BeliefQuery<'_, Vec<Belief>> {
        let subject = Identifier::new("subject", subject);
        BeliefQuery::new(move |asked, _| async move {
            let (store, agent) = (self.store.as_ref(), self.agent());
            let found = believe_whole_subject(
                store,
                agent,
                (&subject?, &Scope::new()),
                asked,
                &self.settings,
            )
            .await?;
            Ok(found)
        })
    }

    /// Every claim of a line with its state, in the order of recording.
    pub fn history(&self, subject: &str, predicate: &str) -> BeliefQuery<'_, Vec<HistoryEntry>> {
        let line = self.line(subject, predicate);
        BeliefQuery::new(move |asked, _| async move {
            let settings = Arc::clone(&self.settings);
            let entries = self.store.claim_history(line?, asked, settings).await?;
            Ok(entries)
        })
    }

    /// The units that last changed the belief of a line, at most `most`, each with the beliefs before and after it (I10); and
    /// whether these are all changes.
    pub fn why(
        &self,
        subject: &str,
        predicate: &str,
        most: usize,
    ) -> BeliefQuery<'_, (Vec<BeliefChange>, bool)> {
        let line = self.line(subject, predicate);
        BeliefQuery::new(move |asked, _| async move {
            let (line, settings) = (line?, Arc::clone(&self.settings));
            let belief = self
                .store
                .believe(line.clone(), asked, Arc::clone(&settings))
                .await?;
            let question = belief.question;
            let (store, as_of_us) = (self.store.as_ref(), question.as_of_us);
            let units = units_of_names(store, &line, as_of_us, &settings).await?;
            Ok(belief::changes(&line, &units, question, most, &settings))
        })
    }

    /// All contested beliefs, in the order of subject and predicate: none is returned as settled (I7).
    pub fn contested(&self) -> BeliefQuery<'_, Vec<Belief>> {
        BeliefQuery::new(move |asked, _| async move {
            let (store, agent) = (self.store.as_ref(), self.agent());
            let found = all_contested(
                store,
                (agent, &Scope::new()),
                asked,
                usize::MAX,
                &self.settings,
            )
            .await?;
            Ok(found)
        })
    }

    /// Claims that wait for a verdict, the oldest first, at most 1,000; each with the claims that contradict it, and
    /// the time from which on it is only contested, microseconds since 1970.
    ///
    /// # Errors
    /// [`ClaimMemoryError::Store`].
    pub async fn pending(&self) -> Result<Vec<(Unit, Vec<Unit>, u64)>, ClaimMemoryError> {
        let settings = Arc::clone(&self.settings);
        Ok(self.store.pending(self.agent(), settings).await?)
    }

    /// A page of units, in the order of the log; of all claims, or of one.
    ///
    /// # Errors
    /// [`ClaimMemoryError::Store`].
    pub async fn ledger(
        &self,
        claim: Option<ClaimRef>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Unit>, ClaimMemoryError> {
        let page = self
            .store
            .ledger(self.agent(), Scope::new(), claim, before, limit);
        Ok(page.await?)
    }
}
