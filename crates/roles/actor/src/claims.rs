//! The memory of facts in three lines: [`ClaimMemory`] (I3-I7; docs/format/claims.md).
//!
//! ```
//! use std::sync::Arc;
//!
//! use counterfoil_actor::ActError;
//! use counterfoil_actor::capsule::Signer;
//! use counterfoil_actor::claims::{ClaimMemory, Settings};
//! use counterfoil_actor::store::ClaimStore;
//! use counterfoil_claims::Channels;
//!
//! async fn moved(store: Arc<dyn ClaimStore>, signer: Arc<dyn Signer>) -> Result<(), ActError> {
//!     // The host, once, when it configures itself: what users type goes through this channel.
//!     let channels = Channels::of_host();
//!     let user = channels.user();
//!
//!     let memory = ClaimMemory::new(store, signer, user, Settings::default());
//!     memory.remember("ann", "lives in", "Lisbon").from("2024-03").await?;
//!     let belief = memory.believe("ann", "lives in").await?;
//!
//!     assert_eq!(belief.primary().map(|city| city.canonical()), Some("\"Lisbon\""));
//!     Ok(())
//! }
//! ```
//!
//! # Channels
//! The provenance of a claim follows from the [`Channel`] of the memory, and from no member of a request (I4). A host depends on `counterfoil-claims`, calls `Channels::of_host` once, where it reads its configuration,
//! and wires each way into the agent to one channel: the prompt of the user to `user`, its own sensors and tools to
//! `first_hand`, the output of a model to `model`, what an agent extracts from its own recall to `recall`, messages of
//! another agent to `peer` with the trust level that it has now. It keeps the `Channels` to itself.
//!
//! An actor depends on this crate, which does not give out `Channels`: it gets a [`ClaimMemory`] or a [`Channel`], from
//! which no other channel can be made.
//!
//! Guesses of models are proposals ([`ClaimMemory::consider`]) that the gate judges like every claim; a
//! [`ClaimProposal`] cannot commit itself (I5).

mod assert;
mod believe;
mod consult;
mod prove;
mod query;
mod remember;

use std::pin::Pin;
use std::sync::Arc;

use counterfoil_capsule::Signer;
pub use counterfoil_claims::belief::{
    Belief, BeliefChange, BeliefSide, BeliefStatus, Currency, HistoryEntry, Marker, Question,
    Support,
};
pub use counterfoil_claims::ports::{ClaimProposal, Extractor, Oracle, OracleVerdict, Passage};
pub use counterfoil_claims::time::Boundary;
pub use counterfoil_claims::{
    Cardinality, Channel, ClaimError, ClaimOutcome, ClaimRef, Disposition, FactValue, Identifier,
    Line, Settings, Unit,
};
use counterfoil_store::{ClaimRequest, ClaimStore, StoreError};
use counterfoil_types::DidKey;

pub use consult::Consultation;
pub use prove::{BELIEF_FORMAT, BeliefProof, MAX_PROVEN_UNITS, prove_belief};
pub use query::BeliefQuery;
pub use remember::RememberRequest;

use crate::ActError;

/// Future of a request or a question.
type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, ActError>> + Send + 'a>>;

/// Facts of an agent, through one channel: claims are written with the provenance of that channel.
#[derive(Clone)]
pub struct ClaimMemory {
    store: Arc<dyn ClaimStore>,
    signer: Arc<dyn Signer>,
    channel: Channel,
    settings: Arc<Settings>,
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

    /// A line of this agent.
    ///
    /// # Errors
    /// [`ActError::Refused`] for an invalid name ([`Identifier::new`]).
    pub fn line(&self, subject: &str, predicate: &str) -> Result<Line, ActError> {
        Ok(Line {
            agent: self.agent(),
            subject: Identifier::new("subject", subject)?,
            predicate: Identifier::new("predicate", predicate)?,
        })
    }

    /// Writes requests in one transaction, each judged with those before it in view; one answer for each.
    ///
    /// # Errors
    /// [`ActError::Store`]: nothing was written, but after an unknown outcome, where the same requests under the same
    /// keys are repeated.
    pub async fn submit(
        &self,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, ActError> {
        let (signer, settings) = (Arc::clone(&self.signer), Arc::clone(&self.settings));
        Ok(self.store.submit(signer, settings, requests).await?)
    }

    /// The answer under an idempotency key; `None` when nothing was committed under it.
    ///
    /// # Errors
    /// [`ActError::Store`].
    pub async fn committed(&self, key: &str) -> Result<Option<ClaimOutcome>, ActError> {
        Ok(self.store.committed(self.agent(), key).await?)
    }

    /// Writes one request.
    fn written(&self, request: Result<ClaimRequest, ActError>) -> Answer<'_, ClaimOutcome> {
        Box::pin(async move {
            let mut answers = self.submit(vec![request?]).await?;
            let answer = answers
                .pop()
                .ok_or(StoreError::Bug("a request without an answer"))?;
            Ok(answer?)
        })
    }
}
