//! What the oracle answers: plain data.

use crate::calendar::Micros;
use crate::request::Id;

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the words are those of docs/format/claims.md 5 and 6"
)]
pub enum Disposition {
    Committed,
    CommittedInferred,
    Corroborated,
    Contested,
    Queued,
    Quarantined,
    DeniedAlready,
    Bounded,
    Superseded,
    Reinstated,
    Released,
    Affirmed,
    Denied,
    NoChange,
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
    /// What was served came back.
    pub re_entry: bool,
    /// Too many re-entries.
    pub burst: bool,
}

/// The status of a belief.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the words are those of docs/format/claims.md 7"
)]
pub enum Status {
    Resolved,
    TimingUncertain,
    Contested,
    Ended,
    NoBelief,
}

/// What a belief rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the words are those of docs/format/claims.md 7"
)]
pub enum Support {
    External,
    Inferred,
}

/// How long ago a value was confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the words are those of docs/format/claims.md 7"
)]
pub enum Currency {
    Fresh,
    AgingUnconfirmed,
    Decayed,
}

/// What a reader has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the words are those of docs/format/claims.md 7"
)]
pub enum Marker {
    AgingUnconfirmed,
    AgedSetMember,
    PendingReview,
    ModelDissent,
    PeerSourced,
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

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the words are those of docs/format/claims.md 7"
)]
pub enum State {
    Current,
    Scheduled,
    Ended,
    Superseded,
    Contested,
    Quarantined,
    Denied,
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
