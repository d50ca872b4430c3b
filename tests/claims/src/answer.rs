//! What the oracle answers: plain data.

use crate::calendar::Micros;
use crate::request::Id;

/// Enums of the words of docs/format/claims.md, found by their names.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($word:ident),+ })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the words are those of docs/format/claims.md")]
        pub enum $name { $($word),+ }

        impl $name {
            /// Returns the word of that name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($word) => Some(Self::$word),)+
                    _ => None,
                }
            }
        }
    )+};
}

words! {
    /// Result of a request (5, 6).
    Disposition { Committed, CommittedInferred, Corroborated, Confirmed, Contested, QueuedForAdjudication, Quarantined, DeniedAlready, Bounded, Superseded, Reinstated, Released, Affirmed, Denied, Retracted, NoChange }
    /// Certainty of a belief (7).
    Status { Resolved, TimingUncertain, Contested, Ended, NoBelief }
    /// Ground of a belief (7).
    Support { External, Inferred }
    /// Age of the last confirmation of a value (7).
    Currency { Fresh, AgingUnconfirmed, Decayed }
    /// Caution to give with a belief (7).
    Marker { AgingUnconfirmed, AgedSetMember, PendingReview, ModelDissent, PeerSourced, Untrusted }
    /// State of a claim in a history (7).
    State { Current, Scheduled, Ended, Superseded, Contested, Quarantined, Denied, Retracted }
}

/// Why something is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the words are those of docs/format/claims.md 4 to 6"
)]
pub enum Refused {
    KeyReused,
    ClaimNotFound,
    OtherLine,
    AnchorNotFound,
    Itself,
    TooMany,
    ManyValues,
    SecondValue,
    Ambiguous(usize),
    IncoherentWindow,
    InsufficientProvenance,
    InadmissibleEvidence,
    HandleNotFound,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// What was decided.
    Done(Done),
    /// Refused, for any of these reasons.
    Refused(Vec<Refused>),
}

/// What was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// What became of it.
    pub disposition: Disposition,
    /// The row of the gate; 0 for assertions.
    pub row: u8,
    /// The claim that stands for it.
    pub reference: Id,
    /// The entry that was written.
    pub written: Option<Id>,
    /// Claims that contradict it.
    pub rivals: Vec<Id>,
    /// The claim that it equals.
    pub equals: Option<Id>,
    /// Of a model's claim.
    pub depth: Option<u32>,
    /// Claims that it may not supersede.
    pub ignored: Vec<Id>,
    /// A model or an extractor repeated it.
    pub echo: bool,
}

/// `[start, end)`; `None` is open.
pub type Span = (Option<Micros>, Option<Micros>);

/// A value and the claims that say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Canonical JSON.
    pub value: String,
    /// The claims in the order of their numbers, each with its effective window.
    pub claims: Vec<(Id, Span)>,
    /// Independent corroborations.
    pub corroborations: usize,
    /// When it was confirmed last.
    pub confirmed: Micros,
    /// How long ago that is.
    pub currency: Currency,
    /// In the order of their declaration.
    pub markers: Vec<Marker>,
}

/// A belief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Belief {
    /// How certain.
    pub status: Status,
    /// What it rests on.
    pub support: Option<Support>,
    /// What decides.
    pub sides: Vec<Side>,
    /// What does not.
    pub alternatives: Vec<Side>,
    /// In the order of their declaration.
    pub markers: Vec<Marker>,
}

/// A claim in a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// Which.
    pub claim: Id,
    /// What became of it.
    pub state: State,
    /// Its effective window; `None` when nothing is left of it.
    pub window: Option<Span>,
    /// Independent corroborations.
    pub corroborations: usize,
}
