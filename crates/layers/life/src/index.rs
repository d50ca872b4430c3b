//! The index: rows derived from the ground in log order. One function for appends, rebuilds, followers and checks (I3).

mod claims;
mod records;

use std::collections::BTreeMap;
use std::ops::Range;

use counterfoil_capsule::{Header, Kind, World};
use counterfoil_store::claims::unit_in;
use counterfoil_store::{StoreError, StoreLocation, StoredCapsule};
use counterfoil_types::json::{Limits, parse};
use counterfoil_types::{DidKey, Sha256Hash};

use crate::entries::{Scan, Sides, state, tag};
use crate::port::rows::{AgentRow, ChainRow, ObservedRow, SealedRow, StubRow, WorldRow};
use crate::port::{IndexedWorld, Succession, Txn};
use crate::records::{Record, is_received};
use crate::stubs;

/// Number of entries whose memories are indexed at once.
const CHUNK: u64 = 512;

/// Empties the index and derives it again from the `size` entries of the log. Nothing of the old tables is left in the
/// new ones.
///
/// # Errors
/// [`StoreError::Corrupt`] when an entry cannot be read.
pub fn derive_again(txn: &dyn Txn, size: u64) -> Result<(), StoreError> {
    txn.clear_index()?;
    derive(Sides::both(txn), 0..size)
}

/// Derives the index again, and compares it with what it was. Returns the number of entries, the digest before, where it
/// could be computed, and the digest now: the same unless something was damaged.
///
/// # Errors
/// As [`derive_again`].
pub fn rebuild(txn: &dyn Txn) -> Result<(u64, Option<Sha256Hash>, Sha256Hash), StoreError> {
    let before = txn.index_digest().ok();
    let (size, _) = txn.head()?;
    derive_again(txn, size)?;
    Ok((size, before, txn.index_digest()?))
}

/// Brings an index that covers the log up to the first of `entries` forward by these entries.
///
/// # Errors
/// [`StoreError::Corrupt`] when an entry cannot be read.
pub fn derive(sides: Sides<'_>, entries: Range<u64>) -> Result<(), StoreError> {
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
    }
    places.finish()
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
    let tag = tag(state(txn, idx)?.capsule);
    txn.add(&SealedRow { tag, idx }).map(drop)
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
    /// True if one of them was sealed here: its time then holds, even if it is lower (C39).
    stamped_here: bool,
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
        self.gain(stub.agent, (stub.timestamp, stub.recorded_us()), received);
        let tag = tag(stub.hash);
        self.index.add(&SealedRow { tag, idx })?;
        let (chain, seq) = (stub.chain, stub.seq);
        self.index.add(&ChainRow { chain, seq, idx }).map(drop)
    }

    /// Adds a capsule whose memory, if it has one, has its index reserved.
    pub(crate) fn add(
        &mut self,
        idx: u64,
        header: &Header,
        received: bool,
    ) -> Result<(), StoreError> {
        let times = (header.timestamp().micros(), header.recorded().micros());
        self.gain(header.agent(), times, received);
        let tag = tag(header.hash());
        self.index.add(&SealedRow { tag, idx })?;
        let (chain, seq) = (header.chain(), header.seq());
        self.index.add(&ChainRow { chain, seq, idx }).map(drop)
    }

    /// Counts a capsule with its times: that of its header, and that of recording.
    fn gain(&mut self, agent: DidKey, times: (u64, u64), received: bool) {
        let gained = self.agents.entry(agent).or_default();
        gained.capsules += 1;
        if received {
            gained.last = gained.last.max(times);
        } else {
            gained.last = times;
            gained.stamped_here = true;
        }
    }

    /// Adds the counts to the table of agents.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        for (did, gained) in self.agents {
            let before: Option<AgentRow> = self.index.find(&[&did])?;
            let (capsules, before) = before.map_or((0, 0), |row| (row.capsules, row.recorded_at));
            let (timestamp, at) = gained.last;
            let is_last = gained.stamped_here || timestamp >= before;
            self.index.put(&AgentRow {
                did,
                capsules: capsules + gained.capsules,
                recorded_at: if is_last { timestamp } else { before },
            })?;
            match at < timestamp {
                _ if !is_last => {}
                true => self.index.put(&ObservedRow { did, at })?,
                false => drop(self.index.remove::<ObservedRow>(&[&did])?),
            }
        }
        Ok(())
    }
}
