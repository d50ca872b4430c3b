//! Channels: capabilities that the host hands out, each with its provenance (I4, I5).

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use crate::ClaimError;
use crate::limits::MAX_REFS;
use crate::provenance::{Provenance, ProvenanceClass};

/// Capability to write with one provenance, and with no other; of a claim that other agents handed on, with these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel(Provenance, Vec<DidKey>);

/// Maker of channels. A host makes one, keeps it, and hands out channels.
#[derive(Debug)]
pub struct Channels {
    _private: (),
}

/// Maker of channels of other agents alone, for the component that exchanges with them.
#[derive(Debug)]
pub struct PeerChannels {
    _private: (),
}

impl Channels {
    /// Returns the maker of channels. Only the host may call this, when it is set up.
    pub const fn of_host() -> Self {
        Self { _private: () }
    }

    /// Channel of users.
    pub const fn user(&self) -> Channel {
        Channel(
            Provenance::assigned(ProvenanceClass::UserAsserted),
            Vec::new(),
        )
    }

    /// Channel of the host's own observations.
    pub const fn first_hand(&self) -> Channel {
        Channel(Provenance::assigned(ProvenanceClass::FirstHand), Vec::new())
    }

    /// Channel of models.
    pub const fn model(&self) -> Channel {
        Channel(
            Provenance::assigned(ProvenanceClass::ModelDerived),
            Vec::new(),
        )
    }

    /// Channel of extractions from the agent's own recall.
    pub const fn recall(&self) -> Channel {
        Channel(
            Provenance::assigned(ProvenanceClass::RecallReEntry),
            Vec::new(),
        )
    }

    /// Returns the part that makes channels of other agents alone.
    pub const fn peers(&self) -> PeerChannels {
        PeerChannels { _private: () }
    }

    /// Channel of another agent, at its trust level (0 to 3) at the time of writing; `None` above 3.
    pub const fn peer(&self, agent: DidKey, level: u8) -> Option<Channel> {
        self.peers().peer(agent, level)
    }
}

impl PeerChannels {
    /// Channel of another agent, at its trust level (0 to 3) at the time of writing; `None` above 3.
    pub const fn peer(&self, agent: DidKey, level: u8) -> Option<Channel> {
        if level > 3 {
            return None;
        }
        let class = ProvenanceClass::Peer {
            agent,
            level,
            inferred: false,
        };
        Some(Channel(Provenance::assigned(class), Vec::new()))
    }
}

impl Channel {
    /// The channel of another agent for claims that it has from a model: they stay inferred here. Other channels are as they
    /// were.
    #[must_use]
    pub fn inferred(mut self) -> Self {
        if let ProvenanceClass::Peer { agent, level, .. } = self.0.class() {
            self.0 = Provenance::assigned(ProvenanceClass::Peer {
                agent,
                level,
                inferred: true,
            });
        }
        self
    }

    /// The channel of another agent for claims that these agents handed on, from its own on, none of them twice. Other channels
    /// are as they were.
    ///
    /// # Errors
    /// [`ClaimError::TooMany`] above 16 agents.
    pub fn through(mut self, relays: &[DidKey]) -> Result<Self, ClaimError> {
        if let ProvenanceClass::Peer { agent, .. } = self.0.class() {
            for relay in relays {
                if *relay != agent && !self.1.contains(relay) {
                    self.1.push(*relay);
                }
            }
        }
        match self.1.len() {
            0..=MAX_REFS => Ok(self),
            found => Err(ClaimError::TooMany {
                what: "via",
                limit: MAX_REFS,
                found,
            }),
        }
    }

    /// Provenance of units that are written through the channel.
    pub const fn provenance(&self) -> Provenance {
        self.0
    }

    /// Agents that handed its claims on, from the source on.
    pub(crate) fn via(&self) -> &[DidKey] {
        &self.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProvenanceRank;

    /// I4, CLM-8: the channel decides who stands behind what is written through it.
    #[test]
    fn a_channel_has_one_provenance() {
        let channels = Channels::of_host();
        let key = DidKey::from_public_key([1; 32]);
        let peer = channels.peer(key, 3).unwrap();
        for (channel, name, rank) in [
            (channels.user(), "user_asserted", ProvenanceRank::Own),
            (channels.first_hand(), "first_hand", ProvenanceRank::Own),
            (peer, "peer", ProvenanceRank::Peer),
            (channels.model(), "model_derived", ProvenanceRank::Inferred),
            (
                channels.peer(key, 3).unwrap().inferred(),
                "peer",
                ProvenanceRank::Inferred,
            ),
            (
                channels.user().inferred(),
                "user_asserted",
                ProvenanceRank::Own,
            ),
            (
                channels.recall(),
                "recall_re_entry",
                ProvenanceRank::Inferred,
            ),
        ] {
            let provenance = channel.provenance();
            assert_eq!(provenance.class().name(), name);
            assert_eq!(provenance.rank(), rank);
            assert_eq!(provenance.is_external(), rank > ProvenanceRank::Inferred);
        }
    }

    #[test]
    fn there_are_four_trust_levels() {
        let level = |level| Channels::of_host().peer(DidKey::from_public_key([1; 32]), level);
        assert!(level(0).is_some() && level(3).is_some());
        assert_eq!(level(4), None);
    }
}
