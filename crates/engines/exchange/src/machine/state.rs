//! States of an exchange, and of one memory of an answer (R7).

use counterfoil_types::words;

use crate::checks::Disposition;

words! {
    /// State of an exchange. Those after `received` are final, but for `verified` and `partially_verified`.
    #[derive(PartialOrd, Ord, Hash, Default)]
    pub enum ExchangeState {
        /// Not begun.
        #[default]
        Idle = "idle",
        /// Asked; no authentic answer has come.
        Sent = "sent",
        /// An authentic answer has come, to be verified.
        Received = "received",
        /// All memories passed.
        Verified = "verified",
        /// Some memories passed.
        PartiallyVerified = "partially_verified",
        /// No memory passed.
        Rejected = "rejected",
        /// The memories that passed are stored.
        Stored = "stored",
        /// The memories that passed were not to be stored.
        Discarded = "discarded",
        /// The responder declined to answer.
        Declined = "declined",
        /// The responder has no such memory.
        NoMatch = "no_match",
        /// The responder or the transport failed.
        PeerError = "peer_error",
        /// No authentic answer came in time.
        TimedOut = "timed_out",
        /// The asker gave up.
        Cancelled = "cancelled",
    }
}

impl ExchangeState {
    /// Is the state final? Only `adopt` leaves a final state.
    pub const fn is_final(self) -> bool {
        !matches!(
            self,
            Self::Idle | Self::Sent | Self::Received | Self::Verified | Self::PartiallyVerified
        )
    }
}

words! {
    /// State of one memory.
    #[derive(PartialOrd, Ord, Hash, Default)]
    pub enum ItemState {
        /// Received.
        #[default]
        Received = "received",
        /// Checked.
        Checked = "checked",
        /// Dropped.
        Rejected = "rejected",
        /// Set apart: shown, and stored only by hand.
        Quarantined = "quarantined",
        /// Stored.
        Stored = "stored",
    }
}

/// A step gives the next state; the same where the event has no meaning. A stored or dropped memory stays so, and a later check
/// only lowers: a quarantined memory is stored by hand alone.
impl ItemState {
    /// The checks decided.
    #[must_use]
    pub const fn checked(self, disposition: Disposition) -> Self {
        use Disposition as D;
        match (self, disposition) {
            (Self::Received | Self::Checked | Self::Quarantined, D::Reject) => Self::Rejected,
            (Self::Received | Self::Checked, D::RawOnly) => Self::Quarantined,
            (Self::Received, D::StoredUnverified | D::StoredMedium | D::StoredHigh) => {
                Self::Checked
            }
            (state, _) => state,
        }
    }

    /// The gate accepted the memory.
    #[must_use]
    pub const fn stored(self) -> Self {
        match self {
            Self::Checked | Self::Quarantined => Self::Stored,
            state => state,
        }
    }

    /// The gate refused the memory, or it is not to be stored.
    #[must_use]
    pub const fn set_apart(self) -> Self {
        match self {
            Self::Checked => Self::Quarantined,
            state => state,
        }
    }
}
