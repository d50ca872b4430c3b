//! The records at one time, about one domain: successors, direct trust and caps (docs/format/trust.md).

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::{Cap, LocalRecord, Mark, Record, Records, TrustSettings};
use crate::documents::{Domain, Vouch, VouchConfidence};

/// Allowed lead of a voucher's clock.
const AHEAD_US: u64 = 300_000_000;
/// Longest validity of a vouch.
const LONGEST_US: u64 = 365 * DAY_US;
/// Time for which a voucher need not be asked again.
const CURRENT_US: u64 = 7 * DAY_US;
const DAY_US: u64 = 86_400_000_000;

/// The last decision about a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    Trust,
    Distrust,
    /// None, or a trust that has expired.
    None,
}

/// The records at one time, about one domain.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) records: &'a Records,
    pub(super) domain: Option<&'a Domain>,
    pub(super) now_us: u64,
    pub(super) settings: &'a TrustSettings,
}

impl<'a> View<'a> {
    /// The key and its predecessors, in the order of the keys.
    pub(super) fn before(&self, key: &DidKey) -> BTreeSet<DidKey> {
        self.reach(key, |key| [self.records.index.before(key), &[]])
    }

    /// The key and its successors.
    pub(super) fn after(&self, key: &DidKey) -> BTreeSet<DidKey> {
        self.reach(key, |key| [self.records.index.after(key), &[]])
    }

    /// All keys of the agent of this key. The first names the agent.
    pub(super) fn agent(&self, key: &DidKey) -> BTreeSet<DidKey> {
        let index = &self.records.index;
        self.reach(key, |key| [index.before(key), index.after(key)])
    }

    fn reach<'b>(
        &self,
        key: &DidKey,
        next: impl Fn(&DidKey) -> [&'b [(DidKey, u64)]; 2],
    ) -> BTreeSet<DidKey> {
        let mut found = BTreeSet::from([*key]);
        let mut open = alloc::vec![*key];
        while let Some(key) = open.pop() {
            for (neighbour, received_us) in next(&key).into_iter().flatten() {
                if *received_us <= self.now_us && found.insert(*neighbour) {
                    open.push(*neighbour);
                }
            }
        }
        found
    }

    /// The last decision about the agent of this key, in this domain. Trust passes on to successors, and distrust to all keys of
    /// the agent: a new key does not end it.
    pub(super) fn decision(&self, key: &DidKey) -> Decision {
        let before = self.before(key);
        let mut last = (None, Decision::None);
        for (place, record) in self.agent(key).iter().flat_map(|key| self.own_places(key)) {
            let decision = match record {
                LocalRecord::DirectTrust {
                    key,
                    domain,
                    expires,
                } if before.contains(key) && self.is_inside(domain.as_ref()) => {
                    let over = expires.is_some_and(|expires| expires.micros() < self.now_us);
                    if over {
                        Decision::None
                    } else {
                        Decision::Trust
                    }
                }
                LocalRecord::Distrust { domain, .. } if self.touches(domain.as_ref()) => {
                    Decision::Distrust
                }
                _ => continue,
            };
            if last.0 <= Some(place) {
                last = (Some(place), decision);
            }
        }
        let vouches = before
            .iter()
            .flat_map(|key| self.records.index.own_vouches(key));
        let last_vouch = vouches.copied().filter(|place| self.vouches(*place)).max();
        match last_vouch {
            Some(place) if last.0 <= Some(place) => Decision::Trust,
            _ => last.1,
        }
    }

    /// Returns true if the vouch there counts: a vouch of this agent is direct trust in the domain of the vouch.
    fn vouches(&self, place: usize) -> bool {
        let found = self.records.vouch(place);
        found.is_some_and(|(record, vouch)| self.weight(record, vouch) > 0)
    }

    /// Is the level 3, without a cap?
    pub(super) fn is_root(&self, key: &DidKey) -> bool {
        self.decision(key) == Decision::Trust && self.caps(key).is_empty()
    }

    /// Caps on the level of a key, in a fixed order.
    pub(super) fn caps(&self, key: &DidKey) -> Vec<Cap> {
        let mut caps = Vec::new();
        if self.decision(key) == Decision::Distrust {
            caps.push(Cap::Distrusted);
        }
        let marks = Mark::ALL
            .into_iter()
            .filter(|mark| self.is_marked(key, *mark));
        caps.extend(marks.map(Cap::Marked));
        let disputers: BTreeSet<DidKey> = self
            .agent(key)
            .iter()
            .flat_map(|key| self.own_places(key))
            .filter_map(|(_, record)| match record {
                LocalRecord::Dispute { by, domain, .. } if self.touches(domain.as_ref()) => {
                    Some(*by)
                }
                _ => None,
            })
            .filter(|by| self.is_heard(by))
            .collect();
        caps.extend(disputers.into_iter().map(|by| Cap::Disputed { by }));
        caps
    }

    /// Is the last record of a mark no clearance? A stolen key is marked alone, as its successor is the cure.
    fn is_marked(&self, key: &DidKey, asked: Mark) -> bool {
        let keys = match asked {
            Mark::Compromise => BTreeSet::from([*key]),
            Mark::Equivocation | Mark::Framing => self.agent(key),
        };
        let words = keys.iter().flat_map(|key| self.own_places(key));
        let words = words.filter_map(|(place, record)| match record {
            LocalRecord::Mark { mark, .. } if *mark == asked => Some((place, true)),
            LocalRecord::Clear { mark, .. } if *mark == asked => Some((place, false)),
            _ => None,
        });
        words.max().is_some_and(|(_, marked)| marked)
    }

    /// Does a dispute by this key count? The key is trusted directly in a domain that touches this one, the trust was not taken
    /// back as a whole, and the key is not marked. Disputes about it are ignored, or two agents that dispute one another would
    /// have no result.
    fn is_heard(&self, by: &DidKey) -> bool {
        if Mark::ALL.into_iter().any(|mark| self.is_marked(by, mark)) {
            return false;
        }
        let before = self.before(by);
        let words: Vec<(usize, &LocalRecord)> = self
            .agent(by)
            .iter()
            .flat_map(|key| self.own_places(key))
            .collect();
        let taken_back = |since: usize, trusted: Option<&Domain>| {
            words.iter().any(|(place, record)| match record {
                LocalRecord::Distrust { domain, .. } => {
                    *place > since && covers(domain.as_ref(), trusted)
                }
                _ => false,
            })
        };
        words.iter().any(|(place, record)| match record {
            LocalRecord::DirectTrust {
                key,
                domain,
                expires,
            } => {
                before.contains(key)
                    && expires.is_none_or(|expires| expires.micros() >= self.now_us)
                    && self.touches(domain.as_ref())
                    && !taken_back(*place, domain.as_ref())
            }
            _ => false,
        })
    }

    /// Weight of a vouch as an edge, in ppm; 0 if it does not count. The trust in its voucher is not part of it.
    pub(super) fn weight(&self, record: &Record, vouch: &Vouch) -> u64 {
        let parts = vouch.parts();
        let begins = parts.created_at.micros().saturating_sub(AHEAD_US);
        let longest = parts.created_at.micros().saturating_add(LONGEST_US);
        let until = parts.valid_until;
        let until = until.map_or(longest, |until| until.micros().min(longest));
        let counts = record.received_us() <= self.now_us
            && (begins..=until).contains(&self.now_us)
            && parts.level >= self.settings.required
            && self.is_inside(Some(&parts.domain))
            && self.revoked_us(vouch).is_none();
        if !counts {
            return 0;
        }
        let weight = match parts.confidence {
            VouchConfidence::High => 1_000_000,
            VouchConfidence::Medium => 600_000,
            VouchConfidence::Low => 300_000,
        };
        let asked = self
            .agent(&parts.voucher.public_key)
            .iter()
            .filter_map(|key| self.asked(key))
            .max();
        let checked = asked.unwrap_or_default().max(record.received_us());
        if self.now_us.saturating_sub(checked) > CURRENT_US {
            weight / 2
        } else {
            weight
        }
    }

    /// Time of receipt of a revocation by the voucher or a successor. The id counts as much as the hash, as another proof over
    /// the same vouch makes another hash.
    pub(super) fn revoked_us(&self, vouch: &Vouch) -> Option<u64> {
        let parts = vouch.parts();
        let hash = vouch.hash();
        let places = self.records.index.revocations(&parts.id, &hash);
        let received = places.filter_map(|place| {
            let (record, revocation) = self.records.revocation(place)?;
            let (voucher, by) = (&parts.voucher, &revocation.parts().voucher);
            let may_revoke = by.public_key == voucher.public_key
                || self.before(&by.public_key).contains(&voucher.public_key);
            let counts = record.received_us() <= self.now_us && may_revoke;
            counts.then(|| record.received_us())
        });
        received.min()
    }

    /// Time at which a key was last asked for its revocations.
    fn asked(&self, key: &DidKey) -> Option<u64> {
        let places = self.records.index.about(key).iter().rev();
        let mut found = places.filter_map(|place| self.seen(*place));
        found.find_map(|record| match record.local_record()? {
            LocalRecord::Contact { .. } => Some(record.received_us()),
            _ => None,
        })
    }

    pub(super) fn own_places(
        &self,
        key: &DidKey,
    ) -> impl Iterator<Item = (usize, &'a LocalRecord)> + use<'a> {
        let view = *self;
        let places = self.records.index.about(key).iter();
        places.filter_map(move |place| Some((*place, view.seen(*place)?.local_record()?)))
    }

    /// The record there, if it was received by now.
    fn seen(&self, place: usize) -> Option<&'a Record> {
        let record = self.records.records.get(place);
        record.filter(|record| record.received_us() <= self.now_us)
    }

    /// Does a record that raises trust cover the whole domain?
    fn is_inside(&self, domain: Option<&Domain>) -> bool {
        covers(domain, self.domain)
    }

    /// Does a record that lowers trust cover some of the domain?
    fn touches(&self, domain: Option<&Domain>) -> bool {
        covers(domain, self.domain) || covers(self.domain, domain)
    }
}

/// Is the second one inside of the first? `None` is everything.
fn covers(domain: Option<&Domain>, other: Option<&Domain>) -> bool {
    match (domain, other) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(domain), Some(other)) => domain.covers(other),
    }
}
