//! Work of one caller who waits for a commit.

use counterfoil_life::Unit;
use counterfoil_store::StoreError;
use rusqlite::Connection;
use tokio::sync::oneshot;

pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// One caller who waits.
pub(crate) trait Job: Send {
    /// Does the work inside of a transaction, that of `connection`; again if that was undone, where the job shares it with others. After an error
    /// nothing of it is kept.
    fn perform(&mut self, unit: &mut Unit<'_>, connection: &Connection) -> Result<(), StoreError>;

    /// Answers the caller, with the size of the committed log or the reason for which nothing was committed.
    fn answer(&mut self, committed: Result<u64, StoreError>);
}

/// A function, its result, and the channel of the caller, who gets the size of the committed log too.
pub(crate) struct Task<T, J> {
    job: J,
    done: Option<T>,
    reply: Option<Reply<(T, u64)>>,
}

impl<T, J> Task<T, J>
where
    J: FnMut(&mut Unit<'_>, &Connection) -> Result<T, StoreError>,
{
    pub(crate) const fn new(job: J, reply: Reply<(T, u64)>) -> Self {
        Self {
            job,
            done: None,
            reply: Some(reply),
        }
    }
}

impl<T: Send, J> Job for Task<T, J>
where
    J: FnMut(&mut Unit<'_>, &Connection) -> Result<T, StoreError> + Send,
{
    fn perform(&mut self, unit: &mut Unit<'_>, connection: &Connection) -> Result<(), StoreError> {
        self.done = Some((self.job)(unit, connection)?);
        Ok(())
    }

    fn answer(&mut self, committed: Result<u64, StoreError>) {
        let nothing = StoreError::Bug("a job that was not done");
        let answer = committed.and_then(|size| Ok((self.done.take().ok_or(nothing)?, size)));
        // No caller waits any more when the future was dropped.
        if let Some(reply) = self.reply.take() {
            drop(reply.send(answer));
        }
    }
}
