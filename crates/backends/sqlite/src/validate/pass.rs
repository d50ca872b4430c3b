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
use counterfoil_types::Sha256Hash;
use rusqlite::Connection;

use super::contents::{Connections, Last, Stage};
use super::examine::{Entry, ExaminedCapsule, Judgement, examine};
use super::known::{RecordIndex, delta_erased};
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
    let (to_linker, lines) = sync_channel::<(usize, Vec<Entry>)>(2 * threads);
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
    to_linker: &SyncSender<(usize, Vec<Entry>)>,
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

/// The versions of one chain within a chunk, each with its place there.
struct Group {
    chain: ChainId,
    versions: Vec<(usize, Box<ExaminedCapsule>, Before)>,
    last: Last,
}

impl Linker<'_, '_> {
    fn run(mut self, lines: &Receiver<(usize, Vec<Entry>)>) -> Result<PassState, StoreError> {
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

    fn chunk(&mut self, mut entries: Vec<Entry>) -> Result<(), StoreError> {
        for entry in &mut entries {
            if let Some(seen) = &entry.seen {
                let (index, links) = (entry.judged.index, &mut self.outcome.links);
                (entry.before, entry.judged.found) = links.take(index, &seen.header, self.known);
                entry.judged.named = Some(named(&seen.header));
                if self.known.is_doubled(index) {
                    let doubled = invalid(Check::State, Code::Record);
                    entry.judged.found.push(doubled);
                }
            } else if entry.bare {
                self.stub(&mut entry.judged)?;
            }
        }
        self.versions(&mut entries)?;
        for entry in entries {
            self.finish(entry);
        }
        Ok(())
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
    fn versions(&mut self, entries: &mut [Entry]) -> Result<(), StoreError> {
        let mut groups: HashMap<ChainId, Group> = HashMap::new();
        let mut count = 0;
        for (place, entry) in entries.iter_mut().enumerate() {
            let Some(seen) = entry.seen.take_if(|seen| seen.open) else {
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
            group.versions.push((place, seen, entry.before));
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
                if let Some(entry) = entries.get_mut(place) {
                    entry.seen = Some(seen);
                }
            }
            if self.kept > MAX_KEPT_BYTES {
                self.last.clear();
                self.kept = 0;
            }
            self.kept += group.last.bytes;
            self.last.insert(group.chain, group.last);
        }
        Ok(())
    }

    fn finish(&mut self, entry: Entry) {
        let Entry {
            mut judged,
            hashes,
            seen,
            before,
            ..
        } = entry;
        let stored = hashes
            .as_deref()
            .and_then(|hashes| hashes.first_chunk::<32>());
        let stored = stored.copied().map(Sha256Hash::from_bytes);
        let leaf = seen.as_ref().map(|seen| seen.leaf);
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
        if let Some((named, _)) = &judged.named
            && judged.found.iter().any(Verdict::is_invalid)
        {
            self.outcome.links.spoil(&named.chain, named.seq);
        }
        (self.each)(judged);
    }

    /// A body that is gone without a record that says so was not erased: it is damage.
    fn lost(&self, seen: &ExaminedCapsule, before: Before, judged: &mut Judgement) {
        let (index, gone) = (judged.index, seen.bodies.lost);
        judged.recorded = self.known.records(index, before.index, gone);
        delta_erased(&mut judged.found, gone);
        if !(gone.payload || gone.delta) || self.known.is_received(index) {
            return;
        }
        let mut lost = Vec::new();
        if gone.payload && !self.known.payload_erased(index) {
            lost.push(invalid(Check::Body, Code::State));
        }
        if gone.delta && !self.known.delta_erased(index, before.index) {
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
