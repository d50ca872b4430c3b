//! The one thread that writes: what waits together is committed together (group commit).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use counterfoil_capsule::Signer;
use counterfoil_claims::{ClaimError, ClaimOutcome, Settings};
use counterfoil_store::{AppendReport, ClaimRequest, Draft, StoreError};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::batch::{Committer, Reply, Request, Wants};
use crate::exchange::{SharedJob, WriteJob};
use crate::unit::Unit;

/// Maximum number of queued requests before a sender has to wait.
const QUEUE: usize = 1024;

/// A batch takes no further request once it holds this many drafts.
const BATCH_DRAFTS: usize = 1024;

/// Maximum number of jobs beside the log in one transaction: appends do not wait for more than that.
const BATCH_BESIDE: usize = 512;

enum Work {
    Commit(Request),
    /// Rows beside the log, which share a transaction.
    Beside(Box<dyn SharedJob>),
    /// Anything else. It answers by itself.
    Job(Box<dyn FnOnce(&mut Committer) + Send>),
}

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
        self.ask(|reply| {
            Work::Commit(Request {
                signer,
                wants: Wants::Append { drafts, reply },
            })
        })
        .await
    }

    pub(crate) async fn submit(
        &self,
        signer: Arc<dyn Signer>,
        settings: Arc<Settings>,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, StoreError> {
        self.ask(|reply| {
            Work::Commit(Request {
                signer,
                wants: Wants::Submit {
                    settings,
                    requests,
                    reply,
                },
            })
        })
        .await
    }

    /// Runs `job` in a transaction of its own ([`Committer::unit`]).
    pub(crate) async fn unit<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Unit<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(|reply: Reply<T>| {
            Work::Job(Box::new(move |committer| {
                drop(reply.send(committer.unit(job)))
            }))
        })
        .await
    }

    /// Runs `job` in a transaction that it shares with others of the kind ([`Committer::commit_beside`]).
    pub(crate) async fn beside<T: Send + 'static>(
        &self,
        job: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(|reply: Reply<T>| {
            let done = None;
            Work::Beside(Box::new(WriteJob { job, done, reply }))
        })
        .await
    }

    /// Runs `job` on the connection that writes, outside of any transaction.
    pub(crate) async fn maintain<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(|reply: Reply<T>| {
            Work::Job(Box::new(move |committer| {
                let running = committer.require_running();
                drop(reply.send(running.and_then(|()| job(&mut committer.connection))));
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

/// Does the work as it comes: what waits already is committed together, up to a bound.
fn run(mut committer: Committer, mut work: mpsc::Receiver<Work>) {
    while let Some(first) = work.blocking_recv() {
        let (mut requests, mut drafts, mut beside, mut job) = (Vec::new(), 0, Vec::new(), None);
        let mut next = Some(first);
        while let Some(now) = next {
            match now {
                Work::Commit(request) => {
                    drafts += request.len();
                    requests.push(request);
                }
                Work::Beside(waiting) => beside.push(waiting),
                Work::Job(other) => {
                    job = Some(other);
                    break;
                }
            }
            let has_room = drafts < BATCH_DRAFTS && beside.len() < BATCH_BESIDE;
            next = has_room.then(|| work.try_recv().ok()).flatten();
        }
        if !beside.is_empty() {
            committer.commit_beside(beside);
        }
        if !requests.is_empty() {
            committer.commit(requests);
        }
        if let Some(job) = job {
            job(&mut committer);
        }
    }
}
