//! States of an exchange.

use counterfoil_types::words;

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
