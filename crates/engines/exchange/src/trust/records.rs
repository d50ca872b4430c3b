//! All records together, independent of their order (docs/format/trust.md).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use counterfoil_types::DidKey;
use counterfoil_verifier::note::VerifierKey;

use super::index::Index;
use super::score::score;
use super::view::{Decision, View};
use super::{Cap, Level, LocalRecord, Record, TrustReport, TrustSettings};
use crate::documents::{DocumentError, DocumentHash, Domain, Revocation, Text, Vouch};

/// Records of this agent about others. Records in any order give the same value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Records {
    /// Each once, in the order of their receipt, and of their hashes where that is the same.
    pub(super) records: Vec<Record>,
    pub(super) index: Index,
}

/// Own records about one key, summed up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownAgent {
    /// The key.
    pub key: DidKey,
    /// Local name.
    pub name: Option<Text<128>>,
    /// Addresses.
    pub addresses: Vec<Text<2048>>,
    /// The key of its log.
    pub log: Option<VerifierKey>,
    /// Domains of its knowledge as it states them.
    pub domains: Vec<Domain>,
    /// It is known to sign each document that it sends.
    pub signs: bool,
    /// Other keys of the agent, former and present, by its key chain.
    pub same_agent: Vec<DidKey>,
}

impl Records {
    /// Reads stored records with their times of receipt, and checks their proofs ([`Record::receive`]). Costs a signature each.
    ///
    /// `own`: the keys by which this agent's own records may be signed, the present one first.
    ///
    /// # Errors
    /// [`DocumentError::Stored`] of the first that does not read as it was signed.
    pub fn receive<'a>(
        kept: impl IntoIterator<Item = (&'a [u8], u64)>,
        own: &[DidKey],
    ) -> Result<Self, DocumentError> {
        let read = kept.into_iter().enumerate().map(|(number, kept)| {
            let (bytes, received_us) = kept;
            Record::receive(bytes, own, received_us).map_err(|error| DocumentError::Stored {
                number,
                error: error.into(),
            })
        });
        Ok(Self::gather_of(own, read.collect::<Result<Vec<_>, _>>()?))
    }

    /// These records. A document that is there twice counts from when it was first received.
    pub fn gather(records: impl IntoIterator<Item = Record>) -> Self {
        Self::gather_of(&[], records)
    }

    /// These records of an agent with these keys.
    fn gather_of(own: &[DidKey], records: impl IntoIterator<Item = Record>) -> Self {
        let mut first: BTreeMap<DocumentHash, Record> = BTreeMap::new();
        for record in records {
            let held = first.get(&record.hash());
            if held.is_none_or(|held| record.received_us() < held.received_us()) {
                first.insert(record.hash(), record);
            }
        }
        let mut records: Vec<Record> = first.into_values().collect();
        records.sort_by_key(|record| (record.received_us(), record.hash()));
        let index = Index::of(&records, own);
        Self { records, index }
    }

    /// Agents with own records, in the order of their keys. Vouches of other agents alone make no agent known.
    pub fn known(&self) -> Vec<KnownAgent> {
        self.index
            .keys()
            .filter_map(|key| self.of_key(&key))
            .collect()
    }

    /// Known agents, each by its present key alone, in the order of their keys.
    pub fn present_agents(&self) -> Vec<KnownAgent> {
        let mut known = self.known();
        known.retain(|known| {
            let named = known.name.as_ref();
            let named = named.and_then(|name| self.named(name.as_str()));
            named.is_none_or(|named| {
                named.key == known.key || !named.same_agent.contains(&known.key)
            })
        });
        known
    }

    /// Own records about a key and its predecessors, summed up.
    pub fn of_key(&self, key: &DidKey) -> Option<KnownAgent> {
        if self.index.about(key).is_empty() {
            return None;
        }
        let view = self.latest();
        let mut words: Vec<(usize, &LocalRecord)> = view
            .before(key)
            .iter()
            .flat_map(|key| view.own_places(key))
            .collect();
        words.sort_by_key(|(place, _)| *place);
        let mut known = KnownAgent {
            key: *key,
            name: None,
            addresses: Vec::new(),
            log: None,
            domains: Vec::new(),
            signs: false,
            same_agent: view
                .agent(key)
                .into_iter()
                .filter(|other| other != key)
                .collect(),
        };
        for (_, record) in words {
            match record {
                LocalRecord::Peer {
                    name,
                    addresses,
                    log,
                    domains,
                    ..
                } => {
                    known.name = Some(name.clone());
                    known.addresses.clone_from(addresses);
                    known.log.clone_from(log);
                    known.domains.clone_from(domains);
                }
                LocalRecord::Pin { signs, .. } => known.signs = *signs,
                _ => {}
            }
        }
        Some(known)
    }

    /// The agent of a local name or a key; `None` if no agent or more than one has the name. A name means the present key of an
    /// agent.
    pub fn named(&self, name: &str) -> Option<KnownAgent> {
        if let Ok(key) = name.parse() {
            return self.of_key(&key);
        }
        let called = |known: &KnownAgent| known.name.as_ref().is_some_and(|it| it.as_str() == name);
        let keys: BTreeSet<DidKey> = self
            .known()
            .into_iter()
            .filter(called)
            .map(|known| known.key)
            .collect();
        let view = self.latest();
        // A key that is succeeded by another of that name is a former key of that agent.
        let is_last = |key: &&DidKey| {
            view.after(key)
                .iter()
                .all(|after| after == *key || !keys.contains(after))
        };
        let mut last = keys.iter().filter(is_last);
        let found = last.next()?;
        last.next().is_none().then(|| self.of_key(found)).flatten()
    }

    /// Returns the present: `now_us` by the clock, or the time of the newest record where that is later, as a clock that went
    /// back hides no decision.
    pub fn present(&self, now_us: u64) -> u64 {
        let newest = self.records.last().map_or(0, Record::received_us);
        newest.max(now_us)
    }

    /// Trust in `key` about `domain` at `now_us`, if the agent proves its key in this exchange; else its level is 0. Without a
    /// domain only trust that is not limited to one counts.
    ///
    /// Records received after `now_us` do not count. The level is never higher for a domain than for one inside of it.
    pub fn level(
        &self,
        key: &DidKey,
        domain: Option<&Domain>,
        now_us: u64,
        settings: &TrustSettings,
    ) -> TrustReport {
        let view = View {
            records: self,
            domain,
            now_us,
            settings,
        };
        let mut report = score(view, key);
        report.caps = view.caps(key);
        if view.decision(key) == Decision::Trust {
            report.level = Level::Direct;
        }
        let ceilings = report.caps.iter().map(Cap::ceiling);
        report.level = ceilings.fold(report.level, Level::min);
        report
    }

    /// The records, in the order of their receipt.
    pub fn iter(&self) -> impl Iterator<Item = &Record> {
        self.records.iter()
    }

    /// Time of the first receipt of a revocation of a vouch by its voucher or a successor, in microseconds since 1970.
    pub fn revoked_us(&self, vouch: &Vouch) -> Option<u64> {
        self.latest().revoked_us(vouch)
    }

    /// All records, of any time of receipt.
    fn latest(&self) -> View<'_> {
        const SETTINGS: &TrustSettings = &TrustSettings::DEFAULT;
        View {
            records: self,
            domain: None,
            now_us: u64::MAX,
            settings: SETTINGS,
        }
    }

    pub(super) fn vouch(&self, place: usize) -> Option<(&Record, &Vouch)> {
        let record = self.records.get(place)?;
        Some((record, record.vouch()?))
    }

    pub(super) fn revocation(&self, place: usize) -> Option<(&Record, &Revocation)> {
        let record = self.records.get(place)?;
        Some((record, record.revocation()?))
    }
}

impl IntoIterator for Records {
    type Item = Record;
    type IntoIter = alloc::vec::IntoIter<Record>;

    fn into_iter(self) -> Self::IntoIter {
        self.records.into_iter()
    }
}
