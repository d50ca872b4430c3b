//! Time of record of a version, and the version after it (capsules 4.3, I2).

use core::fmt;

use counterfoil_capsule::delta::Delta;
use counterfoil_capsule::{BodyRef, ChainId, Timestamp, delta_hash};
use counterfoil_store::{Clock, StoreError, StoreLocation, reversible};
use counterfoil_types::WorldId;
use serde::Serialize;

use crate::entries::{header, in_chain, world_at};
use crate::port::rows::{CorrectionRow, ReceivedRow};
use crate::port::{Select, Txn};
use crate::stubs;

/// Returns the version directly after the one at `index`, up to `bound`, and its time of record.
///
/// # Errors
/// As [`recorded_at`].
pub fn replaced(
    txn: &dyn Txn,
    index: u64,
    bound: Option<u64>,
) -> Result<Option<(WorldId, Timestamp)>, StoreError> {
    let Some(header) = header(txn, index)? else {
        return Ok(None);
    };
    let next = in_chain(txn, &header.chain(), header.seq() + 1)?;
    let Some(next) = next.filter(|next| bound.is_none_or(|bound| *next <= bound)) else {
        return Ok(None);
    };
    Ok(Some((world_at(txn, next)?, recorded_at(txn, next)?)))
}

/// Returns the delta of a version of a chain; `None` where it is not there, not the one that the header names, erased, archived or
/// cannot be undone.
///
/// # Errors
/// [`StoreError::Corrupt`] when it cannot be parsed; when it cannot be read.
pub fn delta(txn: &dyn Txn, chain: &ChainId, seq: u64) -> Result<Option<Delta>, StoreError> {
    let Some(index) = in_chain(txn, chain, seq)? else {
        return Ok(None);
    };
    let (body, header) = (txn.body(index)?.unwrap_or_default(), header(txn, index)?);
    let salt: Option<[u8; 32]> = body.delta_salt.and_then(|salt| salt.try_into().ok());
    let text = body.delta.and_then(|delta| String::from_utf8(delta).ok());
    let (Some(header), Some(salt), Some(text)) = (header, salt, text) else {
        return Ok(None);
    };
    let named = header.delta().map(BodyRef::hash);
    let is_named = named == Some(delta_hash(&salt, text.as_bytes()));
    Ok(is_named.then(|| reversible(&header, &text)).flatten())
}

/// Returns the time at which this store recorded an entry, by its clock or by that of a later correction: the time of receipt,
/// or that of the capsule.
///
/// # Errors
/// [`StoreError::Corrupt`] when there is no entry; when it cannot be read.
pub fn recorded_at(txn: &dyn Txn, index: u64) -> Result<Timestamp, StoreError> {
    let place = || StoreLocation::entry("capsule", index);
    let noted = match txn.find::<ReceivedRow>(&[&index])? {
        Some(row) => Some(row.at),
        None => stubs::read(txn, index)?.map(|stub| stub.recorded_us()),
    };
    let recorded = match noted {
        Some(micros) => micros,
        None => header(txn, index)?
            .map(|header| header.recorded().micros())
            .ok_or_else(|| StoreError::corrupt(place(), "there is no capsule"))?,
    };
    let corrections: Vec<CorrectionRow> = txn.list(&Select::of::<CorrectionRow>())?;
    let later = corrections.iter().filter(|row| row.idx > index);
    let corrected = later.map(|row| row.observed).min();
    Timestamp::from_micros(recorded.min(corrected.unwrap_or(u64::MAX)))
        .map_err(|error| StoreError::corrupt(place(), error))
}

/// Returns the number of entries that were recorded at `time` or before, by halving: times of the log do not fall.
///
/// # Errors
/// As [`recorded_at`].
pub fn recorded_until(txn: &dyn Txn, time: Timestamp) -> Result<u64, StoreError> {
    let (mut within, mut beyond) = (0, txn.head()?.0);
    while within < beyond {
        let middle = within.midpoint(beyond);
        match recorded_at(txn, middle)? <= time {
            true => within = middle + 1,
            false => beyond = middle,
        }
    }
    Ok(within)
}

/// A lead that is not worth a word, in microseconds: from it on capsules say `ext.clock` `held`.
const TOLERATED_US: u64 = 5_000_000;

/// A log whose last entry is later than the clock: the clock was ahead when it was recorded, or is behind now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogAhead {
    /// Time of the last entry after the clock, in whole seconds, 5 or more.
    pub seconds: u64,
    /// Log index of the first entry that is later than the clock.
    pub since_index: u64,
}

/// `the log is ahead of the clock by 3652 days, since entry 1`.
impl fmt::Display for LogAhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, unit) = match self.seconds {
            seconds @ 0..120 => (seconds, "seconds"),
            seconds @ 120..7_200 => (seconds / 60, "minutes"),
            seconds @ 7_200..172_800 => (seconds / 3_600, "hours"),
            seconds => (seconds / 86_400, "days"),
        };
        let since = self.since_index;
        write!(
            f,
            "the log is ahead of the clock by {number} {unit}, since entry {since}"
        )
    }
}

/// Returns the lead of the log over the clock, unless it is 5 seconds or less. Rows that cannot be read have none: opening
/// a store does not judge them.
pub fn clock_lead(txn: &dyn Txn, clock: &dyn Clock) -> Option<LogAhead> {
    let last = txn.head().ok()?.0.checked_sub(1)?;
    let now = Timestamp::from_micros(clock.now_micros()).ok()?;
    let recorded = recorded_at(txn, last).ok()?;
    let micros = recorded.micros().saturating_sub(now.micros());
    let since = (micros > TOLERATED_US).then(|| recorded_until(txn, now).ok());
    since.flatten().map(|since_index| LogAhead {
        seconds: micros / 1_000_000,
        since_index,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_is_given_in_the_unit_that_it_is_read_in() {
        for (seconds, text) in [
            (6, "6 seconds"),
            (7_199, "119 minutes"),
            (90_000, "25 hours"),
            (315_360_000, "3650 days"),
        ] {
            let ahead = LogAhead {
                seconds,
                since_index: 7,
            };
            let text = format!("the log is ahead of the clock by {text}, since entry 7");
            assert_eq!(ahead.to_string(), text);
        }
    }
}
