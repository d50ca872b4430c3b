//! The port to who answers. The server knows nothing else of the protocol.

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::Capability;
use counterfoil_peer::{Answering, Origin, PeerError};

/// Who answers: [`Answering`], or a script in tests.
#[async_trait]
pub trait Responder: Send + Sync {
    /// Answers the bytes of a `memory_request`.
    ///
    /// # Errors
    /// [`Refusal`], which becomes a problem.
    async fn answer(&self, request: &[u8], origin: Origin) -> Result<Arc<[u8]>, Refusal>;

    /// Answers the bytes of a `memory_verify`.
    ///
    /// # Errors
    /// [`Refusal`], which becomes a problem.
    async fn verify(&self, request: &[u8], origin: Origin) -> Result<Arc<[u8]>, Refusal>;

    /// What this agent says of itself, for the agent card.
    ///
    /// # Errors
    /// [`PeerError`], which becomes the problem `internal`.
    async fn capability(&self, endpoint: Option<&str>) -> Result<Capability, PeerError>;
}

#[async_trait]
impl Responder for Answering {
    async fn answer(&self, request: &[u8], origin: Origin) -> Result<Arc<[u8]>, Refusal> {
        Self::answer(self, request, origin).await
    }

    async fn verify(&self, request: &[u8], origin: Origin) -> Result<Arc<[u8]>, Refusal> {
        Self::verify(self, request, origin).await
    }

    async fn capability(&self, endpoint: Option<&str>) -> Result<Capability, PeerError> {
        Self::capability(self, endpoint).await
    }
}
