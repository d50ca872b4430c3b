//! A belief and its parts.

use alloc::vec::Vec;

use crate::time::{Micros, ValidTime, Window};
use crate::{ClaimRef, FactValue, Line, Provenance, TransactionTime, Unit};

/// The most sides of a contest, alternatives, and claims of a side that a belief lists.
pub const MAX_LISTED: usize = 256;

/// What is asked: about when, as known when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// The instant that is asked about.
    pub valid_at: Micros,
    /// Units recorded later do not count; microseconds since 1970.
    pub as_of_us: u64,
}

/// How certain a belief is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum BeliefStatus {
    /// One value, or a set.
    Resolved,
    /// One value, but when it holds rests on a window that is not trusted, or on a coarse boundary.
    TimingUncertain,
    /// Several values that cannot all hold.
    Contested,
    /// Something was believed before.
    Ended,
    /// Nothing is known.
    NoBelief,
}

/// What a belief rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Support {
    /// Sources outside of the agent.
    External,
    /// Models alone.
    Inferred,
}

/// How long ago a value was confirmed (I11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Currency {
    /// Lately.
    Fresh,
    /// A while ago.
    AgingUnconfirmed,
    /// Long ago.
    Decayed,
}

/// What a reader has to know beside the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Marker {
    /// A value that decides is not fresh.
    AgingUnconfirmed,
    /// A member of a set is not fresh.
    AgedSetMember,
    /// Something that it was derived from no longer stands.
    PendingReview,
    /// A model says otherwise.
    ModelDissent,
    /// Only other agents say so.
    PeerSourced,
}

/// A claim that supports a side.
#[derive(Debug, Clone, PartialEq)]
pub struct SideClaim {
    /// The claim.
    pub reference: ClaimRef,
    /// Its log index.
    pub index: u64,
    /// Who said so.
    pub provenance: Provenance,
    /// When it was recorded.
    pub stamp: TransactionTime,
    /// When it was said to hold.
    pub valid: Option<ValidTime>,
    /// Its effective window.
    pub window: Window,
    /// How many independent sources have said the same since.
    pub corroborations: u32,
}

/// One value, and what speaks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefSide {
    /// The value.
    pub value: FactValue,
    /// The claims, in the order of their numbers; at most [`MAX_LISTED`], those of the highest standing.
    pub claims: Vec<SideClaim>,
    /// How many there are.
    pub claim_count: usize,
    /// How many independent sources have corroborated one of them.
    pub corroborations: u32,
    /// When it was confirmed last by an independent source.
    pub confirmed: TransactionTime,
    /// How long ago that is.
    pub currency: Currency,
    /// What has to be known of this value: what its own claims give.
    pub markers: Vec<Marker>,
}

/// What is believed of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Belief {
    /// The line.
    pub line: Line,
    /// What was asked.
    pub question: Question,
    /// How certain it is.
    pub status: BeliefStatus,
    /// What it rests on; `None` when nothing is believed.
    pub support: Option<Support>,
    /// The values that decide: one, the members of a set, or all sides of a contest. In the order of their first
    /// claims; of a contest at most [`MAX_LISTED`], those of the highest standing.
    pub sides: Vec<BeliefSide>,
    /// How many there are.
    pub side_count: usize,
    /// Values that do not decide: a model's dissent, what was handed over. At most [`MAX_LISTED`], as for `sides`.
    pub alternatives: Vec<BeliefSide>,
    /// How many there are.
    pub alternative_count: usize,
    /// In the order of their declaration, none twice.
    pub markers: Vec<Marker>,
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ClaimState {
    /// It holds at the instant that was asked about.
    Current,
    /// It will hold.
    Scheduled,
    /// It has held.
    Ended,
    /// Another claim has its place.
    Superseded,
    /// It holds, and others contradict it.
    Contested,
    /// It is kept apart.
    Quarantined,
    /// It was denied.
    Denied,
}

/// A claim in the history of its line.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    /// The claim.
    pub claim: Unit,
    /// What became of it.
    pub state: ClaimState,
    /// Its effective window; empty when nothing of it is left.
    pub window: Window,
    /// The unit that made it so, where that is another one.
    pub because_of: Option<ClaimRef>,
    /// How many independent sources have said the same since.
    pub corroborations: u32,
    /// How long ago it was confirmed by an independent source.
    pub currency: Currency,
}

/// What stands behind derived claims, on other lines.
pub trait Ancestry {
    /// Whether an ancestor of one of the claims of a side was superseded, denied or contested. Each of them has ancestors.
    fn needs_review(&self, claims: &[&Unit], question: Question) -> bool;
}

impl Belief {
    /// The one value that is believed; `None` for sets, contests and when nothing is.
    #[must_use]
    pub fn primary(&self) -> Option<&FactValue> {
        match (self.status, self.sides.as_slice()) {
            _ if self.side_count > 1 => None,
            (BeliefStatus::Resolved | BeliefStatus::TimingUncertain, [side]) => Some(&side.value),
            _ => None,
        }
    }
}
