//! One commit: many requests, one transaction, one fsync, one signed checkpoint.

mod request;
#[cfg(test)]
mod sharing_tests;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use counterfoil_store::log::{Frontier, NoteSigner};
use counterfoil_store::{AppendReport, Draft, StoreError, StoreLocation};
use rusqlite::{Connection, ErrorCode, Transaction, params};
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

/// The connection that writes, and the state of its commits.
pub(crate) struct Committer {
    pub(crate) connection: Connection,
    pub(crate) head_state: LogHeadState,
    pub(crate) options: Options,
    /// Number of committed transactions of appends, and of writes beside the log.
    pub(crate) commits: Arc<AtomicU64>,
    /// True once the outcome of a commit was unknown: nothing more is written then.
    pub(crate) stopped: bool,
}

impl Committer {
    pub(crate) fn new(connection: Connection, head_state: LogHeadState, options: Options) -> Self {
        Self {
            connection,
            head_state,
            options,
            commits: Arc::default(),
            stopped: false,
        }
    }

    /// Commits the requests together and answers each; one that fails does not touch the others.
    pub(crate) fn commit(&mut self, requests: Vec<Request>) {
        match self.try_commit(&requests) {
            Ok(answers) => {
                // Everyone is answered before the drafts are dropped, which takes a while.
                let done: Vec<_> = requests
                    .into_iter()
                    .zip(answers)
                    .map(|(request, answer)| request.answer(answer))
                    .collect();
                drop(done);
            }
            // It may come from one request, so that the others would succeed without it: the disk is full for a large
            // one, an agent's clock is wrong, a row is damaged.
            Err(
                StoreError::DiskFull
                | StoreError::ClockImplausible(_)
                | StoreError::Unavailable { .. }
                | StoreError::Corrupt { .. }
                | StoreError::Bug(_),
            ) if requests.len() > 1 => {
                requests
                    .into_iter()
                    .for_each(|request| self.commit(vec![request]));
            }
            Err(error) => {
                let error = self.failed(error);
                for request in requests {
                    drop(request.answer(Err(error.clone())));
                }
            }
        }
    }

    fn try_commit(&mut self, requests: &[Request]) -> Result<Vec<Answer>, StoreError> {
        self.require_running()?;
        for isolation in [Isolation::Together, Isolation::Apart] {
            let options = &self.options;
            let done =
                self.head_state
                    .transact(&mut self.connection, |transaction, frontier| {
                        perform(transaction, frontier, options, (requests, isolation))
                    })?;
            if let Some((answers, grown)) = done {
                self.commits.fetch_add(u64::from(grown), Ordering::Relaxed);
                return Ok(answers);
            }
        }
        Err(StoreError::Bug(
            "a request that failed on its own was not undone on its own",
        ))
    }

    /// Refuses to write once the outcome of a commit was unknown.
    pub(crate) fn require_running(&self) -> Result<(), StoreError> {
        match self.stopped {
            true => Err(StoreError::WriterStopped),
            false => Ok(()),
        }
    }

    /// Returns the error of a commit as callers get it. An error of the disk ends the writing: the state of the
    /// disk after a failed fsync is unknown, and to retry would hide it (R1).
    pub(crate) fn failed(&mut self, error: StoreError) -> StoreError {
        self.stopped |= matches!(error, StoreError::OutcomeUnknown);
        locked_at(&self.options.path, error)
    }
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

/// Does the requests inside of a transaction. `None` when one failed that was not kept apart.
fn perform(
    transaction: &Transaction<'_>,
    frontier: &mut Frontier,
    options: &Options,
    (requests, isolation): (&[Request], Isolation),
) -> Result<Option<Vec<Answer>>, StoreError> {
    let run = |sql| transaction.execute_batch(sql).map_err(from_sqlite);
    let mut answers = Vec::with_capacity(requests.len());
    for request in requests {
        if isolation == Isolation::Apart {
            run("SAVEPOINT request")?;
        }
        let answer = request.perform(transaction, frontier, options);
        match (&answer, isolation) {
            // The transaction as a whole cannot be trusted any more.
            (Err(error), _) if !error.is_callers() => return Err(error.clone()),
            (Err(_), Isolation::Together) => return Ok(None),
            (Err(_), Isolation::Apart) => run("ROLLBACK TO request; RELEASE request")?,
            (Ok(_), Isolation::Apart) => run("RELEASE request")?,
            (Ok(_), Isolation::Together) => {}
        }
        answers.push(answer);
    }
    let size = frontier.size();
    for done in answers.iter_mut().flatten() {
        done.places
            .iter_mut()
            .for_each(|place| place.tree_size = size);
    }
    // Full text last, in one go: neighbours that arrive together are written once.
    let mut new = Vec::new();
    for (request, answer) in requests.iter().zip(&answers) {
        if let Ok(done) = answer {
            new.extend(new_worlds(transaction, &done.places, request.drafts(done))?);
        }
    }
    text::index_worlds(transaction, &new)?;
    Ok(Some(answers))
}

/// Returns the Worlds among `drafts` that were appended at `places`, for full text.
pub(crate) fn new_worlds<'d>(
    connection: &Connection,
    places: &[AppendReport],
    drafts: &'d [Draft],
) -> Result<Vec<IndexedWorld<'d>>, StoreError> {
    let mut new = Vec::new();
    for (place, draft) in places.iter().zip(drafts) {
        let world = draft.world().filter(|_| place.is_new);
        let Some(world) = world else { continue };
        let follows = match draft.expected {
            None => None,
            Some(_) => Some(follows(connection, place)?),
        };
        new.push(IndexedWorld {
            index: place.index,
            world: Cow::Borrowed(world),
            follows,
        });
    }
    Ok(new)
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

/// Log-signing state of the writer thread: signer, guard file, last known head.
pub(crate) struct LogHeadState {
    pub(crate) signer: Arc<NoteSigner>,
    pub(crate) guard: Guard,
    /// The head that was last compared with the guard; `None` before the first time.
    pub(crate) known: Option<LogHead>,
    /// The right edge of the log at the head that is known.
    pub(crate) edge: Option<Frontier>,
}

impl LogHeadState {
    /// Runs `job` in one transaction and commits what it did, together with a new checkpoint if the log has grown;
    /// returns the result of `job`, and whether the log has grown. After an error, or `None` of `job`, nothing is kept.
    pub(crate) fn transact<T>(
        &mut self,
        connection: &mut Connection,
        job: impl FnOnce(&Transaction<'_>, &mut Frontier) -> Result<Option<T>, StoreError>,
    ) -> Result<Option<(T, bool)>, StoreError> {
        let transaction = connection.begin()?;
        let head = rows::log_head(&transaction)?;
        // Another process may have written since, and the file may have been exchanged: whenever the
        // head is not the one that was left, the guard decides whether to go on.
        if self.known.as_ref() != Some(&head) {
            self.guard.check(&LogRows(&transaction), head.size)?;
            self.guard.advance(head.size, &head.checkpoint)?;
            self.known = Some(head.clone());
            self.edge = None;
        }
        let mut frontier = match self.edge.take() {
            Some(edge) if edge.size() == head.size => edge,
            _ => Frontier::load(&LogRows(&transaction), head.size)?,
        };
        let Some(done) = job(&transaction, &mut frontier)? else {
            return Ok(None);
        };
        let size = frontier.size();
        if size == head.size {
            transaction.commit().map_err(from_sqlite)?;
            return Ok(Some((done, false)));
        }
        let checkpoint = self.signer.checkpoint(size, frontier.root())?;
        let moved = LogHead { size, checkpoint };
        move_head(&transaction, &head, &moved)?;
        if let Err(error) = transaction.commit() {
            settle(connection, error, &moved)?;
        }
        // After the commit the guard, and only then an answer. Until the guard has it the next batch compares again.
        self.known = None;
        self.guard
            .advance(moved.size, &moved.checkpoint)
            .map_err(|error| StoreError::NotAcknowledged {
                detail: error.to_string(),
            })?;
        self.known = Some(moved);
        self.edge = Some(frontier);
        Ok(Some((done, true)))
    }
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
    use counterfoil_capsule::SecretKey;
    use tempfile::TempDir;

    use super::*;
    use crate::rig::{agent, assert_refused, world};
    use crate::{SqliteStore, connection, origin};

    type Appended = Result<Vec<AppendReport>, StoreError>;

    /// The writer of a store without its thread. The guard lies in a folder of its own.
    pub(super) fn inside() -> (TempDir, Committer) {
        let folder = tempfile::tempdir().unwrap();
        let signer = NoteSigner::new("batch.example", SecretKey::from_seed([2; 32])).unwrap();
        std::fs::create_dir(folder.path().join("keys")).unwrap();
        let guard = folder.path().join("keys/guard");
        let options = Options::writable(folder.path().join("memory.db"), signer, guard);
        drop(SqliteStore::create(options.clone()).unwrap());
        let (signer, guard) = origin::signer_of(&options).unwrap();
        let head_state = LogHeadState {
            signer,
            guard,
            known: None,
            edge: None,
        };
        let connection = connection::writer(&options).unwrap();
        (folder, Committer::new(connection, head_state, options))
    }

    pub(super) fn append(id: &str, text: &str) -> (Request, oneshot::Receiver<Appended>) {
        let (reply, answer) = oneshot::channel();
        let drafts = vec![Draft::new(world(id, text))];
        let wants = Wants::Append { drafts, reply };
        let signer = agent(1);
        (Request { signer, wants }, answer)
    }

    impl Committer {
        fn committed<const N: usize>(&mut self, ids: [&str; N]) -> [Appended; N] {
            let (mut requests, mut answers) = (Vec::new(), ids.map(|_| None));
            for (id, answer) in ids.into_iter().zip(&mut answers) {
                let (request, receiver) = append(id, id);
                requests.push(request);
                *answer = Some(receiver);
            }
            self.commit(requests);
            answers.map(|answer| answer.unwrap().try_recv().unwrap())
        }
    }

    /// F4: after a commit that failed the head is read again. Here it has not moved: the callers
    /// hear why, nothing of theirs is kept, and the writer goes on.
    #[test]
    fn a_commit_that_was_refused_is_known_to_have_done_nothing() {
        let (folder, mut inside) = inside();
        let guard = || std::fs::read(folder.path().join("keys/guard")).unwrap();
        let before = guard();
        inside.connection.commit_hook(Some(|| true)).unwrap();
        for answer in inside.committed(["first", "second"]) {
            let unknown = matches!(answer, Err(StoreError::OutcomeUnknown));
            assert!(answer.is_err() && !unknown, "{answer:?}");
        }
        assert_eq!(inside.commits.load(Ordering::Relaxed), 0);
        assert_eq!(rows::log_head(&inside.connection).unwrap().size, 0);
        assert_eq!(guard(), before, "the guard has not moved");

        inside.connection.commit_hook(None::<fn() -> bool>).unwrap();
        let [again] = inside.committed(["first"]);
        assert_eq!(again.unwrap()[0].index, 0);
        assert_eq!(inside.commits.load(Ordering::Relaxed), 1);
        assert_ne!(guard(), before);
    }

    /// F4, R1: what the error and the head say together. After an error of the disk the outcome is
    /// open whatever the head says.
    #[test]
    fn a_failed_commit_is_settled_by_the_head_unless_the_disk_failed() {
        use rusqlite::ffi::{Error, SQLITE_FULL, SQLITE_IOERR_FSYNC};
        let (_folder, Committer { connection, .. }) = inside();
        let found = rows::log_head(&connection).unwrap();
        let [later, other] = [(1, "later"), (0, "other")].map(|(size, checkpoint)| LogHead {
            size,
            checkpoint: checkpoint.to_owned(),
        });
        let settle = |code, moved| {
            let error = rusqlite::Error::SqliteFailure(Error::new(code), None);
            settle(&connection, error, moved)
        };
        assert!(settle(SQLITE_FULL, &found).is_ok(), "it has moved");
        assert_refused!(settle(SQLITE_FULL, &later), StoreError::DiskFull);
        for (code, moved) in [
            (SQLITE_FULL, &other),
            (SQLITE_IOERR_FSYNC, &found),
            (SQLITE_IOERR_FSYNC, &later),
        ] {
            let outcome = settle(code, moved);
            assert_refused!(outcome, StoreError::OutcomeUnknown);
        }
    }

    /// R1: what an fsync that failed has left on the disk is unknown, so nothing more is written.
    #[test]
    fn an_unknown_outcome_stops_the_writer() {
        let (_folder, mut inside) = inside();
        inside.failed(StoreError::DiskFull);
        assert!(inside.require_running().is_ok());
        inside.failed(StoreError::OutcomeUnknown);
        let [refused] = inside.committed(["refused"]);
        assert_refused!(refused, StoreError::WriterStopped);
    }

    /// The entries are on disk before the guard has them. If the guard cannot be written nothing
    /// is acknowledged, and the next commit writes the guard first.
    /// (C18)
    #[test]
    fn nothing_is_acknowledged_before_the_guard_has_it() {
        let (folder, mut inside) = inside();
        let [keys, elsewhere] = ["keys", "elsewhere"].map(|name| folder.path().join(name));
        inside.head_state.known = Some(rows::log_head(&inside.connection).unwrap());
        std::fs::rename(&keys, &elsewhere).unwrap();
        let [refused] = inside.committed(["first"]);
        assert_refused!(refused, StoreError::NotAcknowledged { .. });

        std::fs::rename(&elsewhere, &keys).unwrap();
        let behind = std::fs::read(keys.join("guard")).unwrap();
        let [again] = inside.committed(["first"]);
        assert!(!again.unwrap()[0].is_new);
        assert_ne!(std::fs::read(keys.join("guard")).unwrap(), behind);
    }
}
