//! What an agent needs in order to exchange memories: its store, its key, clocks and chance.

use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_claims::{PeerChannels, Settings};
use counterfoil_exchange::documents::{RequestId, Text};
use counterfoil_exchange::trust::TrustSettings;
use counterfoil_store::{
    CapsuleLog, ClaimStore, Entropy, EntropyError, ExchangeStore, MemoryStore,
};
use counterfoil_types::DidKey;

use crate::Timer;

/// All that a store has to be.
pub trait Store: MemoryStore + CapsuleLog + ClaimStore + ExchangeStore {}

impl<S: MemoryStore + CapsuleLog + ClaimStore + ExchangeStore> Store for S {}

/// What an agent needs in order to exchange memories. The host makes one.
#[derive(Clone)]
pub struct Host {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The key of this agent.
    pub signer: Arc<dyn Signer>,
    /// All keys of this agent: those that it signed with before are its own, too.
    pub own_keys: Arc<[DidKey]>,
    /// What it calls itself.
    pub name: Text<128>,
    /// The door for what other agents say.
    pub channels: Arc<PeerChannels>,
    /// What the host decides about claims.
    pub claims: Arc<Settings>,
    /// How trust is counted.
    pub trust: TrustSettings,
    /// Clocks.
    pub timer: Arc<dyn Timer>,
    /// Chance.
    pub entropy: Arc<dyn Entropy>,
}

impl Host {
    /// A new id: a random UUID of version 4 (RFC 9562 §5.4).
    pub(crate) fn draw_id(&self) -> Result<RequestId, EntropyError> {
        let mut bytes = [0; 16];
        self.entropy.fill(&mut bytes)?;
        let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
        *version = (*version & 0x0f) | 0x40;
        *variant = (*variant & 0x3f) | 0x80;
        Ok(RequestId::from_bytes(bytes))
    }
}
