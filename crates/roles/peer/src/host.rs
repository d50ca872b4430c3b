//! Store, key, clocks and random source of an agent that exchanges memories.

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::Signer;
use counterfoil_claims::{PeerChannels, Settings};
use counterfoil_exchange::checks::FreshnessLimits;
use counterfoil_exchange::documents::{Party, RequestId, Text};
use counterfoil_exchange::machine::Moment;
use counterfoil_exchange::trust::TrustSettings;
use counterfoil_store::{Entropy, ExchangeStore, StoreError};
use counterfoil_types::DidKey;

use crate::asking::EvidenceSource;

/// Clocks and timer of the program's runtime.
#[async_trait]
pub trait Timer: Send + Sync {
    /// Returns the time of both clocks. The monotonic one also counts the time for which the machine is suspended (case 77).
    fn now(&self) -> Moment;

    /// Returns at or after `monotonic_us`. Dropping the future loses nothing.
    async fn sleep_until(&self, monotonic_us: u64);
}

/// Source of the settings of claims. They change while a process runs, also by another process.
#[async_trait]
pub trait ClaimSettings: Send + Sync {
    /// Returns the settings as of now, with the trust in other agents and the forgotten memories.
    ///
    /// # Errors
    /// [`StoreError`] if the log or the settings cannot be read. No belief is then computed.
    async fn current(&self) -> Result<Arc<Settings>, StoreError>;
}

/// Settings that nothing changes.
#[async_trait]
impl ClaimSettings for Settings {
    async fn current(&self) -> Result<Arc<Settings>, StoreError> {
        Ok(Arc::new(self.clone()))
    }
}

/// Environment of one agent, made by the host.
#[derive(Clone)]
pub struct Host {
    /// Store.
    pub store: Arc<dyn ExchangeStore>,
    /// Current key of this agent.
    pub signer: Arc<dyn Signer>,
    /// Every key of this agent, earlier ones included.
    pub own_keys: Arc<[DidKey]>,
    /// Name that this agent gives itself in documents.
    pub name: Text<128>,
    /// Channels for claims of other agents.
    pub channels: Arc<PeerChannels>,
    /// Settings of claims.
    pub claims: Arc<dyn ClaimSettings>,
    /// Settings of trust.
    pub trust: TrustSettings,
    /// Limits of freshness of received memories.
    pub freshness: FreshnessLimits,
    /// Fetcher of evidence; without one nothing is fetched.
    pub evidence: Option<Arc<dyn EvidenceSource>>,
    /// Clocks.
    pub timer: Arc<dyn Timer>,
    /// Random source.
    pub entropy: Arc<dyn Entropy>,
}

impl Host {
    /// Returns this agent as a party of a document.
    pub(crate) fn party(&self) -> Party {
        Party {
            agent_id: self.name.clone(),
            public_key: Some(self.signer.key()),
        }
    }

    /// Returns a random UUID of version 4 (RFC 9562 §5.4).
    pub(crate) fn draw_id(&self) -> Result<RequestId, StoreError> {
        let mut bytes = [0; 16];
        self.entropy.fill(&mut bytes)?;
        let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
        *version = (*version & 0x0f) | 0x40;
        *variant = (*variant & 0x3f) | 0x80;
        Ok(RequestId::from_bytes(bytes))
    }
}
