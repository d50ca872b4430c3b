//! Words for how far a belief, or a version, is to be trusted (I3, I6, I7, I11).

use crate::words;

words! {
    /// Certainty of a belief.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum BeliefStatus {
        /// One value, or a set.
        Resolved = "resolved",
        /// One value whose time rests on a window that is not trusted, or on a coarse boundary.
        TimingUncertain = "timing_uncertain",
        /// Several values that cannot all hold.
        Contested = "contested",
        /// No value now, but one before.
        Ended = "ended",
        /// No value.
        NoBelief = "no_belief",
    }

    /// Ground of a belief.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Support {
        /// Sources outside of the agent.
        External = "external",
        /// Models alone.
        Inferred = "inferred",
    }

    /// Caution to give with a belief, beside its status.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Marker {
        /// A value that decides is not fresh.
        AgingUnconfirmed = "aging_unconfirmed",
        /// A member of a set is not fresh.
        AgedSetMember = "aged_set_member",
        /// A claim that it was derived from no longer holds.
        PendingReview = "pending_review",
        /// A model claims another value.
        ModelDissent = "model_dissent",
        /// Only other agents claim the value.
        PeerSourced = "peer_sourced",
        /// An agent below the minimum of trust claims another value.
        Untrusted = "untrusted",
    }
}

/// Reason for which a version is in dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Contest {
    /// Its chain was continued in two ways at or before it, and the fork is not resolved.
    Fork {
        /// First number at which the branches differ.
        at: u64,
    },
    /// It is in the branch of a forked chain that was resolved not to count.
    Abandoned,
    /// It was signed after its key had come into other hands.
    Key {
        /// The number of the key.
        number: u64,
    },
}

impl core::fmt::Display for Contest {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Fork { at } => write!(f, "contested: its chain forked at {at}"),
            Self::Abandoned => f.write_str("contested: in an abandoned branch of a forked chain"),
            Self::Key { number } => write!(
                f,
                "contested: key {number} was in other hands when it was signed"
            ),
        }
    }
}
