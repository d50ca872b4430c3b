//! What the driver has to do, in order.

use super::{Moment, Transition};
use crate::documents::DocumentHash;

/// What the driver has to do. Effects of one step are carried out in their order; `Persist` comes before what relies on it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// Write this transition down, durably.
    Persist(Transition),
    /// Send the same bytes; `attempt` counts from 0.
    Send {
        /// Which attempt.
        attempt: u8,
    },
    /// Wake the machine with a `Tick` not before this. The last one counts; a `Tick` that comes early does no harm.
    Wake {
        /// By the monotonic clock; `wall_us` is what it would be now.
        at: Moment,
    },
    /// Keep the bytes of this answer with the exchange, durably, before the transition that names it.
    KeepAnswer(DocumentHash),
    /// Verify the answer that is kept.
    Verify(DocumentHash),
    /// Store what passed; to do it twice is to do it once.
    Store,
    /// Tell whoever asked.
    Tell(Notice),
    /// Stop listening and release the transport.
    Close,
}

/// What is told about an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Notice {
    /// Something came that is not authentic; nothing was changed by it.
    Ignored,
    /// Too much of that came; no more is read.
    TooMuchNoise,
    /// The responder gave two answers to one question (case 73).
    Equivocation,
    /// An answer came after the end; it can be adopted for 24 hours.
    Late,
    /// It is too late, or there is no such answer to adopt.
    CannotAdopt,
}

impl Notice {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Ignored,
        Self::TooMuchNoise,
        Self::Equivocation,
        Self::Late,
        Self::CannotAdopt,
    ];
}
