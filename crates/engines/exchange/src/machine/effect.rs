//! Effects of a step, carried out by the driver.

use super::{Moment, Transition};
use crate::documents::DocumentHash;

/// An effect of a step. The driver carries out the effects of one step in their order; `Persist` comes before effects that rely
/// on it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// Store this transition, durably.
    Persist(Transition),
    /// Send the same bytes.
    Send {
        /// Number of the attempt, from 0.
        attempt: u8,
    },
    /// Wake the machine with a `Tick` at this time or later. The last one counts; an early `Tick` does no harm.
    Wake {
        /// The time by the monotonic clock, with the expected wall clock.
        at: Moment,
    },
    /// Store the bytes of this answer with the exchange, durably, before the transition that names it.
    KeepAnswer(DocumentHash),
    /// Verify the stored answer.
    Verify(DocumentHash),
    /// Store the memories that passed; idempotent.
    Store,
    /// Notify the asker.
    Tell(Notice),
    /// Stop listening and release the transport.
    Close,
}

/// Notice about an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Notice {
    /// Bytes that are not authentic came, and changed nothing.
    Ignored,
    /// Too many such bytes came; no more are read.
    TooMuchNoise,
    /// The responder gave two answers to one request (case 73).
    Equivocation,
    /// An answer came after the end; it can be adopted for 24 hours.
    Late,
    /// It is too late, or there is no such answer to adopt.
    CannotAdopt,
}

impl Notice {
    /// All variants.
    pub const ALL: [Self; 5] = [
        Self::Ignored,
        Self::TooMuchNoise,
        Self::Equivocation,
        Self::Late,
        Self::CannotAdopt,
    ];
}
