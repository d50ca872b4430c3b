//! Transaction time of a capsule, which grows along all chains of an agent (capsules 4.4).

use crate::error::CapsuleError;
use crate::timestamp::Timestamp;

/// 2026-01-01T00:00:00Z: nothing was written before this code was.
const CLOCK_FLOOR: u64 = 1_767_225_600_000_000;
/// Lag of the clock behind the last capsule, in µs, beyond which the header notes it.
const HELD_AFTER: u64 = 5_000_000;

/// Times of an agent's last capsule, in the order of its headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LastTimes {
    /// Time of its header.
    pub timestamp: Timestamp,
    /// Time at which it was recorded: `ext.observed`, or else that of its header.
    pub recorded: Timestamp,
}

impl From<Timestamp> for LastTimes {
    fn from(timestamp: Timestamp) -> Self {
        Self {
            timestamp,
            recorded: timestamp,
        }
    }
}

/// The transaction time of one capsule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    timestamp: Timestamp,
    recorded: Timestamp,
    held: bool,
}

impl Stamp {
    /// Stamp [`following`](Self::following) a capsule that was recorded at the time of its header.
    ///
    /// # Errors
    /// As [`following`](Self::following).
    pub fn next(now: u64, last: Option<Timestamp>) -> Result<Self, CapsuleError> {
        Self::following(now, last.map(LastTimes::from))
    }

    /// The time that the clock gives, unless the agent wrote later than that already: `max(now, last + 1 µs)`, for the
    /// header and for the time of recording each. To be called where the capsule is written, inside its transaction.
    ///
    /// `now` is in microseconds since the epoch; `last` are the agent's latest times over all
    /// of its chains. The result is later than `last`. How far the clock may be ahead of `last` is for the store.
    ///
    /// # Errors
    /// [`CapsuleError::Clock`] when `now` is before 2026, [`CapsuleError::Timestamp`] after the year 9999.
    pub fn following(now: u64, last: Option<LastTimes>) -> Result<Self, CapsuleError> {
        let recorded = last.map(|last| last.recorded.micros());
        let mut stamp = Self::correcting(now, last)?;
        if let Some(recorded) = recorded {
            stamp.recorded = Timestamp::from_micros(now.max(recorded + 1))?;
            stamp.held = recorded.saturating_sub(now) > HELD_AFTER;
        }
        Ok(stamp)
    }

    /// The times of a correction of the clock: its header follows `last`, and it is recorded at `now`, from which on the
    /// clock counts again.
    ///
    /// # Errors
    /// As [`following`](Self::following).
    pub fn correcting(now: u64, last: Option<LastTimes>) -> Result<Self, CapsuleError> {
        if now < CLOCK_FLOOR {
            return Err(CapsuleError::Clock { now });
        }
        let after = last.map_or(0, |last| last.timestamp.micros() + 1);
        Ok(Self {
            timestamp: Timestamp::from_micros(now.max(after))?,
            recorded: Timestamp::from_micros(now)?,
            held: false,
        })
    }

    /// The transaction time: that of the header.
    pub const fn timestamp(self) -> Timestamp {
        self.timestamp
    }

    /// The time at which it is recorded: `ext.observed`, where the time of the header is another.
    pub const fn recorded(self) -> Timestamp {
        self.recorded
    }

    /// Returns whether the clock was more than five seconds behind the last capsule, so that the timestamp is the last one
    /// plus a microsecond (`ext.clock`: "held").
    pub const fn is_held(self) -> bool {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: u64 = CLOCK_FLOOR + 86_400_000_000;

    fn at(micros: u64) -> Timestamp {
        Timestamp::from_micros(micros).unwrap()
    }

    /// CAP-10.
    #[test]
    fn a_running_clock_is_taken_as_it_is() {
        for last in [None, Some(at(NOW - 1))] {
            let stamp = Stamp::next(NOW, last).unwrap();
            assert_eq!((stamp.timestamp(), stamp.is_held()), (at(NOW), false));
        }
    }

    /// Adversarial case C38: the clock is set back by a day, and two appends share a microsecond.
    /// (C5)
    #[test]
    fn a_clock_that_went_back_is_held_to_the_last_capsule() {
        let last = NOW + 86_400_000_000;
        let stamp = Stamp::next(NOW, Some(at(last))).unwrap();
        assert_eq!((stamp.timestamp(), stamp.is_held()), (at(last + 1), true));
        let same = Stamp::next(NOW, Some(at(NOW))).unwrap();
        assert_eq!((same.timestamp(), same.is_held()), (at(NOW + 1), false));
    }

    #[test]
    fn a_lag_is_noted_beyond_five_seconds() {
        for (lag, is_held) in [(5_000_000, false), (5_000_001, true)] {
            let stamp = Stamp::next(NOW, Some(at(NOW + lag))).unwrap();
            assert_eq!(stamp.is_held(), is_held);
            assert_eq!(stamp.recorded(), at(NOW + lag + 1));
        }
    }

    #[test]
    fn a_clock_that_cannot_be_right_writes_nothing() {
        assert!(Stamp::next(CLOCK_FLOOR, None).is_ok());
        assert!(Stamp::next(0, None).is_err());
        assert!(Stamp::next(CLOCK_FLOOR - 1, Some(at(NOW))).is_err());
        assert!(Stamp::next(NOW, Some(at(253_402_300_799_999_999))).is_err());
    }

    proptest! {
        /// CAP-11, C5: the header never goes back, and the time of recording goes back in a correction alone, to the clock.
        /// Both are one as long as there is none, and again once the clock has caught up.
        #[test]
        fn whatever_the_clock_does_time_grows(
            steps in prop::collection::vec((-100_000_000_i64..100_000_000, prop::bool::weighted(0.1)), 1..50),
        ) {
            let (mut now, mut last) = (NOW, None::<LastTimes>);
            let mut corrected = false;
            for (step, corrects) in steps {
                now = now.saturating_add_signed(step).max(CLOCK_FLOOR);
                let next = match corrects {
                    true => Stamp::correcting(now, last).unwrap(),
                    false => Stamp::following(now, last).unwrap(),
                };
                let (timestamp, recorded) = (next.timestamp(), next.recorded());
                prop_assert!(last.is_none_or(|last| timestamp > last.timestamp));
                prop_assert!(recorded <= timestamp && recorded.micros() >= now);
                match corrects {
                    true => prop_assert_eq!(recorded.micros(), now),
                    false => prop_assert!(last.is_none_or(|last| recorded > last.recorded)),
                }
                corrected |= corrects;
                if !corrected || last.is_none_or(|last| now > last.timestamp.micros()) {
                    prop_assert_eq!(recorded, timestamp);
                }
                last = Some(LastTimes { timestamp, recorded });
            }
        }
    }
}
