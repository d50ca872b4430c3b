//! Transaction time of a capsule, which grows along all chains of an agent (capsules 4.4).

use crate::error::CapsuleError;
use crate::timestamp::Timestamp;

/// 2026-01-01T00:00:00Z: nothing was written before this code was.
const CLOCK_FLOOR: u64 = 1_767_225_600_000_000;
/// From this lag on, a clock behind the last capsule is noted in the header.
const HELD_AFTER: u64 = 5_000_000;

/// The transaction time of one capsule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    timestamp: Timestamp,
    held: bool,
}

impl Stamp {
    /// The time that the clock gives, unless the agent wrote later than that already:
    /// `max(now, last + 1 µs)`. To be called where the capsule is written, inside its transaction.
    ///
    /// `now` is in microseconds since the epoch; `last` is the agent's latest timestamp over all
    /// of its chains. The result is later than `last`.
    ///
    /// How far the clock may be ahead of `last` is for the store.
    ///
    /// # Errors
    /// [`CapsuleError::Clock`] when `now` is before 2026, [`CapsuleError::Timestamp`] after the year 9999.
    pub fn next(now: u64, last: Option<Timestamp>) -> Result<Self, CapsuleError> {
        if now < CLOCK_FLOOR {
            return Err(CapsuleError::Clock { now });
        }
        let Some(last) = last.map(Timestamp::micros) else {
            return Ok(Self {
                timestamp: Timestamp::from_micros(now)?,
                held: false,
            });
        };
        Ok(Self {
            timestamp: Timestamp::from_micros(now.max(last + 1))?,
            held: last.saturating_sub(now) > HELD_AFTER,
        })
    }

    /// The transaction time.
    #[must_use]
    pub const fn timestamp(self) -> Timestamp {
        self.timestamp
    }

    /// Returns whether the clock was at least five seconds behind the last capsule, so that the timestamp is the last one
    /// plus a microsecond (`ext.clock`: "held").
    #[must_use]
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
    fn a_clock_that_cannot_be_right_writes_nothing() {
        assert!(Stamp::next(0, None).is_err());
        assert!(Stamp::next(CLOCK_FLOOR - 1, Some(at(NOW))).is_err());
        assert!(Stamp::next(NOW, Some(at(253_402_300_799_999_999))).is_err());
    }

    proptest! {
        /// CAP-11, C5.
        #[test]
        fn whatever_the_clock_does_time_grows(steps in prop::collection::vec(-100_000_000_i64..100_000_000, 1..50)) {
            let (mut now, mut last) = (NOW, None);
            for step in steps {
                now = now.saturating_add_signed(step).max(CLOCK_FLOOR);
                let next = Stamp::next(now, last).unwrap().timestamp();
                prop_assert!(last.is_none_or(|last| next > last));
                last = Some(next);
            }
        }
    }
}
