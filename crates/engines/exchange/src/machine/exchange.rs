//! An exchange: everything that its next step depends on.

use alloc::vec::Vec;

use super::timing::MAX_TIMEOUT_US;
use super::{EventKind, ExchangeState, Moment, Transition};
use crate::documents::DocumentHash;

/// So many answers beside the first are written down. A store keeps four answers of one exchange.
pub(super) const MAX_OTHERS: usize = 3;

/// An exchange. What is durable of it is what [`Transition`]s say; timers and counts begin anew with the process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    pub(super) state: ExchangeState,
    pub(super) limits: Limits,
    pub(super) rows: u32,
    pub(super) asked_us: u64,
    pub(super) deadline_wall_us: Option<u64>,
    pub(super) first: Option<DocumentHash>,
    pub(super) late: Option<(DocumentHash, u64)>,
    pub(super) others: Vec<DocumentHash>,
    pub(super) attempt: u8,
    pub(super) noise: u8,
    pub(super) deadline_monotonic_us: Option<u64>,
    pub(super) retry_at_us: Option<u64>,
}

/// Limits of an exchange (docs/format/exchange.md §9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// What is not authentic is read so often.
    pub noise: u8,
    /// So often the same bytes are sent again.
    pub retries: u8,
    /// For so long a late answer can be adopted, in microseconds.
    pub adopt_us: u64,
    /// So long a verification may take, in microseconds.
    pub verify_us: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            noise: 16,
            retries: 3,
            adopt_us: 24 * 3600 * 1_000_000,
            verify_us: 30_000_000,
        }
    }
}

impl Exchange {
    /// One that nobody has begun.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Its state.
    #[must_use]
    pub const fn state(&self) -> ExchangeState {
        self.state
    }

    /// The answer that counts.
    #[must_use]
    pub const fn answer(&self) -> Option<&DocumentHash> {
        self.first.as_ref()
    }

    /// The answer that came after the end and can be adopted.
    #[must_use]
    pub fn late(&self) -> Option<&DocumentHash> {
        self.late.as_ref().map(|(hash, _)| hash)
    }

    /// Answers of the same responder with other bytes: what shows that it gave more than one (case 73).
    #[must_use]
    pub fn others(&self) -> &[DocumentHash] {
        &self.others
    }

    /// Until when an answer is waited for, by the wall clock, microseconds since 1970.
    #[must_use]
    pub const fn deadline_us(&self) -> Option<u64> {
        self.deadline_wall_us
    }

    /// How many rows were written of it.
    #[must_use]
    pub const fn rows(&self) -> u32 {
        self.rows
    }

    /// The answer that any other one contradicts.
    pub(super) fn held(&self) -> Option<DocumentHash> {
        self.first.or(self.late.map(|(hash, _)| hash))
    }

    /// Has the monotonic deadline passed?
    pub(super) fn is_overdue(&self, at: Moment) -> bool {
        self.deadline_monotonic_us
            .is_some_and(|deadline| deadline <= at.monotonic_us)
    }

    /// Counts by the wall clock what is left, and never more than was left before or was there in the beginning.
    pub(super) fn rearm(&mut self, at: Moment) {
        let until = self.deadline_wall_us.unwrap_or(0);
        let whole = until.saturating_sub(self.asked_us).min(MAX_TIMEOUT_US);
        let left = at
            .monotonic_us
            .saturating_add(until.saturating_sub(at.wall_us).min(whole));
        let before = self.deadline_monotonic_us.unwrap_or(u64::MAX);
        self.deadline_monotonic_us = Some(left.min(before));
    }

    /// Timers are of a state, and end with it.
    pub(super) fn forget_timers(&mut self) {
        self.deadline_monotonic_us = None;
        self.retry_at_us = None;
    }

    /// Takes a row over: the one place where what is durable changes.
    pub(super) fn record(&mut self, row: &Transition) {
        self.rows = self.rows.saturating_add(1);
        match (row.event, row.evidence) {
            (EventKind::Ask, _) => {
                self.asked_us = row.at_us;
                self.deadline_wall_us = row.deadline_us;
            }
            (EventKind::Answer, Some(hash)) => self.first = Some(hash),
            (EventKind::Adopt, Some(hash)) => {
                self.first = Some(hash);
                self.late = None;
            }
            (EventKind::Late, Some(hash)) => self.late = Some((hash, row.at_us)),
            (EventKind::Equivocation, Some(hash)) => self.others.push(hash),
            _ => {}
        }
        let gave_up = matches!(row.to, ExchangeState::TimedOut | ExchangeState::Cancelled);
        if let (ExchangeState::Received, true, Some(first)) = (row.from, gave_up, self.first) {
            self.late = Some((first, row.at_us));
        }
        self.state = row.to;
    }
}
