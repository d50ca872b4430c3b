//! Keys of agents by number, as far as they are known (capsules 4.7: key-at-seq).

use counterfoil_types::DidKey;

use crate::header::Header;
use crate::keys::KeyHistory;

/// Looks up keys of agents by their numbers.
pub trait AgentKeys {
    /// The key of that number in the agent's key chain; `None` when it is not known. Not asked for
    /// number 0, which is the key that the agent is named after.
    fn key_at(&self, agent: &DidKey, number: u64) -> Option<DidKey>;
}

impl AgentKeys for KeyHistory {
    fn key_at(&self, agent: &DidKey, number: u64) -> Option<DidKey> {
        (*agent == self.agent())
            .then(|| Self::key_at(self, number))
            .flatten()
    }
}

/// `None` knows no key chain: for agents that never rotated.
impl AgentKeys for Option<KeyHistory> {
    fn key_at(&self, agent: &DidKey, number: u64) -> Option<DidKey> {
        AgentKeys::key_at(self.as_ref()?, agent, number)
    }
}

/// The key that signs the capsule of that header; `None` when it is not known.
#[must_use]
pub fn key_of(header: &Header, keys: &dyn AgentKeys) -> Option<DidKey> {
    match header.key_number() {
        0 => Some(header.agent()),
        number => keys.key_at(&header.agent(), number),
    }
}
