//! The pass: rows are read, examined on several threads, linked in order, and told one by one.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use counterfoil_capsule::dangerous::in_order;
use counterfoil_capsule::{ChainId, Check, Code, IndeterminateReason, Verdict};
use counterfoil_store::StoreError;
use counterfoil_store::log::Frontier;
use counterfoil_store::pool::CapsuleIdentity;
use counterfoil_types::Sha256Hash;
use rusqlite::Connection;

use super::contents::{Connections, Last, Stage};
use super::examine::{ExaminedCapsule, Line, What, examine};
use super::known::{Lost, RecordIndex, delta_erased};
use super::links::{Before, Links, invalid, named, named_stub};
use super::row::{RawRow, read_all};
use crate::ledger::concatenated;
use crate::options::Options;
use crate::stubs;

/// Number of rows in one chunk between threads.
const CHUNK: usize = 512;
const MAX_THREADS: usize = 16;
/// From so many versions on a chunk's contents are made on several threads.
const MIN_SHARED: usize = 48;
/// Maximum number of contents that are cached for the versions after them.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// One entry, judged.
pub(crate) struct Judgement {
    pub(crate) index: u64,
    pub(crate) named: Option<CapsuleIdentity>,
    /// In the order of the checks; empty when it is valid.
    pub(crate) found: Vec<Verdict>,
    /// True if only a stub is here.
    pub(crate) stub: bool,
    /// True if records in the log say that whatever it lacks was erased.
    pub(crate) recorded: bool,
    /// True if its row in the log holds the hashes of the tree; `None` without such a row.
    pub(crate) hashes_hold: Option<bool>,
    /// Index in its row, if another one.
    pub(crate) misplaced: Option<i64>,
}

/// Result of a whole pass.
#[derive(Default)]
pub(crate) struct PassState {
    pub(crate) frontier: Frontier,
    pub(crate) leaves: Vec<Sha256Hash>,
    pub(crate) links: Links,
    /// Number of checked agent signatures.
    pub(crate) signatures: u64,
}

/// Judges every entry, in the order of the log.
pub(crate) fn run(
    connection: &Connection,
    options: &Options,
    each_signature: bool,
    each: &mut (dyn FnMut(Judgement) + Send),
) -> Result<PassState, StoreError> {
    let known = RecordIndex::read(connection)?;
    let connections = Connections::new(options);
    let threads = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(MAX_THREADS);
    let (to_workers, rows) = sync_channel::<(usize, Vec<RawRow>)>(threads);
    let (to_linker, lines) = sync_channel::<(usize, Vec<Line>)>(2 * threads);
    let rows = Mutex::new(rows);
    let linker = Linker {
        known: &known,
        connections: &connections,
        each_signature,
        threads,
        each,
        outcome: PassState::default(),
        last: HashMap::new(),
        kept: 0,
    };
    thread::scope(|scope| {
        let (rows, known) = (&rows, &known);
        for _ in 0..threads {
            let to_linker = to_linker.clone();
            thread::Builder::new()
                .spawn_scoped(scope, move || work(rows, &to_linker, each_signature, known))
                .map_err(no_thread)?;
        }
        drop(to_linker);
        let linking = thread::Builder::new()
            .spawn_scoped(scope, move || linker.run(&lines))
            .map_err(no_thread)?;
        let mut number = 0..;
        let read = read_all(connection, CHUNK, |chunk| {
            // Nobody takes it any more once the linker has failed.
            number
                .next()
                .is_some_and(|number| to_workers.send((number, chunk)).is_ok())
        });
        drop(to_workers);
        let linked = linking
            .join()
            .map_err(|_| StoreError::Bug("a validating thread panicked"));
        read.and(linked?)
    })
}

fn no_thread(error: std::io::Error) -> StoreError {
    StoreError::Unavailable {
        doing: "starting a thread",
        detail: error.to_string(),
    }
}

fn work(
    rows: &Mutex<Receiver<(usize, Vec<RawRow>)>>,
    to_linker: &SyncSender<(usize, Vec<Line>)>,
    each_signature: bool,
    known: &RecordIndex,
) {
    loop {
        let next = rows.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, chunk)) = next else {
            return;
        };
        let examined = chunk
            .into_iter()
            .map(|row| examine(row, each_signature, known));
        if to_linker.send((number, examined.collect())).is_err() {
            return;
        }
    }
}

/// Puts the examined rows in order and judges what needs others.
struct Linker<'p, 'e> {
    known: &'p RecordIndex,
    connections: &'p Connections<'p>,
    each_signature: bool,
    threads: usize,
    each: &'e mut (dyn FnMut(Judgement) + Send),
    outcome: PassState,
    /// The last content of each chain that goes on.
    last: HashMap<ChainId, Last>,
    kept: usize,
}

/// An entry between its two halves.
struct LinkedChunk {
    judged: Judgement,
    seen: Option<Box<ExaminedCapsule>>,
    before: Before,
    leaf: Option<Sha256Hash>,
    hashes: Option<Vec<u8>>,
}

/// The versions of one chain within a chunk, each with its place there.
struct Group {
    chain: ChainId,
    versions: Vec<(usize, Box<ExaminedCapsule>, Before)>,
    last: Last,
}

impl Linker<'_, '_> {
    fn run(mut self, lines: &Receiver<(usize, Vec<Line>)>) -> Result<PassState, StoreError> {
        let (mut early, mut expected) = (BTreeMap::new(), 0);
        while let Ok((number, chunk)) = lines.recv() {
            early.insert(number, chunk);
            while let Some(chunk) = early.remove(&expected) {
                self.chunk(chunk)?;
                expected += 1;
            }
        }
        Ok(self.outcome)
    }

    fn chunk(&mut self, lines: Vec<Line>) -> Result<(), StoreError> {
        let linked = lines.into_iter().map(|line| self.link(line));
        let mut halves = linked.collect::<Result<Vec<_>, _>>()?;
        self.versions(&mut halves)?;
        for half in halves {
            self.tell(half);
        }
        Ok(())
    }

    fn link(&mut self, line: Line) -> Result<LinkedChunk, StoreError> {
        let Line {
            index,
            hashes,
            misplaced,
            what,
        } = line;
        let mut half = LinkedChunk {
            judged: Judgement {
                index,
                named: None,
                found: Vec::new(),
                stub: false,
                recorded: false,
                hashes_hold: None,
                misplaced,
            },
            seen: None,
            before: Before::default(),
            leaf: None,
            hashes,
        };
        match what {
            What::Unreadable(verdict) => half.judged.found.push(verdict),
            What::Nothing => self.stub(&mut half.judged)?,
            What::Capsule(seen) => {
                let (before, place) = self.outcome.links.take(index, &seen.header, self.known);
                half.judged.named = Some(named(&seen.header));
                half.judged.found = place;
                if self.known.is_doubled(index) {
                    let doubled = invalid(Check::State, Code::Record);
                    half.judged.found.push(doubled);
                }
                (half.before, half.leaf) = (before, Some(seen.leaf));
                half.seen = Some(seen);
            }
        }
        Ok(half)
    }

    fn stub(&mut self, judged: &mut Judgement) -> Result<(), StoreError> {
        let links = &mut self.outcome.links;
        self.connections.with(|connection| {
            match stubs::read(connection, judged.index) {
                Ok(Some(stub)) => {
                    judged.stub = true;
                    judged.named = Some(named_stub(&stub));
                    judged.found = links.take_stub(connection, stub);
                }
                Ok(None) | Err(StoreError::Corrupt { .. }) => {
                    judged.found.push(invalid(Check::Schema, Code::Schema));
                }
                Err(other) => return Err(other),
            }
            Ok(())
        })
    }

    /// The bodies of what is no seed: chain by chain, since each version rests on the one before.
    fn versions(&mut self, halves: &mut [LinkedChunk]) -> Result<(), StoreError> {
        let mut groups: HashMap<ChainId, Group> = HashMap::new();
        let mut count = 0;
        for (place, half) in halves.iter_mut().enumerate() {
            let Some(seen) = half.seen.take_if(|seen| seen.open) else {
                continue;
            };
            count += 1;
            let chain = seen.header.chain();
            let group = groups.entry(chain).or_insert_with(|| {
                let last = self.last.remove(&chain).unwrap_or_default();
                self.kept = self.kept.saturating_sub(last.bytes);
                Group {
                    chain,
                    versions: Vec::new(),
                    last,
                }
            });
            group.versions.push((place, seen, half.before));
        }
        let stage = Stage {
            connections: self.connections,
            links: &self.outcome.links,
            each_signature: self.each_signature,
        };
        let threads = if count < MIN_SHARED { 1 } else { self.threads };
        let groups = judge_all(stage, groups.into_values().collect(), threads)?;
        for group in groups {
            for (place, seen, _) in group.versions {
                if let Some(half) = halves.get_mut(place) {
                    half.seen = Some(seen);
                }
            }
            self.keep(group.chain, group.last);
        }
        Ok(())
    }

    fn keep(&mut self, chain: ChainId, last: Last) {
        if self.kept > MAX_KEPT_BYTES {
            self.last.clear();
            self.kept = 0;
        }
        self.kept += last.bytes;
        self.last.insert(chain, last);
    }

    fn tell(&mut self, half: LinkedChunk) {
        let LinkedChunk {
            mut judged,
            seen,
            before,
            leaf,
            hashes,
        } = half;
        let stored = hashes
            .as_deref()
            .and_then(|hashes| hashes.first_chunk::<32>());
        let stored = stored.copied().map(Sha256Hash::from_bytes);
        if let Some(mut seen) = seen {
            self.outcome.signatures += u64::from(seen.signed);
            judged.found.append(&mut seen.found);
            self.lost(&seen, before, &mut judged);
        }
        if leaf.is_some() && leaf != stored {
            judged.found.push(invalid(Check::Signature, Code::Entry));
        }
        // The tree goes on with the leaf that is stored, so that one damaged entry does not hide
        // the rest.
        let leaf = leaf.or(stored).unwrap_or(Sha256Hash::from_bytes([0; 32]));
        let expected = concatenated(&self.outcome.frontier.append(leaf));
        self.outcome.leaves.push(leaf);
        judged.hashes_hold = hashes.map(|hashes| hashes == expected);
        judged.found = in_order(judged.found);
        if let Some(named) = &judged.named
            && judged.found.iter().any(Verdict::is_invalid)
        {
            self.outcome.links.spoil(&named.chain, named.seq);
        }
        (self.each)(judged);
    }

    /// A body that is gone without a record that says so was not erased: it is damage.
    fn lost(&self, seen: &ExaminedCapsule, before: Before, judged: &mut Judgement) {
        let (index, bodies) = (judged.index, &seen.bodies);
        let gone = Lost {
            payload: bodies.lost_payload,
            delta: bodies.lost_delta && seen.header.previous().is_some(),
        };
        judged.recorded = self.known.records(index, before.index, gone);
        delta_erased(&mut judged.found, gone);
        if !(bodies.lost_payload || bodies.lost_delta) || self.known.is_received(index) {
            return;
        }
        let mut lost = Vec::new();
        if bodies.lost_payload && !self.known.payload_erased(index) {
            lost.push(invalid(Check::Body, Code::State));
        }
        if bodies.lost_delta && !self.known.delta_erased(index, before.index) {
            lost.push(invalid(Check::Body, Code::DeltaHash));
        }
        if !lost.is_empty() {
            judged.found.retain(|verdict| {
                use IndeterminateReason::{BodyErased, DeltaErased};
                !matches!(
                    verdict,
                    Verdict::Indeterminate {
                        reason: BodyErased | DeltaErased
                    }
                )
            });
            judged.found.append(&mut lost);
        }
    }
}

fn judge_all(
    stage: Stage<'_>,
    groups: Vec<Group>,
    threads: usize,
) -> Result<Vec<Group>, StoreError> {
    let judge = |mut group: Group| {
        for (_, seen, before) in &mut group.versions {
            stage.judge(seen, *before, &mut group.last)?;
        }
        Ok(group)
    };
    if threads == 1 || groups.len() == 1 {
        return groups.into_iter().map(judge).collect();
    }
    let waiting = Mutex::new(groups);
    let take = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let part = || -> Result<Vec<Group>, StoreError> {
        let mut done = Vec::new();
        while let Some(group) = take() {
            done.push(judge(group)?);
        }
        Ok(done)
    };
    thread::scope(|scope| {
        let started = (1..threads).map(|_| thread::Builder::new().spawn_scoped(scope, part));
        let started: Vec<_> = started.filter_map(Result::ok).collect();
        let mut done = part()?;
        for thread in started {
            let part = thread
                .join()
                .map_err(|_| StoreError::Bug("a validating thread panicked"))?;
            done.append(&mut part?);
        }
        Ok(done)
    })
}
