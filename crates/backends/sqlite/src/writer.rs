//! The one thread that writes: what waits together is committed together (group commit).

mod queue;

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use counterfoil_capsule::Signer;
use counterfoil_claims::{ClaimError, ClaimOutcome, Settings};
use counterfoil_life::Unit;
use counterfoil_store::{AppendReport, ClaimRequest, Draft, StoreError};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::batch::{Committer, Reply, Task};
use queue::{Queue, Work};

/// Maximum number of queued jobs before a sender has to wait.
const QUEUE: usize = 1024;

/// The sending side of the writer thread. To drop it waits for the work that was sent.
#[derive(Debug)]
pub(crate) struct Writer {
    work: Option<mpsc::Sender<Work>>,
    thread: Option<JoinHandle<()>>,
    commits: Arc<AtomicU64>,
}

impl Writer {
    /// Starts the thread with the connection that writes.
    pub(crate) fn start(committer: Committer) -> Result<Self, StoreError> {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let commits = Arc::clone(&committer.commits);
        let thread = thread::Builder::new()
            .name("counterfoil-write".to_owned())
            .spawn(move || run(committer, receiver))
            .map_err(|error| StoreError::Unavailable {
                doing: "starting a thread",
                detail: error.to_string(),
            })?;
        Ok(Self {
            work: Some(sender),
            thread: Some(thread),
            commits,
        })
    }

    /// Number of committed transactions: fewer than appends when they share one.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    pub(crate) async fn append(
        &self,
        signer: Arc<dyn Signer>,
        drafts: Vec<Draft>,
    ) -> Result<Vec<AppendReport>, StoreError> {
        let entries = drafts.len();
        let append = move |unit: &mut Unit<'_>, _: &Connection| unit.append(&*signer, &drafts);
        let (mut places, size) = self.share(entries, append).await?;
        places.iter_mut().for_each(|place| place.tree_size = size);
        Ok(places)
    }

    pub(crate) async fn submit(
        &self,
        signer: Arc<dyn Signer>,
        settings: Arc<Settings>,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, StoreError> {
        let entries = requests.len();
        let submit =
            move |unit: &mut Unit<'_>, _: &Connection| unit.submit(&*signer, &settings, &requests);
        let (answers, _) = self.share(entries, submit).await?;
        Ok(answers)
    }

    /// Runs `job`, which adds at most so many entries, in a transaction that it shares with others who wait. It may run
    /// again. The answer has the size of the committed log.
    pub(crate) async fn share<T: Send + 'static>(
        &self,
        entries: usize,
        job: impl FnMut(&mut Unit<'_>, &Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<(T, u64), StoreError> {
        self.ask(|reply| Work::Shared(entries, Box::new(Task::new(job, reply))))
            .await
    }

    /// Runs `job` once, in a transaction of its own.
    pub(crate) async fn alone<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Unit<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let mut job = Some(job);
        let once = move |unit: &mut Unit<'_>, _: &Connection| match job.take() {
            Some(job) => job(unit),
            None => Err(StoreError::Bug("a job that ran twice")),
        };
        let (done, _) = self
            .ask(|reply| Work::Alone(Box::new(Task::new(once, reply))))
            .await?;
        Ok(done)
    }

    /// Runs `job` on the connection that writes, outside of any transaction.
    pub(crate) async fn maintain<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(|reply: Reply<T>| {
            Work::Maintenance(Box::new(move |committer| {
                let running = committer.require_running();
                drop(reply.send(running.and_then(|()| job(&mut committer.connection))));
            }))
        })
        .await
    }

    /// Brings the store forward by its shared ground. Returns the size of the log.
    pub(crate) async fn follow(&self) -> Result<u64, StoreError> {
        self.ask(|reply: Reply<u64>| {
            Work::Maintenance(Box::new(move |committer| {
                let running = committer.require_running();
                drop(reply.send(running.and_then(|()| committer.follow())));
            }))
        })
        .await
    }

    async fn ask<T>(&self, work: impl FnOnce(Reply<T>) -> Work) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let sender = self.work.as_ref().ok_or(StoreError::WriterStopped)?;
        sender
            .send(work(reply))
            .await
            .map_err(|_| StoreError::WriterStopped)?;
        answer.await.map_err(|_| StoreError::WriterStopped)?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.work.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported to those who waited for it.
            drop(thread.join());
        }
    }
}

/// Does the work as it comes: shared jobs are committed together, up to a bound.
fn run(mut committer: Committer, work: mpsc::Receiver<Work>) {
    let mut queue = Queue::new(work);
    while let Some(work) = queue.wait() {
        match work {
            Work::Shared(entries, job) => {
                let mut next = Some(queue.begin(entries, job));
                committer.commit(iter::from_fn(|| next.take().or_else(|| queue.more())));
                queue.end();
            }
            Work::Alone(job) => committer.commit([job]),
            Work::Maintenance(job) => job(&mut committer),
        }
    }
}
