//! How often somebody may ask: a bucket of a minute for each, in bounded memory, by the monotonic clock (R15; case 84).
//!
//! A crate for this would forget nobody, or grow with whoever asks: here nobody is forgotten while it matters, and who finds
//! no room waits.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use counterfoil_exchange::answering::Refusal;

/// A bucket holds the requests of a minute, in microseconds.
const MINUTE_US: u64 = 60_000_000;
/// The most that have a bucket at once.
const MOST: usize = 65_536;
/// Full buckets are thrown away at most so often, in microseconds.
const SWEEP_US: u64 = 1_000_000;

/// A bucket for each who asks.
#[derive(Debug)]
pub(super) struct Rates<K> {
    most: usize,
    buckets: Mutex<Buckets<K>>,
}

#[derive(Debug)]
struct Buckets<K> {
    /// When each bucket is full again.
    full_us: HashMap<K, u64>,
    swept_us: u64,
}

impl<K: Hash + Eq> Rates<K> {
    pub(super) fn new() -> Self {
        Self::of_at_most(MOST)
    }

    fn of_at_most(most: usize) -> Self {
        let buckets = Buckets {
            full_us: HashMap::new(),
            swept_us: 0,
        };
        Self {
            most,
            buckets: Mutex::new(buckets),
        }
    }

    /// Takes one out of the bucket of `key`, of which there are `per_minute`.
    pub(super) fn take(&self, key: K, per_minute: u32, now_us: u64) -> Result<(), Refusal> {
        let Some(each_us) = MINUTE_US.checked_div(u64::from(per_minute)) else {
            return Err(wait(MINUTE_US));
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if !buckets.full_us.contains_key(&key) {
            buckets.make_room(self.most, now_us)?;
        }
        let full_us = buckets.full_us.entry(key).or_insert(now_us);
        let later = (*full_us).max(now_us).saturating_add(each_us);
        let over = later.saturating_sub(now_us).saturating_sub(MINUTE_US);
        if over > 0 {
            return Err(wait(over));
        }
        *full_us = later;
        Ok(())
    }
}

impl<K: Hash + Eq> Buckets<K> {
    fn make_room(&mut self, most: usize, now_us: u64) -> Result<(), Refusal> {
        if self.full_us.len() < most {
            return Ok(());
        }
        if now_us.saturating_sub(self.swept_us) >= SWEEP_US {
            self.swept_us = now_us;
            self.full_us.retain(|_, full_us| *full_us > now_us);
        }
        if self.full_us.len() < most {
            Ok(())
        } else {
            Err(wait(SWEEP_US))
        }
    }
}

fn wait(us: u64) -> Refusal {
    let seconds = us.div_ceil(1_000_000);
    Refusal::TooMany {
        retry_after_s: u32::try_from(seconds).unwrap_or(u32::MAX).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_US: u64 = 1_000_000;

    /// Adversarial case F84: a burst of a minute, and then one for each that has passed.
    #[test]
    fn a_minutes_worth_at_once_and_then_as_time_passes() {
        let rates = Rates::new();
        for _ in 0..30 {
            assert_eq!(rates.take('a', 30, SECOND_US), Ok(()));
        }
        let refused = rates.take('a', 30, SECOND_US);
        assert_eq!(refused, Err(Refusal::TooMany { retry_after_s: 2 }));
        assert_eq!(rates.take('b', 30, SECOND_US), Ok(()));
        assert_eq!(rates.take('a', 30, 3 * SECOND_US), Ok(()));
        assert!(rates.take('a', 30, 3 * SECOND_US).is_err());
        assert!(rates.take('c', 0, SECOND_US).is_err());
    }

    /// Adversarial case F84: from many addresses: memory is bounded, and those who ask already go on.
    #[test]
    fn who_finds_no_room_waits_and_nobody_is_forgotten() {
        let rates = Rates::of_at_most(100);
        for address in 0..10_000 {
            let _ = rates.take(address, 30, SECOND_US);
        }
        assert_eq!(rates.buckets.lock().unwrap().full_us.len(), 100);
        assert_eq!(rates.take(5, 30, SECOND_US), Ok(()));
        assert_eq!(
            rates.take(5_000, 30, SECOND_US),
            Err(Refusal::TooMany { retry_after_s: 1 })
        );
        assert_eq!(rates.take(5_000, 30, 10 * SECOND_US), Ok(()));
    }
}
