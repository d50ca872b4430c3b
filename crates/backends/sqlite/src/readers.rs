//! Reads on threads of their own, so that an executor is never blocked and none is required.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use counterfoil_store::StoreError;
use rusqlite::{Connection, Transaction};
use tokio::sync::oneshot;

use crate::connection::{self, locked_at};
use crate::options::Options;

/// Maximum number of reads at once.
const THREADS: usize = 4;

type Job = Box<dyn FnOnce(Result<Transaction<'_>, StoreError>) + Send>;

/// Up to [`THREADS`] threads, each with its own connection. A thread starts when a read finds all others busy: reads that
/// follow each other share one thread and one connection.
/// Dropping the pool waits for the jobs that were sent, so that the file is closed then.
#[derive(Debug)]
pub(crate) struct Readers {
    options: Options,
    queue: Arc<Queue>,
    threads: Mutex<Threads>,
    /// Each read without a result has a clone.
    open_reads: Arc<()>,
}

/// Jobs that wait. A job wakes one thread, and no other looks at the lock meanwhile.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    is_closed: bool,
}

#[derive(Debug, Default)]
struct Threads {
    /// Connection of the first thread, if one is open already.
    first: Option<Connection>,
    running: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Returns a pool whose first thread uses the connection `first`, if there is one.
    pub(crate) fn new(options: &Options, first: Option<Connection>) -> Self {
        let running = Vec::new();
        Self {
            options: options.clone(),
            queue: Arc::default(),
            threads: Mutex::new(Threads { first, running }),
            open_reads: Arc::default(),
        }
    }

    /// Runs `read` inside one read transaction: all that it sees belongs to one moment.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let open = Arc::clone(&self.open_reads);
        self.start_thread_for(Arc::strong_count(&self.open_reads).saturating_sub(1))?;
        let job = move |transaction: Result<Transaction<'_>, StoreError>| {
            let done = transaction.and_then(|transaction| read(&transaction));
            drop(open);
            // The receiver is gone when the future was dropped.
            drop(reply.send(done));
        };
        self.queue.lock().jobs.push_back(Box::new(job));
        self.queue.changed.notify_one();
        answer
            .await
            .map_err(|_| StoreError::Bug("a reader ended without an answer"))?
    }

    /// Starts a thread unless there is one for each of `open` reads, or there are [`THREADS`].
    fn start_thread_for(&self, open: usize) -> Result<(), StoreError> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if threads.running.len() >= open.min(THREADS) {
            return Ok(());
        }
        let (queue, options) = (Arc::clone(&self.queue), self.options.clone());
        let mut connection = threads.first.take();
        let thread = thread::Builder::new()
            .name("counterfoil-read".to_owned())
            .spawn(move || {
                while let Some(job) = queue.next() {
                    let done = catch_unwind(AssertUnwindSafe(|| {
                        let opened = match &mut connection {
                            Some(connection) => Ok(connection),
                            slot => connection::reader(&options).map(|opened| slot.insert(opened)),
                        };
                        let opened = opened
                            .and_then(|connection| connection::snapshot(connection, &options));
                        job(opened.map_err(|error| locked_at(&options.path, error)));
                    }));
                    // The thread goes on after a panic: a job that was queued meanwhile counts on it.
                    if done.is_err() {
                        connection = None;
                    }
                }
            })
            .map_err(|error| StoreError::Unavailable {
                doing: "starting a thread",
                detail: error.to_string(),
            })?;
        threads.running.push(thread);
        Ok(())
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next job; `None` after the last.
    fn next(&self) -> Option<Job> {
        let idle = |waiting: &mut Waiting| waiting.jobs.is_empty() && !waiting.is_closed;
        let waiting = self.changed.wait_while(self.lock(), idle);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        waiting.jobs.pop_front()
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.queue.lock().is_closed = true;
        self.queue.changed.notify_all();
        let threads = self.threads.get_mut();
        let threads = threads.unwrap_or_else(PoisonError::into_inner);
        for thread in threads.running.drain(..) {
            // A panic of a job has been reported to the caller that waited for it.
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::task::{Context, Waker};

    use counterfoil_store::conformance::block_on;

    use super::*;
    use crate::rig::Rig;
    use crate::schema;

    impl Readers {
        fn running(&self) -> usize {
            self.threads.lock().unwrap().running.len()
        }
    }

    fn cache_size(connection: &Connection) -> Result<i64, StoreError> {
        schema::pragma(connection, "cache_size")
    }

    /// One command asks one thing after the other.
    #[test]
    fn reads_that_follow_each_other_share_the_connection_that_was_open() {
        let rig = Rig::new();
        let options = rig.store.options();
        let first = connection::reader(options).unwrap();
        first.pragma_update(None, "cache_size", 4321).unwrap();
        let readers = Readers::new(options, Some(first));
        assert_eq!(readers.running(), 0);
        for _ in 0..100 {
            assert_eq!(block_on(readers.read(cache_size)).unwrap(), 4321);
        }
        assert_eq!(readers.running(), 1);
    }

    #[test]
    fn reads_at_once_have_up_to_four_threads() {
        let rig = Rig::new();
        let readers = Readers::new(rig.store.options(), None);
        let (release, wait) = channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let reads: Vec<_> = (0..2 * THREADS)
            .map(|_| {
                let wait = Arc::clone(&wait);
                let mut read = Box::pin(readers.read(move |_| Ok(wait.lock().unwrap().recv())));
                let mut context = Context::from_waker(Waker::noop());
                assert!(read.as_mut().poll(&mut context).is_pending());
                read
            })
            .collect();
        assert_eq!(readers.running(), THREADS);
        drop(release);
        for read in reads {
            assert!(block_on(read).unwrap().is_err());
        }
    }

    /// The thread goes on with another connection.
    #[test]
    fn a_read_that_panics_takes_no_other_with_it() {
        let rig = Rig::new();
        let readers = Readers::new(rig.store.options(), None);
        for _ in 0..2 * THREADS {
            thread::scope(|scope| {
                let panics =
                    || block_on(readers.read(|_| -> Result<(), _> { panic!("on purpose") }));
                let panics = scope.spawn(panics);
                let other = scope.spawn(|| block_on(readers.read(cache_size)));
                assert!(panics.join().unwrap().is_err());
                other.join().unwrap().unwrap();
            });
        }
        assert!(readers.running() <= 2);
    }
}
