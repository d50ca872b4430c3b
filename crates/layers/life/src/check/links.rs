//! Links between entries: chains, the time of agents, and stubs; in the order of the log (C6, C9, 4.4).

use std::collections::{BTreeMap, HashMap};

use counterfoil_capsule::dangerous::check_place;
use counterfoil_capsule::documents::CapsuleName;
use counterfoil_capsule::{
    ChainId, Check, Code, Header, IndeterminateReason, Kind, RecordKind, Surroundings, Timestamp,
    Tip, Verdict,
};
use counterfoil_store::Head;
use counterfoil_store::pool::PoolItem;
use counterfoil_types::{Blake3Hash, DidKey, WorldId};

use super::known::{self, RecordIndex};
use crate::entries;
use crate::port::Txn;
use crate::port::rows::StubRow;

#[derive(Default)]
pub(super) struct Links {
    chains: HashMap<ChainId, Chain>,
    agents: HashMap<DidKey, Timestamp>,
    /// True if entries that stubs name are receipts.
    receipts: HashMap<u64, bool>,
    /// The stubs of capsules that are not here.
    pub(super) stubs: Vec<StubRow>,
}

/// One chain, as far as it was read.
struct Chain {
    tip: Tip,
    index: u64,
    /// Its capsules in the order of the log, also those of branches that were given up; most chains have one.
    first: Place,
    later: Vec<Place>,
    first_bad: Option<u64>,
}

/// Place of a capsule in its chain.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) seq: u64,
    pub(super) index: u64,
    pub(super) hash: Blake3Hash,
    /// Log index of its predecessor.
    before: Option<u64>,
}

impl Place {
    const fn new(tip: Tip, index: u64, before: Option<u64>) -> Self {
        Self {
            seq: tip.seq,
            index,
            hash: tip.hash,
            before,
        }
    }
}

impl Chain {
    const fn new(tip: Tip, index: u64) -> Self {
        Self {
            tip,
            index,
            first: Place::new(tip, index, None),
            later: Vec::new(),
            first_bad: None,
        }
    }

    fn grow(&mut self, tip: Tip, index: u64) {
        if tip.seq <= self.tip.seq {
            return;
        }
        self.later.push(Place::new(tip, index, Some(self.index)));
        (self.tip, self.index) = (tip, index);
    }

    fn place(&self, index: u64) -> Option<&Place> {
        let found = self.later.binary_search_by_key(&index, |place| place.index);
        match found {
            Ok(at) => self.later.get(at),
            Err(_) => Some(&self.first).filter(|first| first.index == index),
        }
    }
}

/// Predecessor of a capsule.
#[derive(Clone, Copy, Default)]
pub(super) struct Before {
    pub(super) tip: Option<Tip>,
    pub(super) index: Option<u64>,
}

impl Links {
    /// Takes the next capsule of the log. Returns its predecessor, and the findings about its place.
    pub(super) fn take(
        &mut self,
        index: u64,
        header: &Header,
        known: &RecordIndex,
    ) -> (Before, Vec<Verdict>) {
        let here = !known.received.contains(&index);
        let agent = header.agent();
        if let Some((tip, at)) = known.kept.get(&header.hash())
            && let Some(chain) = self.chains.get_mut(&header.chain())
        {
            // The branch that goes on after a fork begins behind `tip`.
            if tip.seq < chain.tip.seq {
                (chain.tip, chain.index) = (*tip, *at);
            }
        }
        let chain = self.chains.get(&header.chain());
        let before = Before {
            tip: chain.map(|chain| chain.tip),
            index: chain.map(|chain| chain.index),
        };
        let around = Surroundings {
            tip: before.tip,
            agent_before: self.agents.get(&agent).copied().filter(|_| here),
            least_key: if here {
                known.least_key(&agent, index)
            } else {
                0
            },
            ..Surroundings::default()
        };
        let mut found = check_place(header, &around);
        if header.previous().is_none() && before.tip.is_some() {
            found.push(invalid(Check::Sequence, Code::Sequence));
        }
        if here {
            self.agents.insert(agent, header.timestamp());
        }
        self.grow(Tip::of(header), index);
        (before, found)
    }

    /// Takes a stub: its link is all that there is. `None` for a time that is none.
    pub(super) fn take_stub(&mut self, txn: &dyn Txn, stub: StubRow) -> Option<Vec<Verdict>> {
        let timestamp = Timestamp::from_micros(stub.timestamp).ok()?;
        let tip = Tip {
            agent: stub.agent,
            chain: stub.chain,
            seq: stub.seq,
            hash: stub.hash,
            timestamp,
            key_number: 0,
            payload: None,
            is_claim: stub.kind.as_deref() == Some("claim"),
        };
        let mut found = Vec::new();
        if stub.mutation.is_some() != (tip.seq > 0) {
            found.push(invalid(Check::Mutation, Code::Mutation));
        }
        let before = self.chains.get(&tip.chain).map(|chain| chain.tip);
        found.extend(match before {
            None if tip.seq > 0 => Some(MISSING),
            Some(before) if before.agent != tip.agent => {
                Some(invalid(Check::Sequence, Code::Agent))
            }
            Some(before) if before.seq.checked_add(1) != Some(tip.seq) => {
                Some(invalid(Check::Sequence, Code::Sequence))
            }
            Some(before) if before.timestamp >= tip.timestamp => {
                Some(invalid(Check::Chronology, Code::Chronology))
            }
            _ => None,
        });
        let is_receipt = *self.receipts.entry(stub.receipt).or_insert_with(|| {
            let header = entries::header(txn, stub.receipt).ok().flatten();
            let receipt = Kind::Record(RecordKind::ArchiveReceipt);
            header.is_some_and(|header| header.kind() == receipt)
        });
        if !is_receipt {
            found.push(invalid(Check::State, Code::Record));
        }
        found.push(ARCHIVED);
        self.agents.insert(stub.agent, timestamp);
        self.grow(tip, stub.idx);
        self.stubs.push(stub);
        Some(found)
    }

    fn grow(&mut self, tip: Tip, index: u64) {
        self.chains
            .entry(tip.chain)
            .and_modify(|chain| chain.grow(tip, index))
            .or_insert_with(|| Chain::new(tip, index));
    }

    /// Notes that a capsule of the chain is invalid.
    pub(super) fn spoil(&mut self, chain: &ChainId, seq: u64) {
        if let Some(chain) = self.chains.get_mut(chain) {
            chain.first_bad = Some(chain.first_bad.map_or(seq, |bad| bad.min(seq)));
        }
    }

    /// Returns the predecessors of the capsule at `index` of a chain, from the latest back.
    pub(super) fn back_from(&self, chain: &ChainId, index: u64) -> impl Iterator<Item = &Place> {
        let chain = self.chains.get(chain);
        let before = move |place: &&Place| chain?.place(place.before?);
        let own = chain.and_then(|chain| chain.place(index));
        std::iter::successors(own, before).skip(1)
    }

    pub(super) fn len(&self) -> u64 {
        u64::try_from(self.chains.len()).unwrap_or(u64::MAX)
    }

    /// The ends of all chains, in the order in which they were begun; `frozen` has the numbers at which chains forked.
    pub(super) fn heads(&self, frozen: &BTreeMap<ChainId, u64>) -> impl Iterator<Item = PoolItem> {
        let mut heads: Vec<_> = self.chains.values().collect();
        heads.sort_unstable_by_key(|chain| chain.first.index);
        heads.into_iter().map(|chain| PoolItem::Head {
            chain: chain.tip.chain,
            head: Head {
                agent: chain.tip.agent,
                seq: chain.tip.seq,
                capsule: chain.tip.hash,
                index: chain.index,
            },
            first_bad: chain.first_bad,
            frozen_at: frozen.get(&chain.tip.chain).copied(),
        })
    }
}

pub(super) fn named(header: &Header) -> (CapsuleName, Option<WorldId>) {
    (CapsuleName::of(header), header.world().cloned())
}

pub(super) fn named_stub(stub: &StubRow) -> (CapsuleName, Option<WorldId>) {
    let name = CapsuleName {
        agent: stub.agent,
        chain: stub.chain,
        seq: stub.seq,
        capsule_hash: stub.hash,
        record: None,
    };
    (name, stub.world.clone())
}

pub(super) const ARCHIVED: Verdict = Verdict::Indeterminate {
    reason: IndeterminateReason::BodyArchived,
};
pub(super) const MISSING: Verdict = Verdict::Indeterminate {
    reason: IndeterminateReason::MissingParent,
};

pub(super) const fn invalid(check: Check, code: Code) -> Verdict {
    Verdict::Invalid { check, code }
}

/// Tests whether a finding says no more than that a record in the log erased a content.
pub(super) fn is_erased(verdict: &Verdict) -> bool {
    [known::ERASED, known::DELTA_ERASED, known::TARGET_ERASED].contains(verdict)
}

/// Tests whether a finding is intended: a content that was erased, or that is in a segment.
pub(super) fn is_meant(verdict: &Verdict) -> bool {
    is_erased(verdict) || [Verdict::Valid, ARCHIVED].contains(verdict)
}
