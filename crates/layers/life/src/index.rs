//! The index: rows derived from the ground in log order. One function for appends, rebuilds, followers and checks (I3).

mod claims;
mod records;

use std::collections::BTreeMap;
use std::ops::Range;

use counterfoil_capsule::{ChainId, Header, Kind, World};
use counterfoil_store::claims::unit_in;
use counterfoil_store::{StoreError, StoreLocation, StoredCapsule};
use counterfoil_types::json::{Limits, parse};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash};

use crate::entries::{Scan, Sides, each_header, in_chain, state, tag};
use crate::port::rows::{AgentRow, ChainRow, JournalHeadRow, StubRow, VersionIdRow, WorldRow};
use crate::port::{IndexedWorld, Select, Succession, Txn};
use crate::records::{Record, is_received};
use crate::{map, stubs};

pub use claims::derive_claims_again;

/// Gets the number of entries that are done, and that of all.
pub type EachStep = dyn FnMut(u64, u64) + Send;

/// Number of entries whose memories are indexed at once.
const CHUNK: u64 = 512;

/// Empties the index and derives it again from the `size` entries of the log. Nothing of the old tables is left in the
/// new ones.
///
/// # Errors
/// [`StoreError::Corrupt`] when an entry cannot be read.
pub fn derive_again(txn: &dyn Txn, size: u64) -> Result<(), StoreError> {
    derive_all(txn, size, &mut |_, _| ())
}

/// Derives the index again, and compares it with what it was. Returns the number of entries, the digest before, where it
/// could be computed, and the digest now: the same unless something was damaged.
///
/// # Errors
/// As [`derive_again`].
pub fn rebuild(
    txn: &dyn Txn,
    each: &mut EachStep,
) -> Result<(u64, Option<Sha256Hash>, Sha256Hash), StoreError> {
    let before = txn.index_digest().ok();
    let (size, _) = txn.head()?;
    derive_all(txn, size, each)?;
    Ok((size, before, txn.index_digest()?))
}

fn derive_all(txn: &dyn Txn, size: u64, each: &mut EachStep) -> Result<(), StoreError> {
    txn.clear_index()?;
    derive_by(Sides::both(txn), 0..size, each)?;
    txn.finish_index()
}

/// Brings an index that covers the log up to the first of `entries` forward by these entries.
///
/// # Errors
/// [`StoreError::Corrupt`] when an entry cannot be read.
pub fn derive(sides: Sides<'_>, entries: Range<u64>) -> Result<(), StoreError> {
    derive_by(sides, entries, &mut |_, _| ())
}

fn derive_by(sides: Sides<'_>, entries: Range<u64>, each: &mut EachStep) -> Result<(), StoreError> {
    let mut start = entries.start;
    let mut places = Places::new(sides.index);
    let mut scan = Scan::default();
    while start < entries.end {
        let end = entries.end.min(start + CHUNK);
        for index in start..end {
            if let Some(stub) = stubs::read(sides.ground, index)? {
                places.add_stub(&stub, is_received(sides.ground, index)?)?;
                continue;
            }
            let stored = scan.present(sides.ground, index)?;
            let Some(world) = add(sides, &mut places, &stored)? else {
                continue;
            };
            sides.index.index_world(&IndexedWorld {
                index,
                world: &world,
                follows: stored.header.previous().map(|_| Succession {
                    chain: stored.header.chain(),
                    delta: stored.delta.map(|delta| delta.text),
                }),
            })?;
        }
        sides.index.flush_index()?;
        start = end;
        each(end, entries.end);
    }
    places.finish()?;
    map::extend(sides, entries.end).map(drop)
}

/// Adds one capsule to the tables but those of text, and returns its memory for these: `None`
/// for a record, and once the content is erased.
fn add(
    sides: Sides<'_>,
    places: &mut Places<'_>,
    stored: &StoredCapsule,
) -> Result<Option<World>, StoreError> {
    let (index, header) = (stored.index, &stored.header);
    if let Some(id) = stored.entry.world() {
        let id = id.clone();
        places.reserve_once(&WorldRow { idx: index, id })?;
    }
    let received = is_received(sides.ground, index)?;
    places.add(index, header, received)?;
    let Some(payload) = &stored.payload else {
        if header.kind() == Kind::Claim {
            sides.index.index_erased_unit(sides.ground, index)?;
        }
        return Ok(None);
    };
    if let Some(unit) = unit_in(stored) {
        sides.index.index_unit(sides.ground, &unit)?;
    }
    if stored.entry.world().is_some() {
        return World::from_json(payload.text.as_bytes())
            .map(Some)
            .map_err(|error| StoreError::corrupt(StoreLocation::entry("body", index), error));
    }
    add_record(sides, stored, received).map(|()| None)
}

/// Adds what a record states. Does nothing for a World or a claim unit, and once the content is erased.
pub(crate) fn add_record(
    sides: Sides<'_>,
    stored: &StoredCapsule,
    received: bool,
) -> Result<(), StoreError> {
    let (None, Some(content)) = (stored.entry.world(), &stored.payload) else {
        return Ok(());
    };
    let document = parse(content.text.as_bytes(), Limits::CONTENT)
        .map_err(|error| StoreError::corrupt(StoreLocation::entry("body", stored.index), error))?;
    let record = Record {
        index: stored.index,
        header: &stored.header,
        received,
        document: &document,
    };
    records::derive(sides, record)
}

/// Adds the entry at `index` to those that are found by their hash.
///
/// # Errors
/// [`StoreError::Corrupt`] when it cannot be parsed; when it cannot be read or written.
pub fn add_hash(txn: &dyn Txn, idx: u64) -> Result<(), StoreError> {
    let state = state(txn, idx)?;
    let (chain, seq, tag) = (state.chain, state.version.seq, tag(state.capsule));
    match in_chain(txn, &chain, seq)? == Some(idx) {
        true => txn.put(&ChainRow {
            chain,
            seq,
            idx,
            tag,
        }),
        false => Ok(()),
    }
}

/// Counts what each agent sealed here, and its memories, for a store from before feeds.
///
/// # Errors
/// [`StoreError::Corrupt`] when a header cannot be parsed; when it cannot be read or written.
pub fn begin_feeds(txn: &dyn Txn) -> Result<(), StoreError> {
    let mut counts: BTreeMap<DidKey, (u64, u64)> = BTreeMap::new();
    let mut last: BTreeMap<DidKey, (u64, Blake3Hash)> = BTreeMap::new();
    let mut count = |index, agent, capsule, is_world| {
        let (worlds, sealed) = counts.entry(agent).or_default();
        *worlds += u64::from(is_world);
        if !is_received(txn, index)? {
            *sealed += 1;
            let last = last.entry(agent).or_insert((index, capsule));
            *last = (*last).max((index, capsule));
        }
        Ok(())
    };
    each_header(txn, "", |index, header| {
        let is_world = header.world().is_some();
        count(index, header.agent(), header.hash(), is_world)
    })?;
    for stub in txn.list::<StubRow>(&Select::of::<StubRow>())? {
        count(stub.idx, stub.agent, stub.hash, stub.world.is_some())?;
    }
    for (did, (worlds, sealed)) in counts {
        if let Some(row) = txn.find::<AgentRow>(&[&did])? {
            let last = last.get(&did).map(|(_, last)| *last);
            txn.put(&AgentRow {
                sealed,
                last,
                worlds,
                ..row
            })?;
        }
    }
    Ok(())
}

/// Tables of memories, chains and agents, written in log order inside of one transaction.
pub(crate) struct Places<'t> {
    index: &'t dyn Txn,
    /// New rows of the table of agents: kept in memory and written once.
    agents: BTreeMap<DidKey, AgentGains>,
}

/// Capsules of an agent since its row was written.
#[derive(Debug, Default)]
struct AgentGains {
    capsules: u64,
    /// Time of the header of the last one, and the time at which it was recorded.
    last: (u64, u64),
    /// Number of those that were sealed here, and the last of them: its time then holds, even if it is lower (C39).
    sealed: (u64, Option<Blake3Hash>),
    /// Number of those that hold a memory.
    worlds: u64,
}

impl<'t> Places<'t> {
    pub(crate) const fn new(index: &'t dyn Txn) -> Self {
        Self {
            index,
            agents: BTreeMap::new(),
        }
    }

    fn reserve_once(&self, row: &WorldRow) -> Result<(), StoreError> {
        match self.index.add(row)? {
            true => Ok(()),
            false => Err(StoreError::corrupt(
                StoreLocation::entry("capsule", row.idx),
                "the WorldId stands in the log twice",
            )),
        }
    }

    fn add_stub(&mut self, stub: &StubRow, received: bool) -> Result<(), StoreError> {
        let idx = stub.idx;
        if let Some(id) = stub.world.clone() {
            self.reserve_once(&WorldRow { idx, id })?;
        }
        let times = (stub.timestamp, stub.recorded_us());
        self.gain((stub.agent, stub.hash), times, received);
        self.gain_world(stub.agent, stub.world.is_some());
        self.place((stub.chain, stub.seq), (idx, stub.hash))
    }

    /// Adds a capsule whose memory, if it has one, has its index reserved.
    pub(crate) fn add(
        &mut self,
        idx: u64,
        header: &Header,
        received: bool,
    ) -> Result<(), StoreError> {
        let times = (header.timestamp().micros(), header.recorded().micros());
        self.gain((header.agent(), header.hash()), times, received);
        self.gain_world(header.agent(), header.world().is_some());
        let has_journal = !received && header.ext().contains_key("journal");
        if has_journal && let Some((rows, link)) = header.extensions().journal {
            self.index.add(&JournalHeadRow { idx, rows, link })?;
        }
        if header.previous().is_some() {
            let id = *header.id().as_bytes();
            self.index.add(&VersionIdRow { id, idx })?;
        }
        self.place((header.chain(), header.seq()), (idx, header.hash()))
    }

    fn place(
        &self,
        (chain, seq): (ChainId, u64),
        (idx, hash): (u64, Blake3Hash),
    ) -> Result<(), StoreError> {
        let tag = tag(hash);
        let row = ChainRow {
            chain,
            seq,
            idx,
            tag,
        };
        self.index.add(&row).map(drop)
    }

    /// Counts a capsule with its times: that of its header, and that of recording.
    fn gain(&mut self, (agent, capsule): (DidKey, Blake3Hash), times: (u64, u64), received: bool) {
        let gained = self.agents.entry(agent).or_default();
        gained.capsules += 1;
        if received {
            gained.last = gained.last.max(times);
        } else {
            gained.last = times;
            gained.sealed = (gained.sealed.0 + 1, Some(capsule));
        }
    }

    fn gain_world(&mut self, agent: DidKey, is_world: bool) {
        let gained = self.agents.entry(agent).or_default();
        gained.worlds += u64::from(is_world);
    }

    /// Adds the counts to the table of agents.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        for (did, gained) in self.agents {
            let mut row = AgentRow {
                did,
                capsules: 0,
                recorded_at: 0,
                observed: None,
                sealed: 0,
                last: None,
                worlds: 0,
            };
            row = self.index.find(&[&did])?.unwrap_or(row);
            row.capsules += gained.capsules;
            row.worlds += gained.worlds;
            let (timestamp, at) = gained.last;
            row.sealed += gained.sealed.0;
            row.last = gained.sealed.1.or(row.last);
            if gained.sealed.0 > 0 || timestamp >= row.recorded_at {
                row.recorded_at = timestamp;
                row.observed = (at < timestamp).then_some(at);
            }
            self.index.put(&row)?;
        }
        Ok(())
    }
}
