//! Writes down what recall hands out, without making a reader wait (I6): the first time at once, counts when there is time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use counterfoil_store::{ServedClaim, StoreError};
use counterfoil_types::{DidKey, WorldId};
use rusqlite::{Connection, params};
use tokio::sync::oneshot;

use super::tags;
use crate::connection::write_unsynced;
use crate::error::from_sqlite;
use crate::readers::Readers;
use crate::rows;
use crate::statement::Statements;
use crate::writer::Writer;

/// So many are kept in mind.
const MAX_KNOWN: usize = 100_000;
/// So many counts wait at most.
const MAX_COUNTS: usize = 1024;

/// Tag of an assertion, and the claim that was served as it.
type Key = (i64, WorldId);

/// Served claims that are recorded, and counts since.
#[derive(Debug, Default)]
pub(crate) struct ServedCache {
    known: Arc<Mutex<Known>>,
    warned: AtomicBool,
}

#[derive(Debug, Default)]
struct Known {
    written: BTreeSet<Key>,
    counts: BTreeMap<Key, u64>,
    /// True if notes may be on their way to the writer.
    posted: bool,
}

/// Counts to be recorded.
pub(crate) struct Notes {
    known: Arc<Mutex<Known>>,
    notes: Vec<(Key, u64)>,
    at_us: u64,
}

impl ServedCache {
    /// Counts `served` and returns the notes that have to be written now, if any.
    pub(super) fn note(
        &self,
        agent: &DidKey,
        served: Vec<ServedClaim>,
        at_us: u64,
    ) -> Option<Notes> {
        let mut known = locked(&self.known);
        let mut first = false;
        known.posted |= !served.is_empty();
        for one in served {
            let said = tags::of_said(agent, &one.subject, &one.predicate, &one.value);
            let key = (said, one.claim);
            first |= !known.written.contains(&key) && !known.counts.contains_key(&key);
            let times = known.counts.entry(key).or_default();
            *times = times.saturating_add(1);
        }
        (first || known.counts.len() >= MAX_COUNTS).then(|| self.taken(&mut known, at_us))
    }

    /// Returns the counts that are not recorded yet.
    pub(crate) fn rest(&self, at_us: u64) -> Option<Notes> {
        let mut known = locked(&self.known);
        (!known.counts.is_empty()).then(|| self.taken(&mut known, at_us))
    }

    /// Returns the counts that are not recorded yet, if anything was served since the last call.
    pub(super) fn outstanding(&self, at_us: u64) -> Option<Notes> {
        let mut known = locked(&self.known);
        std::mem::take(&mut known.posted).then(|| self.taken(&mut known, at_us))
    }

    /// Says once that nothing is written down.
    pub(super) fn lost(&self, error: &StoreError) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                %error,
                "what is handed out is not written down: what comes back of it may count as said anew"
            );
        }
    }

    fn taken(&self, known: &mut Known, at_us: u64) -> Notes {
        if known.written.len() > MAX_KNOWN {
            known.written.clear();
        }
        let notes: Vec<_> = std::mem::take(&mut known.counts).into_iter().collect();
        known
            .written
            .extend(notes.iter().map(|(key, _)| key.clone()));
        Notes {
            known: Arc::clone(&self.known),
            notes,
            at_us,
        }
    }
}

/// The threads that write notes.
pub(crate) enum Recorder<'s> {
    Writer(&'s Writer),
    /// Without a sync ([`Options::recording_reads`](crate::Options::recording_reads)).
    Readers(&'s Readers),
}

impl Recorder<'_> {
    /// Queues `notes`; waits only while the queue of the writer is full.
    pub(super) async fn post(self, notes: Notes) {
        match self {
            Self::Writer(writer) => writer.post(move |connection| notes.write(connection)).await,
            Self::Readers(readers) => drop(notes.post_to(readers)),
        }
    }

    /// Queues `notes` where waiting is impossible: a writer whose queue is full drops them.
    pub(super) fn post_last(self, notes: Notes) {
        match self {
            Self::Writer(writer) => writer.post_last(move |connection| notes.write(connection)),
            Self::Readers(readers) => drop(notes.post_to(readers)),
        }
    }

    /// Writes `notes` and waits until that is done.
    pub(super) async fn write(self, notes: Notes) {
        match self {
            Self::Writer(writer) => {
                let written = writer.maintain(move |connection| {
                    notes.write(connection);
                    Ok(())
                });
                drop(written.await);
            }
            Self::Readers(readers) => drop(notes.post_to(readers).await),
        }
    }
}

impl Notes {
    /// Writes the notes in a short transaction.
    fn write(self, connection: &mut Connection) {
        self.forget_unless(|notes| {
            let transaction = connection.begin()?;
            notes.insert(&transaction)?;
            transaction.commit().map_err(from_sqlite)
        });
    }

    /// Has a reader write the notes; the answer comes when that is done.
    fn post_to(self, readers: &Readers) -> oneshot::Receiver<()> {
        let (reply, written) = oneshot::channel();
        // Without a thread nothing is written, and the answer is that the sender is gone.
        drop(readers.post(move |connection| {
            self.forget_unless(|notes| {
                write_unsynced(connection?, |transaction| notes.insert(transaction))
            });
            reply.send(()).ok();
        }));
        written
    }

    /// Forgets the notes if `write` fails: the next time that a claim is served counts as the first.
    fn forget_unless(&self, write: impl FnOnce(&Self) -> Result<(), StoreError>) {
        if let Err(error) = write(self) {
            tracing::warn!(%error, "what was handed out could not be written down");
            let mut known = locked(&self.known);
            for (key, _) in &self.notes {
                known.written.remove(key);
            }
        }
    }

    fn insert(&self, connection: &Connection) -> Result<(), StoreError> {
        for ((said, claim), times) in &self.notes {
            // A claim that is not there cannot have been handed out.
            if let Some(index) = rows::index_of(connection, claim)? {
                connection.run(
                    "INSERT INTO claim_served (said, idx, first, times) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (said, idx) DO UPDATE SET times = times + excluded.times",
                    params![said, index, self.at_us, times],
                )?;
            }
        }
        Ok(())
    }
}

fn locked(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
