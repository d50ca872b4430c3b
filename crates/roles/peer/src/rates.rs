//! Rate limits by key: fixed-size table of token buckets, by a monotonic clock (R15; case 84).
//!
//! Full buckets are evicted, and new keys are refused while the table is full. The usual crate, `governor`, has no size bound.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

/// Returns the address by which one party is counted: of an IPv6 address the first 64 bits, which one subscriber has.
pub fn party(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into()
        }
        v4 => v4,
    }
}

/// Most keys with a bucket at once.
const MOST: usize = 65_536;
/// Shortest time between two evictions, in microseconds.
const SWEEP_US: u64 = 1_000_000;

/// Table of token buckets, one a key.
#[derive(Debug)]
pub struct RateTable<K> {
    most: usize,
    buckets: Mutex<Buckets<K>>,
}

#[derive(Debug)]
struct Buckets<K> {
    /// Times at which the buckets are full again.
    full_us: HashMap<K, u64>,
    swept_us: u64,
}

impl<K> Default for RateTable<K> {
    fn default() -> Self {
        let buckets = Buckets {
            full_us: HashMap::new(),
            swept_us: 0,
        };
        Self {
            most: MOST,
            buckets: Mutex::new(buckets),
        }
    }
}

impl<K: Hash + Eq> RateTable<K> {
    /// Takes one token of `key`; a token takes `each_us` microseconds to come back, and a bucket holds those of `bucket_us`.
    ///
    /// # Errors
    /// Time to wait in microseconds, if the bucket is empty or a new key finds the table full.
    pub fn take(&self, key: K, (each_us, bucket_us): (u64, u64), now_us: u64) -> Result<(), u64> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.full_us.len() >= self.most && !buckets.full_us.contains_key(&key) {
            if now_us.saturating_sub(buckets.swept_us) >= SWEEP_US {
                buckets.swept_us = now_us;
                buckets.full_us.retain(|_, full_us| *full_us > now_us);
            }
            if buckets.full_us.len() >= self.most {
                return Err(SWEEP_US);
            }
        }
        let full_us = buckets.full_us.entry(key).or_insert(now_us);
        let later = (*full_us).max(now_us).saturating_add(each_us);
        match later.saturating_sub(now_us).saturating_sub(bucket_us) {
            0 => *full_us = later,
            over_us => return Err(over_us),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_US: u64 = 1_000_000;
    /// Thirty in a minute.
    const THIRTY: (u64, u64) = (2 * SECOND_US, 60 * SECOND_US);

    /// Adversarial case F84: a burst of a minute, and then one for each that has passed.
    #[test]
    fn a_minutes_worth_at_once_and_then_as_time_passes() {
        let rates = RateTable::default();
        for _ in 0..30 {
            assert_eq!(rates.take('a', THIRTY, SECOND_US), Ok(()));
        }
        let refused = rates.take('a', THIRTY, SECOND_US);
        assert_eq!(refused, Err(2 * SECOND_US));
        assert_eq!(rates.take('b', THIRTY, SECOND_US), Ok(()));
        assert_eq!(rates.take('a', THIRTY, 3 * SECOND_US), Ok(()));
        assert!(rates.take('a', THIRTY, 3 * SECOND_US).is_err());
    }

    /// Adversarial case F84: from many addresses: memory is bounded, and those who ask already go on.
    #[test]
    fn a_full_table_refuses_new_keys_and_forgets_none() {
        let rates = RateTable {
            most: 100,
            ..RateTable::default()
        };
        for address in 0..10_000 {
            let _ = rates.take(address, THIRTY, SECOND_US);
        }
        assert_eq!(rates.buckets.lock().unwrap().full_us.len(), 100);
        assert_eq!(rates.take(5, THIRTY, SECOND_US), Ok(()));
        assert_eq!(rates.take(5_000, THIRTY, SECOND_US), Err(SECOND_US));
        assert_eq!(rates.take(5_000, THIRTY, 10 * SECOND_US), Ok(()));
    }
}
