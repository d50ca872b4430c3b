//! All records together: what they say of a key, whatever their order (docs/format/trust.md).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use counterfoil_types::DidKey;
use counterfoil_verifier::note::VerifierKey;

use super::index::Index;
use super::score::score;
use super::view::{Decision, View};
use super::{Cap, Explained, Level, LocalRecord, Record, RecordBody, RecordError, TrustSettings};
use crate::documents::{DocumentHash, Domain, Revocation, Text, Vouch};

/// All that this agent has recorded about others. Built from records in any order; the same records give the same.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Records {
    /// Each once, in the order of their receipt, and of their hashes where that is the same.
    pub(super) records: Vec<Record>,
    pub(super) index: Index,
}

/// What is recorded of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The key.
    pub key: DidKey,
    /// What it is called here.
    pub name: Option<Text<128>>,
    /// Where it is reached.
    pub addresses: Vec<Text<2048>>,
    /// The key of its log.
    pub log: Option<VerifierKey>,
    /// What it says that it knows of.
    pub domains: Vec<Domain>,
    /// It is known to sign all that it sends.
    pub signs: bool,
    /// Keys that it signed with before, and signs with now, by its key chain.
    pub same_agent: Vec<DidKey>,
}

/// A record that was kept does not read as it was signed: without it, trust would be another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "record {number} about other agents is not as it was kept ({error}); restore the database from a backup"
)]
pub struct RecordsError {
    /// Which, counted from 0 in the order in which they are kept.
    pub number: usize,
    /// What is wrong with it.
    pub error: RecordError,
}

impl Records {
    /// Reads records as they are kept, each with when it was received, and checks their proofs ([`Record::receive`]).
    /// Costs a signature each.
    ///
    /// `own`: the keys by which this agent's own records may be signed, the present one first.
    ///
    /// # Errors
    /// [`RecordsError`] of the first that is not as it was kept.
    pub fn receive<'a>(
        kept: impl IntoIterator<Item = (&'a [u8], u64)>,
        own: &[DidKey],
    ) -> Result<Self, RecordsError> {
        let read = kept.into_iter().enumerate().map(|(number, kept)| {
            let (bytes, received_us) = kept;
            Record::receive(bytes, own, received_us).map_err(|error| RecordsError { number, error })
        });
        Ok(Self::gather(read.collect::<Result<Vec<_>, _>>()?))
    }

    /// These records. A document that is there twice counts from when it was first received.
    #[must_use]
    pub fn gather(records: impl IntoIterator<Item = Record>) -> Self {
        let mut first: BTreeMap<DocumentHash, Record> = BTreeMap::new();
        for record in records {
            let held = first.get(&record.hash());
            if held.is_none_or(|held| record.received_us() < held.received_us()) {
                first.insert(record.hash(), record);
            }
        }
        let mut records: Vec<Record> = first.into_values().collect();
        records.sort_by_key(|record| (record.received_us(), record.hash()));
        let index = Index::of(&records);
        Self { records, index }
    }

    /// Every key that this agent has itself recorded something of, in the order of the keys. Whom others vouch for is not
    /// among them for that alone.
    #[must_use]
    pub fn known(&self) -> Vec<Known> {
        self.index
            .keys()
            .filter_map(|key| self.of_key(&key))
            .collect()
    }

    /// What this agent has itself recorded of a key, or of one whose place it took.
    #[must_use]
    pub fn of_key(&self, key: &DidKey) -> Option<Known> {
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
        let mut known = Known {
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

    /// Who is called so here: by name, or by key. `None` when nobody or more than one is. Of an agent that has changed
    /// its key, a name means the key that it signs with now.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<Known> {
        if let Ok(key) = name.parse() {
            return self.of_key(&key);
        }
        let called = |known: &Known| known.name.as_ref().is_some_and(|it| it.as_str() == name);
        let keys: BTreeSet<DidKey> = self
            .known()
            .into_iter()
            .filter(called)
            .map(|known| known.key)
            .collect();
        let view = self.latest();
        // One that is succeeded by another of that name is that agent before.
        let is_last = |key: &&DidKey| {
            view.after(key)
                .iter()
                .all(|after| after == *key || !keys.contains(after))
        };
        let mut last = keys.iter().filter(is_last);
        let found = last.next()?;
        last.next().is_none().then(|| self.of_key(found)).flatten()
    }

    /// How far `key` is trusted about `domain` (`None`: about anything; only trust that is not limited to a domain counts
    /// then) at `now_us`, if it proves in this exchange that it is who it says it is. Who proves nothing is level 0.
    ///
    /// What was received after `now_us` does not count. Never higher for a domain than for one inside of it.
    #[must_use]
    pub fn level(
        &self,
        key: &DidKey,
        domain: Option<&Domain>,
        now_us: u64,
        settings: &TrustSettings,
    ) -> Explained {
        let view = View {
            records: self,
            domain,
            now_us,
            settings,
        };
        let score = score(view, key);
        let caps = view.caps(key);
        let base = match view.decision(key) {
            Decision::Trust => Level::Direct,
            _ if score.is_vouched => Level::Vouched,
            _ => Level::Identified,
        };
        Explained {
            level: caps.iter().map(Cap::ceiling).fold(base, Level::min),
            score_ppm: score.score_ppm,
            threshold_ppm: settings.threshold_ppm,
            paths: score.paths,
            caps,
            left_out: score.left_out,
        }
    }

    /// The records, in the order of their receipt.
    pub fn iter(&self) -> impl Iterator<Item = &Record> {
        self.records.iter()
    }

    /// When it was first received that the voucher, or whoever took its place, has taken a vouch back.
    #[must_use]
    pub fn revoked_us(&self, vouch: &Vouch) -> Option<u64> {
        self.latest().revoked_us(vouch)
    }

    /// All records, whenever they were received.
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
        match record.body() {
            RecordBody::Vouch(vouch) => Some((record, vouch)),
            _ => None,
        }
    }

    pub(super) fn revocation(&self, place: usize) -> Option<(&Record, &Revocation)> {
        let record = self.records.get(place)?;
        match record.body() {
            RecordBody::Revocation(revocation) => Some((record, revocation)),
            _ => None,
        }
    }
}

impl IntoIterator for Records {
    type Item = Record;
    type IntoIter = alloc::vec::IntoIter<Record>;

    fn into_iter(self) -> Self::IntoIter {
        self.records.into_iter()
    }
}
