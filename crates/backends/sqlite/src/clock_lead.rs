//! Times at which entries were recorded, and the lead of the log over the clock (capsules 4.4).

use counterfoil_capsule::Timestamp;
use counterfoil_store::{Clock, StoreError, StoreLocation};
use rusqlite::Connection;

use crate::error::at;
use crate::rows;
use crate::statement::Statements;

/// A lead that is not worth a word, in microseconds: from it on capsules say `ext.clock` `held`.
const TOLERATED_US: u64 = 5_000_000;

/// A log whose last entry is later than the clock: the clock was ahead when it was recorded, or is behind now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockLead {
    /// Time of the last entry after the clock, in microseconds, more than 5 seconds.
    pub micros: u64,
    /// Log index of the first entry that is later than the clock.
    pub since: u64,
}

/// The lead of the log over the clock, unless it is 5 seconds or less. Rows that cannot be read have none: opening a store
/// does not judge them.
pub(crate) fn clock_lead(connection: &Connection, clock: &dyn Clock) -> Option<ClockLead> {
    let last = rows::log_head(connection).ok()?.size.checked_sub(1)?;
    let now = Timestamp::from_micros(clock.now_micros()).ok()?;
    let recorded = recorded_at(connection, last).ok()?;
    let micros = recorded.micros().saturating_sub(now.micros());
    let since = (micros > TOLERATED_US).then(|| recorded_until(connection, now).ok());
    since.flatten().map(|since| ClockLead { micros, since })
}

/// The number of entries that were recorded at `time` or before, by halving: times of the log do not fall.
pub(crate) fn recorded_until(connection: &Connection, time: Timestamp) -> Result<u64, StoreError> {
    let (mut within, mut beyond) = (0, rows::log_head(connection)?.size);
    while within < beyond {
        let middle = within.midpoint(beyond);
        match recorded_at(connection, middle)? <= time {
            true => within = middle + 1,
            false => beyond = middle,
        }
    }
    Ok(within)
}

/// Returns the time at which this store recorded an entry: its stamp, or the time of receipt.
pub(crate) fn recorded_at(connection: &Connection, index: u64) -> Result<Timestamp, StoreError> {
    let place = || StoreLocation::entry("capsule", index);
    let noted: Option<u64> = connection
        .get(
            "SELECT coalesce((SELECT at FROM received WHERE idx = ?1),
                             (SELECT timestamp FROM stub WHERE idx = ?1))",
            [index],
        )
        .map_err(at(place()))?;
    if let Some(micros) = noted {
        return Timestamp::from_micros(micros).map_err(|error| StoreError::corrupt(place(), error));
    }
    rows::header(connection, index)?
        .map(|header| header.timestamp())
        .ok_or_else(|| StoreError::corrupt(place(), "there is no capsule"))
}
