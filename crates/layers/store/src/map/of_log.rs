//! The map of a log: a function of its entries, their signed headers and the documents of its records, in the order of the
//! log (`docs/format/standing.md` §6). It never reads a memory's content, so it is the same after an erasure.

mod chains;
mod held;

use std::collections::BTreeMap;

use counterfoil_capsule::documents::{Contradiction, RedactedField, Redaction, Tombstone};
use counterfoil_capsule::keys::{ForkResolution, KeyCompromise, KeyDocument, KeyHistory};
use counterfoil_capsule::{ChainId, Document, Header, Kind, RecordKind, Timestamp};
use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};
use counterfoil_verifier::map::{
    KeyMark, LineStanding, Lookup, MemoryStanding, agent_key, value_hash,
};

use super::{MapNodes, corrupt, look_up, update};
use crate::StoreError;

use held::Held;

/// First byte of the rows beside the nodes, and what follows it in their keys; numbers have 8 bytes.
mod row {
    /// Size of the map.
    pub(super) const SIZE: u8 = 0x10;
    /// A chain.
    pub(super) const CHAIN: u8 = 0x11;
    /// Chain and number: log index of its entry, where the row of the chain does not have it.
    pub(super) const MEMBER: u8 = 0x12;
    /// Chain and number about which the owner of the chain has decided.
    pub(super) const DECIDED: u8 = 0x13;
    /// Agent: log indices of the records of its key chain.
    pub(super) const KEYS: u8 = 0x14;
    /// Key in the map: its value, unless it is that of a memory of which nothing was said.
    pub(super) const VALUE: u8 = 0x15;
    /// Chain and number of a fork: log index of the record that names it, or that it is settled. Of a chain alone: the number of its
    /// forks that its own agent has named.
    pub(super) const FORK: u8 = 0x16;
}

/// What a store has of a log, for its map: rows of the map, and the entries that it was made from.
pub trait MapLog: MapNodes {
    /// Returns capsule hash, agent, and [`MemoryStanding::key`] of the entry at `index`; the key is that of the first entry with its
    /// WorldId alone.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when there is none; when it cannot be read.
    fn placed(&self, index: u64) -> Result<(Blake3Hash, DidKey, Option<Sha256Hash>), StoreError>;

    /// Returns the log index of the first entry with this WorldId; `None` when there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    fn index_of(&self, world: &WorldId) -> Result<Option<u64>, StoreError>;

    /// Returns the log index of the first entry of `agent`, before the entry `end`, that is dated `time` or later.
    ///
    /// # Errors
    /// When they cannot be read.
    fn first_since(
        &self,
        agent: &DidKey,
        time: Timestamp,
        end: u64,
    ) -> Result<Option<u64>, StoreError>;

    /// Returns header and document of the record at `index`.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when there is none; when it cannot be read.
    fn record(&self, index: u64) -> Result<(Header, Value), StoreError>;
}

/// The map of a log, held in memory or in the rows of a store. `N` entries change O(N) values, whatever they are: each memory
/// becomes superseded or forked by an entry that is about it alone, or once with its chain. A decision about a fork changes a
/// chain again, once for each place.
#[derive(Debug)]
pub struct LogMap<'l> {
    /// Origin of the log, as in its checkpoints.
    origin: String,
    log: Log<'l>,
    size: u64,
    /// Histories of keys that were read or made.
    keys: BTreeMap<DidKey, KeyHistory>,
    /// Entries that were added or read since the last root, and the keys of agents.
    placed: BTreeMap<u64, Placed>,
    agents: BTreeMap<DidKey, Sha256Hash>,
    /// The last entry of each agent since the last root, with its capsule hash, by the key of the agent.
    heads: BTreeMap<Sha256Hash, (u64, Blake3Hash)>,
    /// Memories since the last root of which nothing more is said, by the index of their entry.
    begun: BTreeMap<Sha256Hash, u64>,
    /// Other values since the last root.
    changed: BTreeMap<Sha256Hash, String>,
}

/// Capsule hash, agent, and key of the memory of an entry.
type Placed = (Blake3Hash, DidKey, Option<Sha256Hash>);

enum Log<'l> {
    Held(Held),
    Of(&'l dyn MapLog),
}

impl std::fmt::Debug for Log<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Log")
    }
}

/// An entry that is added.
struct NewEntry<'e> {
    capsule: Blake3Hash,
    agent: DidKey,
    world: Option<&'e WorldId>,
    /// Tag of the line to which it adds a unit.
    line: Option<Blake3Hash>,
    chain: ChainId,
    seq: u64,
    /// The capsule that it follows; the outer `None` where that is not kept, and was checked when the entry came.
    previous: Option<Option<Blake3Hash>>,
}

impl<'l> LogMap<'l> {
    /// The map of an empty log, held in memory.
    pub fn new(origin: impl Into<String>) -> Self {
        Self::with(origin.into(), Log::Held(Held::default()), 0)
    }

    /// The map as the rows of a store have it; that of an empty log where there are none.
    ///
    /// # Errors
    /// [`StoreError::IndexDamaged`] when its size is no number; when it cannot be read.
    pub fn of(origin: impl Into<String>, log: &'l dyn MapLog) -> Result<Self, StoreError> {
        let size = match log.node(&[row::SIZE])? {
            Some(size) => number(&size)?,
            None => 0,
        };
        Ok(Self::with(origin.into(), Log::Of(log), size))
    }

    const fn with(origin: String, log: Log<'l>, size: u64) -> Self {
        Self {
            origin,
            log,
            size,
            keys: BTreeMap::new(),
            placed: BTreeMap::new(),
            agents: BTreeMap::new(),
            heads: BTreeMap::new(),
            begun: BTreeMap::new(),
            changed: BTreeMap::new(),
        }
    }

    /// Number of entries.
    pub const fn size(&self) -> u64 {
        self.size
    }

    fn log(&self) -> &dyn MapLog {
        match &self.log {
            Log::Held(held) => held,
            Log::Of(log) => *log,
        }
    }

    /// Adds the next entry: its header, whose signature and place the caller has checked, and of a record its document.
    ///
    /// # Errors
    /// [`StoreError::IndexDamaged`] for a row that is none; when rows or entries cannot be read or written.
    pub fn add(&mut self, header: &Header, document: Option<&Value>) -> Result<(), StoreError> {
        let index = self.size;
        if let Log::Held(held) = &mut self.log {
            held.add(header);
        }
        self.enter(&NewEntry {
            capsule: header.hash(),
            agent: header.agent(),
            world: header.world(),
            line: header.line(),
            chain: header.chain(),
            seq: header.seq(),
            previous: Some(header.previous()),
        })?;
        match (header.kind(), document) {
            (Kind::Record(kind), Some(document)) => self.record(index, header, (kind, document)),
            _ => Ok(()),
        }
    }

    /// Adds the next entry of a store's log, no record, by what is left of it while it is archived: capsule hash, agent and
    /// WorldId, and its place in its chain, which the store has checked when the entry came.
    ///
    /// # Errors
    /// As [`LogMap::add`].
    pub fn add_archived(
        &mut self,
        (capsule, agent, world): (Blake3Hash, DidKey, Option<&WorldId>),
        (chain, seq): (ChainId, u64),
    ) -> Result<(), StoreError> {
        self.enter(&NewEntry {
            capsule,
            agent,
            world,
            // Claim units are never archived.
            line: None,
            chain,
            seq,
            previous: None,
        })
    }

    fn enter(&mut self, entry: &NewEntry<'_>) -> Result<(), StoreError> {
        let index = self.size;
        let memory = match &self.log {
            Log::Held(held) => held.placed(index)?.2,
            // A store has each WorldId once.
            Log::Of(_) => entry.world.map(MemoryStanding::key),
        };
        let (agent, capsule) = (entry.agent, entry.capsule);
        self.placed.insert(index, (capsule, agent, memory));
        self.begun.extend(memory.map(|key| (key, index)));
        self.place(index, entry)?;
        let key = self
            .agents
            .entry(agent)
            .or_insert_with(|| agent_key(&agent));
        self.heads.insert(*key, (index, capsule));
        if let Some(tag) = &entry.line {
            self.count(index, (&agent, capsule), tag)?;
        }
        self.size += 1;
        Ok(())
    }

    /// The root of the map. Brings its nodes and rows forward by what was added.
    ///
    /// # Errors
    /// [`StoreError::IndexDamaged`] for a row that is no node; when rows cannot be read or written.
    pub fn root(&mut self) -> Result<Sha256Hash, StoreError> {
        let begun = std::mem::take(&mut self.begun).into_iter();
        let new = |index| value_hash(&MemoryStanding::new(index).to_text());
        let mut hashes: BTreeMap<_, _> = begun.map(|(key, index)| (key, new(index))).collect();
        let mut changed = std::mem::take(&mut self.changed);
        let heads = std::mem::take(&mut self.heads).into_iter();
        changed.extend(heads.map(|(key, (index, capsule))| {
            let head = format!("counterfoil/map/agent/v1\nhead {index} {capsule}\n");
            (key, head)
        }));
        hashes.extend(changed.iter().map(|(key, it)| (*key, value_hash(it))));
        self.placed.clear();
        let log = self.log();
        for (key, value) in changed {
            log.put_node(&of(row::VALUE, key.as_bytes()), value.as_bytes())?;
        }
        if !hashes.is_empty() {
            log.put_node(&[row::SIZE], &self.size.to_be_bytes())?;
        }
        update(log, &hashes)
    }

    /// The lookup of a key, under the root that [`LogMap::root`] has returned last. A memory of a store is looked up by
    /// [`LogMap::lookups`].
    ///
    /// # Errors
    /// [`StoreError::IndexDamaged`] if the nodes have another value, also where entries were added since.
    pub fn look_up(&self, key: &Sha256Hash) -> Result<Lookup, StoreError> {
        look_up(self.log(), key, self.value(key)?.as_deref())
    }

    /// The lookups of a memory, and of the key `signed_by`, its author's and the number in its header, with the log index of the memory;
    /// `None` if the map does not have the memory.
    ///
    /// # Errors
    /// As [`LogMap::look_up`].
    pub fn lookups(
        &self,
        world: &WorldId,
        (author, number): (&DidKey, u64),
    ) -> Result<Option<(u64, [Lookup; 2])>, StoreError> {
        let entry = self.log().index_of(world)?;
        let Some(entry) = entry.filter(|it| *it < self.size) else {
            return Ok(None);
        };
        let key = MemoryStanding::key(world);
        let value = self.standing(&key, entry)?.to_text();
        let memory = look_up(self.log(), &key, Some(&value))?;
        Ok(Some((
            entry,
            [memory, self.look_up(&KeyMark::key(author, number))?],
        )))
    }

    /// The value of a key; `None` if the map does not have it.
    fn value(&self, key: &Sha256Hash) -> Result<Option<String>, StoreError> {
        if let Some(value) = self.changed.get(key) {
            return Ok(Some(value.clone()));
        }
        if let Some(value) = self.log().node(&of(row::VALUE, key.as_bytes()))? {
            return String::from_utf8(value).map(Some).map_err(|_| corrupt());
        }
        let begun = match &self.log {
            Log::Held(held) => held.index_of_key(key),
            Log::Of(_) => self.begun.get(key).copied(),
        };
        Ok(begun.map(|entry| MemoryStanding::new(entry).to_text()))
    }

    /// The standing of the memory of `entry`, whose key is `key`.
    fn standing(&self, key: &Sha256Hash, entry: u64) -> Result<MemoryStanding, StoreError> {
        match self.value(key)? {
            Some(value) => MemoryStanding::parse(&value).map_err(|_| corrupt()),
            None => Ok(MemoryStanding::new(entry)),
        }
    }

    /// Counts a unit of a line, or a record of trust.
    fn count(
        &mut self,
        last: u64,
        (agent, capsule): (&DidKey, Blake3Hash),
        tag: &Blake3Hash,
    ) -> Result<(), StoreError> {
        let key = LineStanding::key(agent, tag);
        let before = match self.value(&key)? {
            Some(value) => LineStanding::parse(&value).map_err(|_| corrupt())?.count,
            None => 0,
        };
        let line = LineStanding {
            count: before.saturating_add(1),
            last,
            capsule,
        };
        self.changed.insert(key, line.to_text());
        Ok(())
    }

    fn placed(&mut self, index: u64) -> Result<Placed, StoreError> {
        if let Some(placed) = self.placed.get(&index) {
            return Ok(*placed);
        }
        let placed = self.log().placed(index)?;
        self.placed.insert(index, placed);
        Ok(placed)
    }

    /// Changes the standing of the memory at `index`, if there is one.
    fn change(
        &mut self,
        index: u64,
        change: impl FnOnce(&mut MemoryStanding),
    ) -> Result<(), StoreError> {
        if let (_, _, Some(key)) = self.placed(index)? {
            let mut standing = self.standing(&key, index)?;
            change(&mut standing);
            self.changed.insert(key, standing.to_text());
        }
        Ok(())
    }

    fn record(
        &mut self,
        index: u64,
        header: &Header,
        (kind, document): (RecordKind, &Value),
    ) -> Result<(), StoreError> {
        match kind {
            RecordKind::KeyInception | RecordKind::KeyRotation | RecordKind::KeyCompromise => {
                match KeyDocument::parse(kind, document) {
                    Some(Ok(document)) => self.key_record(index, header, &document),
                    _ => Ok(()),
                }
            }
            RecordKind::Tombstone => Tombstone::parse(document)
                .map_or(Ok(()), |it| self.forget(index, header.agent(), &it)),
            RecordKind::Redaction => Redaction::parse(document)
                .map_or(Ok(()), |it| self.erase(index, header.agent(), &it)),
            RecordKind::ForkResolution => ForkResolution::parse(document)
                .map_or(Ok(()), |it| self.resolve(index, header.agent(), &it)),
            RecordKind::Contradiction => Contradiction::forked(document)
                .map_or(Ok(()), |it| self.record_fork(index, header.agent(), &it)),
            _ => Ok(()),
        }
    }

    /// Returns true for those whose records about a memory count: its author, and the agent of the first entry.
    fn may_decide(&mut self, agent: DidKey, author: DidKey) -> Result<bool, StoreError> {
        Ok(agent == author || self.is_owner(agent)?)
    }

    fn is_owner(&mut self, agent: DidKey) -> Result<bool, StoreError> {
        Ok(self.placed(0)?.1 == agent)
    }

    fn forget(
        &mut self,
        record: u64,
        agent: DidKey,
        tombstone: &Tombstone,
    ) -> Result<(), StoreError> {
        let index = self.log().index_of(&tombstone.world)?;
        let Some(index) = index.filter(|it| *it < record) else {
            return Ok(());
        };
        let author = self.placed(index)?.1;
        if !self.may_decide(agent, author)? {
            return Ok(());
        }
        match tombstone.decision {
            Some(_) => self.change(index, |it| {
                it.forgotten_global.get_or_insert(record);
            }),
            None if tombstone.actor.as_str() == agent.to_string() => self.change(index, |it| {
                it.forgotten_actor.get_or_insert(record);
            }),
            None => Ok(()),
        }
    }

    fn erase(
        &mut self,
        record: u64,
        agent: DidKey,
        redaction: &Redaction,
    ) -> Result<(), StoreError> {
        if redaction.index >= record || !redaction.fields.contains(&RedactedField::Payload) {
            return Ok(());
        }
        let (capsule, author, _) = self.placed(redaction.index)?;
        if capsule != redaction.capsule || !self.may_decide(agent, author)? {
            return Ok(());
        }
        self.change(redaction.index, |it| {
            it.erased.get_or_insert(record);
        })
    }

    /// Reads the history of an agent's keys, if it has one here.
    fn read_keys(&mut self, agent: DidKey) -> Result<(), StoreError> {
        let records = self.log().node(&of_keys(&agent))?.unwrap_or_default();
        if self.keys.contains_key(&agent) {
            return Ok(());
        }
        let mut history: Option<KeyHistory> = None;
        for index in numbers(&records)? {
            let (header, document) = self.log().record(index)?;
            let Kind::Record(kind) = header.kind() else {
                return Err(corrupt());
            };
            let document = KeyDocument::parse(kind, &document);
            let document = document.and_then(Result::ok).ok_or_else(corrupt)?;
            let follows = match (&mut history, &document) {
                (Some(history), document) => history.extend(&header, document),
                (none, KeyDocument::Inception(inception)) => {
                    KeyHistory::begin(&header, inception).map(|begun| *none = Some(begun))
                }
                (None, _) => return Err(corrupt()),
            };
            follows.map_err(|_| corrupt())?;
        }
        self.keys.extend(history.map(|history| (agent, history)));
        Ok(())
    }

    fn key_record(
        &mut self,
        index: u64,
        header: &Header,
        document: &KeyDocument,
    ) -> Result<(), StoreError> {
        let agent = header.agent();
        self.read_keys(agent)?;
        let held = match (self.keys.get_mut(&agent), document) {
            (None, KeyDocument::Inception(inception)) => KeyHistory::begin(header, inception)
                .map(|begun| drop(self.keys.insert(agent, begun)))
                .is_ok(),
            (Some(history), document) => history.extend(header, document).is_ok(),
            (None, _) => false,
        };
        if !held {
            return Ok(());
        }
        let key = of_keys(&agent);
        let mut records = self.log().node(&key)?.unwrap_or_default();
        records.extend(index.to_be_bytes());
        self.log().put_node(&key, &records)?;
        match document {
            KeyDocument::Compromise(mark) => self.mark(index, agent, mark),
            _ => Ok(()),
        }
    }

    /// Entries of another log say nothing of this one: there the time decides.
    fn mark(&mut self, record: u64, agent: DidKey, mark: &KeyCompromise) -> Result<(), StoreError> {
        let mut from = mark.from;
        if *mark.log.as_str() != *self.origin {
            let since = self.log().first_since(&agent, mark.from_time, record)?;
            from = since.unwrap_or(record);
        }
        let key = KeyMark::key(&agent, mark.number);
        let held = self.value(&key)?;
        let held = held.and_then(|value| KeyMark::parse(&value).ok());
        if held.is_none_or(|held| from < held.from) {
            self.changed.insert(key, KeyMark { from, record }.to_text());
        }
        Ok(())
    }
}

/// Key of a row.
fn of(kind: u8, key: &[u8]) -> Vec<u8> {
    [&[kind], key].concat()
}

fn of_keys(agent: &DidKey) -> Vec<u8> {
    of(row::KEYS, agent.to_string().as_bytes())
}

fn number(bytes: &[u8]) -> Result<u64, StoreError> {
    Ok(u64::from_be_bytes(bytes.try_into().map_err(|_| corrupt())?))
}

fn numbers(bytes: &[u8]) -> Result<impl Iterator<Item = u64> + '_, StoreError> {
    match bytes.as_chunks() {
        (numbers, []) => Ok(numbers.iter().copied().map(u64::from_be_bytes)),
        _ => Err(corrupt()),
    }
}

#[cfg(test)]
mod tests;
