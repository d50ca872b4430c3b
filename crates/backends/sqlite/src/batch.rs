//! One commit: many jobs, one transaction, one fsync, one signed checkpoint.

mod job;
#[cfg(test)]
mod sharing_tests;

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use counterfoil_life::ground::GroundTxn;
use counterfoil_life::map::NewHeaders;
use counterfoil_life::{Guard, Txn, Unit, index, journal, map};
use counterfoil_store::StoreError;
use counterfoil_store::log::{Frontier, NoteSigner};
use counterfoil_types::Blake3Hash;
use rusqlite::{Connection, ErrorCode};

use crate::apart;
use crate::connection::locked_at;
use crate::error::from_sqlite;
use crate::options::Options;
use crate::port::Tables;
use crate::shared;
use crate::statement::Statements;

pub(crate) use job::{Job, Reply, Task};

/// Jobs that may come while others are performed.
type More<'m> = &'m mut dyn Iterator<Item = Box<dyn Job>>;

/// Size and signed checkpoint of the log.
type LogHead = (u64, String);

/// Outcome of each job in a transaction that was committed.
type Outcomes = Vec<Result<(), StoreError>>;

/// The connection that writes, and the state of its commits.
pub(crate) struct Committer {
    pub(crate) connection: Connection,
    pub(crate) head_state: LogHeadState,
    pub(crate) options: Options,
    /// Number of committed transactions.
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

    /// Commits the jobs together and answers each; one that fails does not touch the others. The next job is taken when
    /// those before it are performed.
    pub(crate) fn commit(&mut self, jobs: impl IntoIterator<Item = Box<dyn Job>>) {
        let mut more = jobs.into_iter().fuse();
        // A batch ends early where its only job fails.
        while let Some(first) = more.next() {
            self.commit_batch(vec![first], &mut more);
        }
    }

    fn commit_batch(&mut self, mut jobs: Vec<Box<dyn Job>>, more: More<'_>) {
        match self.try_commit(&mut jobs, more) {
            // All are answered before the first job is dropped, which takes a while.
            Ok((outcomes, size)) => {
                for (job, outcome) in jobs.iter_mut().zip(outcomes) {
                    job.answer(outcome.map(|()| size));
                }
            }
            // It may come from one job, so that the others would succeed without it: the disk is full for a large
            // one, an agent's clock is wrong, a row is damaged.
            Err(
                StoreError::DiskFull
                | StoreError::ClockImplausible(_)
                | StoreError::ClockLeap { .. }
                | StoreError::Unavailable { .. }
                | StoreError::Corrupt { .. }
                | StoreError::IndexDamaged { .. }
                | StoreError::Bug(_),
            ) if jobs.len() > 1 => {
                for job in jobs {
                    self.commit_batch(vec![job], &mut iter::empty());
                }
            }
            Err(error) => {
                let error = self.failed(error);
                for job in &mut jobs {
                    job.answer(Err(error.clone()));
                }
            }
        }
    }

    fn try_commit(
        &mut self,
        jobs: &mut Vec<Box<dyn Job>>,
        more: More<'_>,
    ) -> Result<(Outcomes, u64), StoreError> {
        self.require_running()?;
        for isolation in [Isolation::Together, Isolation::Apart] {
            let options = &self.options;
            let done =
                self.head_state
                    .transact(&mut self.connection, options, |tables, frontier| {
                        let (clock, entropy) = (&*options.clock, &*options.entropy);
                        let mut unit = Unit::new(tables, frontier, clock, entropy);
                        let outcomes =
                            perform(&mut unit, tables.connection(), jobs, (isolation, more))?;
                        tables.flush_index()?;
                        options.sync_keys()?;
                        Ok(outcomes.map(|outcomes| (outcomes, unit.into_headers())))
                    });
            // Of a transaction that is undone the keys stay, for what comes to their slots.
            options.sync_keys()?;
            if let Some(done) = done? {
                self.commits.fetch_add(1, Ordering::Relaxed);
                return Ok(done);
            }
        }
        Err(StoreError::Bug(
            "a job that failed on its own was not undone on its own",
        ))
    }

    /// Brings the store forward by its shared ground. Returns the size of the log.
    pub(crate) fn follow(&mut self) -> Result<u64, StoreError> {
        if let Some(ground) = &self.options.ground {
            let mut read = ground.read()?;
            let connection = &mut self.connection;
            self.head_state
                .forward(connection, &self.options, &mut *read)?;
            if read.is_erasure_due() {
                drop(read);
                shared::end_erasures(connection, &self.options)?;
            }
        }
        Ok(Tables::new(&self.connection).head()?.0)
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
    fn failed(&mut self, error: StoreError) -> StoreError {
        self.stopped |= matches!(error, StoreError::OutcomeUnknown);
        locked_at(&self.options.path, error)
    }
}

/// Isolation between the jobs of one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Isolation {
    /// Not at all: if one fails, all are done again apart. That is rare, and a savepoint makes
    /// SQLite keep a copy of each page that it changes.
    Together,
    /// Each in a savepoint of its own.
    Apart,
}

/// Performs the jobs in their order, and those that `more` adds meanwhile. A single job is performed once. `None` when the caller of one was refused that was not kept apart from others.
fn perform(
    unit: &mut Unit<'_>,
    connection: &Connection,
    jobs: &mut Vec<Box<dyn Job>>,
    (isolation, more): (Isolation, More<'_>),
) -> Result<Option<Outcomes>, StoreError> {
    let mut outcomes = Vec::with_capacity(jobs.len());
    loop {
        if outcomes.len() == jobs.len() {
            jobs.extend(more.next());
        }
        let is_alone = jobs.len() == 1;
        let Some(job) = jobs.get_mut(outcomes.len()) else {
            return Ok(Some(outcomes));
        };
        let outcome = match isolation {
            Isolation::Together => job.perform(unit, connection),
            Isolation::Apart => unit.apart(|unit| job.perform(unit, connection))?,
        };
        match outcome {
            // The transaction as a whole cannot be trusted any more.
            Err(error) if is_alone || !error.is_callers() => return Err(error),
            Err(_) if isolation == Isolation::Together => return Ok(None),
            outcome => outcomes.push(outcome),
        }
    }
}

/// Log-signing state of the writer thread: signer, guard file, last known head.
pub(crate) struct LogHeadState {
    pub(crate) signer: Arc<NoteSigner>,
    pub(crate) guard: Guard,
    /// Guard of the journal, and the head of the journal that was last compared with it.
    pub(crate) journal: (Guard, Option<(u64, Blake3Hash)>),
    /// The head that was last compared with the guard; `None` before the first time.
    pub(crate) known: Option<LogHead>,
    /// The right edge of the log at the head that is known.
    pub(crate) edge: Option<Frontier>,
}

impl LogHeadState {
    /// Runs `jobs` in one transaction and commits what they did, together with a new checkpoint if the log has grown;
    /// returns their result and the size of the log. `jobs` returns also the headers that it has appended. After an error, or `None`
    /// of `jobs`, nothing is kept.
    fn transact<T>(
        &mut self,
        connection: &mut Connection,
        options: &Options,
        jobs: impl FnOnce(&Tables<'_>, &mut Frontier) -> Result<Option<(T, NewHeaders)>, StoreError>,
    ) -> Result<Option<(T, u64)>, StoreError> {
        let mut shared = match &options.ground {
            Some(ground) => {
                let mut locked = ground.lock()?;
                self.forward(connection, options, &mut *locked)?;
                Some((&**ground, locked))
            }
            None => None,
        };
        let transaction = connection.begin()?;
        let tables = Tables::new(&transaction);
        let head = tables.head()?;
        // Another process may have written since, and the file may have been exchanged: whenever the
        // head is not the one that was left, the guard decides whether to go on.
        if self.known.as_ref() != Some(&head) {
            self.guard.check(&tables, (head.0, &head.1))?;
            self.guard.advance(head.0, &head.1)?;
            self.known = Some(head.clone());
            self.edge = None;
        }
        // Of the last commit the index may be missing: its file is another one.
        if !apart::fits(&transaction)? {
            index::derive_again(&tables, head.0)?;
        }
        let mut frontier = match self.edge.take() {
            Some(edge) if edge.size() == head.0 => edge,
            _ => Frontier::load(&tables, head.0)?,
        };
        let Some((done, headers)) = jobs(&tables, &mut frontier)? else {
            return Ok(None);
        };
        let size = frontier.size();
        let mut moved = None;
        if size > head.0 {
            let map = map::advance(&tables, (head.0, &head.1), (size, headers))?;
            let of_log = (size, frontier.root());
            let checkpoint = self.signer.checkpoint_with_map(of_log, map)?;
            tables.move_head((head.0, &head.1), (size, &checkpoint))?;
            moved = Some((size, checkpoint));
        }
        let journal = journal::head(&tables)?;
        let noted = match self.journal.1 == Some(journal) {
            true => None,
            false => self.journal.0.journal_note(&tables)?,
        };
        let is_due = shared.as_ref().is_some_and(|(_, it)| it.is_erasure_due());
        let is_shared = match shared.take() {
            Some((ground, locked)) => {
                shared::commit(&tables, &self.signer, options, (ground, locked))?
            }
            None => false,
        };
        if let Err(error) = transaction.commit() {
            let settled = settle(connection, error, moved.as_ref());
            settled.map_err(|error| match is_shared {
                true => shared::behind(&error),
                false => error,
            })?;
        }
        self.acknowledge((journal, noted), moved)?;
        self.edge = Some(frontier);
        if is_due {
            // What fails is tried again the next time.
            drop(shared::end_erasures(connection, options));
        }
        Ok(Some((done, size)))
    }

    /// Commits here all that this node lacks of the shared ground.
    fn forward(
        &mut self,
        connection: &mut Connection,
        options: &Options,
        ground: &mut dyn GroundTxn,
    ) -> Result<(), StoreError> {
        let own = (&mut self.guard, &*self.signer);
        if shared::forward(own, connection, options, ground)? {
            (self.known, self.edge, self.journal.1) = (None, None, None);
        }
        Ok(())
    }

    /// Notes the commit beside the keys: an answer comes after that.
    fn acknowledge(
        &mut self,
        (journal, noted): ((u64, Blake3Hash), Option<(u64, String)>),
        moved: Option<LogHead>,
    ) -> Result<(), StoreError> {
        let unacknowledged = |error: StoreError| StoreError::NotAcknowledged {
            detail: error.to_string(),
        };
        if let Some((rows, note)) = noted {
            self.journal.1 = None;
            self.journal
                .0
                .advance(rows, &note)
                .map_err(unacknowledged)?;
        }
        self.journal.1 = Some(journal);
        // After the commit the guard, and only then an answer. Until the guard has it the next batch compares again.
        if let Some(moved) = moved {
            self.known = None;
            self.guard
                .advance(moved.0, &moved.1)
                .map_err(unacknowledged)?;
            self.known = Some(moved);
        }
        Ok(())
    }
}

/// Settles a commit that failed (F4): an error is not "not committed", so the head is read
/// again. `Ok` when it has moved; the error when it has not, or was not to move.
///
/// After an error of the disk the outcome is unknown: data that is read now may be gone, or come back, when the
/// database is opened the next time.
fn settle(
    connection: &Connection,
    error: rusqlite::Error,
    moved: Option<&LogHead>,
) -> Result<(), StoreError> {
    if error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure) {
        return Err(StoreError::OutcomeUnknown);
    }
    let Some(moved) = moved else {
        return Err(from_sqlite(error));
    };
    match Tables::new(connection).head() {
        Ok(head) if head == *moved => Ok(()),
        Ok(head) if head.0 < moved.0 => Err(from_sqlite(error)),
        // Another process has written since, or the head cannot be read.
        _ => Err(StoreError::OutcomeUnknown),
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_capsule::SecretKey;
    use counterfoil_store::{AppendReport, Draft};
    use tempfile::TempDir;
    use tokio::sync::oneshot;

    use super::*;
    use crate::rig::{agent, assert_refused, world};
    use crate::{SqliteStore, connection, origin};

    pub(super) type Answer<T> = oneshot::Receiver<Result<(T, u64), StoreError>>;
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
            journal: (guard.of_journal().unwrap(), None),
            guard,
            known: None,
            edge: None,
        };
        let connection = connection::writer(&options).unwrap();
        (folder, Committer::new(connection, head_state, options))
    }

    pub(super) fn job<T: Send + 'static>(
        job: impl FnMut(&mut Unit<'_>, &Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> (Box<dyn Job>, Answer<T>) {
        let (reply, answer) = oneshot::channel();
        (Box::new(Task::new(job, reply)), answer)
    }

    pub(super) fn append(id: &str, text: &str) -> (Box<dyn Job>, Answer<Vec<AppendReport>>) {
        let drafts = vec![Draft::new(world(id, text))];
        job(move |unit, _| unit.append(&*agent(1), &drafts))
    }

    impl Committer {
        fn committed<const N: usize>(&mut self, ids: [&str; N]) -> [Appended; N] {
            let (mut jobs, mut answers) = (Vec::new(), ids.map(|_| None));
            for (id, answer) in ids.into_iter().zip(&mut answers) {
                let (job, receiver) = append(id, id);
                jobs.push(job);
                *answer = Some(receiver);
            }
            self.commit(jobs);
            let told = answers.map(|answer| answer.unwrap().try_recv().unwrap());
            told.map(|answer| answer.map(|(places, _)| places))
        }
    }

    /// F4, CLM-49: after a commit that failed the head is read again. Here it has not moved: the callers
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
        assert_eq!(Tables::new(&inside.connection).head().unwrap().0, 0);
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
        let found = Tables::new(&connection).head().unwrap();
        let [later, other] =
            [(1, "later"), (0, "other")].map(|(size, checkpoint)| (size, checkpoint.to_owned()));
        let settle = |code, moved| {
            let error = rusqlite::Error::SqliteFailure(Error::new(code), None);
            settle(&connection, error, moved)
        };
        assert!(settle(SQLITE_FULL, Some(&found)).is_ok(), "it has moved");
        for moved in [Some(&later), None] {
            assert_refused!(settle(SQLITE_FULL, moved), StoreError::DiskFull);
        }
        for (code, moved) in [
            (SQLITE_FULL, Some(&other)),
            (SQLITE_IOERR_FSYNC, Some(&found)),
            (SQLITE_IOERR_FSYNC, Some(&later)),
            (SQLITE_IOERR_FSYNC, None),
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
        inside.head_state.known = Some(Tables::new(&inside.connection).head().unwrap());
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
