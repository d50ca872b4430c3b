//! Access to the claims of a store, to read and to submit, with the host's settings and this store's agent.

use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_claims::belief::Belief;
use counterfoil_claims::{ClaimError, ClaimOutcome, Identifier, Line, Settings};
use counterfoil_exchange::trust::RecordedTrust;
use counterfoil_store::{AsOf, ClaimRequest, ClaimStore, StoreError};
use counterfoil_types::{DidKey, Scope, WorldId};

use super::logged::LoggedSettings;
use super::settings;
use crate::error::Error;
use crate::memory::Memory;

/// A store, the settings of its host, and the agent and scope whose beliefs are read.
pub(crate) struct ClaimReader {
    pub(crate) store: Arc<dyn ClaimStore>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) agent: DidKey,
    pub(crate) scope: Scope,
}

impl Memory {
    /// The settings of claims: those of the file, the trust in other agents and the vocabulary by the records of the store, and the memories that
    /// this agent, or an authority for all, has forgotten.
    pub(crate) async fn claim_settings(&self) -> Result<Arc<Settings>, Error> {
        self.with_logged(self.whole().read_logged_settings().await?)
    }

    /// The settings of the file with those that the log decides.
    pub(crate) fn with_logged(&self, logged: LoggedSettings) -> Result<Arc<Settings>, Error> {
        Ok(Arc::new(Settings {
            trust: Some(Arc::new(RecordedTrust::new(logged.records))),
            vocabulary: logged.vocabulary,
            aliases: logged.aliases,
            forgotten: logged.forgotten,
            ..settings::read(self.home())?
        }))
    }
}

impl Memory {
    /// The request in the scope that this value is bound to. All that it names has to be there.
    pub(super) async fn scoped_request(
        &self,
        request: ClaimRequest,
    ) -> Result<ClaimRequest, Error> {
        let named: Vec<WorldId> = match &request {
            ClaimRequest::Submit(submission) => submission.references().cloned().collect(),
            ClaimRequest::Assert(assertion) => assertion.references().cloned().collect(),
            _ => Vec::new(),
        };
        for reference in named {
            self.reaching(&reference.to_string()).await?;
        }
        Ok(match request {
            ClaimRequest::Submit(submission) => {
                let scope = self.joined(submission.scope())?;
                ClaimRequest::Submit(submission.in_scope(scope))
            }
            ClaimRequest::Assert(assertion) => {
                ClaimRequest::Assert(assertion.in_scope(self.scope().clone()))
            }
            other => other,
        })
    }
}

impl ClaimReader {
    /// Opens the claims of `agent`; `None`: of this memory's own.
    pub(crate) async fn open(memory: &Memory, agent: Option<DidKey>) -> Result<Self, Error> {
        let whole = memory.whole();
        whole.must_exist()?;
        let store = whole.reader()?;
        let settings = memory.claim_settings().await?;
        let own = memory.home().agent_public()?;
        let agent = agent.unwrap_or(own);
        let settings = match agent == own {
            true => settings,
            // What this agent calls one subject may be two for another.
            false => Arc::new(Settings {
                aliases: Arc::default(),
                ..Settings::clone(&settings)
            }),
        };
        Ok(Self {
            store,
            settings,
            agent,
            scope: memory.scope().clone(),
        })
    }

    /// Returns the line of a subject and a predicate in the scope.
    pub(crate) fn line(&self, subject: &str, predicate: &str) -> Result<Line, Error> {
        Ok(Line {
            agent: self.agent,
            subject: Identifier::new("subject", subject)?,
            predicate: Identifier::new("predicate", predicate)?,
            scope: self.scope.clone(),
        })
    }

    /// Returns the belief of a line.
    pub(crate) async fn believe(&self, line: Line, asked: AsOf) -> Result<Belief, Error> {
        let settings = Arc::clone(&self.settings);
        Ok(self.store.believe(line, asked, settings).await?)
    }
}

/// A store that claims are submitted to, by the agent of its key.
pub(crate) struct ClaimWriter {
    pub(crate) store: Arc<dyn ClaimStore>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) agent: Arc<dyn Signer>,
}

impl ClaimWriter {
    /// Opens the keys; sealed ones need the passphrase.
    pub(crate) async fn open(memory: &Memory) -> Result<Self, Error> {
        let whole = memory.whole();
        whole.must_exist()?;
        let settings = memory.claim_settings().await?;
        let agent = whole.signer()?;
        Ok(Self {
            store: whole.writer()?,
            settings,
            agent,
        })
    }

    /// Submits several requests to the gate, one after the other in one transaction.
    pub(crate) async fn submit_all(
        &self,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, Error> {
        let (agent, settings) = (Arc::clone(&self.agent), Arc::clone(&self.settings));
        let answers = self.store.submit(agent, settings, requests).await;
        answers.map_err(|error| match error {
            StoreError::NotAcknowledged { detail } => Error::place(
                format_args!(
                    "the claim is kept, but the last checkpoint could not be written beside the keys \
                     ({detail})"
                ),
                "repair that; `counterfoil claim ledger` shows the claim",
            ),
            StoreError::NotConfirmed { detail } => Error::place(
                format_args!("the shared ground has not confirmed the claim ({detail})"),
                "look with `counterfoil claim ledger` (or `claim did KEY`) once it can be reached, and say it again if it is \
                 not there",
            ),
            StoreError::OutcomeUnknown => Error::place(
                "the disk failed, and it is not known whether the claim is kept",
                "repair the disk, look with `counterfoil claim ledger` (or `claim did KEY`), and say it \
                 again if it is not there",
            ),
            other => other.into(),
        })
    }

    /// Submits one request to the gate.
    pub(crate) async fn submit(&self, request: ClaimRequest) -> Result<ClaimOutcome, Error> {
        let answers = self.submit_all(vec![request]).await?;
        match answers.into_iter().next() {
            Some(Ok(outcome)) => Ok(outcome),
            Some(Err(refusal)) => Err(refusal.into()),
            None => Err(Error::bug("a request without an answer")),
        }
    }
}

#[cfg(test)]
#[path = "scope_tests.rs"]
mod tests;
