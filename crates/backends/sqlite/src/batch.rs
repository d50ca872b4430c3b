//! One commit: many requests, one transaction, one fsync, one signed checkpoint.

mod request;
#[cfg(test)]
mod sharing_tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use counterfoil_store::append::Appender;
use counterfoil_store::log::{Frontier, NoteSigner};
use counterfoil_store::{
    AppendOutcome, AppendReport, Blame, ExpectedHead, StoreError, StoreLocation,
};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, params};
use tokio::sync::oneshot;

use crate::connection::locked_at;
use crate::error::from_sqlite;
use crate::guard::Guard;
use crate::options::Options;
use crate::rows::{self, LogHead, LogRows};
use crate::statement::Statements;
use crate::text::{self, IndexedWorld, Succession};
use request::Answer;

pub(crate) use request::{Request, Wants};

pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// Log-signing state of the writer thread: signer, guard file, last known head.
pub(crate) struct LogHeadState {
    pub(crate) signer: Arc<NoteSigner>,
    pub(crate) guard: Guard,
    /// The head that was last compared with the guard; `None` before the first time.
    pub(crate) known: Option<LogHead>,
    /// The right edge of the log at the head that is known.
    pub(crate) edge: Option<Frontier>,
}

/// True if the writer may go on after a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    GoOn,
    /// An fsync failed, so the state of the disk is unknown.
    Stop,
}

/// Commits the requests together and answers each; one that fails does not touch the others.
pub(crate) fn commit(
    connection: &mut Connection,
    head_state: &mut LogHeadState,
    options: &Options,
    requests: Vec<Request>,
    commits: &AtomicU64,
) -> After {
    match try_commit(connection, head_state, options, &requests) {
        Ok((answers, written)) => {
            if written == Written::Something {
                commits.fetch_add(1, Ordering::Relaxed);
            }
            // Everyone is answered before the drafts are dropped, which takes a while.
            let done: Vec<_> = requests
                .into_iter()
                .zip(answers)
                .map(|(request, answer)| request.answer(answer))
                .collect();
            drop(done);
            After::GoOn
        }
        Err(error) if requests.len() > 1 && may_be_of_one(&error) => {
            commit_each(connection, head_state, options, requests, commits)
        }
        Err(error) => {
            let error = locked_at(&options.path, error);
            let after = after(&error);
            for request in requests {
                drop(request.answer(Err(error.clone())));
            }
            after
        }
    }
}

pub(crate) const fn after(error: &StoreError) -> After {
    match error {
        StoreError::OutcomeUnknown => After::Stop,
        _ => After::GoOn,
    }
}

/// Tests whether an error may come from one request of a batch, so that the others would succeed without
/// it: the disk is full for a large one, an agent's clock is wrong, a row is damaged.
const fn may_be_of_one(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::DiskFull
            | StoreError::ClockImplausible(_)
            | StoreError::Unavailable { .. }
            | StoreError::Corrupt { .. }
            | StoreError::Bug(_)
    )
}

/// Commits one request after the other.
fn commit_each(
    connection: &mut Connection,
    head_state: &mut LogHeadState,
    options: &Options,
    requests: Vec<Request>,
    commits: &AtomicU64,
) -> After {
    let mut after = After::GoOn;
    for request in requests {
        after = match after {
            After::GoOn => commit(connection, head_state, options, vec![request], commits),
            After::Stop => {
                drop(request.answer(Err(StoreError::WriterStopped)));
                After::Stop
            }
        };
    }
    after
}

fn try_commit(
    connection: &mut Connection,
    head_state: &mut LogHeadState,
    options: &Options,
    requests: &[Request],
) -> Result<(Vec<Answer>, Written), StoreError> {
    if let Some(done) = try_commit_as(
        Isolation::Together,
        connection,
        head_state,
        options,
        requests,
    )? {
        return Ok(done);
    }
    try_commit_as(Isolation::Apart, connection, head_state, options, requests)?.ok_or(
        StoreError::Bug("a request that failed on its own was not undone on its own"),
    )
}

/// Isolation between the requests of one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Isolation {
    /// Not at all: if one fails, all are done again apart. That is rare, and a savepoint makes
    /// SQLite keep a copy of each page that it changes.
    Together,
    /// Each in a savepoint of its own.
    Apart,
}

/// True if a batch has changed the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Something,
    Nothing,
}

/// `None` when a request failed that was not kept apart; nothing was written then.
fn try_commit_as(
    isolation: Isolation,
    connection: &mut Connection,
    head_state: &mut LogHeadState,
    options: &Options,
    requests: &[Request],
) -> Result<Option<(Vec<Answer>, Written)>, StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(from_sqlite)?;
    let head = rows::log_head(&transaction)?;
    head_state.compare(&transaction, &head)?;
    let mut appender = Appender::new(head_state.edge_at(&transaction, &head)?);
    let mut answers = Vec::with_capacity(requests.len());
    for request in requests {
        let answer = match isolation {
            Isolation::Together => request.perform(&transaction, &mut appender, options),
            Isolation::Apart => perform_apart(&transaction, &mut appender, options, request)?,
        };
        match answer {
            // The transaction as a whole cannot be trusted any more.
            Err(error) if error.blame() != Blame::Caller => return Err(error),
            Err(_) if isolation == Isolation::Together && requests.len() > 1 => return Ok(None),
            answer => answers.push(answer),
        }
    }
    let size = appender.frontier().size();
    for done in answers.iter_mut().flatten() {
        done.places
            .iter_mut()
            .for_each(|place| place.tree_size = size);
    }
    // A transaction that is dropped is rolled back, and with it a single request that failed.
    if size == head.size {
        if answers.iter().flatten().any(|done| done.counted) {
            transaction.commit().map_err(from_sqlite)?;
        }
        return Ok(Some((answers, Written::Nothing)));
    }
    index(&transaction, requests, &answers)?;
    let moved = head_state.moved(appender.frontier())?;
    move_head(&transaction, &head, &moved)?;
    let committed = transaction.commit();
    head_state.publish(connection, committed, moved)?;
    head_state.edge = Some(appender.frontier().clone());
    Ok(Some((answers, Written::Something)))
}

impl LogHeadState {
    /// Another process may have written since, and the file may have been exchanged: whenever the
    /// head is not the one that was left, the guard decides whether to go on.
    pub(crate) fn compare(
        &mut self,
        connection: &Connection,
        head: &LogHead,
    ) -> Result<(), StoreError> {
        if self.known.as_ref() == Some(head) {
            return Ok(());
        }
        self.guard.check(&LogRows(connection), head.size)?;
        self.guard.advance(head.size, &head.checkpoint)?;
        self.known = Some(head.clone());
        self.edge = None;
        Ok(())
    }

    /// Returns the right edge of the log at the known `head`: the cached one, or else the stored one.
    fn edge_at(&mut self, connection: &Connection, head: &LogHead) -> Result<Frontier, StoreError> {
        match self.edge.take() {
            Some(edge) if edge.size() == head.size => Ok(edge),
            _ => Frontier::load(&LogRows(connection), head.size),
        }
    }

    /// The head of the log that has grown to `frontier`, signed.
    pub(crate) fn moved(&self, frontier: &Frontier) -> Result<LogHead, StoreError> {
        let size = frontier.size();
        let checkpoint = self.signer.checkpoint(size, frontier.root())?;
        Ok(LogHead { size, checkpoint })
    }

    /// After the commit the guard, and only then an answer.
    pub(crate) fn publish(
        &mut self,
        connection: &Connection,
        committed: rusqlite::Result<()>,
        moved: LogHead,
    ) -> Result<(), StoreError> {
        if let Err(error) = committed {
            settle(connection, error, &moved)?;
        }
        // Until the guard has it the next batch compares again.
        self.known = None;
        self.edge = None;
        self.guard
            .advance(moved.size, &moved.checkpoint)
            .map_err(|error| StoreError::NotAcknowledged {
                detail: error.to_string(),
            })?;
        self.known = Some(moved);
        Ok(())
    }
}

/// The same in a savepoint: a request that fails takes only its own rows back.
fn perform_apart(
    transaction: &Transaction<'_>,
    appender: &mut Appender,
    options: &Options,
    request: &Request,
) -> Result<Answer, StoreError> {
    transaction
        .execute_batch("SAVEPOINT request")
        .map_err(from_sqlite)?;
    let answer = request.perform(transaction, appender, options);
    let end = match &answer {
        Ok(_) => "RELEASE request",
        Err(_) => "ROLLBACK TO request; RELEASE request",
    };
    transaction.execute_batch(end).map_err(from_sqlite)?;
    Ok(answer)
}

/// Full text last, in one go: neighbours that arrive together are written once.
fn index(
    transaction: &Transaction<'_>,
    requests: &[Request],
    answers: &[Answer],
) -> Result<(), StoreError> {
    let done = requests
        .iter()
        .zip(answers)
        .filter_map(|(request, answer)| Some((request, answer.as_ref().ok()?)));
    let new = done.flat_map(|(request, done)| {
        done.places
            .iter()
            .zip(request.drafts(done))
            .filter(|(place, _)| place.outcome == AppendOutcome::New)
            .filter_map(|(place, draft)| Some((place, draft, draft.world()?)))
    });
    let said = new.map(|(place, draft, world)| {
        let follows = match draft.expected {
            ExpectedHead::NewChain => None,
            _ => Some(follows(transaction, place)?),
        };
        let index = place.index;
        Ok(IndexedWorld {
            index,
            world,
            follows,
        })
    });
    let said: Vec<IndexedWorld<'_>> = said.collect::<Result<_, StoreError>>()?;
    text::index_worlds(transaction, said).map_err(from_sqlite)
}

/// Returns chain and delta of a later version that was just written, for full text.
pub(crate) fn follows(
    connection: &Connection,
    place: &AppendReport,
) -> Result<Succession, StoreError> {
    let delta = rows::delta(connection, place.index)?;
    Ok(Succession {
        chain: place.chain,
        delta,
    })
}

/// Compare-and-swap: the head moves only from where this transaction found it.
pub(crate) fn move_head(
    connection: &Connection,
    from: &LogHead,
    to: &LogHead,
) -> Result<(), StoreError> {
    let moved = connection.change(
        "UPDATE head SET size = ?1, checkpoint = ?2
             WHERE id = 0 AND size = ?3 AND checkpoint = ?4",
        params![to.size, to.checkpoint, from.size, from.checkpoint],
    )?;
    if moved != 1 {
        return Err(StoreError::corrupt(
            StoreLocation::table("head"),
            "the head moved inside a transaction",
        ));
    }
    Ok(())
}

/// Settles a commit that failed (F4): an error is not "not committed", so the head is read
/// again. `Ok` when it has moved; the error when it has not.
///
/// After an error of the disk the outcome is unknown: data that is read now may be gone, or come back, when the
/// database is opened the next time.
fn settle(
    connection: &Connection,
    error: rusqlite::Error,
    moved: &LogHead,
) -> Result<(), StoreError> {
    if error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure) {
        return Err(StoreError::OutcomeUnknown);
    }
    match rows::log_head(connection) {
        Ok(head) if head == *moved => Ok(()),
        Ok(head) if head.size < moved.size => Err(from_sqlite(error)),
        // Another process has written since, or the head cannot be read.
        _ => Err(StoreError::OutcomeUnknown),
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_capsule::{AgentSigner, SecretKey, World};
    use counterfoil_store::Draft;
    use counterfoil_types::{UnixMillis, WorldId};
    use tokio::sync::oneshot;

    type Answer = Result<Vec<AppendReport>, StoreError>;

    use super::*;
    use crate::{SqliteStore, connection, origin};

    fn request(id: &str) -> (Request, oneshot::Receiver<Answer>) {
        let created_at = UnixMillis::new(1).unwrap();
        let data = serde_json::json!({ "kind": "note", "text": id });
        let world = World::remember(WorldId::new(id).unwrap(), created_at, data).unwrap();
        let signer = Arc::new(AgentSigner::new(SecretKey::from_seed([1; 32])));
        let (reply, answer) = oneshot::channel();
        (
            Request {
                signer,
                wants: Wants::Append {
                    drafts: vec![Draft::new(world)],
                    reply,
                },
            },
            answer,
        )
    }

    /// F4: after a commit that failed the head is read again. Here it has not moved: the callers
    /// hear why, nothing of theirs is kept, and the writer goes on.
    #[test]
    fn a_commit_that_was_refused_is_known_to_have_done_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let signer = NoteSigner::new("batch.example", SecretKey::from_seed([2; 32])).unwrap();
        let guard = folder.path().join("guard");
        let options = Options::writable(folder.path().join("memory.db"), signer, &guard);
        drop(SqliteStore::create(options.clone()).unwrap());
        let before = std::fs::read(&guard).unwrap();

        let mut connection = connection::writer(&options).unwrap();
        let (signer, guard_file) = origin::signer_of(&options).unwrap();
        let mut head_state = LogHeadState {
            signer,
            guard: guard_file,
            known: None,
            edge: None,
        };
        connection.commit_hook(Some(|| true)).unwrap();
        let (first, mut first_answer) = request("first");
        let (second, mut second_answer) = request("second");
        let commits = AtomicU64::new(0);
        let after = commit(
            &mut connection,
            &mut head_state,
            &options,
            vec![first, second],
            &commits,
        );
        assert_eq!((after, commits.load(Ordering::Relaxed)), (After::GoOn, 0));
        for answer in [&mut first_answer, &mut second_answer] {
            let answer = answer.try_recv().unwrap();
            assert!(
                answer.is_err() && !matches!(answer, Err(StoreError::OutcomeUnknown)),
                "{answer:?}"
            );
        }
        assert_eq!(rows::log_head(&connection).unwrap().size, 0);
        assert_eq!(
            std::fs::read(&guard).unwrap(),
            before,
            "the guard has not moved"
        );

        connection.commit_hook(None::<fn() -> bool>).unwrap();
        let (again, mut answer) = request("first");
        let after = commit(
            &mut connection,
            &mut head_state,
            &options,
            vec![again],
            &commits,
        );
        assert_eq!((after, commits.load(Ordering::Relaxed)), (After::GoOn, 1));
        assert_eq!(answer.try_recv().unwrap().unwrap()[0].index, 0);
        assert_ne!(std::fs::read(&guard).unwrap(), before);
    }

    /// F4, R1: what the error and the head say together. After an error of the disk the outcome is
    /// open whatever the head says.
    #[test]
    fn a_failed_commit_is_settled_by_the_head_unless_the_disk_failed() {
        let folder = tempfile::tempdir().unwrap();
        let signer = NoteSigner::new("batch.example", SecretKey::from_seed([2; 32])).unwrap();
        let database = folder.path().join("memory.db");
        let options = Options::writable(database, signer, folder.path().join("guard"));
        drop(SqliteStore::create(options.clone()).unwrap());
        let connection = connection::writer(&options).unwrap();
        let found = rows::log_head(&connection).unwrap();
        let later = LogHead {
            size: 1,
            checkpoint: "later".to_owned(),
        };
        let other = LogHead {
            size: 0,
            checkpoint: "other".to_owned(),
        };
        let settle = |code, moved| {
            let error = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
            settle(&connection, error, moved)
        };
        let (full, fsync) = (
            rusqlite::ffi::SQLITE_FULL,
            rusqlite::ffi::SQLITE_IOERR_FSYNC,
        );
        assert!(settle(full, &found).is_ok(), "it has moved");
        assert!(matches!(settle(full, &later), Err(StoreError::DiskFull)));
        let unknown = [
            settle(full, &other),
            settle(fsync, &found),
            settle(fsync, &later),
        ];
        for outcome in unknown {
            assert!(
                matches!(outcome, Err(StoreError::OutcomeUnknown)),
                "{outcome:?}"
            );
        }
    }

    /// R1: what an fsync that failed has left on the disk is unknown, so nothing more is written.
    #[test]
    fn an_unknown_outcome_stops_the_writer() {
        assert_eq!(after(&StoreError::OutcomeUnknown), After::Stop);
        assert_eq!(after(&StoreError::DiskFull), After::GoOn);
    }

    /// The entries are on disk before the guard has them. If the guard cannot be written nothing
    /// is acknowledged, and the next commit writes the guard first.
    /// (C18)
    #[test]
    fn nothing_is_acknowledged_before_the_guard_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let signer = NoteSigner::new("batch.example", SecretKey::from_seed([2; 32])).unwrap();
        let keys = folder.path().join("keys");
        std::fs::create_dir(&keys).unwrap();
        let database = folder.path().join("memory.db");
        let options = Options::writable(database, signer, keys.join("guard"));
        drop(SqliteStore::create(options.clone()).unwrap());

        let mut connection = connection::writer(&options).unwrap();
        let (signer, guard) = origin::signer_of(&options).unwrap();
        let known = rows::log_head(&connection).unwrap();
        let mut head_state = LogHeadState {
            signer,
            guard,
            known: Some(known),
            edge: None,
        };
        std::fs::rename(&keys, folder.path().join("elsewhere")).unwrap();
        let (first, mut answer) = request("first");
        let commits = AtomicU64::new(0);
        commit(
            &mut connection,
            &mut head_state,
            &options,
            vec![first],
            &commits,
        );
        let refused = answer.try_recv().unwrap();
        assert!(
            matches!(refused, Err(StoreError::NotAcknowledged { .. })),
            "{refused:?}"
        );

        std::fs::rename(folder.path().join("elsewhere"), &keys).unwrap();
        let behind = std::fs::read(keys.join("guard")).unwrap();
        let (again, mut answer) = request("first");
        commit(
            &mut connection,
            &mut head_state,
            &options,
            vec![again],
            &commits,
        );
        let places = answer.try_recv().unwrap().unwrap();
        assert_eq!(places[0].outcome, AppendOutcome::AlreadyThere);
        assert_ne!(std::fs::read(keys.join("guard")).unwrap(), behind);
    }
}
