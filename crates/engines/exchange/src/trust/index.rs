//! Index of the records by key, so that a level reads only the records that can reach its key.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::record::RecordBody;
use super::{LocalRecord, Record};
use crate::documents::{DocumentHash, RequestId};

/// Places in the list of records, in the order of receipt.
pub(super) type Places = Vec<usize>;

/// Index of the records, built once.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Index {
    /// Own records by the key that they are about.
    about: BTreeMap<DidKey, Places>,
    /// Vouches of this agent itself, by subject.
    own_vouches: BTreeMap<DidKey, Places>,
    /// Keys with a record of direct trust, or a vouch of this agent.
    trusted: BTreeSet<DidKey>,
    /// Successors of a key, with the time of receipt.
    after: BTreeMap<DidKey, Vec<(DidKey, u64)>>,
    /// Predecessors of a key, with the time of receipt.
    before: BTreeMap<DidKey, Vec<(DidKey, u64)>>,
    revoked_ids: BTreeMap<RequestId, Places>,
    revoked_hashes: BTreeMap<DocumentHash, Places>,
    /// Subject, voucher, place; sorted.
    by_subject: Vec<(DidKey, DidKey, usize)>,
    /// Voucher, subject; sorted.
    by_voucher: Vec<(DidKey, DidKey)>,
}

impl Index {
    pub(super) fn of(records: &[Record], own: &[DidKey]) -> Self {
        let mut index = Self::default();
        for (place, record) in records.iter().enumerate() {
            match &record.body {
                RecordBody::Vouch(vouch) => {
                    let parts = vouch.parts();
                    let (voucher, subject) = (parts.voucher.public_key, parts.subject.public_key);
                    index.by_subject.push((subject, voucher, place));
                    index.by_voucher.push((voucher, subject));
                    if own.contains(&voucher) {
                        index.trusted.insert(subject);
                        index.own_vouches.entry(subject).or_default().push(place);
                    }
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
                RecordBody::Local(local) => {
                    if let Some(key) = local.key() {
                        index.about.entry(key).or_default().push(place);
                    }
                    match local {
                        LocalRecord::DirectTrust { key, .. } => {
                            index.trusted.insert(*key);
                        }
                        LocalRecord::Succession { from, to } => {
                            let at = record.received_us();
                            index.about.entry(*from).or_default().push(place);
                            index.after.entry(*from).or_default().push((*to, at));
                            index.before.entry(*to).or_default().push((*from, at));
                        }
                        _ => {}
                    }
                }
            }
        }
        index.by_subject.sort_unstable();
        index.by_voucher.sort_unstable();
        index.by_voucher.dedup();
        index
    }

    /// Keys with own records.
    pub(super) fn keys(&self) -> impl Iterator<Item = DidKey> {
        self.about.keys().copied()
    }

    /// Places of the vouches of this agent for a key.
    pub(super) fn own_vouches(&self, subject: &DidKey) -> &[usize] {
        self.own_vouches.get(subject).map_or(&[], Vec::as_slice)
    }

    /// Keys with a record of direct trust, or a vouch of this agent.
    pub(super) fn trusted(&self) -> impl Iterator<Item = DidKey> {
        self.trusted.iter().copied()
    }

    /// Places of the own records about a key.
    pub(super) fn about(&self, key: &DidKey) -> &[usize] {
        self.about.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn after(&self, key: &DidKey) -> &[(DidKey, u64)] {
        self.after.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn before(&self, key: &DidKey) -> &[(DidKey, u64)] {
        self.before.get(key).map_or(&[], Vec::as_slice)
    }

    /// Places of the revocations that name a vouch by its id or by its hash, of any agent.
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

    /// Vouchers of a key, with the places of their vouches.
    pub(super) fn vouches_for(&self, subject: &DidKey) -> impl Iterator<Item = (DidKey, usize)> {
        let rest = from(&self.by_subject, |(found, ..)| found < subject);
        let these = rest.iter().take_while(move |(found, ..)| found == subject);
        these.map(|(_, voucher, place)| (*voucher, *place))
    }

    /// Places of the vouches of one key for another.
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

    /// Keys that a key vouches for, each once.
    pub(super) fn vouched_by(&self, voucher: &DidKey) -> impl Iterator<Item = DidKey> {
        let rest = from(&self.by_voucher, |(found, _)| found < voucher);
        let these = rest.iter().take_while(move |(found, _)| found == voucher);
        these.map(|(_, subject)| *subject)
    }

    /// Number of vouches for a key.
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

/// The rest of a sorted list behind all items that are `less`.
fn from<T>(sorted: &[T], less: impl FnMut(&T) -> bool) -> &[T] {
    let at = sorted.partition_point(less);
    sorted.get(at..).unwrap_or_default()
}
