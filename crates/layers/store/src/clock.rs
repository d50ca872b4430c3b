//! Time and randomness as parameters: nothing in this crate reads a clock or draws a number.

use counterfoil_capsule::{LastTimes, RecordKind, Stamp, Timestamp};

use crate::{StoreError, Subject};

/// Default of [`Clock::max_leap_micros`]: 365 days.
pub const MAX_LEAP_MICROS: u64 = 365 * 86_400_000_000;

/// A source of the present time.
pub trait Clock: Send + Sync {
    /// Microseconds since the Unix epoch. May step back or stand still: a store stamps strictly
    /// increasing times all the same.
    fn now_micros(&self) -> u64;

    /// Farthest that the clock may be ahead of the last entry, in microseconds: beyond it nothing is recorded until a
    /// person has accepted the clock. `u64::MAX` accepts it.
    fn max_leap_micros(&self) -> u64 {
        MAX_LEAP_MICROS
    }
}

/// The transaction time of `subject` after `last` by `clock` (capsules 4.4).
pub(crate) fn next_stamp(
    clock: &dyn Clock,
    last: Option<LastTimes>,
    subject: &Subject,
) -> Result<Stamp, StoreError> {
    let now_us = now_after(clock, last.map(|last| last.recorded))?;
    let stamp = match subject {
        Subject::Record {
            kind: RecordKind::ClockCorrection,
            ..
        } => Stamp::correcting(now_us, last),
        _ => Stamp::following(now_us, last),
    };
    stamp.map_err(StoreError::ClockImplausible)
}

/// The clock's time in microseconds, unless it leaps too far over `last`, the time of the last entry.
///
/// # Errors
/// [`StoreError::ClockLeap`].
pub fn now_after(clock: &dyn Clock, last: Option<Timestamp>) -> Result<u64, StoreError> {
    let now_us = clock.now_micros();
    match last {
        Some(last) if now_us.saturating_sub(last.micros()) > clock.max_leap_micros() => {
            Err(StoreError::ClockLeap {
                now: Timestamp::from_micros(now_us).map_err(StoreError::ClockImplausible)?,
                last,
            })
        }
        _ => Ok(now_us),
    }
}

/// A source of unpredictable bytes.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with unpredictable bytes.
    ///
    /// # Errors
    /// [`StoreError::NoRandomness`] when the source has none to give; nothing is written then.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError>;
}
