//! Gathering of a batch: callers that were answered together are waited for, since most come back at once.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::batch::{Committer, Job};

/// A batch takes no further job once it holds this many entries, or jobs.
const BATCH_ENTRIES: usize = 1024;

/// A caller is waited for as long as the last commit took, divided by this.
const PATIENCE: u32 = 2;

pub(super) enum Work {
    /// A job that shares a transaction with others, and the most entries that it adds.
    Shared(usize, Box<dyn Job>),
    /// A job with a transaction of its own, which is performed once.
    Alone(Box<dyn Job>),
    /// Work outside of any transaction. It answers by itself.
    Maintenance(Box<dyn FnOnce(&mut Committer) + Send>),
}

/// Work in the order in which it came.
pub(super) struct Queue {
    work: mpsc::Receiver<Work>,
    /// Work that ended a batch.
    after: Option<Work>,
    /// Jobs and entries of the batch.
    jobs: usize,
    entries: usize,
    /// The end of gathering, from which on the batch was committed.
    gathered: Instant,
    /// Number of callers that were answered last or waited then, and the time until which they are waited for.
    expected: (usize, Instant),
    waker: Waker,
}

impl Queue {
    pub(super) fn new(work: mpsc::Receiver<Work>) -> Self {
        let now = Instant::now();
        Self {
            work,
            after: None,
            jobs: 0,
            entries: 0,
            gathered: now,
            expected: (0, now),
            waker: Waker::from(Arc::new(Unpark(thread::current()))),
        }
    }

    /// Waits for work; `None` when no sender is left.
    pub(super) fn wait(&mut self) -> Option<Work> {
        self.after.take().or_else(|| self.work.blocking_recv())
    }

    /// Begins a batch with `job`, of so many entries.
    pub(super) fn begin(&mut self, entries: usize, job: Box<dyn Job>) -> Box<dyn Job> {
        (self.jobs, self.entries) = (1, entries.max(1));
        job
    }

    /// The next job of the batch; `None`, once, when the batch is to be committed.
    pub(super) fn more(&mut self) -> Option<Box<dyn Job>> {
        let has_room = self.entries < BATCH_ENTRIES;
        match has_room.then(|| self.arrived()).flatten() {
            Some(Work::Shared(entries, job)) => {
                self.jobs += 1;
                self.entries += entries.max(1);
                return Some(job);
            }
            other => self.after = other,
        }
        self.gathered = Instant::now();
        None
    }

    /// Ends a batch whose callers were answered.
    pub(super) fn end(&mut self) {
        let now = Instant::now();
        let patience = now.duration_since(self.gathered) / PATIENCE;
        self.expected = (self.jobs + self.work.len(), now + patience);
    }

    /// Work that is there, or comes while callers are expected.
    fn arrived(&mut self) -> Option<Work> {
        let (expected, until) = self.expected;
        match self.work.try_recv() {
            Ok(work) => Some(work),
            Err(_) if self.jobs < expected => self.wait_until(until),
            Err(_) => None,
        }
    }

    fn wait_until(&mut self, until: Instant) -> Option<Work> {
        let mut context = Context::from_waker(&self.waker);
        loop {
            if let Poll::Ready(work) = self.work.poll_recv(&mut context) {
                return work;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return None;
            }
            thread::park_timeout(left);
        }
    }
}

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_store::StoreError;

    use super::*;
    use counterfoil_life::Unit;
    use rusqlite::Connection;

    struct Nothing;

    impl Job for Nothing {
        fn perform(&mut self, _: &mut Unit<'_>, _: &Connection) -> Result<(), StoreError> {
            Ok(())
        }

        fn answer(&mut self, _committed: Result<u64, StoreError>) {}
    }

    const LONG: Duration = Duration::from_secs(60);

    fn shared(entries: usize) -> Work {
        Work::Shared(entries, Box::new(Nothing))
    }

    /// A queue in whose batch one job is, and more are expected for so long.
    fn begun(expected: usize, patience: Duration) -> (mpsc::Sender<Work>, Queue) {
        let (sender, work) = mpsc::channel(8);
        let mut queue = Queue::new(work);
        queue.expected = (expected, Instant::now() + patience);
        queue.begin(1, Box::new(Nothing));
        (sender, queue)
    }

    #[test]
    fn callers_that_were_answered_together_are_committed_together() {
        let (sender, mut queue) = begun(3, LONG);
        let began = Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..2 {
                    thread::sleep(Duration::from_millis(20));
                    assert!(sender.blocking_send(shared(1)).is_ok());
                }
            });
            assert!(queue.more().is_some() && queue.more().is_some());
        });
        assert!(queue.more().is_none(), "no other is expected");
        assert!(began.elapsed() < LONG);
        assert!(sender.blocking_send(shared(0)).is_ok());
        queue.end();
        assert_eq!(queue.expected.0, 4, "one waits already");
    }

    #[test]
    fn a_caller_that_does_not_come_back_is_not_waited_for_any_longer() {
        let patience = Duration::from_millis(30);
        let (_sender, mut queue) = begun(2, patience);
        let began = Instant::now();
        assert!(queue.more().is_none());
        assert!((patience..LONG).contains(&began.elapsed()));
        queue.end();
        assert_eq!(queue.expected.0, 1);
    }

    #[test]
    fn other_work_and_a_full_batch_end_the_gathering() {
        let (sender, mut queue) = begun(9, LONG);
        assert!(sender.blocking_send(shared(BATCH_ENTRIES)).is_ok());
        let alone = Work::Alone(Box::new(Nothing));
        assert!(sender.blocking_send(alone).is_ok());
        assert!(queue.more().is_some());
        assert!(queue.more().is_none(), "it is full");
        queue.begin(1, Box::new(Nothing));
        assert!(queue.more().is_none(), "the rest waits for the other work");
        assert!(matches!(queue.wait(), Some(Work::Alone(_))));
    }
}
