//! Imports under way and those that ended: each is of the key that began it, bounded in number, and ended with its key.

use std::fs::File;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use counterfoil::{Error, ErrorKind, ImportOptions, Memory, Report};
use counterfoil_web::Trace;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::sync::watch::{Receiver, Sender};
use tokio::task::spawn_blocking;

use crate::keys::{self, ApiKey};
use crate::problem::Problem;
use crate::views::{BytesView, ImportStatus, ImportView};

/// Imports at once, those included whose file is being received.
const RUNNING: usize = 4;
/// Imports of a key at once.
const RUNNING_OF_KEY: usize = 2;
/// Imports of a key that are over and can be asked for.
const KEPT_OF_KEY: usize = 8;
/// Imports in all, under way or over.
const KEPT: usize = 64;
/// Streams of events at once.
const STREAMS: usize = 16;

/// The imports of all keys, the oldest first.
pub(crate) struct Jobs {
    jobs: Mutex<Vec<Arc<Job>>>,
    pub(crate) streams: Arc<Semaphore>,
}

impl Default for Jobs {
    fn default() -> Self {
        Self {
            jobs: Mutex::default(),
            streams: Arc::new(Semaphore::new(STREAMS)),
        }
    }
}

impl Jobs {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Job>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all().is_empty()
    }

    /// Number of imports under way.
    pub(crate) fn running(&self) -> u64 {
        let running = self.all().iter().filter(|job| !job.is_over()).count();
        u64::try_from(running).unwrap_or(u64::MAX)
    }

    /// Takes a place for an import of a key, before its file is received. The oldest ones that are over make room.
    pub(crate) fn reserve(&self, key: &ApiKey) -> Result<Place<'_>, Problem> {
        let mut jobs = self.all();
        let is_its = |job: &Arc<Job>| job.key.id() == key.id();
        let running = jobs.iter().filter(|job| !job.is_over());
        if running.clone().count() >= RUNNING
            || running.filter(|job| is_its(job)).count() >= RUNNING_OF_KEY
        {
            let next = "wait for one to end, or end it with DELETE /v1/imports/{id}";
            return Err(Problem::too_many("imports", next));
        }
        let mut of_key = jobs
            .iter()
            .filter(|job| is_its(job) && job.is_over())
            .count();
        let mut all = jobs.len();
        jobs.retain(|job| {
            let is_one_too_many = of_key >= KEPT_OF_KEY && is_its(job) || all >= KEPT;
            if !job.is_over() || !is_one_too_many {
                return true;
            }
            all -= 1;
            of_key -= usize::from(is_its(job));
            false
        });
        let job = Arc::new(Job::new(key)?);
        jobs.push(Arc::clone(&job));
        Ok(Place {
            jobs: self,
            job,
            is_taken: false,
        })
    }

    /// The import of this id, if this key began it.
    pub(crate) fn of(&self, key: &ApiKey, id: &str) -> Result<Arc<Job>, Problem> {
        let jobs = self.all();
        let found = jobs.iter().find(|job| {
            // The grants of a key may have been changed in its file.
            job.key.id() == key.id() && job.key.scope() == key.scope() && job.id == id
        });
        found.cloned().ok_or_else(Problem::no_import)
    }

    /// Ends the imports of all keys but those of which `is_alive` returns true, and forgets those that are over.
    pub(crate) fn retain(&self, is_alive: impl Fn(&str) -> bool) {
        self.all().retain(|job| {
            let stays = is_alive(job.key.id());
            if !stays {
                job.is_closed.store(true, Ordering::Relaxed);
                job.end();
            }
            stays || !job.is_over()
        });
    }

    /// Ends all imports.
    pub(crate) fn end(&self) {
        self.all().iter().for_each(|job| job.end());
    }
}

/// A place for an import; given back unless the import starts.
pub(crate) struct Place<'j> {
    jobs: &'j Jobs,
    job: Arc<Job>,
    is_taken: bool,
}

impl Place<'_> {
    /// Starts the import of a file under this name, on a thread of its own.
    pub(crate) fn start(
        mut self,
        memory: Memory,
        (file, name): (File, String),
        options: ImportOptions,
        trace: Option<&Trace>,
    ) -> Arc<Job> {
        self.is_taken = true;
        let job = Arc::clone(&self.job);
        job.state.send_modify(|view| view.dry_run = options.dry_run);
        let (watched, runtime) = (Arc::clone(&job), Handle::current());
        let importing = spawn_blocking(move || {
            let began = Instant::now();
            let watch = |so_far: &Report, part| watched.look(so_far, part, began);
            let done = runtime.block_on(memory.import_file((file, &name), options, watch));
            memory.write_heads();
            done
        });
        let (ended, trace) = (Arc::clone(&job), trace.cloned());
        tokio::spawn(async move {
            let done = importing.await;
            ended.finish(done.unwrap_or_else(|_| Err(Error::bug("an import panicked"))));
            let ImportView {
                status,
                read,
                added,
                ..
            } = ended.view();
            let [trace_id, parent_id, trace_flags] = Trace::fields(trace.as_ref());
            let key = ended.key.id();
            tracing::info!(
                ?status,
                read,
                added,
                key,
                trace_id,
                parent_id,
                trace_flags,
                "import"
            );
        });
        job
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if !self.is_taken {
            let mut jobs = self.jobs.all();
            jobs.retain(|job| !Arc::ptr_eq(job, &self.job));
        }
    }
}

/// One import.
pub(crate) struct Job {
    id: String,
    key: ApiKey,
    state: Sender<ImportView>,
    /// It is to end.
    is_left: AtomicBool,
    /// Its key is revoked or expired: no request sees it.
    is_closed: AtomicBool,
}

impl Job {
    fn new(key: &ApiKey) -> Result<Self, Error> {
        let id = format!("imp_{}", keys::random::<16>()?);
        let view = ImportView {
            kind: "counterfoil/import-job",
            version: "1",
            id: id.clone(),
            status: ImportStatus::Running,
            dry_run: false,
            format: None,
            read: 0,
            added: 0,
            already_there: 0,
            refused: 0,
            bytes: None,
            seconds_left: None,
            started: keys::time(keys::now()?)?,
            ended: None,
            report: None,
            problem: None,
        };
        Ok(Self {
            id,
            key: key.clone(),
            state: Sender::new(view),
            is_left: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
        })
    }

    /// The import as it is now.
    pub(crate) fn view(&self) -> ImportView {
        self.state.borrow().clone()
    }

    /// The import as it goes on.
    pub(crate) fn follow(&self) -> Receiver<ImportView> {
        self.state.subscribe()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        self.state.borrow().status.is_over()
    }

    /// Has the import end soon; of one that is over nothing changes.
    pub(crate) fn end(&self) {
        self.is_left.store(true, Ordering::Relaxed);
        self.state.send_modify(|view| {
            if !view.status.is_over() {
                view.status = ImportStatus::Cancelling;
            }
        });
    }

    fn look(&self, so_far: &Report, part: Option<(u64, u64)>, began: Instant) -> ControlFlow<()> {
        self.state.send_modify(|view| {
            count(view, so_far);
            view.bytes = part.map(|(read, total)| BytesView { read, total });
            view.seconds_left = part.filter(|(read, _)| *read > 0).map(|(read, total)| {
                let passed = began.elapsed().as_millis();
                let left = u128::from(total.saturating_sub(read)) * passed / u128::from(read);
                u64::try_from(left.div_ceil(1_000)).unwrap_or(u64::MAX)
            });
        });
        match self.is_left.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn finish(&self, done: Result<Report, Error>) {
        let (report, problem) = match done {
            Ok(report) => (Some(report.clone()), report.problem().cloned()),
            Err(error) => (None, Some(error)),
        };
        let kind = problem.as_ref().map(Error::kind);
        let status = match (kind, &report) {
            (Some(ErrorKind::Interrupted), _) => ImportStatus::Cancelled,
            (None | Some(ErrorKind::Input | ErrorKind::Refused | ErrorKind::Unproven), Some(_)) => {
                ImportStatus::Done
            }
            _ => ImportStatus::Failed,
        };
        // Its end was asked for, and is no problem.
        let problem = problem.filter(|_| status != ImportStatus::Cancelled);
        let problem = problem.map(|error| Problem::from(error).view());
        self.state.send_modify(|view| {
            if let Some(report) = &report {
                count(view, report);
                let mut document = report.value().clone();
                if let Some(members) = document.as_object_mut() {
                    members.insert("type".to_owned(), "counterfoil/import".into());
                    members.insert("version".to_owned(), "1".into());
                }
                view.report = Some(document);
            }
            view.seconds_left = None;
            view.ended = keys::now().and_then(keys::time).ok();
            view.problem = problem;
            view.status = status;
        });
    }
}

/// Takes the numbers of a report; of capsules `accepted` are those that are new.
fn count(view: &mut ImportView, report: &Report) {
    let number = |name: &str| report.number(name);
    view.format = report.text("/format").map(str::to_owned);
    view.read = number("/read").unwrap_or_default();
    view.added = number("/added").or(number("/accepted")).unwrap_or_default();
    view.already_there = number("/alreadyThere").unwrap_or_default();
    view.refused = number("/refusedCount").unwrap_or_default();
}
