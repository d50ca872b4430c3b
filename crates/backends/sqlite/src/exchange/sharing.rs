//! What is written beside the log: what waits at the same time shares a transaction and its fsync.

use std::sync::atomic::{AtomicU64, Ordering};

use counterfoil_store::{Blame, StoreError};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::batch::{After, Reply, after};
use crate::connection::locked_at;
use crate::error::from_sqlite;
use crate::options::Options;

/// One caller who waits for something to be written. What it does it has to check before it writes: where a caller is
/// refused, nothing was written.
pub(crate) trait SharedJob: Send {
    /// Does it inside of a transaction; again, if that was undone. An error says that the transaction is good for nothing.
    fn perform(&mut self, connection: &Connection) -> Result<(), StoreError>;

    /// Tells the caller, now that the transaction is committed, or why it is not.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

/// Something to write, and whom to tell.
pub(crate) struct WriteJob<T, J> {
    job: J,
    done: Option<Result<T, StoreError>>,
    reply: Reply<T>,
}

impl<T, J> WriteJob<T, J>
where
    J: FnMut(&Connection) -> Result<T, StoreError>,
{
    /// Type of the result of `job`.
    pub(crate) const fn new(job: J, reply: Reply<T>) -> Self {
        Self {
            job,
            done: None,
            reply,
        }
    }
}

impl<T: Send, J> SharedJob for WriteJob<T, J>
where
    J: FnMut(&Connection) -> Result<T, StoreError> + Send,
{
    fn perform(&mut self, connection: &Connection) -> Result<(), StoreError> {
        match (self.job)(connection) {
            Err(error) if error.blame() != Blame::Caller => Err(error),
            done => {
                self.done = Some(done);
                Ok(())
            }
        }
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let nothing = || Err(StoreError::Bug("a write that was not done"));
        let Self { done, reply, .. } = *self;
        // Nobody waits any more when the future was dropped.
        drop(reply.send(committed.and_then(|()| done.unwrap_or_else(nothing))));
    }
}

/// Writes all of it in one transaction; where that fails, each in one of its own.
pub(crate) fn commit(
    connection: &mut Connection,
    options: &Options,
    mut waiting: Vec<Box<dyn SharedJob>>,
    commits: &AtomicU64,
) -> After {
    let committed = together(connection, &mut waiting);
    match committed {
        Err(error) if waiting.len() > 1 && is_of_one(&error) => {
            each(connection, options, waiting, commits)
        }
        committed => {
            let committed = committed.map_err(|error| locked_at(&options.path, error));
            if committed.is_ok() {
                commits.fetch_add(1, Ordering::Relaxed);
            }
            let after = committed.as_ref().map_or_else(after, |()| After::GoOn);
            for one in waiting {
                one.answer(committed.clone());
            }
            after
        }
    }
}

/// Tests whether the others may succeed without the one that failed.
const fn is_of_one(error: &StoreError) -> bool {
    !matches!(
        error,
        StoreError::OutcomeUnknown | StoreError::Locked { .. }
    )
}

fn each(
    connection: &mut Connection,
    options: &Options,
    waiting: Vec<Box<dyn SharedJob>>,
    commits: &AtomicU64,
) -> After {
    let mut after = After::GoOn;
    for one in waiting {
        match after {
            After::GoOn => after = commit(connection, options, vec![one], commits),
            After::Stop => one.answer(Err(StoreError::WriterStopped)),
        }
    }
    after
}

fn together(
    connection: &mut Connection,
    waiting: &mut [Box<dyn SharedJob>],
) -> Result<(), StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(from_sqlite)?;
    for one in waiting {
        one.perform(&transaction)?;
    }
    // After an error of the disk nobody knows what is on it.
    transaction
        .commit()
        .map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::SystemIoFailure) => StoreError::OutcomeUnknown,
            _ => from_sqlite(error),
        })
}
