//! Where what is said of a key stands among the records, so that a level looks at what can reach that key and no more.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::{LocalRecord, Record, RecordBody};
use crate::documents::{DocumentHash, RequestId};

/// Places in the list of records; a higher place was received later.
pub(super) type Places = Vec<usize>;

/// Where what stands. Built once from the records in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Index {
    /// This agent's own records, by whom they are about.
    about: BTreeMap<DidKey, Places>,
    /// Every key that is trusted directly by some record.
    trusted: BTreeSet<DidKey>,
    /// By key, the keys that took its place, and when that was received.
    after: BTreeMap<DidKey, Vec<(DidKey, u64)>>,
    /// By key, the keys whose place it took, and when that was received.
    before: BTreeMap<DidKey, Vec<(DidKey, u64)>>,
    revoked_ids: BTreeMap<RequestId, Places>,
    revoked_hashes: BTreeMap<DocumentHash, Places>,
    /// Subject, voucher, place; sorted.
    by_subject: Vec<(DidKey, DidKey, usize)>,
    /// Voucher, subject; sorted.
    by_voucher: Vec<(DidKey, DidKey)>,
}

impl Index {
    pub(super) fn of(records: &[Record]) -> Self {
        let mut index = Self::default();
        for (place, record) in records.iter().enumerate() {
            match record.body() {
                RecordBody::Vouch(vouch) => {
                    let parts = vouch.parts();
                    let (voucher, subject) = (parts.voucher.public_key, parts.subject.public_key);
                    index.by_subject.push((subject, voucher, place));
                    index.by_voucher.push((voucher, subject));
                }
                RecordBody::Revocation(revocation) => {
                    let parts = revocation.parts();
                    let id = parts.vouch_id.clone();
                    index.revoked_ids.entry(id).or_default().push(place);
                    index
                        .revoked_hashes
                        .entry(parts.vouch_hash)
                        .or_default()
                        .push(place);
                }
                RecordBody::Local(local) => index.take(local, place, record.received_us()),
            }
        }
        index.by_subject.sort_unstable();
        index.by_voucher.sort_unstable();
        index.by_voucher.dedup();
        index
    }

    fn take(&mut self, local: &LocalRecord, place: usize, received_us: u64) {
        self.about.entry(local.key()).or_default().push(place);
        match local {
            LocalRecord::DirectTrust { key, .. } => {
                self.trusted.insert(*key);
            }
            LocalRecord::Succession { from, to } => {
                self.about.entry(*from).or_default().push(place);
                self.after
                    .entry(*from)
                    .or_default()
                    .push((*to, received_us));
                self.before
                    .entry(*to)
                    .or_default()
                    .push((*from, received_us));
            }
            _ => {}
        }
    }

    /// Every key that this agent has recorded something of itself.
    pub(super) fn keys(&self) -> impl Iterator<Item = DidKey> {
        self.about.keys().copied()
    }

    /// Every key that is trusted directly by some record.
    pub(super) fn trusted(&self) -> impl Iterator<Item = DidKey> {
        self.trusted.iter().copied()
    }

    /// Where this agent's own records about a key stand, in the order of their receipt.
    pub(super) fn about(&self, key: &DidKey) -> &[usize] {
        self.about.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn after(&self, key: &DidKey) -> &[(DidKey, u64)] {
        self.after.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn before(&self, key: &DidKey) -> &[(DidKey, u64)] {
        self.before.get(key).map_or(&[], Vec::as_slice)
    }

    /// Where the revocations stand that name this vouch, by its id or by its hash, whoever wrote them.
    pub(super) fn revocations(
        &self,
        id: &RequestId,
        hash: &DocumentHash,
    ) -> impl Iterator<Item = usize> {
        let by_id = self.revoked_ids.get(id).into_iter().flatten();
        by_id
            .chain(self.revoked_hashes.get(hash).into_iter().flatten())
            .copied()
    }

    /// The vouches for a key: who vouches, and where that stands.
    pub(super) fn vouches_for(&self, subject: &DidKey) -> impl Iterator<Item = (DidKey, usize)> {
        let rest = from(&self.by_subject, |(found, ..)| found < subject);
        let these = rest.iter().take_while(move |(found, ..)| found == subject);
        these.map(|(_, voucher, place)| (*voucher, *place))
    }

    /// The vouches of one key for another.
    pub(super) fn vouches_of(
        &self,
        voucher: &DidKey,
        subject: &DidKey,
    ) -> impl Iterator<Item = usize> {
        let wanted = (*subject, *voucher);
        let rest = from(&self.by_subject, |(to, by, _)| (*to, *by) < wanted);
        let these = rest
            .iter()
            .take_while(move |(to, by, _)| (*to, *by) == wanted);
        these.map(|(.., place)| *place)
    }

    /// For whom a key vouches, each once.
    pub(super) fn vouched_by(&self, voucher: &DidKey) -> impl Iterator<Item = DidKey> {
        let rest = from(&self.by_voucher, |(found, _)| found < voucher);
        let these = rest.iter().take_while(move |(found, _)| found == voucher);
        these.map(|(_, subject)| *subject)
    }

    /// How many vouch for a key, without looking at them.
    pub(super) fn vouchers_count(&self, subject: &DidKey) -> usize {
        let begin = self
            .by_subject
            .partition_point(|(found, ..)| found < subject);
        let end = self
            .by_subject
            .partition_point(|(found, ..)| found <= subject);
        end.saturating_sub(begin)
    }
}

/// What is left of a sorted list behind all that are `less`.
fn from<T>(sorted: &[T], less: impl FnMut(&T) -> bool) -> &[T] {
    let at = sorted.partition_point(less);
    sorted.get(at..).unwrap_or_default()
}
