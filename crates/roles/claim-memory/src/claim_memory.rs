//! The memory of facts: requests and their answers (I4; docs/format/claims.md).

use std::pin::Pin;
use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_claims::{Channel, ClaimError, ClaimOutcome, Identifier, Line, Settings};
use counterfoil_store::{ClaimRequest, ClaimStore, StoreError};
use counterfoil_types::{DidKey, Scope};

use crate::ClaimMemoryError;

/// Future of a request or a question.
pub(crate) type Answer<'a, T> =
    Pin<Box<dyn Future<Output = Result<T, ClaimMemoryError>> + Send + 'a>>;

/// Facts of an agent, through one channel: claims are written with the provenance of that channel.
#[derive(Clone)]
pub struct ClaimMemory {
    pub(crate) store: Arc<dyn ClaimStore>,
    signer: Arc<dyn Signer>,
    pub(crate) channel: Channel,
    pub(crate) settings: Arc<Settings>,
}

impl ClaimMemory {
    /// The memory of `signer`'s agent in `store`, spoken to through `channel`.
    pub fn new(
        store: Arc<dyn ClaimStore>,
        signer: Arc<dyn Signer>,
        channel: Channel,
        settings: impl Into<Arc<Settings>>,
    ) -> Self {
        Self {
            store,
            signer,
            channel,
            settings: settings.into(),
        }
    }

    /// The agent.
    pub fn agent(&self) -> DidKey {
        self.signer.agent()
    }

    /// A line of this agent without a scope.
    ///
    /// # Errors
    /// [`ClaimMemoryError::Refused`] for an invalid name ([`Identifier::new`]).
    pub fn line(&self, subject: &str, predicate: &str) -> Result<Line, ClaimMemoryError> {
        Ok(Line {
            agent: self.agent(),
            subject: Identifier::new("subject", subject)?,
            predicate: Identifier::new("predicate", predicate)?,
            scope: Scope::new(),
        })
    }

    /// Writes requests in one transaction, each judged with those before it in view; one answer for each.
    ///
    /// # Errors
    /// [`ClaimMemoryError::Store`]: nothing was written, but after an unknown outcome, where the same requests under the same
    /// keys are repeated.
    pub async fn submit(
        &self,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, ClaimMemoryError> {
        let (signer, settings) = (Arc::clone(&self.signer), Arc::clone(&self.settings));
        Ok(self.store.submit(signer, settings, requests).await?)
    }

    /// The answer under an idempotency key; `None` when nothing was committed under it.
    ///
    /// # Errors
    /// [`ClaimMemoryError::Store`].
    pub async fn committed(&self, key: &str) -> Result<Option<ClaimOutcome>, ClaimMemoryError> {
        Ok(self
            .store
            .committed(self.agent(), key, &Scope::new())
            .await?)
    }

    /// Writes one request.
    pub(crate) fn written(
        &self,
        request: Result<ClaimRequest, ClaimMemoryError>,
    ) -> Answer<'_, ClaimOutcome> {
        Box::pin(async move {
            let mut answers = self.submit(vec![request?]).await?;
            let answer = answers
                .pop()
                .ok_or(StoreError::Bug("a request without an answer"))?;
            Ok(answer?)
        })
    }
}
