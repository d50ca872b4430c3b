//! An exchange: the state that its next step depends on.

use alloc::vec::Vec;

use super::timing::MAX_TIMEOUT_US;
use super::{EventKind, ExchangeState, Moment, Transition};
use crate::documents::DocumentHash;

/// Most answers that are stored beside the first. A store has room for four answers of one exchange.
pub(super) const MAX_OTHERS: usize = 3;

/// An exchange. Its durable part follows from its [`Transition`]s; timers and counts begin anew with the process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    pub(super) state: ExchangeState,
    pub(super) limits: ExchangeLimits,
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

/// ExchangeLimits of an exchange (docs/format/exchange.md §9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeLimits {
    /// Most arrivals that are not authentic.
    pub noise: u8,
    /// Most times that the same bytes are sent again.
    pub retries: u8,
    /// Time for which a late answer can be adopted, in microseconds.
    pub adopt_us: u64,
    /// Longest verification, in microseconds.
    pub verify_us: u64,
}

impl Default for ExchangeLimits {
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
    /// An exchange that has not begun.
    pub fn new(limits: ExchangeLimits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Its state.
    pub const fn state(&self) -> ExchangeState {
        self.state
    }

    /// The answer that counts.
    pub const fn answer(&self) -> Option<&DocumentHash> {
        self.first.as_ref()
    }

    /// The answer that came after the end and can be adopted.
    pub fn late(&self) -> Option<&DocumentHash> {
        self.late.as_ref().map(|(hash, _)| hash)
    }

    /// Answers of the same responder with other bytes, which prove that it gave more than one (case 73).
    pub fn others(&self) -> &[DocumentHash] {
        &self.others
    }

    /// End of the wait for an answer by the wall clock, in microseconds since 1970.
    pub const fn deadline_us(&self) -> Option<u64> {
        self.deadline_wall_us
    }

    /// Number of its stored rows.
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

    /// Sets the monotonic deadline by the rest of the wall clock's, never later than before or than the whole wait.
    pub(super) fn rearm(&mut self, at: Moment) {
        let until = self.deadline_wall_us.unwrap_or(0);
        let whole = until.saturating_sub(self.asked_us).min(MAX_TIMEOUT_US);
        let left = at
            .monotonic_us
            .saturating_add(until.saturating_sub(at.wall_us).min(whole));
        let before = self.deadline_monotonic_us.unwrap_or(u64::MAX);
        self.deadline_monotonic_us = Some(left.min(before));
    }

    /// Ends the timers of a state.
    pub(super) fn forget_timers(&mut self) {
        self.deadline_monotonic_us = None;
        self.retry_at_us = None;
    }

    /// Applies a row: the only place where the durable part changes.
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
