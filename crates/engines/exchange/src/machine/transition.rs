//! Rows of an exchange: appended, and folded to its state (docs/format/exchange.md §9).

use super::exchange::MAX_OTHERS;
use super::{EventKind, Exchange, ExchangeLimits, ExchangeState};
use crate::documents::DocumentHash;

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

/// Rows that the machine does not write: the database was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "row {number} of the exchange does not follow from the rows before it; restore the database"
)]
pub struct UnknownTransition {
    /// Number of the row.
    pub number: u32,
}

/// Folds rows to their exchange, which waits for [`Event::Restarted`](super::Event::Restarted).
///
/// # Errors
/// [`UnknownTransition`], for the first row that the machine does not write after those before it.
pub fn fold(rows: &[Transition], limits: ExchangeLimits) -> Result<Exchange, UnknownTransition> {
    let mut exchange = Exchange::new(limits);
    for row in rows {
        if row.number != exchange.rows() || row.from != exchange.state() || !follows(&exchange, row)
        {
            return Err(UnknownTransition { number: row.number });
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
