//! Whose key has which number, as far as it is known (capsules 4.7: key-at-seq).

use counterfoil_types::DidKey;

use crate::header::Header;
use crate::keys::KeyHistory;

/// Looks up keys of agents by their numbers.
pub trait AgentKeys {
    /// The key of that number in the agent's key chain; `None` when it is not known. Not asked for
    /// number 0, which is the key that the agent is named after.
    fn key_at(&self, agent: &DidKey, number: u64) -> Option<DidKey>;
}

/// Knows no key chain: for agents that never rotated.
#[derive(Debug, Clone, Copy, Default)]
pub struct FirstKeys;

impl AgentKeys for FirstKeys {
    fn key_at(&self, _: &DidKey, _: u64) -> Option<DidKey> {
        None
    }
}

impl AgentKeys for KeyHistory {
    fn key_at(&self, agent: &DidKey, number: u64) -> Option<DidKey> {
        (*agent == self.agent())
            .then(|| Self::key_at(self, number))
            .flatten()
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
