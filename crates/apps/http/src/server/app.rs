//! State that the routes share, and the port to the agent that answers.

use std::net::IpAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use async_trait::async_trait;
use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::Capability;
use counterfoil_peer::{Answering, PeerError};
use counterfoil_web::metrics::Metrics;
use hyper::body::Bytes;
use tokio::sync::{Mutex, Semaphore};

use super::addresses::Addresses;
use super::penalties::Penalties;
use super::{LogFiles, ServerSettings, Witness};

/// Agent that answers: [`Answering`], or a script in tests. The server knows nothing else of the protocol.
#[async_trait]
pub trait Responder: Send + Sync {
    /// Answers the bytes of a `memory_request`.
    ///
    /// # Errors
    /// [`Refusal`], which becomes a problem.
    async fn answer(&self, request: &[u8], from: IpAddr) -> Result<Arc<[u8]>, Refusal>;

    /// Answers the bytes of a `memory_verify`.
    ///
    /// # Errors
    /// [`Refusal`], which becomes a problem.
    async fn verify(&self, request: &[u8], from: IpAddr) -> Result<Arc<[u8]>, Refusal>;

    /// Returns the signed self-description of the agent, for the agent card.
    ///
    /// # Errors
    /// [`PeerError`], which becomes the problem `internal`.
    async fn capability(&self, endpoint: Option<&str>) -> Result<Capability, PeerError>;
}

#[async_trait]
impl Responder for Answering {
    async fn answer(&self, request: &[u8], from: IpAddr) -> Result<Arc<[u8]>, Refusal> {
        Self::answer(self, request, Some(from)).await
    }

    async fn verify(&self, request: &[u8], from: IpAddr) -> Result<Arc<[u8]>, Refusal> {
        Self::verify(self, request, Some(from)).await
    }

    async fn capability(&self, endpoint: Option<&str>) -> Result<Capability, PeerError> {
        Self::capability(self, endpoint).await
    }
}

/// State that the routes share.
pub(super) struct App {
    pub(super) responder: Arc<dyn Responder>,
    pub(super) log: Arc<dyn LogFiles>,
    /// Witness of other logs, if this server is one.
    pub(super) witness: OnceLock<Arc<dyn Witness>>,
    pub(super) settings: ServerSettings,
    /// URL by which others reach this server.
    pub(super) url: String,
    pub(super) addresses: Addresses,
    pub(super) penalties: Penalties,
    /// Permits of the answers under way.
    pub(super) answers: Semaphore,
    /// Permits of the bodies above 64 KiB in memory.
    pub(super) large_bodies: Semaphore,
    /// Last agent card, with its time.
    pub(super) card: Mutex<Option<(Instant, Bytes)>>,
    pub(super) metrics: Metrics,
    pub(super) stopping: AtomicBool,
}

impl App {
    pub(super) fn new(
        (responder, log): (Arc<dyn Responder>, Arc<dyn LogFiles>),
        settings: ServerSettings,
        url: String,
    ) -> Self {
        Self {
            responder,
            log,
            witness: OnceLock::new(),
            url,
            addresses: Addresses::new(&settings),
            penalties: Penalties::default(),
            answers: Semaphore::new(settings.answers),
            large_bodies: Semaphore::new(settings.large_bodies),
            settings,
            card: Mutex::default(),
            metrics: Metrics::default(),
            stopping: AtomicBool::new(false),
        }
    }
}
