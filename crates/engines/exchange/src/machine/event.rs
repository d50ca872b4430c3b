//! Events of an exchange, and the effects of a step, carried out by the driver.

use counterfoil_types::words;

use super::{Moment, Transition};
use crate::documents::{DocumentHash, StatusCode};

/// An event of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// It begins: the request is stored and may be sent.
    Ask {
        /// Time to wait, in microseconds, clamped to 1 to 600 s.
        timeout_us: u64,
    },
    /// An authentic and bound answer came.
    Answer {
        /// Hash of its bytes.
        hash: DocumentHash,
        /// Its result.
        code: StatusCode,
    },
    /// Bytes came that are not authentic, not bound or no answer.
    Noise,
    /// The transport failed, or the responder is overloaded.
    Failed {
        /// Time after which the responder accepts a request again, in microseconds.
        retry_after_us: Option<u64>,
        /// Random part of the delay, 0 to 999,999: ±20 %.
        jitter_ppm: u32,
    },
    /// The transport failed for good.
    Refused,
    /// A timer went off; the machine compares the time itself.
    Tick,
    /// The answer was verified.
    Examined {
        /// Number of memories that may be stored or shown.
        passed: u32,
        /// Number of rejected memories.
        rejected: u32,
    },
    /// The memories that passed are stored.
    Kept,
    /// The memories that passed are not to be stored.
    NotKept,
    /// The asker gives up.
    Cancel,
    /// The process begins again with the stored rows.
    Restarted,
    /// A late answer is to be taken after all.
    Adopt {
        /// Hash of the answer.
        hash: DocumentHash,
    },
}

words! {
    /// Kind of an event, as in a transition.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum EventKind {
        /// `ask`
        Ask = "ask",
        /// `answer`
        Answer = "answer",
        /// `noise`
        Noise = "noise",
        /// `failed`
        Failed = "failed",
        /// `refused`
        Refused = "refused",
        /// `tick`
        Tick = "tick",
        /// `examined`
        Examined = "examined",
        /// `kept`
        Kept = "kept",
        /// `not_kept`
        NotKept = "not_kept",
        /// `cancel`
        Cancel = "cancel",
        /// `restarted`
        Restarted = "restarted",
        /// `adopt`
        Adopt = "adopt",
        /// `late`: an authentic answer after the end, recorded.
        Late = "late",
        /// `equivocation`: a second authentic answer with other bytes, recorded.
        Equivocation = "equivocation",
    }
}

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

words! {
    /// Notice about an exchange.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Notice {
        /// Bytes that are not authentic came, and changed nothing.
        Ignored = "ignored",
        /// Too many such bytes came; no more are read.
        TooMuchNoise = "tooMuchNoise",
        /// The responder gave two answers to one request (case 73).
        Equivocation = "equivocation",
        /// An answer came after the end; it can be adopted for 24 hours.
        Late = "late",
        /// It is too late, or there is no such answer to adopt.
        CannotAdopt = "cannotAdopt",
    }
}
