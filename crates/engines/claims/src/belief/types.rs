//! A belief and its parts.

use alloc::vec::Vec;

use counterfoil_types::words;
pub use counterfoil_types::{BeliefStatus, Marker, Support};

use crate::time::{Micros, ValidTime, Window};
use crate::{ClaimRef, FactValue, Identifier, Line, Provenance, TransactionTime, Unit};

/// Most sides of a contest, alternatives, and claims of a side that a belief lists.
pub const MAX_LISTED: usize = 256;

/// Instant of valid time and state of knowledge of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// Instant of valid time.
    pub valid_at: Micros,
    /// Last transaction time that counts, microseconds since 1970; units recorded later are left out.
    pub as_of_us: u64,
}

words! {
    /// Age of the last confirmation of a value (I11), by the limits of the settings.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Currency {
        /// Confirmed lately; by default less than 30 days ago.
        Fresh = "fresh",
        /// Confirmed a while ago; by default less than 90 days ago.
        AgingUnconfirmed = "aging_unconfirmed",
        /// Confirmed long ago.
        Decayed = "decayed",
    }

    /// State of a claim at the instant of the question.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ClaimState {
        /// Holds.
        Current = "current",
        /// Holds later.
        Scheduled = "scheduled",
        /// Held before.
        Ended = "ended",
        /// Replaced by another claim.
        Superseded = "superseded",
        /// Holds, and others contradict it.
        Contested = "contested",
        /// Kept apart.
        Quarantined = "quarantined",
        /// Denied by a verdict.
        Denied = "denied",
        /// Taken back: it never held.
        Retracted = "retracted",
    }
}

/// Claim that supports a side.
#[derive(Debug, Clone, PartialEq)]
pub struct SideClaim {
    /// Reference of the claim.
    pub reference: ClaimRef,
    /// Name of the subject in the claim; `None` where the subject has one name.
    pub said_of: Option<Identifier>,
    /// Log index.
    pub index: u64,
    /// Provenance.
    pub provenance: Provenance,
    /// Transaction time.
    pub stamp: TransactionTime,
    /// Valid time that the source gave.
    pub valid: Option<ValidTime>,
    /// Effective window.
    pub window: Window,
    /// Number of independent sources that have corroborated it.
    pub corroborations: u32,
}

/// One value of a belief with its claims.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefSide {
    /// Value of the side.
    pub value: FactValue,
    /// Claims in the order of their numbers; at most [`MAX_LISTED`], those of the highest rank.
    pub claims: Vec<SideClaim>,
    /// Number of claims, listed or not.
    pub claim_count: usize,
    /// Number of independent sources that have corroborated one of them.
    pub corroborations: u32,
    /// Last confirmation by an independent source.
    pub confirmed: TransactionTime,
    /// Age of that confirmation.
    pub currency: Currency,
    /// Cautions that follow from the side's own claims.
    pub markers: Vec<Marker>,
}

/// Belief of a line. Beliefs are never stored: they are folded from claims on read.
#[derive(Debug, Clone, PartialEq)]
pub struct Belief {
    /// Line of the belief, by the main name of the subject.
    pub line: Line,
    /// Names of the subject whose lines are folded, the main one first; none where it has one name.
    pub names: Vec<Identifier>,
    /// Question that it answers.
    pub question: Question,
    /// Certainty.
    pub status: BeliefStatus,
    /// True where a deciding claim holds at the time asked about by each reading of its dates: a dated one outside of
    /// its coarse boundaries, an undated one from its statement on.
    pub certain_of_time: bool,
    /// Ground; `None` without a value.
    pub support: Option<Support>,
    /// Values that decide: one, the members of a set, or all sides of a contest. In the order of their first
    /// claims; of a contest at most [`MAX_LISTED`], those of the highest rank.
    pub sides: Vec<BeliefSide>,
    /// Number of values that decide, listed or not.
    pub side_count: usize,
    /// Values that do not decide: a model's dissent, a value that was handed over. At most [`MAX_LISTED`], as for `sides`.
    pub alternatives: Vec<BeliefSide>,
    /// Number of values that do not decide, listed or not.
    pub alternative_count: usize,
    /// Cautions in the order of their declaration, none twice.
    pub markers: Vec<Marker>,
}

/// Claim in the history of its line.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    /// Unit of the claim.
    pub claim: Unit,
    /// State at the instant of the question.
    pub state: ClaimState,
    /// Effective window; empty when nothing of it is left.
    pub window: Window,
    /// Unit that brought the state about, unless it is the claim itself.
    pub because_of: Option<ClaimRef>,
    /// Number of independent sources that have corroborated it.
    pub corroborations: u32,
    /// Age of the last confirmation by an independent source.
    pub currency: Currency,
}

impl Belief {
    /// Returns true for one value or a set that nothing contradicts and that holds at the time asked about for certain:
    /// since when may be unknown (docs/format/policy.md, `require_resolved`).
    pub fn is_settled(&self) -> bool {
        match self.status {
            BeliefStatus::Resolved => true,
            BeliefStatus::TimingUncertain => self.certain_of_time,
            _ => false,
        }
    }

    /// Returns the one value that is believed; `None` for sets, contests and without a value.
    pub fn primary(&self) -> Option<&FactValue> {
        match (self.status, self.sides.as_slice()) {
            _ if self.side_count > 1 => None,
            (BeliefStatus::Resolved | BeliefStatus::TimingUncertain, [side]) => Some(&side.value),
            _ => None,
        }
    }
}
