//! The states of an exchange.

/// The state of an exchange. Those after `received` are final, but for `verified` and `partially_verified`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ExchangeState {
    /// Nothing was asked.
    #[default]
    Idle,
    /// Asked; nothing authentic has come.
    Sent,
    /// An authentic answer is here, to be verified.
    Received,
    /// Each memory passed.
    Verified,
    /// Some memories passed.
    PartiallyVerified,
    /// No memory passed.
    Rejected,
    /// What passed is stored.
    Stored,
    /// What passed was not to be stored.
    Discarded,
    /// The responder does not want to say.
    Declined,
    /// The responder has nothing.
    NoMatch,
    /// The responder could not, or the transport gave up.
    PeerError,
    /// Nothing authentic came in time.
    TimedOut,
    /// The asker gave up.
    Cancelled,
}

impl ExchangeState {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Idle,
        Self::Sent,
        Self::Received,
        Self::Verified,
        Self::PartiallyVerified,
        Self::Rejected,
        Self::Stored,
        Self::Discarded,
        Self::Declined,
        Self::NoMatch,
        Self::PeerError,
        Self::TimedOut,
        Self::Cancelled,
    ];

    /// The name in rows and documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Sent => "sent",
            Self::Received => "received",
            Self::Verified => "verified",
            Self::PartiallyVerified => "partially_verified",
            Self::Rejected => "rejected",
            Self::Stored => "stored",
            Self::Discarded => "discarded",
            Self::Declined => "declined",
            Self::NoMatch => "no_match",
            Self::PeerError => "peer_error",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Does nothing follow, short of `adopt`?
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(
            self,
            Self::Idle | Self::Sent | Self::Received | Self::Verified | Self::PartiallyVerified
        )
    }
}
