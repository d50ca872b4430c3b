//! Channels: capabilities that the host hands out, from which provenance follows (I4, I5).

use counterfoil_types::DidKey;

use crate::provenance::{Provenance, ProvenanceClass};

/// The door through which a caller speaks. Whoever holds one writes with its provenance and with no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel(Provenance);

/// Makes channels. The host makes one of these and hands out channels; it hands out this to nobody.
#[derive(Debug)]
pub struct Channels {
    _private: (),
}

/// Makes channels for other agents, and no others: what a host gives to whatever talks to them.
#[derive(Debug)]
pub struct PeerChannels {
    _private: (),
}

impl Channels {
    /// For the host, when it configures itself.
    #[must_use]
    pub const fn of_host() -> Self {
        Self { _private: () }
    }

    /// What users say.
    #[must_use]
    pub const fn user(&self) -> Channel {
        Channel(Provenance::assigned(ProvenanceClass::UserAsserted))
    }

    /// What the host has seen itself.
    #[must_use]
    pub const fn first_hand(&self) -> Channel {
        Channel(Provenance::assigned(ProvenanceClass::FirstHand))
    }

    /// What models say.
    #[must_use]
    pub const fn model(&self) -> Channel {
        Channel(Provenance::assigned(ProvenanceClass::ModelDerived))
    }

    /// What an agent extracts from its own recall.
    #[must_use]
    pub const fn recall(&self) -> Channel {
        Channel(Provenance::assigned(ProvenanceClass::RecallReEntry))
    }

    /// The part of this that may be given to whatever talks to other agents.
    #[must_use]
    pub const fn peers(&self) -> PeerChannels {
        PeerChannels { _private: () }
    }

    /// What another agent says, at the trust level (0 to 3) that it has now.
    pub const fn peer(&self, agent: DidKey, level: u8) -> Option<Channel> {
        self.peers().peer(agent, level)
    }
}

impl PeerChannels {
    /// What another agent says, at the trust level (0 to 3) that it has now.
    pub const fn peer(&self, agent: DidKey, level: u8) -> Option<Channel> {
        if level > 3 {
            return None;
        }
        Some(Channel(Provenance::assigned(ProvenanceClass::Peer {
            agent,
            level,
        })))
    }
}

impl Channel {
    /// What is written through it.
    #[must_use]
    pub const fn provenance(&self) -> Provenance {
        self.0
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
        let peer = channels.peer(DidKey::from_public_key([1; 32]), 3).unwrap();
        for (channel, name, rank) in [
            (channels.user(), "user_asserted", ProvenanceRank::Own),
            (channels.first_hand(), "first_hand", ProvenanceRank::Own),
            (peer, "peer", ProvenanceRank::Peer),
            (channels.model(), "model_derived", ProvenanceRank::Inferred),
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
