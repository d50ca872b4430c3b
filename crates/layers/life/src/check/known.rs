//! Facts that are read before the first entry is judged: keys, erasures, stubs, and entries that came from elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::documents::{RedactedField, Redaction};
use counterfoil_capsule::{
    Document, Header, IndeterminateReason, Kind, RecordKind, Tip, Verdict, key_of,
};
use counterfoil_store::StoreError;
use counterfoil_types::{Blake3Hash, DidKey};

use crate::contents::unopened;
use crate::entries::{self, Sides};
use crate::keys::key_chain;
use crate::port::rows::{KeyRow, ReceivedRow, RedactedRow, ResolutionRow, StubRow};
use crate::port::{Field, Select, Txn};
use crate::records::content_of;

/// Missing bodies of an entry.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lost {
    pub(super) payload: bool,
    pub(super) delta: bool,
}

pub(super) const ERASED: Verdict = open(IndeterminateReason::BodyErased);
pub(super) const DELTA_ERASED: Verdict = open(IndeterminateReason::DeltaErased);
pub(super) const TARGET_ERASED: Verdict = open(IndeterminateReason::RestoredErased);

const fn open(reason: IndeterminateReason) -> Verdict {
    Verdict::Indeterminate { reason }
}

impl Lost {
    /// The bodies that the header names and that are not there.
    pub(super) fn of(header: &Header, has_payload: bool, has_delta: bool) -> Self {
        Self {
            payload: !has_payload,
            delta: !has_delta && header.previous().is_some(),
        }
    }

    /// Names the delta as erased if only the delta is gone: the content is there.
    pub(super) fn explain_delta(self, found: &mut [Verdict]) {
        if self.delta && !self.payload {
            instead(found, ERASED, DELTA_ERASED);
        }
    }

    /// Names the restored version as erased if nothing of the memory's own is gone.
    pub(super) fn explain_target(self, found: &mut [Verdict]) {
        if !self.delta && !self.payload {
            instead(found, ERASED, TARGET_ERASED);
        }
    }
}

/// Puts another finding in the place of one.
pub(super) fn instead(found: &mut [Verdict], of: Verdict, verdict: Verdict) {
    found
        .iter_mut()
        .filter(|found| **found == of)
        .for_each(|found| *found = verdict);
}

#[derive(Default)]
pub(super) struct RecordIndex {
    /// Keys of each agent that ever rotated, by number.
    pub(super) keys: BTreeMap<DidKey, Vec<DidKey>>,
    /// Log indices with a stub.
    pub(super) stubs: BTreeSet<u64>,
    /// Entries of each agent after which a key number is the least that may sign, with that number.
    floors: BTreeMap<DidKey, Vec<(u64, u64)>>,
    /// Erased bodies by entry, with a record that names them.
    redacted: BTreeMap<u64, Vec<RedactedField>>,
    pub(super) received: BTreeSet<u64>,
    /// Predecessor, with its log index, of each first capsule of a branch that a resolution keeps.
    pub(super) kept: BTreeMap<Blake3Hash, (Tip, u64)>,
}

impl RecordIndex {
    pub(super) fn read(txn: &dyn Txn) -> Result<Self, StoreError> {
        let mut known = Self {
            received: set(txn, Select::of::<ReceivedRow>(), &["idx"])?,
            stubs: set(txn, Select::of::<StubRow>(), &["idx"])?,
            ..Self::default()
        };
        known.read_keys(txn)?;
        for row in txn.list::<ResolutionRow>(&Select::of::<ResolutionRow>())? {
            let Some(before) = row.seq.checked_sub(1) else {
                continue;
            };
            if let Some(index) = entries::in_chain(txn, &row.chain, before)?
                && let Some(header) = entries::header(txn, index)?
            {
                known.kept.insert(row.keep, (Tip::of(&header), index));
            }
        }
        let records: BTreeSet<u64> = set(txn, Select::of::<RedactedRow>(), &["record"])?;
        for record in records {
            let stored = match entries::capsule_here(txn, record) {
                Err(StoreError::Corrupt { .. }) => None,
                stored => stored?,
            };
            // A row of the index that no record backs says nothing.
            let document = stored
                .and_then(|it| content_of(&it.header, it.payload.as_ref(), RecordKind::Redaction));
            if let Some(Ok(redaction)) = document.map(|it| Redaction::parse(&it)) {
                let fields = known.redacted.entry(redaction.index).or_default();
                fields.extend(redaction.fields);
            }
        }
        // The record of the erasure is in a later commit.
        for index in set::<u64>(txn, unopened(), &["number"])? {
            let fields = known.redacted.entry(index).or_default();
            fields.extend([RedactedField::Payload, RedactedField::Delta]);
        }
        Ok(known)
    }

    pub(super) fn key_of(&self, header: &Header) -> Option<DidKey> {
        key_of(header, &self.keys)
    }

    /// The least number of a key that may sign an entry of the agent at `index`.
    pub(super) fn least_key(&self, agent: &DidKey, index: u64) -> u64 {
        let floors = self.floors.get(agent).into_iter().flatten();
        let before = floors.filter(|(at, _)| *at < index);
        before.map(|(_, number)| *number).max().unwrap_or_default()
    }

    /// Tests whether a record says that the content of the entry was erased.
    pub(super) fn payload_erased(&self, index: u64) -> bool {
        self.says(index, RedactedField::Payload)
    }

    /// Tests whether a record says that the delta of the entry was erased: its own, or with the content of
    /// the version before, which it held.
    pub(super) fn delta_erased(&self, index: u64, before: Option<u64>) -> bool {
        self.says(index, RedactedField::Delta)
            || before.is_some_and(|before| self.says(before, RedactedField::NextDelta))
    }

    /// Tests whether all missing bodies of an entry were erased by records in the log.
    pub(super) fn records(&self, index: u64, before: Option<u64>, lost: Lost) -> bool {
        (!lost.payload || self.payload_erased(index))
            && (!lost.delta || self.delta_erased(index, before))
    }

    fn says(&self, index: u64, field: RedactedField) -> bool {
        let fields = self.redacted.get(&index);
        fields.is_some_and(|fields| fields.contains(&field))
    }

    /// A key chain that is damaged ends where the damage is: a number of a later key stays open.
    fn read_keys(&mut self, txn: &dyn Txn) -> Result<(), StoreError> {
        let agents: BTreeSet<String> = set(txn, Select::of::<KeyRow>(), &["agent"])?;
        for agent in agents.iter().filter_map(|agent| agent.parse().ok()) {
            let chain = match key_chain(Sides::both(txn), &agent) {
                Ok(Some(chain)) => chain,
                Ok(None) | Err(StoreError::Corrupt { .. }) => continue,
                Err(other) => return Err(other),
            };
            self.keys.insert(agent, chain.history.keys().to_vec());
            let rotations = chain
                .records
                .iter()
                .filter(|record| record.header.kind() == Kind::Record(RecordKind::KeyRotation));
            let floors = (1..)
                .zip(rotations)
                .map(|(number, record)| (record.index, number));
            self.floors.insert(agent, floors.collect());
        }
        Ok(())
    }
}

/// The different values of one column of the selected rows.
fn set<T: Field + Ord>(
    txn: &dyn Txn,
    select: Select,
    column: &'static [&'static str; 1],
) -> Result<BTreeSet<T>, StoreError> {
    Ok(txn.column(select, column)?.into_iter().collect())
}
