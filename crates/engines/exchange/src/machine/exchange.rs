//! An exchange, the state that its next step depends on, and its rows: appended, and folded to that state
//! (docs/format/exchange.md §9).

use alloc::vec::Vec;

use super::timing::MAX_TIMEOUT_US;
use super::{EventKind, ExchangeState, Moment};
use crate::documents::DocumentHash;

/// Most answers that are stored beside the first. A store has room for four answers of one exchange.
pub(super) const MAX_OTHERS: usize = 3;
/// Most arrivals that are not authentic.
pub const MAX_NOISE: u8 = 16;
/// Most times that the same bytes are sent again.
pub(super) const MAX_RETRIES: u8 = 3;
/// Time for which a late answer can be adopted, in microseconds.
pub(super) const ADOPT_US: u64 = 24 * 3600 * 1_000_000;
/// Longest verification, in microseconds.
pub(super) const VERIFY_US: u64 = 30_000_000;

/// An exchange; its default has not begun. Its durable part follows from its [`Transition`]s; timers and counts begin anew with the process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exchange {
    pub(super) state: ExchangeState,
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

impl Exchange {
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

/// One row of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// Number of the row, from 0.
    pub number: u32,
    /// State before.
    pub from: ExchangeState,
    /// The event.
    pub event: EventKind,
    /// State after.
    pub to: ExchangeState,
    /// Time by the wall clock, in microseconds since 1970.
    pub at_us: u64,
    /// Hash of the answer.
    pub evidence: Option<DocumentHash>,
    /// With `ask`: end of the wait for an answer by the wall clock, in microseconds since 1970.
    pub deadline_us: Option<u64>,
}

/// Folds rows to their exchange, which waits for [`Event::Restarted`](super::Event::Restarted).
///
/// # Errors
/// Number of the first row that the machine does not write after those before it: the database was changed.
pub fn fold(rows: &[Transition]) -> Result<Exchange, u32> {
    let mut exchange = Exchange::default();
    for row in rows {
        if row.number != exchange.rows() || row.from != exchange.state() || !follows(&exchange, row)
        {
            return Err(row.number);
        }
        exchange.record(row);
    }
    Ok(exchange)
}

/// Does the machine write this row in this state?
fn follows(exchange: &Exchange, row: &Transition) -> bool {
    use ExchangeState as S;
    let changes = match (row.event, row.from) {
        (EventKind::Ask, S::Idle) => row.to == S::Sent && row.deadline_us.is_some(),
        (EventKind::Answer, S::Sent) => {
            row.evidence.is_some()
                && matches!(
                    row.to,
                    S::Received | S::NoMatch | S::Declined | S::PeerError
                )
        }
        (EventKind::Failed, S::Sent) => matches!(row.to, S::TimedOut | S::PeerError),
        (EventKind::Refused, S::Sent) => row.to == S::PeerError,
        (EventKind::Restarted, S::Sent) | (EventKind::Tick, S::Sent | S::Received) => {
            row.to == S::TimedOut
        }
        (EventKind::Cancel, S::Sent | S::Received) => row.to == S::Cancelled,
        (EventKind::Examined, S::Received) => {
            matches!(
                row.to,
                S::Verified | S::PartiallyVerified | S::Rejected | S::NoMatch
            )
        }
        (EventKind::Kept, S::Verified | S::PartiallyVerified) => row.to == S::Stored,
        (EventKind::NotKept, S::Verified | S::PartiallyVerified) => row.to == S::Discarded,
        (EventKind::Adopt, from) => {
            from.is_final() && row.to == S::Received && row.evidence.as_ref() == exchange.late()
        }
        (EventKind::Late, from) => {
            row.to == from && row.evidence.is_some() && exchange.held().is_none() && from.is_final()
        }
        (EventKind::Equivocation, from) => {
            let (others, held) = (exchange.others(), exchange.held());
            let is_new = |hash| held.is_some_and(|held| held != hash) && !others.contains(&hash);
            row.to == from && row.evidence.is_some_and(is_new) && others.len() < MAX_OTHERS
        }
        _ => false,
    };
    changes && (row.event == EventKind::Ask || row.deadline_us.is_none())
}
