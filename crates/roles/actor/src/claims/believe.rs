//! Asking what is believed; what is handed out is noted before it is returned (I3, I6, I7).

use core::future::IntoFuture;
use std::sync::Arc;

use counterfoil_claims::belief::{self, Belief, BeliefChanges, HistoryEntry};
use counterfoil_claims::{ClaimRef, Identifier, Line};
use counterfoil_store::{
    LedgerEntry, LedgerPage, PendingClaim, ServedClaim, all_contested, believe_whole_subject,
};

use super::remember::identifier;
use super::{Answer, ClaimMemory, Look};
use crate::ActError;

/// A question about a line. Nothing is asked before it is awaited.
#[must_use = "nothing is asked until it is awaited"]
pub struct Believe<'a> {
    memory: &'a ClaimMemory,
    line: Result<Line, ActError>,
    look: Result<Look, ActError>,
}

/// A question about all lines of a subject. Nothing is asked before it is awaited.
#[must_use = "nothing is asked until it is awaited"]
pub struct BelieveSubject<'a> {
    memory: &'a ClaimMemory,
    subject: Result<Identifier, ActError>,
    look: Result<Look, ActError>,
}

impl ClaimMemory {
    /// What is believed of a line: a value, a set, all sides of a contest, or that nothing is.
    ///
    /// ```
    /// use counterfoil_actor::{ActError, claims::{ClaimMemory, Status}};
    ///
    /// /// Where Ann lived in 2021, as far as that was known when 2023 began.
    /// async fn told(memory: &ClaimMemory) -> Result<String, ActError> {
    ///     let belief = memory.believe("ann", "lives in").at("2021").as_of("2023").await?;
    ///     let values: Vec<_> = belief.sides.iter().map(|side| side.value.to_string()).collect();
    ///     Ok(match belief.status {
    ///         Status::Contested => format!("either of {}", values.join(", ")),
    ///         _ => values.join(", "),
    ///     })
    /// }
    /// ```
    pub fn believe(&self, subject: &str, predicate: &str) -> Believe<'_> {
        Believe {
            memory: self,
            line: self.line(subject, predicate),
            look: Ok(Look::now()),
        }
    }

    /// What is believed of a subject, by predicate.
    pub fn believe_subject(&self, subject: &str) -> BelieveSubject<'_> {
        BelieveSubject {
            memory: self,
            subject: identifier("subject", subject),
            look: Ok(Look::now()),
        }
    }

    /// Every claim of a line with its state, in the order in which they were recorded.
    ///
    /// # Errors
    /// [`ActError::Refused`] for a name, [`ActError::Store`].
    pub async fn history(
        &self,
        subject: &str,
        predicate: &str,
        look: Look,
    ) -> Result<Vec<HistoryEntry>, ActError> {
        let line = self.line(subject, predicate)?;
        let settings = Arc::clone(&self.settings);
        let entries = self
            .store
            .claim_history(line, look.asked(), settings)
            .await?;
        let claims = entries.iter().map(|entry| &entry.claim);
        self.note(claims.filter_map(ServedClaim::of_claim)).await;
        Ok(entries)
    }

    /// The units that last changed what is believed of a line, at most `most`, each with what was believed before and
    /// after it (I10).
    ///
    /// # Errors
    /// As [`history`](Self::history).
    pub async fn why(
        &self,
        subject: &str,
        predicate: &str,
        look: Look,
        most: usize,
    ) -> Result<BeliefChanges, ActError> {
        let line = self.line(subject, predicate)?;
        let settings = Arc::clone(&self.settings);
        let belief = self
            .store
            .believe(line.clone(), look.asked(), settings)
            .await?;
        let question = belief.question;
        let units = self
            .store
            .units(line.clone(), Some(question.as_of_us))
            .await?;
        self.note(units.iter().filter_map(ServedClaim::of_claim))
            .await;
        Ok(belief::changes(&line, &units, question, most))
    }

    /// All beliefs that are contested, in the order of subject and predicate: none is returned as settled (I7).
    ///
    /// # Errors
    /// [`ActError::Store`].
    pub async fn contested(&self, look: Look) -> Result<Vec<Belief>, ActError> {
        let (store, asked) = (self.store.as_ref(), look.asked());
        let found = all_contested(store, self.agent(), asked, usize::MAX, &self.settings).await?;
        self.note(found.iter().flat_map(ServedClaim::of_belief))
            .await;
        Ok(found)
    }

    /// Claims that wait for a verdict, the oldest first, at most 1,000.
    ///
    /// # Errors
    /// [`ActError::Store`].
    pub async fn pending(&self) -> Result<Vec<PendingClaim>, ActError> {
        let settings = Arc::clone(&self.settings);
        Ok(self.store.pending(self.agent(), settings).await?)
    }

    /// A page of what was decided and handed out; all of it, or what is about one claim.
    ///
    /// # Errors
    /// [`ActError::Store`].
    pub async fn ledger(
        &self,
        claim: Option<ClaimRef>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, ActError> {
        let page = LedgerPage {
            claim,
            before,
            limit,
        };
        Ok(self.store.ledger(self.agent(), page).await?)
    }

    /// Never fails: where it cannot be noted, the store says so in its log.
    async fn note(&self, served: impl Iterator<Item = ServedClaim>) {
        let served: Vec<ServedClaim> = served.collect();
        if !served.is_empty() {
            self.store.serve(self.agent(), served).await;
        }
    }
}

impl Believe<'_> {
    /// About the first instant of this date: `2020`, `2020-03`, `2020-03-15` or RFC 3339.
    pub fn at(mut self, date: &str) -> Self {
        self.look = self.look.and_then(|look| look.at(date));
        self
    }

    /// As known then.
    pub fn as_of(mut self, date: &str) -> Self {
        self.look = self.look.and_then(|look| look.as_of(date));
        self
    }
}

impl BelieveSubject<'_> {
    /// About the first instant of this date.
    pub fn at(mut self, date: &str) -> Self {
        self.look = self.look.and_then(|look| look.at(date));
        self
    }

    /// As known then.
    pub fn as_of(mut self, date: &str) -> Self {
        self.look = self.look.and_then(|look| look.as_of(date));
        self
    }
}

impl<'a> IntoFuture for Believe<'a> {
    type Output = Result<Belief, ActError>;
    type IntoFuture = Answer<'a, Belief>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (memory, line, look) = (self.memory, self.line?, self.look?);
            let settings = Arc::clone(&memory.settings);
            let belief = memory.store.believe(line, look.asked(), settings).await?;
            memory.note(ServedClaim::of_belief(&belief)).await;
            Ok(belief)
        })
    }
}

impl<'a> IntoFuture for BelieveSubject<'a> {
    type Output = Result<Vec<Belief>, ActError>;
    type IntoFuture = Answer<'a, Vec<Belief>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (memory, subject, look) = (self.memory, self.subject?, self.look?);
            let (store, asked) = (memory.store.as_ref(), look.asked());
            let (agent, settings) = (memory.agent(), &memory.settings);
            let found = believe_whole_subject(store, agent, &subject, asked, settings).await?;
            memory
                .note(found.iter().flat_map(ServedClaim::of_belief))
                .await;
            Ok(found)
        })
    }
}
