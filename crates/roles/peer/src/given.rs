//! Known agents that were given a claim of this agent, and those that were told that it was taken back
//! (docs/format/exchange.md §10.2).

use counterfoil_exchange::documents::{ClaimHash, DocumentHash};
use counterfoil_store::{ExchangeStore, StoreError};
use counterfoil_types::{DidKey, WorldId};

use crate::PeerError;

/// Agent that was given a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingAgent {
    /// The agent.
    pub agent: DidKey,
    /// Answers with the claim that it was given.
    pub times: u64,
    /// It was told that the claim was taken back.
    pub is_told: bool,
}

/// Event that is counted for an agent and a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handover {
    /// The claim was in an answer to the agent.
    Given,
    /// So was the notice that it was taken back.
    Told,
}

/// Returns those of `agents` that were given a claim.
///
/// # Errors
/// [`StoreError`].
pub async fn claim_readers(
    store: &dyn ExchangeStore,
    claim: &WorldId,
    agents: impl IntoIterator<Item = DidKey>,
) -> Result<Vec<ReadingAgent>, StoreError> {
    let mut readers = Vec::new();
    for agent in agents {
        let given = store.heard(&name(Handover::Given, &agent, claim)).await?;
        let told = store.heard(&name(Handover::Told, &agent, claim)).await?;
        if let Some((_, times)) = given {
            let is_told = told.is_some();
            readers.push(ReadingAgent {
                agent,
                times,
                is_told,
            });
        }
    }
    Ok(readers)
}

/// Counts an event.
pub(crate) async fn note(
    store: &dyn ExchangeStore,
    event: Handover,
    (agent, claim): (&DidKey, &WorldId),
    now_us: u64,
) -> Result<(), PeerError> {
    let name = name(event, agent, claim);
    store.note_heard(name, Some(claim.clone()), now_us).await?;
    Ok(())
}

/// The name under which an event is counted, among the names of claims, which its prefix keeps apart.
fn name(event: Handover, agent: &DidKey, claim: &WorldId) -> ClaimHash {
    let event = match event {
        Handover::Given => "given",
        Handover::Told => "told",
    };
    named(&format!(
        "counterfoil/exchange/v1 {event}\n{agent}\n{claim}"
    ))
}

/// The name of a text.
pub(crate) fn named(text: &str) -> ClaimHash {
    ClaimHash::from_digest(*DocumentHash::of(text.as_bytes()).digest())
}
