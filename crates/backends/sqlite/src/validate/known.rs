//! What has to be known before the first row is judged: keys, redactions, and what came from elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::documents::{RedactedField, Redaction};
use counterfoil_capsule::{
    Document, Header, IndeterminateReason, Kind, RecordKind, Tip, Verdict, key_of,
};
use counterfoil_store::StoreError;
use counterfoil_types::{Blake3Hash, DidKey};
use rusqlite::Connection;

use crate::records::content_of;
use crate::statement::Statements;
use crate::{keys, rows};

/// Missing bodies of an entry.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lost {
    pub(super) payload: bool,
    pub(super) delta: bool,
}

const ERASED: Verdict = Verdict::Indeterminate {
    reason: IndeterminateReason::BodyErased,
};

/// Only the delta is gone: the content is there.
pub(super) fn delta_erased(found: &mut [Verdict], lost: Lost) {
    if lost.delta && !lost.payload {
        instead(found, IndeterminateReason::DeltaErased);
    }
}

/// Nothing of its own is gone, but the version that it restores.
pub(super) fn target_erased(found: &mut [Verdict], lost: Lost) {
    if !lost.delta && !lost.payload {
        instead(found, IndeterminateReason::RestoredErased);
    }
}

fn instead(found: &mut [Verdict], reason: IndeterminateReason) {
    for verdict in found.iter_mut().filter(|verdict| **verdict == ERASED) {
        *verdict = Verdict::Indeterminate { reason };
    }
}

#[derive(Default)]
pub(super) struct RecordIndex {
    /// Of each agent that ever rotated: its keys by number.
    pub(super) keys: BTreeMap<DidKey, Vec<DidKey>>,
    /// Of each agent: after which entry which number is the least that may sign.
    floors: BTreeMap<DidKey, Vec<(u64, u64)>>,
    /// Erased bodies by entry, with a record that names them.
    redacted: BTreeMap<u64, Vec<RedactedField>>,
    received: BTreeSet<u64>,
    /// Stubs that stand beside their capsules, which no archive leaves.
    doubled: BTreeSet<u64>,
    /// Of capsules that a resolution keeps: what they follow, and its log index.
    kept: BTreeMap<Blake3Hash, (Tip, u64)>,
}

impl RecordIndex {
    pub(super) fn read(connection: &Connection) -> Result<Self, StoreError> {
        let mut known = Self {
            received: connection.list("SELECT idx FROM received", [])?,
            doubled: connection.list(
                "SELECT stub.idx FROM stub JOIN capsule USING (idx) WHERE header IS NOT NULL",
                [],
            )?,
            ..Self::default()
        };
        known.read_keys(connection)?;
        let kept: Vec<([u8; 32], u64)> = connection.list(
            "SELECT keep, chain.idx FROM resolution
             JOIN chain ON chain.chain = resolution.chain AND chain.seq = resolution.seq - 1",
            [],
        )?;
        for (hash, index) in kept {
            if let Some(header) = rows::header(connection, index)? {
                let hash = Blake3Hash::from_bytes(hash);
                known.kept.insert(hash, (Tip::of(&header), index));
            }
        }
        let records: Vec<u64> = connection.list("SELECT DISTINCT record FROM redacted", [])?;
        for record in records {
            let stored = match rows::capsule(connection, record) {
                Err(StoreError::Corrupt { .. } | StoreError::Archived { .. }) => None,
                stored => stored?,
            };
            // Of a derived row that no record backs nothing follows.
            let document = stored
                .and_then(|it| content_of(&it.header, it.payload.as_ref(), RecordKind::Redaction));
            if let Some(Ok(redaction)) = document.map(|it| Redaction::parse(&it)) {
                let fields = known.redacted.entry(redaction.index).or_default();
                fields.extend(redaction.fields);
            }
        }
        Ok(known)
    }

    pub(super) fn key_of(&self, header: &Header) -> Option<DidKey> {
        key_of(header, &self.keys)
    }

    pub(super) fn is_received(&self, index: u64) -> bool {
        self.received.contains(&index)
    }

    /// Tests whether a stub stands beside the capsule.
    pub(super) fn is_doubled(&self, index: u64) -> bool {
        self.doubled.contains(&index)
    }

    /// Predecessor of the capsule that begins the kept branch after a fork, and its log index.
    pub(super) fn kept(&self, capsule: &Blake3Hash) -> Option<&(Tip, u64)> {
        self.kept.get(capsule)
    }

    /// The least number of a key that may sign an entry of the agent at `index`.
    pub(super) fn least_key(&self, agent: &DidKey, index: u64) -> u64 {
        let floors = self
            .floors
            .get(agent)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let before = floors.iter().filter(|(at, _)| *at < index);
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

    /// Tests whether all that an entry lacks was erased by records in the log.
    pub(super) fn records(&self, index: u64, before: Option<u64>, lost: Lost) -> bool {
        (!lost.payload || self.payload_erased(index))
            && (!lost.delta || self.delta_erased(index, before))
    }

    fn says(&self, index: u64, field: RedactedField) -> bool {
        let fields = self.redacted.get(&index);
        fields.is_some_and(|fields| fields.contains(&field))
    }

    /// A key chain that is damaged ends where the damage is: what names a later key stays open.
    fn read_keys(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let agents: Vec<String> = connection.list("SELECT DISTINCT agent FROM key", [])?;
        for agent in agents.iter().filter_map(|agent| agent.parse().ok()) {
            let chain = match keys::key_chain(connection, &agent) {
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
