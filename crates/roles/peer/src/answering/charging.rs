//! Rate limits, which count a request before any costly work: by its key, or by its origin (R15; case 84).

use std::hash::Hash;
use std::net::IpAddr;

use counterfoil_exchange::answering::{Refusal, Share};
use counterfoil_types::DidKey;

use super::Answering;
use crate::{RateTable, party};

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
