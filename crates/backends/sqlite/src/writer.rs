//! The one thread that writes: what waits together is committed together (group commit).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use counterfoil_capsule::Signer;
use counterfoil_claims::{ClaimError, ClaimOutcome, Settings};
use counterfoil_store::{AppendReport, ClaimRequest, Draft, StoreError};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::batch::{self, After, LogHeadState, Reply, Request, Wants};
use crate::connection::locked_at;
use crate::exchange::{self, SharedJob, WriteJob};
use crate::options::Options;
use crate::rebuild::{self, RebuildReport};
use crate::unit::{self, Unit};

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
    Rebuild(Reply<RebuildReport>),
    /// Anything else. It answers by itself.
    Job(Job),
}

type Job = Box<dyn FnOnce(&mut State) + Send>;

/// The sending side of the writer thread. To drop it waits for the work that was sent.
#[derive(Debug)]
pub(crate) struct Writer {
    work: Option<mpsc::Sender<Work>>,
    thread: Option<JoinHandle<()>>,
    commits: Arc<AtomicU64>,
}

impl Writer {
    /// Starts the thread with the connection that writes.
    pub(crate) fn start(
        connection: Connection,
        head_state: LogHeadState,
        options: Options,
    ) -> Result<Self, StoreError> {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let state = State {
            connection,
            head_state,
            options,
            stopped: false,
            commits: commits.clone(),
        };
        let thread = thread::Builder::new()
            .name("counterfoil-write".to_owned())
            .spawn(move || state.run(receiver))
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

    pub(crate) async fn rebuild(&self) -> Result<RebuildReport, StoreError> {
        self.ask(Work::Rebuild).await
    }

    /// Runs `job` in a transaction of its own ([`unit::run`]).
    pub(crate) async fn unit<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Unit<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(|reply: Reply<T>| {
            Work::Job(Box::new(move |state| drop(reply.send(state.unit(job)))))
        })
        .await
    }

    /// Runs `job` in a transaction that it shares with others of the kind ([`exchange::commit`]).
    pub(crate) async fn beside<T: Send + 'static>(
        &self,
        job: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(|reply: Reply<T>| Work::Beside(Box::new(WriteJob::new(job, reply))))
            .await
    }

    /// Runs `job` on the connection that writes, outside of any transaction.
    pub(crate) async fn maintain<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(|reply: Reply<T>| {
            Work::Job(Box::new(move |state| drop(reply.send(state.maintain(job)))))
        })
        .await
    }

    /// Hands over `job`, and does not wait for it: it is done before all that is asked for later.
    pub(crate) async fn post(&self, job: impl FnOnce(&mut Connection) + Send + 'static) {
        if let Some(sender) = &self.work {
            let job = Work::Job(Box::new(move |state| state.beside(job)));
            // A writer that has ended takes no more.
            drop(sender.send(job).await);
        }
    }

    /// As [`post`](Self::post), without waiting: a full queue drops `job`.
    pub(crate) fn post_last(&self, job: impl FnOnce(&mut Connection) + Send + 'static) {
        if let Some(sender) = &self.work {
            let job = Work::Job(Box::new(move |state| state.beside(job)));
            drop(sender.try_send(job));
        }
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

struct State {
    connection: Connection,
    head_state: LogHeadState,
    options: Options,
    stopped: bool,
    commits: Arc<AtomicU64>,
}

impl State {
    fn run(mut self, mut work: mpsc::Receiver<Work>) {
        let mut next = work.blocking_recv();
        while let Some(now) = next {
            next = match now {
                Work::Commit(_) | Work::Beside(_) => {
                    let (round, then) = gather(now, &mut work);
                    self.beside_the_log(round.beside);
                    self.commit(round.requests);
                    then
                }
                Work::Rebuild(reply) => {
                    drop(reply.send(self.rebuild()));
                    None
                }
                Work::Job(job) => {
                    job(&mut self);
                    None
                }
            }
            .or_else(|| work.blocking_recv());
        }
    }

    /// Commits the requests and answers each. An error of the disk ends the writing: the state of the
    /// disk after a failed fsync is unknown, and to retry would hide it (R1).
    fn commit(&mut self, requests: Vec<Request>) {
        if requests.is_empty() {
            return;
        }
        if self.stopped {
            requests.into_iter().for_each(|request| {
                drop(request.answer(Err(StoreError::WriterStopped)));
            });
            return;
        }
        let (connection, head_state) = (&mut self.connection, &mut self.head_state);
        let after = batch::commit(
            connection,
            head_state,
            &self.options,
            requests,
            &self.commits,
        );
        self.stopped = after == After::Stop;
    }

    /// As [`commit`](Self::commit), for rows beside the log.
    fn beside_the_log(&mut self, waiting: Vec<Box<dyn SharedJob>>) {
        if waiting.is_empty() {
            return;
        }
        if self.stopped {
            waiting
                .into_iter()
                .for_each(|one| one.answer(Err(StoreError::WriterStopped)));
            return;
        }
        let after = exchange::commit(&mut self.connection, &self.options, waiting, &self.commits);
        self.stopped = after == After::Stop;
    }

    fn rebuild(&mut self) -> Result<RebuildReport, StoreError> {
        self.maintain(rebuild::rebuild)
    }

    fn unit<T>(
        &mut self,
        job: impl FnOnce(&mut Unit<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.stopped {
            return Err(StoreError::WriterStopped);
        }
        let done = unit::run(
            &mut self.connection,
            &mut self.head_state,
            &self.options,
            job,
        );
        let done = done.map_err(|error| locked_at(&self.options.path, error));
        if let Err(error) = &done {
            self.stopped = batch::after(error) == After::Stop;
        }
        done
    }

    fn beside(&mut self, job: impl FnOnce(&mut Connection)) {
        if !self.stopped {
            job(&mut self.connection);
        }
    }

    fn maintain<T>(
        &mut self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.stopped {
            return Err(StoreError::WriterStopped);
        }
        job(&mut self.connection)
    }
}

/// Work of two transactions, one after the other.
#[derive(Default)]
struct Round {
    requests: Vec<Request>,
    drafts: usize,
    beside: Vec<Box<dyn SharedJob>>,
}

impl Round {
    /// Takes it, unless it is work of another kind.
    fn take(&mut self, work: Work) -> Option<Work> {
        match work {
            Work::Commit(request) => {
                self.drafts += request.len();
                self.requests.push(request);
                None
            }
            Work::Beside(waiting) => {
                self.beside.push(waiting);
                None
            }
            other => Some(other),
        }
    }

    fn has_room(&self) -> bool {
        self.drafts < BATCH_DRAFTS && self.beside.len() < BATCH_BESIDE
    }
}

/// Takes what waits already, up to a bound; the second part is work that ends the batch.
fn gather(first: Work, work: &mut mpsc::Receiver<Work>) -> (Round, Option<Work>) {
    let mut round = Round::default();
    let mut other = round.take(first);
    while other.is_none() && round.has_room() {
        match work.try_recv() {
            Ok(next) => other = round.take(next),
            Err(_) => break,
        }
    }
    (round, other)
}
