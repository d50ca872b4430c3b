//! Channels of claims.

use clap::ValueEnum;
use counterfoil_claims::{Channel, Channels};

/// Channel of a claim. Provenance follows from the channel alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChannelName {
    /// The user said so
    User,
    /// The host has seen it itself
    FirstHand,
    /// A model said so: it never overturns what came from outside
    Model,
}

impl ChannelName {
    /// The host's channel of this name. The person who runs this program is the host.
    pub(crate) fn channel(self) -> Channel {
        let channels = Channels::of_host();
        match self {
            Self::User => channels.user(),
            Self::FirstHand => channels.first_hand(),
            Self::Model => channels.model(),
        }
    }
}
