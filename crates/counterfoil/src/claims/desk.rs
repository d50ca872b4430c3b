//! A store that is asked about claims, or is told them: with the host's settings and this store's agent.

use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_claims::belief::Belief;
use counterfoil_claims::{
    Assertion, ClaimError, ClaimOutcome, Identifier, Line, Settings, Submission, Unit,
};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{AsOf, ClaimRequest, ClaimStore, ServedClaim, StoreError};
use counterfoil_types::DidKey;

use super::refusals::refused;
use super::settings;
use crate::error::Error;
use crate::home::Home;

/// A store, the settings of its host, and whose beliefs are asked for.
pub struct Desk {
    pub store: Arc<dyn ClaimStore>,
    pub settings: Arc<Settings>,
    pub agent: DidKey,
    own: DidKey,
}

impl Desk {
    /// To look at what was recorded, which is no use of it.
    pub fn looking(home: &Home) -> Result<Self, Error> {
        let store = home.reader()?;
        Self::over(home, store, None)
    }

    /// To ask. It may be written down what was handed out, where that needs no passphrase to be asked for; where it
    /// does, reading works all the same.
    pub fn reading(home: &Home, agent: Option<DidKey>) -> Result<Self, Error> {
        home.must_exist()?;
        let store = home.reader_that_notes()?;
        Self::over(home, store, agent)
    }

    fn over(home: &Home, store: SqliteStore, agent: Option<DidKey>) -> Result<Self, Error> {
        let settings = Arc::new(settings::read(home)?);
        let own = home.agent_public()?;
        Ok(Self {
            store: Arc::new(store),
            settings,
            agent: agent.unwrap_or(own),
            own,
        })
    }

    /// The line of a subject and a predicate.
    pub fn line(&self, subject: &str, predicate: &str) -> Result<Line, Error> {
        Ok(Line {
            agent: self.agent,
            subject: self::subject(subject)?,
            predicate: self::predicate(predicate)?,
        })
    }

    /// What is believed of a line.
    pub async fn believe(&self, line: Line, asked: AsOf) -> Result<Belief, Error> {
        let settings = Arc::clone(&self.settings);
        Ok(self.store.believe(line, asked, settings).await?)
    }

    /// Writes down that these beliefs were handed out (I6).
    pub async fn hand_out<'b>(&self, beliefs: impl IntoIterator<Item = &'b Belief>) {
        let served = beliefs.into_iter().flat_map(ServedClaim::of_belief);
        self.note(served.collect()).await;
    }

    /// Writes down that these claims were handed out (I6).
    pub async fn hand_out_claims<'u>(&self, claims: impl IntoIterator<Item = &'u Unit>) {
        let served = claims.into_iter().filter_map(ServedClaim::of_claim);
        self.note(served.collect()).await;
    }

    /// What others believe is no echo of this agent.
    async fn note(&self, served: Vec<ServedClaim>) {
        if !served.is_empty() && self.agent == self.own {
            self.store.serve(self.agent, served).await;
        }
    }
}

/// A store that is written to, by the agent whose key is in it.
pub struct Pen {
    pub store: Arc<dyn ClaimStore>,
    pub settings: Arc<Settings>,
    pub agent: Arc<dyn Signer>,
}

impl Pen {
    /// Opens the keys, for which a passphrase may be asked.
    pub fn open(home: &Home) -> Result<Self, Error> {
        home.must_exist()?;
        let settings = Arc::new(settings::read(home)?);
        let agent = home.agent()?;
        Ok(Self {
            store: Arc::new(home.writer()?),
            settings,
            agent,
        })
    }

    /// Has the gate judge a claim.
    pub async fn submit(&self, submission: Submission) -> Result<ClaimOutcome, Error> {
        self.request(ClaimRequest::Submit(submission)).await
    }

    /// Has the gate judge an assertion.
    pub async fn assert(&self, assertion: Assertion) -> Result<ClaimOutcome, Error> {
        self.request(ClaimRequest::Assert(assertion)).await
    }

    /// Has the gate judge several requests, one after the other in one transaction.
    pub async fn submit_all(
        &self,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, Error> {
        let (agent, settings) = (Arc::clone(&self.agent), Arc::clone(&self.settings));
        let answers = self.store.submit(agent, settings, requests).await;
        answers.map_err(unacknowledged)
    }

    async fn request(&self, request: ClaimRequest) -> Result<ClaimOutcome, Error> {
        let answers = self.submit_all(vec![request]).await?;
        match answers.into_iter().next() {
            Some(Ok(outcome)) => Ok(outcome),
            Some(Err(refusal)) => Err(refused(refusal)),
            None => Err(Error::bug("a request without an answer")),
        }
    }
}

/// Who is told of a failure that may have kept the claim is told how to find out.
fn unacknowledged(error: StoreError) -> Error {
    match error {
        StoreError::NotAcknowledged { detail } => Error::place(
            format_args!(
                "the claim is kept, but the last checkpoint could not be written beside the keys \
                 ({detail})"
            ),
            "repair that; `counterfoil claim ledger` shows the claim",
        ),
        StoreError::OutcomeUnknown => Error::place(
            "the disk failed, and it is not known whether the claim is kept",
            "repair the disk, look with `counterfoil claim ledger` (or `claim did KEY`), and say it \
             again if it is not there",
        ),
        other => other.into(),
    }
}

/// A subject.
pub fn subject(text: &str) -> Result<Identifier, Error> {
    Identifier::new("subject", text).map_err(refused)
}

/// A predicate.
pub fn predicate(text: &str) -> Result<Identifier, Error> {
    Identifier::new("predicate", text).map_err(refused)
}
