//! Events of an exchange.

use counterfoil_types::words;

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
