//! The map of the log (`docs/format/standing.md`) in two tables of the index: brought forward by each commit, looked up.

use std::collections::BTreeMap;

use counterfoil_capsule::{ChainId, Header, Kind, Timestamp};
use counterfoil_store::log::Frontier;
use counterfoil_store::map::{LogMap, MapLog, MapNodes, root};
use counterfoil_store::{Standings, StoreError, StoreLocation, TrustEntries};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::map::{LineStanding, MemoryStanding, StandingLookups};
use counterfoil_verifier::merkle::leaf_hash;

use crate::entries::{
    Scan, Sides, each_header, entry_text, header, index_of, present_header, state,
};
use crate::port::rows::{MapNodeRow, MapRow, StubRow};
use crate::port::{Select, Txn};
use crate::{stubs, trust};

/// Headers that a transaction has appended, by log index: 2^14 at most, the others are read again. Those of a part that
/// was undone stay until others take their places, or beyond the end of the log.
pub type NewHeaders = BTreeMap<u64, Header>;

/// Number of entries after which nodes are written.
const CHUNK: u64 = 1 << 14;

/// Longest path of a node whose place is a number.
const NUMBERED: usize = 15;

/// Rows of the index, and entries of the ground.
struct Rows<'t>(Sides<'t>);

/// The place of a node as a number: a bit, and the path below it. `None` for the places of other rows.
fn number(place: &[u8]) -> Option<u64> {
    let is_path = place.len() <= NUMBERED && place.iter().all(|step| *step < 16);
    is_path.then(|| {
        place
            .iter()
            .fold(1, |number, step| number << 4 | u64::from(*step))
    })
}

impl MapNodes for Rows<'_> {
    fn node(&self, place: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let index = self.0.index;
        match number(place) {
            Some(place) => Ok(index.find::<MapNodeRow>(&[&place])?.map(|row| row.node)),
            None => {
                let row: Option<MapRow> = index.find(&[&place.to_vec()])?;
                Ok(row.map(|row| row.value))
            }
        }
    }

    fn put_node(&self, place: &[u8], node: &[u8]) -> Result<(), StoreError> {
        let (index, node) = (self.0.index, node.to_vec());
        match number(place) {
            Some(place) => index.put(&MapNodeRow { place, node }),
            None => index.put(&MapRow {
                key: place.to_vec(),
                value: node,
            }),
        }
    }

    fn add_node(&self, place: &[u8], node: &[u8]) -> Result<bool, StoreError> {
        let (index, node) = (self.0.index, node.to_vec());
        match number(place) {
            Some(place) => index.add(&MapNodeRow { place, node }),
            None => index.add(&MapRow {
                key: place.to_vec(),
                value: node,
            }),
        }
    }
}

impl MapLog for Rows<'_> {
    fn placed(&self, index: u64) -> Result<(Blake3Hash, DidKey, Option<Sha256Hash>), StoreError> {
        let state = state(self.0.ground, index)?;
        let world = state.version.world_id.as_ref();
        Ok((state.capsule, state.agent, world.map(MemoryStanding::key)))
    }

    fn index_of(&self, world: &WorldId) -> Result<Option<u64>, StoreError> {
        index_of(self.0.index, world)
    }

    fn first_since(
        &self,
        agent: &DidKey,
        time: Timestamp,
        end: u64,
    ) -> Result<Option<u64>, StoreError> {
        let mut first = None;
        let mut see = |index, by, at| {
            if by == *agent && at >= time.micros() && index < end {
                first = Some(first.map_or(index, |first: u64| first.min(index)));
            }
        };
        each_header(self.0.ground, &agent.to_string(), |index, header| {
            see(index, header.agent(), header.timestamp().micros());
            Ok(())
        })?;
        let stubs = Select::of::<StubRow>().with("agent", *agent);
        for stub in self.0.ground.list::<StubRow>(&stubs)? {
            see(stub.idx, stub.agent, stub.timestamp);
        }
        Ok(first)
    }

    fn record(&self, index: u64) -> Result<(Header, Value), StoreError> {
        let damaged = || StoreError::corrupt(StoreLocation::entry("body", index), "no record");
        let header = header(self.0.ground, index)?.ok_or_else(damaged)?;
        let document = document(self.0.ground, index, &header)?.ok_or_else(damaged)?;
        Ok((header, document))
    }
}

/// The document of a record; `None` for another entry.
fn document(ground: &dyn Txn, index: u64, header: &Header) -> Result<Option<Value>, StoreError> {
    let Kind::Record(_) = header.kind() else {
        return Ok(None);
    };
    let payload = ground.body(index)?.and_then(|body| body.payload);
    let document = payload.map(|payload| parse(&payload, Limits::CONTENT));
    document
        .transpose()
        .map_err(|error| StoreError::corrupt(StoreLocation::entry("body", index), error))
}

/// Brings the map forward to the first `size` entries of the log, and returns its root.
///
/// # Errors
/// [`StoreError::IndexDamaged`] when a row of it is none; [`StoreError::Corrupt`] when an entry cannot be read.
pub fn extend(sides: Sides<'_>, size: u64) -> Result<Sha256Hash, StoreError> {
    extend_by(sides, size, NewHeaders::new())
}

/// As [`extend`], with headers of the ground that the caller has at hand.
fn extend_by(
    sides: Sides<'_>,
    size: u64,
    mut headers: NewHeaders,
) -> Result<Sha256Hash, StoreError> {
    let rows = Rows(sides);
    if size == 0 {
        return root(&rows);
    }
    let key = sides.ground.verifier_key()?;
    let origin = key.split('+').next().unwrap_or_default();
    let mut map = LogMap::of(origin, &rows)?;
    for index in map.size()..size {
        let at_hand = headers.remove(&index);
        if let Some(header) =
            at_hand.map_or_else(|| header(sides.ground, index), |it| Ok(Some(it)))?
        {
            let document = document(sides.ground, index, &header)?;
            map.add(&header, document.as_ref())?;
        } else {
            let stub = stubs::read(sides.ground, index)?;
            let missing = || {
                let place = StoreLocation::entry("capsule", index);
                StoreError::corrupt(place, "there is no header")
            };
            let stub = stub.ok_or_else(missing)?;
            map.add_archived(
                (stub.hash, stub.agent, stub.world.as_ref()),
                (stub.chain, stub.seq),
            )?;
        }
        if index % CHUNK == CHUNK - 1 {
            map.root()?;
        }
    }
    map.root()
}

/// Roots of a log and of its map, computed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecomputedRoots {
    /// Root of the log, from its entries.
    pub log: Sha256Hash,
    /// Root of the map, from headers and records.
    pub map: Sha256Hash,
}

/// Computes the roots of the first `size` entries of the log, and of their map, in memory. Reads entries, headers and the
/// documents of records, which are checked as those that are handed out; no row of the map and no memory.
///
/// # Errors
/// [`StoreError::Corrupt`] when an entry has no header here, as one that is [`archived`]; [`StoreError::Withheld`] for a record that
/// is not what was sealed; when they cannot be read.
pub fn recompute(txn: &dyn Txn, origin: &str, size: u64) -> Result<RecomputedRoots, StoreError> {
    let (mut log, mut map) = (Frontier::default(), LogMap::new(origin));
    let mut records = Scan::default();
    for index in 0..size {
        log.append(leaf_hash(entry_text(txn, index)?.as_bytes()));
        let header = present_header(txn, index)?;
        if let Kind::Record(_) = header.kind() {
            records.checked(txn, index)?;
        }
        let document = document(txn, index, &header)?;
        map.add(&header, document.as_ref())?;
        if index % CHUNK == CHUNK - 1 {
            map.root()?;
        }
    }
    Ok(RecomputedRoots {
        log: log.root(),
        map: map.root()?,
    })
}

/// Returns the log indices of entries whose headers lie in an archive, in their order.
///
/// # Errors
/// When they cannot be read.
pub fn archived(txn: &dyn Txn) -> Result<Vec<u64>, StoreError> {
    let stubs = txn.list::<StubRow>(&Select::of::<StubRow>())?;
    let mut indices: Vec<u64> = stubs.iter().map(|stub| stub.idx).collect();
    indices.sort_unstable();
    Ok(indices)
}

/// Brings the map forward from the head of the log to the first `size` entries, of which `headers` are new, and returns its root.
///
/// # Errors
/// [`StoreError::IndexDamaged`] also when it is another map than the head binds; otherwise as [`extend`].
pub fn advance(
    txn: &dyn Txn,
    head: (u64, &str),
    (size, headers): (u64, NewHeaders),
) -> Result<Sha256Hash, StoreError> {
    let rows = Rows(Sides::both(txn));
    let known = LogMap::of("", &rows)?.size();
    let is_damaged = match bound(head.1) {
        // A job may have derived it again.
        Some(_) if known != head.0 => known < head.0,
        Some(bound) => root(&rows)? != bound,
        None => false,
    };
    match is_damaged || known > size {
        true => Err(damaged()),
        false => extend_by(Sides::both(txn), size, headers),
    }
}

/// Returns true for a place of a chain about whose fork the map takes no other record.
pub(crate) fn names_fork(txn: &dyn Txn, chain: &ChainId, seq: u64) -> Result<bool, StoreError> {
    LogMap::of("", &Rows(Sides::both(txn)))?.names_fork(chain, seq)
}

/// Returns the root of the map as its rows have it.
///
/// # Errors
/// As [`extend`].
pub(crate) fn stored_root(txn: &dyn Txn) -> Result<Sha256Hash, StoreError> {
    root(&Rows(Sides::both(txn)))
}

/// Returns how memories stand at the head of the log; `None` while that binds no map.
///
/// # Errors
/// [`StoreError::IndexDamaged`] when the rows are not those of the map that the head binds; [`StoreError::Archived`]; when they
/// cannot be read.
pub fn standings(txn: &dyn Txn, worlds: &[WorldId]) -> Result<Option<Standings>, StoreError> {
    let (size, checkpoint) = txn.head()?;
    let Some(root) = bound(&checkpoint) else {
        return Ok(None);
    };
    let rows = Rows(Sides::both(txn));
    let map = LogMap::of("", &rows)?;
    let of = worlds.iter().map(|world| lookups(txn, &map, world, &root));
    Ok(Some(Standings {
        of: of.collect::<Result<_, _>>()?,
        checkpoint,
        size,
    }))
}

fn lookups(
    txn: &dyn Txn,
    map: &LogMap<'_>,
    world: &WorldId,
    root: &Sha256Hash,
) -> Result<Option<StandingLookups>, StoreError> {
    let Some(index) = index_of(txn, world)? else {
        return Ok(None);
    };
    let Some(header) = header(txn, index)? else {
        let stub = stubs::read(txn, index)?.ok_or_else(damaged)?;
        return Err(stub.archived(txn)?);
    };
    let author = (&header.agent(), header.key_number());
    let found = map.lookups(world, author)?;
    let (entry, [memory, key]) = found.ok_or_else(damaged)?;
    let line = match header.line() {
        Some(tag) => {
            let line = map.look_up(&LineStanding::key(author.0, &tag))?;
            let known = LineStanding::check(root, author.0, &tag, &line);
            // It counts the memory itself.
            known.ok().flatten().ok_or_else(damaged)?;
            Some(line)
        }
        None => None,
    };
    let lookups = StandingLookups { memory, key, line };
    MemoryStanding::check(root, (world, entry), author, &lookups).map_err(|_| damaged())?;
    Ok(Some(lookups))
}

/// Returns the records of trust of `agent` at the head of the log; `None` where that binds no map, where there is none, where the map counts others
/// than those by which trust is read here, and where one of them counts from another time on than that in its header.
///
/// # Errors
/// As [`standings`].
pub fn trust_entries(txn: &dyn Txn, agent: &DidKey) -> Result<Option<TrustEntries>, StoreError> {
    let (_, checkpoint) = txn.head()?;
    let Some(root) = bound(&checkpoint) else {
        return Ok(None);
    };
    let rows = Rows(Sides::both(txn));
    let lookup = LogMap::of("", &rows)?.look_up(&LineStanding::trust_key(agent))?;
    let counted = LineStanding::check_trust(&root, agent, &lookup).map_err(|_| damaged())?;
    let Some(indices) = trust::dated_by_header(txn, agent)? else {
        return Ok(None);
    };
    let shown = counted.map_or((0, None), |it| (it.count, Some(it.last)));
    let held = (u64::try_from(indices.len()), indices.last().copied());
    let is_all = !indices.is_empty() && held == (Ok(shown.0), shown.1);
    Ok(is_all.then_some(TrustEntries {
        checkpoint,
        indices,
        lookup,
    }))
}

/// The root of the map that a checkpoint binds.
fn bound(checkpoint: &str) -> Option<Sha256Hash> {
    Checkpoint::from_note(checkpoint).ok()?.map_root()
}

const fn damaged() -> StoreError {
    StoreError::IndexDamaged { table: "map_node" }
}
