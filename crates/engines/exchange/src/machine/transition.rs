//! One row of what happened: only added, and the state is their fold (docs/format/exchange.md §9).

use super::exchange::MAX_OTHERS;
use super::{EventKind, Exchange, ExchangeState, Limits};
use crate::documents::DocumentHash;

/// One row of what happened to an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// Which row, from 0 on.
    pub number: u32,
    /// Before.
    pub from: ExchangeState,
    /// What happened.
    pub event: EventKind,
    /// After.
    pub to: ExchangeState,
    /// When, by the wall clock, microseconds since 1970.
    pub at_us: u64,
    /// The answer that it is about.
    pub evidence: Option<DocumentHash>,
    /// With `ask`: until when an answer is waited for, by the wall clock, microseconds since 1970.
    pub deadline_us: Option<u64>,
}

/// Rows that no machine has written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "row {number} of the exchange does not follow from the rows before it; restore the database"
)]
pub struct UnknownTransition {
    /// Which row.
    pub number: u32,
}

/// The exchange that these rows are of. It is waiting for [`Event::Restarted`](super::Event::Restarted).
///
/// # Errors
/// [`UnknownTransition`], for the first row that no machine writes after those before it.
pub fn fold(rows: &[Transition], limits: Limits) -> Result<Exchange, UnknownTransition> {
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

/// Is this a row that a machine writes in this state?
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
        (EventKind::Late | EventKind::Equivocation, from) => {
            row.to == from && stands_beside(exchange, row)
        }
        _ => false,
    };
    changes && (row.event == EventKind::Ask || row.deadline_us.is_none())
}

/// May this answer be written down beside what is there?
fn stands_beside(exchange: &Exchange, row: &Transition) -> bool {
    let Some(hash) = row.evidence else {
        return false;
    };
    match (row.event, exchange.held()) {
        (EventKind::Late, None) => exchange.state().is_final(),
        (EventKind::Equivocation, Some(held)) => {
            held != hash
                && !exchange.others().contains(&hash)
                && exchange.others().len() < MAX_OTHERS
        }
        _ => false,
    }
}
