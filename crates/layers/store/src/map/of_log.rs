//! The map of a log: a function of its entries, their signed headers and the documents of its records, in the order of the
//! log (`docs/format/standing.md` §5). It never reads a memory's content, so it is the same after an erasure.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::documents::{RedactedField, Redaction, Tombstone};
use counterfoil_capsule::keys::{ForkResolution, KeyCompromise, KeyDocument, KeyHistory};
use counterfoil_capsule::{ChainId, Document, Header, Kind, RecordKind, Timestamp};
use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash};
use counterfoil_verifier::map::{KeyMark, Lookup, MemoryStanding, agent_key, value_hash};

use super::{look_up, update};
use crate::StoreError;

/// The map of a log, held in memory. `N` entries change O(N) values, whatever they are: each memory becomes superseded or
/// forked by an entry that is about it alone, or once with its chain.
#[derive(Debug)]
pub struct LogMap {
    /// Origin of the log, as in its checkpoints.
    origin: String,
    entries: Vec<Placed>,
    chains: BTreeMap<ChainId, Chain>,
    /// Numbers of chains about which the owner of the chain has decided.
    decided: BTreeSet<(ChainId, u64)>,
    keys: BTreeMap<DidKey, KeyHistory>,
    /// Indices and times of an agent's entries.
    times: BTreeMap<DidKey, Vec<(u64, Timestamp)>>,
    memories: BTreeMap<Sha256Hash, MemoryStanding>,
    values: BTreeMap<Sha256Hash, String>,
    nodes: RefCell<BTreeMap<Vec<u8>, Vec<u8>>>,
    /// Keys of values that the nodes do not have yet.
    changed: BTreeSet<Sha256Hash>,
}

/// An entry as later ones refer to it.
#[derive(Debug)]
struct Placed {
    capsule: Blake3Hash,
    agent: DidKey,
    /// Its key in the map, of the first entry with its WorldId.
    memory: Option<Sha256Hash>,
}

/// A chain as the log has it.
#[derive(Debug)]
struct Chain {
    agent: DidKey,
    /// Number of its first entry.
    first: u64,
    /// Its entries, without those that a resolution left.
    members: Vec<u64>,
    /// The entry by which the log had two of one number.
    forked: Option<u64>,
}

impl LogMap {
    /// The map of an empty log.
    pub fn new(origin: impl Into<String>) -> Self {
        Self {
            origin: origin.into(),
            entries: Vec::new(),
            chains: BTreeMap::new(),
            decided: BTreeSet::new(),
            keys: BTreeMap::new(),
            times: BTreeMap::new(),
            memories: BTreeMap::new(),
            values: BTreeMap::new(),
            nodes: RefCell::default(),
            changed: BTreeSet::new(),
        }
    }

    /// Number of entries.
    pub fn size(&self) -> u64 {
        u64::try_from(self.entries.len()).unwrap_or(u64::MAX)
    }

    /// Adds the next entry: its header, whose signature and place the caller has checked, and of a record its document.
    pub fn add(&mut self, header: &Header, document: Option<&Value>) {
        let index = self.size();
        let (agent, capsule) = (header.agent(), header.hash());
        let memory = header.world().map(MemoryStanding::key);
        let memory = memory.filter(|key| !self.memories.contains_key(key));
        self.entries.push(Placed {
            capsule,
            agent,
            memory,
        });
        if let Some(key) = memory {
            self.set(key, MemoryStanding::new(index));
        }
        self.place(index, header);
        if let (Kind::Record(kind), Some(document)) = (header.kind(), document) {
            self.record(index, header, (kind, document));
        }
        let times = self.times.entry(agent).or_default();
        times.push((index, header.timestamp()));
        let head = format!("counterfoil/map/agent/v1\nhead {index} {capsule}\n");
        self.put(agent_key(&agent), head);
    }

    /// The root of the map. Brings its nodes forward by what was added.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] never happens here: nodes are in memory.
    pub fn root(&mut self) -> Result<Sha256Hash, StoreError> {
        let changed = std::mem::take(&mut self.changed);
        let hash = |key: Sha256Hash| Some((key, value_hash(self.values.get(&key)?)));
        let changes = changed.into_iter().filter_map(hash).collect();
        update(&self.nodes, &changes)
    }

    /// The lookup of a key, under the root that [`LogMap::root`] has returned last.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if entries were added since.
    pub fn look_up(&self, key: &Sha256Hash) -> Result<Lookup, StoreError> {
        look_up(&self.nodes, key, self.value(key))
    }

    /// The value of a key; `None` if the map does not have it.
    pub fn value(&self, key: &Sha256Hash) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    fn put(&mut self, key: Sha256Hash, value: String) {
        self.values.insert(key, value);
        self.changed.insert(key);
    }

    fn set(&mut self, key: Sha256Hash, standing: MemoryStanding) {
        self.put(key, standing.to_text());
        self.memories.insert(key, standing);
    }

    /// Changes the standing of the memory at `index`, if there is one.
    fn change(&mut self, index: u64, change: impl FnOnce(&mut MemoryStanding)) {
        let Some(key) = self.placed(index).and_then(|it| it.memory) else {
            return;
        };
        if let Some(mut standing) = self.memories.get(&key).cloned() {
            change(&mut standing);
            self.set(key, standing);
        }
    }

    fn placed(&self, index: u64) -> Option<&Placed> {
        self.entries.get(usize::try_from(index).ok()?)
    }

    /// Puts an entry into its chain: behind the last one, which it supersedes, or it forks the chain.
    fn place(&mut self, index: u64, header: &Header) {
        let (chain, seq, agent) = (header.chain(), header.seq(), header.agent());
        let Some(known) = self.chains.get_mut(&chain) else {
            let begun = Chain {
                agent,
                first: seq,
                members: vec![index],
                forked: None,
            };
            self.chains.insert(chain, begun);
            return;
        };
        // Nobody else writes in a chain.
        if known.agent != agent {
            return;
        }
        if let Some(by) = known.forked {
            self.change(index, |it| it.forked = Some(by));
            return;
        }
        let last = known.members.last().copied();
        let capsule = last.and_then(|last| self.entries.get(usize::try_from(last).ok()?));
        let next = known
            .first
            .saturating_add(known.members.len().try_into().unwrap_or(u64::MAX));
        let follows = last.is_none() || header.previous() == capsule.map(|it| it.capsule);
        if seq == next && follows {
            known.members.push(index);
            if let Some(last) = last {
                let by = (index, header.world().cloned());
                self.change(last, |it| it.superseded = Some(by));
            }
            return;
        }
        known.forked = Some(index);
        let members = std::mem::take(&mut known.members);
        for member in members.into_iter().chain([index]) {
            self.change(member, |it| it.forked = Some(index));
        }
    }

    fn record(&mut self, index: u64, header: &Header, (kind, document): (RecordKind, &Value)) {
        match kind {
            RecordKind::KeyInception | RecordKind::KeyRotation | RecordKind::KeyCompromise => {
                if let Some(Ok(document)) = KeyDocument::parse(kind, document) {
                    self.key_record(index, header, &document);
                }
            }
            RecordKind::Tombstone => {
                if let Ok(tombstone) = Tombstone::parse(document) {
                    self.forget(index, header.agent(), &tombstone);
                }
            }
            RecordKind::Redaction => {
                if let Ok(redaction) = Redaction::parse(document) {
                    self.erase(index, header.agent(), &redaction);
                }
            }
            RecordKind::ForkResolution => self.resolve(index, header.agent(), document),
            _ => {}
        }
    }

    /// Returns true for those whose records about a memory count: its author, and the agent of the first entry.
    fn may_decide(&self, agent: DidKey, author: DidKey) -> bool {
        agent == author || self.is_owner(agent)
    }

    fn is_owner(&self, agent: DidKey) -> bool {
        self.entries
            .first()
            .is_some_and(|first| first.agent == agent)
    }

    fn forget(&mut self, record: u64, agent: DidKey, tombstone: &Tombstone) {
        let standing = self.memories.get(&MemoryStanding::key(&tombstone.world));
        let Some(index) = standing.map(|it| it.entry) else {
            return;
        };
        let author = self.placed(index).map(|it| it.agent);
        if !author.is_some_and(|author| self.may_decide(agent, author)) {
            return;
        }
        match tombstone.decision {
            Some(_) => self.change(index, |it| {
                it.forgotten_global.get_or_insert(record);
            }),
            None if tombstone.actor.as_str() == agent.to_string() => self.change(index, |it| {
                it.forgotten_actor.get_or_insert(record);
            }),
            None => {}
        }
    }

    fn erase(&mut self, record: u64, agent: DidKey, redaction: &Redaction) {
        let erased = self
            .placed(redaction.index)
            .filter(|it| it.capsule == redaction.capsule && self.may_decide(agent, it.agent));
        if erased.is_some() && redaction.fields.contains(&RedactedField::Payload) {
            self.change(redaction.index, |it| {
                it.erased.get_or_insert(record);
            });
        }
    }

    fn key_record(&mut self, index: u64, header: &Header, document: &KeyDocument) {
        let agent = header.agent();
        match (self.keys.get_mut(&agent), document) {
            (None, KeyDocument::Inception(inception)) => {
                if let Ok(history) = KeyHistory::begin(header, inception) {
                    self.keys.insert(agent, history);
                }
            }
            (Some(history), document) => {
                let held = history.extend(header, document).is_ok();
                if let KeyDocument::Compromise(mark) = document
                    && held
                {
                    self.mark(index, agent, mark);
                }
            }
            (None, _) => {}
        }
    }

    /// Entries of another log say nothing of this one: there the time decides.
    fn mark(&mut self, record: u64, agent: DidKey, mark: &KeyCompromise) {
        let mut from = mark.from;
        if *mark.log.as_str() != *self.origin {
            let times = self.times.get(&agent).into_iter().flatten();
            let mut since = times.filter(|(_, time)| *time >= mark.from_time);
            from = since.next().map_or(record, |(index, _)| *index);
        }
        let key = KeyMark::key(&agent, mark.number);
        let held = self
            .value(&key)
            .and_then(|value| KeyMark::parse(value).ok());
        if held.is_none_or(|held| from < held.from) {
            self.put(key, KeyMark { from, record }.to_text());
        }
    }

    /// The branch that a resolution leaves is forked, and the chain ends before it. No resolution takes a branch back.
    fn resolve(&mut self, record: u64, agent: DidKey, document: &Value) {
        let Ok(resolution) = ForkResolution::parse(document) else {
            return;
        };
        let by_owner = self.keys.get(&resolution.agent);
        let by_owner = by_owner.is_some_and(|keys| keys.accepts(&resolution).is_ok());
        let by_operator = resolution.recovery.is_none()
            && resolution.operator == Some(agent)
            && self.is_owner(agent);
        let (chain, seq) = (resolution.chain, resolution.seq);
        let known = self
            .chains
            .get_mut(&chain)
            .filter(|it| it.agent == resolution.agent);
        let Some(known) = known.filter(|_| by_owner || by_operator) else {
            return;
        };
        if self.decided.contains(&(chain, seq)) {
            return;
        }
        if by_owner {
            self.decided.insert((chain, seq));
        }
        let kept = seq.saturating_sub(known.first);
        let kept = usize::try_from(kept).unwrap_or(usize::MAX);
        let at_fork = known.members.get(kept).copied();
        let capsule = at_fork.and_then(|it| self.entries.get(usize::try_from(it).ok()?));
        if capsule.is_none_or(|it| it.capsule == resolution.keep) {
            return;
        }
        let left = known.members.split_off(kept);
        let last = known.members.last().copied();
        for index in left {
            self.change(index, |it| {
                it.forked.get_or_insert(record);
            });
        }
        if let Some(last) = last {
            self.change(last, |it| it.superseded = None);
        }
    }
}

#[cfg(test)]
mod tests;
