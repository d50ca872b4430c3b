//! The pass: entries are read in log order, examined on several threads, linked in order, and handed on one by one.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use counterfoil_capsule::dangerous::in_order;
use counterfoil_capsule::{Check, Code, Verdict};
use counterfoil_store::StoreError;
use counterfoil_store::log::Frontier;
use counterfoil_types::Sha256Hash;

use super::contents::Contents;
use super::examine::{Entry, ExaminedCapsule, Judgement, examine};
use super::known::{DELTA_ERASED, ERASED, RecordIndex};
use super::links::{Before, Links, invalid, named, named_stub};
use crate::port::{EntryRow, Txn};
use crate::stubs;

/// Number of entries in one chunk between threads.
const CHUNK: usize = 512;
const MAX_THREADS: usize = 16;
/// Number of chunks for each thread that are read ahead of the one that is linked.
const AHEAD: usize = 3;

/// Result of a whole pass.
#[derive(Default)]
pub(super) struct PassState {
    pub(super) known: RecordIndex,
    pub(super) frontier: Frontier,
    pub(super) leaves: Vec<Sha256Hash>,
    pub(super) links: Links,
    /// Number of checked agent signatures.
    pub(super) signatures: u64,
    /// Log indices of entries without a header, in their order.
    pub(super) bare: Vec<u64>,
}

/// Entries to examine, and the channel for the result.
type Job = (Vec<EntryRow>, SyncSender<Vec<Entry>>);

/// Judges every entry, in the order of the log. `each` and the transaction are used on the calling thread alone.
pub(super) fn run(
    txn: &dyn Txn,
    each_signature: bool,
    each: &mut dyn FnMut(Judgement),
) -> Result<PassState, StoreError> {
    let known = RecordIndex::read(txn)?;
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = threads.min(MAX_THREADS);
    let linker = Linker {
        txn,
        known: &known,
        contents: Contents::new(threads),
        each,
        outcome: PassState::default(),
    };
    let (jobs, waiting) = channel();
    let waiting = Mutex::new(waiting);
    let outcome = thread::scope(|scope| {
        // Threads end with `jobs`, which goes with this closure.
        let jobs = jobs;
        let work = || work(&waiting, each_signature, &known);
        for _ in 0..threads {
            let started = thread::Builder::new().spawn_scoped(scope, work);
            started.map_err(|error| StoreError::Unavailable {
                doing: "starting a thread",
                detail: error.to_string(),
            })?;
        }
        linker.run(&jobs, AHEAD * threads)
    })?;
    Ok(PassState { known, ..outcome })
}

fn work(waiting: &Mutex<Receiver<Job>>, each_signature: bool, known: &RecordIndex) {
    let next = || {
        waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv()
    };
    while let Ok((rows, done)) = next() {
        let examined = rows
            .into_iter()
            .map(|row| examine(row, each_signature, known));
        // After an error the linker takes no more.
        if done.send(examined.collect()).is_err() {
            return;
        }
    }
}

/// Reads entries, links those that were examined, and judges what depends on others.
struct Linker<'p> {
    txn: &'p dyn Txn,
    known: &'p RecordIndex,
    contents: Contents,
    each: &'p mut dyn FnMut(Judgement),
    outcome: PassState,
}

impl Linker<'_> {
    /// Sends entries to the threads, at most `ahead` chunks at a time, and takes them back in order: neither side waits
    /// for the other to take something.
    fn run(mut self, jobs: &Sender<Job>, ahead: usize) -> Result<PassState, StoreError> {
        let stopped = "a validating thread panicked";
        let (mut after, mut at_end) = (None, false);
        let mut sent = VecDeque::new();
        loop {
            while !at_end && sent.len() < ahead {
                let rows = self.txn.entries(after, CHUNK)?;
                after = rows.last().map(|row| row.index);
                at_end = rows.len() < CHUNK;
                let (done, examined) = sync_channel(1);
                let job = jobs.send((rows, done));
                job.map_err(|_| StoreError::Bug(stopped))?;
                sent.push_back(examined);
            }
            let Some(examined) = sent.pop_front() else {
                return Ok(self.outcome);
            };
            let entries = examined.recv().map_err(|_| StoreError::Bug(stopped))?;
            self.chunk(entries)?;
        }
    }

    fn chunk(&mut self, mut entries: Vec<Entry>) -> Result<(), StoreError> {
        for (index, entry) in (self.outcome.frontier.size()..).zip(&mut entries) {
            self.link(index, entry)?;
        }
        let links = &self.outcome.links;
        self.contents.judge(self.txn, links, &mut entries)?;
        for entry in entries {
            self.finish(entry);
        }
        Ok(())
    }

    /// The entry is number `index`: counted, not read.
    fn link(&mut self, index: u64, entry: &mut Entry) -> Result<(), StoreError> {
        let (judged, links) = (&mut entry.judged, &mut self.outcome.links);
        judged.index = index;
        judged.misplaced = Some(entry.row).filter(|row| u64::try_from(*row) != Ok(index));
        if let Some(seen) = &entry.seen {
            (entry.before, judged.found) = links.take(index, &seen.header, self.known);
            judged.named = Some(named(&seen.header));
            if self.known.stubs.contains(&index) {
                judged.found.push(invalid(Check::State, Code::Record));
            }
        }
        if !entry.bare {
            return Ok(());
        }
        self.outcome.bare.push(index);
        let stub = match stubs::read(self.txn, index) {
            Err(StoreError::Corrupt { .. }) => None,
            stub => stub?,
        };
        let stub = stub.and_then(|stub| {
            judged.named = Some(named_stub(&stub));
            links.take_stub(self.txn, stub)
        });
        judged.stub = stub.is_some();
        judged.found = stub.unwrap_or_else(|| vec![invalid(Check::Schema, Code::Schema)]);
        Ok(())
    }

    fn finish(&mut self, entry: Entry) {
        let (mut judged, hashes) = (entry.judged, entry.hashes);
        let stored = hashes.as_deref().and_then(|it| it.first_chunk::<32>());
        let stored = stored.copied().map(Sha256Hash::from_bytes);
        let leaf = entry.seen.as_ref().map(|seen| seen.leaf);
        if let Some(mut seen) = entry.seen {
            self.outcome.signatures += u64::from(seen.signed);
            judged.found.append(&mut seen.found);
            self.lost(&seen, entry.before, &mut judged);
        }
        if leaf.is_some() && leaf != stored {
            judged.found.push(invalid(Check::Signature, Code::Entry));
        }
        // Where there is no leaf, the tree goes on with the stored one, so that one damaged entry does not hide
        // the rest.
        let leaf = leaf.or(stored).unwrap_or(Sha256Hash::from_bytes([0; 32]));
        let expected = self.outcome.frontier.append(leaf);
        let expected = expected.iter().map(|hash| hash.as_bytes().as_slice());
        self.outcome.leaves.push(leaf);
        judged.hashes_hold = hashes.map(|hashes| hashes.chunks(32).eq(expected));
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
        let (index, gone) = (judged.index, seen.lost);
        judged.recorded = self.known.records(index, before.index, gone);
        gone.explain_delta(&mut judged.found);
        if judged.recorded || self.known.received.contains(&index) {
            return;
        }
        judged
            .found
            .retain(|it| ![ERASED, DELTA_ERASED].contains(it));
        if gone.payload && !self.known.payload_erased(index) {
            judged.found.push(invalid(Check::Body, Code::State));
        }
        if gone.delta && !self.known.delta_erased(index, before.index) {
            judged.found.push(invalid(Check::Body, Code::DeltaHash));
        }
    }
}
