//! What happens to an exchange.

use crate::documents::{DocumentHash, StatusCode};

/// What happens to an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// It begins: the request is written down and may be sent.
    Ask {
        /// How long to wait, 1 to 600 s, in microseconds; what is outside is brought inside.
        timeout_us: u64,
    },
    /// An authentic and bound answer came.
    Answer {
        /// Its bytes.
        hash: DocumentHash,
        /// How it went.
        code: StatusCode,
    },
    /// Something came that is not authentic, not bound or no answer at all.
    Noise,
    /// The transport failed, or the responder is overloaded.
    Failed {
        /// How long the responder wants to be left alone, in microseconds.
        retry_after_us: Option<u64>,
        /// From 0 to 999,999: what chance makes of the delay (±20 %).
        jitter_ppm: u32,
    },
    /// The transport says that there is no use in trying again.
    Refused,
    /// A timer went off; the machine looks at the time itself.
    Tick,
    /// The answer was verified.
    Examined {
        /// How many memories may be stored or shown.
        passed: u32,
        /// How many may not.
        rejected: u32,
    },
    /// What passed is stored.
    Kept,
    /// What passed is not to be stored.
    NotKept,
    /// The asker gives up.
    Cancel,
    /// The process begins again with what was written down.
    Restarted,
    /// A late answer is to be taken after all.
    Adopt {
        /// Which.
        hash: DocumentHash,
    },
}

/// Which sort of event, as it stands in a transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// `ask`
    Ask,
    /// `answer`
    Answer,
    /// `noise`
    Noise,
    /// `failed`
    Failed,
    /// `refused`
    Refused,
    /// `tick`
    Tick,
    /// `examined`
    Examined,
    /// `kept`
    Kept,
    /// `not_kept`
    NotKept,
    /// `cancel`
    Cancel,
    /// `restarted`
    Restarted,
    /// `adopt`
    Adopt,
    /// `late`: an authentic answer after the end, recorded.
    Late,
    /// `equivocation`: a second authentic answer with other bytes, recorded.
    Equivocation,
}

impl EventKind {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Ask,
        Self::Answer,
        Self::Noise,
        Self::Failed,
        Self::Refused,
        Self::Tick,
        Self::Examined,
        Self::Kept,
        Self::NotKept,
        Self::Cancel,
        Self::Restarted,
        Self::Adopt,
        Self::Late,
        Self::Equivocation,
    ];

    /// The name in rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Answer => "answer",
            Self::Noise => "noise",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Tick => "tick",
            Self::Examined => "examined",
            Self::Kept => "kept",
            Self::NotKept => "not_kept",
            Self::Cancel => "cancel",
            Self::Restarted => "restarted",
            Self::Adopt => "adopt",
            Self::Late => "late",
            Self::Equivocation => "equivocation",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
