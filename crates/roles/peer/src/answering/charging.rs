//! A request is counted before anything dear is done for it: by its key, or by the way it came (R15; case 84).

use std::hash::Hash;
use std::net::IpAddr;

use counterfoil_exchange::answering::{Admitted, Asker, Refusal, Share};
use counterfoil_types::DidKey;

use super::{Answering, Origin};
use crate::RateTable;

/// Time in which a bucket fills, in microseconds.
const MINUTE_US: u64 = 60_000_000;

/// What was admitted, and who asks.
pub(super) trait AskedBy {
    fn asker(&self) -> Asker;
}

/// A way, as rates count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Way {
    V4([u8; 4]),
    /// The first 64 bits: what one subscriber has.
    V6([u8; 8]),
    Folder,
    Conversation,
}

impl Answering {
    /// Counts a request before anything dear is done for it. A proof that does not hold is counted where it came from: the
    /// key that it names has not asked.
    pub(super) fn charge<A: AskedBy>(
        &self,
        admitted: Result<A, Refusal>,
        origin: Origin,
    ) -> Result<A, Refusal> {
        let asker = match &admitted {
            Ok(admitted) => admitted.asker(),
            Err(Refusal::BadProof) => Asker::Anonymous,
            Err(_) => return admitted,
        };
        let now_us = self.host.timer.now().monotonic_us;
        match asker {
            Asker::Key(key) => take(&self.keys, key, self.settings.per_minute, now_us)?,
            Asker::Anonymous => {
                let way = Way::of(origin);
                let (one, all) = (
                    self.settings.anonymous_per_minute,
                    self.settings.anonymous_in_all,
                );
                take(&self.strangers, way, one, now_us)?;
                take(&self.all_strangers, (), all, now_us)?;
            }
        }
        admitted
    }

    pub(super) fn charge_rule(&self, key: DidKey, rule: Option<&Share>) -> Result<(), Refusal> {
        let Some(rule) = rule else { return Ok(()) };
        let shares = self.settings.shares.shares.iter();
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

impl AskedBy for Admitted {
    fn asker(&self) -> Asker {
        self.asker
    }
}

impl Way {
    fn of(origin: Origin) -> Self {
        match origin {
            Origin::Address(address) => match address.to_canonical() {
                IpAddr::V4(address) => Self::V4(address.octets()),
                IpAddr::V6(address) => {
                    let [a, b, c, d, e, f, g, h, ..] = address.octets();
                    Self::V6([a, b, c, d, e, f, g, h])
                }
            },
            Origin::Folder => Self::Folder,
            Origin::Conversation => Self::Conversation,
        }
    }
}
