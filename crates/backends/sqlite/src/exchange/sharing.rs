//! Group commit of rows beside the log: writes that wait together share a transaction and its fsync.

use std::sync::atomic::Ordering;

use counterfoil_store::StoreError;
use rusqlite::{Connection, ErrorCode};

use crate::batch::{Committer, Reply};
use crate::error::from_sqlite;
use crate::statement::Statements;

/// One caller who waits for something to be written. What it does it has to check before it writes: where a caller is
/// refused, nothing was written.
pub(crate) trait SharedJob: Send {
    /// Does it inside of a transaction; again, if that was undone. An error says that the transaction is good for nothing.
    fn perform(&mut self, connection: &Connection) -> Result<(), StoreError>;

    /// Tells the caller, now that the transaction is committed, or why it is not.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

/// A write, its result once it was done, and the channel of the caller.
pub(crate) struct WriteJob<T, J> {
    pub(crate) job: J,
    pub(crate) done: Option<Result<T, StoreError>>,
    pub(crate) reply: Reply<T>,
}

impl<T: Send, J> SharedJob for WriteJob<T, J>
where
    J: FnMut(&Connection) -> Result<T, StoreError> + Send,
{
    fn perform(&mut self, connection: &Connection) -> Result<(), StoreError> {
        match (self.job)(connection) {
            Err(error) if !error.is_callers() => Err(error),
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

impl Committer {
    /// Writes all of it in one transaction; where that fails, each in one of its own.
    pub(crate) fn commit_beside(&mut self, mut waiting: Vec<Box<dyn SharedJob>>) {
        let committed = self.together(&mut waiting);
        // The others may succeed without the one that failed.
        if let Err(error) = &committed
            && waiting.len() > 1
            && !matches!(
                error,
                StoreError::OutcomeUnknown | StoreError::Locked { .. }
            )
        {
            waiting
                .into_iter()
                .for_each(|one| self.commit_beside(vec![one]));
            return;
        }
        let committed = committed.map_err(|error| self.failed(error));
        self.commits
            .fetch_add(u64::from(committed.is_ok()), Ordering::Relaxed);
        for one in waiting {
            one.answer(committed.clone());
        }
    }

    fn together(&mut self, waiting: &mut [Box<dyn SharedJob>]) -> Result<(), StoreError> {
        self.require_running()?;
        let transaction = self.connection.begin()?;
        for one in waiting {
            one.perform(&transaction)?;
        }
        // After an error of the disk its state is unknown.
        transaction
            .commit()
            .map_err(|error| match error.sqlite_error_code() {
                Some(ErrorCode::SystemIoFailure) => StoreError::OutcomeUnknown,
                _ => from_sqlite(error),
            })
    }
}
