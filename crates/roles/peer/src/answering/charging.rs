//! Rate limits, which count a request before any costly work: by its key, or by its origin (R15; case 84).

use std::hash::Hash;
use std::net::IpAddr;

use counterfoil_exchange::answering::{Refusal, Share};
use counterfoil_types::DidKey;

use super::Answering;
use crate::{RateTable, party};

/// Longest time for which a request is recorded as seen, in microseconds: 300 s ahead, 300 s of life and 31 s after it.
const LONGEST_SEEN_US: u64 = 631_000_000;
/// Time in which a bucket fills, in microseconds.
const MINUTE_US: u64 = 60_000_000;

impl Answering {
    /// Counts a request. One whose proof fails is counted for its origin: the key that it names did not send it.
    pub(super) fn charge(
        &self,
        asker: Result<Option<DidKey>, &Refusal>,
        from: Option<IpAddr>,
    ) -> Result<(), Refusal> {
        let now_us = self.host.timer.now().monotonic_us;
        let settings = &self.settings;
        match asker {
            Ok(Some(key)) => take(&self.keys, key, settings.per_minute, now_us),
            Ok(None) | Err(Refusal::BadProof) => {
                let one = settings.anonymous_per_minute;
                take(&self.strangers, from.map(party), one, now_us)?;
                take(&self.all_strangers, (), settings.anonymous_in_all, now_us)
            }
            Err(_) => Ok(()),
        }
    }

    /// Counts a request that is about to be recorded as seen for the address from which it came: a key costs nothing, and the
    /// table has room for so many.
    pub(super) fn charge_sighting(&self, from: Option<IpAddr>) -> Result<(), Refusal> {
        let now_us = self.host.timer.now().monotonic_us;
        let most = u64::from(self.settings.seen_per_address.max(1));
        let rate = (LONGEST_SEEN_US / most, LONGEST_SEEN_US);
        let taken = self.sightings.take(from.map(party), rate, now_us);
        taken.map_err(|wait_us| Refusal::SeenFull {
            retry_after_s: u32::try_from(wait_us.div_ceil(1_000_000)).unwrap_or(u32::MAX),
        })
    }

    pub(super) fn charge_rule(&self, key: DidKey, rule: Option<&Share>) -> Result<(), Refusal> {
        let Some(rule) = rule else { return Ok(()) };
        let shares = self.settings.shares.iter();
        let number = shares
            .take_while(|share| !std::ptr::eq(*share, rule))
            .count();
        let now_us = self.host.timer.now().monotonic_us;
        take(&self.rules, (key, number), rule.per_minute, now_us)
    }
}

/// Takes one of the `per_minute` tokens of `key`.
fn take<K: Hash + Eq>(
    rates: &RateTable<K>,
    key: K,
    per_minute: u32,
    now_us: u64,
) -> Result<(), Refusal> {
    let taken = match MINUTE_US.checked_div(per_minute.into()) {
        Some(each_us) => rates.take(key, (each_us, MINUTE_US), now_us),
        None => Err(MINUTE_US),
    };
    taken.map_err(|wait_us| Refusal::TooMany {
        retry_after_s: u32::try_from(wait_us.div_ceil(1_000_000)).unwrap_or(u32::MAX),
    })
}
