//! Reads on threads of their own, so that an executor is never blocked and none is required.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use counterfoil_store::StoreError;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use crate::connection::{locked_at, reader};
use crate::error::from_sqlite;
use crate::options::Options;

/// How many reads go on at once.
const THREADS: usize = 4;

type Job = Box<dyn FnOnce(Result<&mut Connection, StoreError>) + Send>;

/// A few threads, each with its own connection, opened when it is first used.
/// To drop it waits for the reads that go on, so that the file is closed then.
#[derive(Debug)]
pub(crate) struct Readers {
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Starts the threads.
    pub(crate) fn start(options: &Options) -> Result<Self, StoreError> {
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let mut readers = Self {
            jobs: Some(jobs),
            threads: Vec::new(),
        };
        for _ in 0..THREADS {
            let (queue, options) = (Arc::clone(&queue), options.clone());
            let thread = thread::Builder::new()
                .name("counterfoil-read".to_owned())
                .spawn(move || work(&queue, &options))
                .map_err(|error| StoreError::Unavailable {
                    doing: "starting a thread",
                    detail: error.to_string(),
                })?;
            readers.threads.push(thread);
        }
        Ok(readers)
    }

    /// Runs `read` inside one read transaction: all that it sees belongs to one moment.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // Nobody waits any more when the future was dropped.
            drop(reply.send(connection.and_then(|connection| in_transaction(connection, read))));
        });
        let jobs = self
            .jobs
            .as_ref()
            .ok_or(StoreError::Bug("a read after the end"))?;
        jobs.send(job)
            .map_err(|_| StoreError::Bug("no reader is left"))?;
        answer
            .await
            .map_err(|_| StoreError::Bug("a reader ended without an answer"))?
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        drop(self.jobs.take());
        for thread in self.threads.drain(..) {
            // A panic of the thread has been reported to those who waited for it.
            drop(thread.join());
        }
    }
}

fn in_transaction<T>(
    connection: &mut Connection,
    read: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Deferred)
        .map_err(from_sqlite)?;
    read(&transaction)
}

fn work(queue: &Mutex<Receiver<Job>>, options: &Options) {
    let mut connection = None;
    while let Some(job) = next(queue) {
        job(connected(&mut connection, options).map_err(|error| locked_at(&options.path, error)));
    }
}

/// The lock is held while waiting, and not while working.
fn next(queue: &Mutex<Receiver<Job>>) -> Option<Job> {
    queue.lock().ok()?.recv().ok()
}

fn connected<'c>(
    slot: &'c mut Option<Connection>,
    options: &Options,
) -> Result<&'c mut Connection, StoreError> {
    match slot {
        Some(connection) => Ok(connection),
        None => Ok(slot.insert(reader(options)?)),
    }
}
