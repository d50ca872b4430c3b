//! `import`: each turn of a record becomes one World. Batches are acknowledged one by one, so what
//! was kept stays when the rest is not reached, and a second import adds only what is missing.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use counterfoil_capsule::{Signer, World};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{AppendOutcome, AppendReport, CapsuleLog, Draft, StoreError};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::args::ImportArgs;
use crate::commands::import_capsules;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::home::Home;
use crate::import::Format;
use crate::import::{Ended, Enough, ImportIds, Item, Refused, Source, is_capsules};
use crate::output::{self, pairs};

/// How many turns share one transaction and one checkpoint.
const BATCH: usize = 256;
/// How many refused lines the JSON summary lists; all are counted, and named on standard error.
const LISTED: usize = 1000;
/// A file whose first so many lines are all refused is another kind of file.
const HOPELESS: u64 = 20;
/// How soon Ctrl-C is noticed while the source gives nothing.
const PATIENCE: Duration = Duration::from_millis(50);

pub(crate) async fn run(context: &Context, args: ImportArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let capsules = match args.format {
        Some(format) => format == crate::args::Format::Capsules,
        None => is_capsules(&args.file),
    };
    if capsules {
        return import_capsules::run(context, args).await;
    }
    let source = Source::open(&args.file, args.format.map(Into::into))?;
    let progress = progress(context);
    let interrupted = crate::interrupt::interruption()?;
    let (import, stop) = import(&context.home, source, progress, &interrupted).await?;
    import.finish(context, stop)
}

/// Imports all of a source that comes from within, and returns how many turns were added.
pub(crate) async fn bundled(home: &Home, source: Source) -> Result<u64, Failure> {
    let never = AtomicBool::new(false);
    let (import, stop) = import(home, source, ProgressBar::hidden(), &never).await?;
    import.verdict(stop)?;
    Ok(import.tally.added)
}

/// Reads on a thread of its own, so that Ctrl-C is noticed while the source gives nothing.
async fn import(
    home: &Home,
    source: Source,
    progress: ProgressBar,
    interrupted: &AtomicBool,
) -> Result<(Import, Stop), Failure> {
    let agent = home.agent()?;
    let ids = ImportIds::new(&home.log_key()?.secret.expose_seed());
    let store = home.writer()?;
    let tally = Tally::new(source.format);
    let batch = Vec::with_capacity(BATCH);
    let mut import = Import {
        store,
        agent,
        batch,
        tally,
        held: Vec::new(),
        progress,
    };
    let (sender, receiver) = sync_channel(2 * BATCH);
    let reading =
        thread::spawn(move || source.read(&ids, |item| sender.send(item).map_err(|_| Enough)));
    let stop = import.take_all(&receiver, interrupted).await;
    drop(receiver);
    import.progress.finish_and_clear();
    let stop = stop.unwrap_or_else(Stop::Broken);
    if matches!(stop, Stop::SourceEnded) {
        match reading.join() {
            Ok(Err(Ended::Failed(failure))) => return Err(failure.into()),
            Ok(_) => {}
            Err(_) => return Err(Failure::bug("a reader panicked")),
        }
    }
    Ok((import, stop))
}

/// Why no more is taken.
#[derive(Debug)]
enum Stop {
    SourceEnded,
    Interrupted,
    Hopeless,
    /// The store takes no more.
    Broken(StoreError),
}

struct Import {
    store: SqliteStore,
    agent: Arc<dyn Signer>,
    batch: Vec<Draft>,
    tally: Tally,
    /// Refused lines that were not named yet: one alone, or those before any good line, are told
    /// in the closing line.
    held: Vec<Refused>,
    progress: ProgressBar,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tally {
    format: &'static str,
    read: u64,
    added: u64,
    already_there: u64,
    refused_count: u64,
    refused: Vec<Refused>,
    interrupted: bool,
}

impl Tally {
    fn new(format: Format) -> Self {
        Self {
            format: format.name(),
            read: 0,
            added: 0,
            already_there: 0,
            refused_count: 0,
            refused: Vec::new(),
            interrupted: false,
        }
    }

    fn kept(&self) -> u64 {
        self.added + self.already_there
    }
}

impl Import {
    async fn take_all(
        &mut self,
        items: &Receiver<Item>,
        interrupted: &AtomicBool,
    ) -> Result<Stop, StoreError> {
        loop {
            if interrupted.load(Ordering::Relaxed) {
                self.flush().await?;
                return Ok(Stop::Interrupted);
            }
            match items.recv_timeout(PATIENCE) {
                Ok(Item::World(world)) => {
                    self.tally.read += 1;
                    self.batch.push(Draft::new(*world));
                    if self.batch.len() == BATCH {
                        self.flush().await?;
                    }
                }
                Ok(Item::Refused(refused)) => {
                    self.refuse(refused);
                    if self.tally.read == 0 && self.tally.refused_count == HOPELESS {
                        return Ok(Stop::Hopeless);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.flush().await?;
                    return Ok(Stop::SourceEnded);
                }
            }
        }
    }

    async fn flush(&mut self) -> Result<(), StoreError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let drafts = std::mem::take(&mut self.batch);
        let appended = self.append(drafts).await?;
        for one in &appended {
            match one.outcome {
                AppendOutcome::New => self.tally.added += 1,
                _ => self.tally.already_there += 1,
            }
        }
        self.progress.set_position(self.tally.kept());
        Ok(())
    }

    /// Appends what is not there yet. A turn whose neighbours were mended between two imports has
    /// its id in the store with another position, which stays.
    async fn append(&mut self, drafts: Vec<Draft>) -> Result<Vec<AppendReport>, StoreError> {
        let agent = || Arc::clone(&self.agent);
        match self.store.append(agent(), drafts.clone()).await {
            Err(StoreError::WorldConflict { .. } | StoreError::Archived { .. }) => {}
            answer => return answer,
        }
        let mut seen = HashSet::new();
        let mut missing = Vec::new();
        for draft in drafts {
            let known = match draft.world().map(World::world_id) {
                Some(id) => !seen.insert(id.clone()) || self.store.index_of(id).await?.is_some(),
                None => false,
            };
            if known {
                self.tally.already_there += 1;
            } else {
                missing.push(draft);
            }
        }
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        self.store.append(agent(), missing).await
    }

    fn refuse(&mut self, refused: Refused) {
        self.tally.refused_count += 1;
        if self.tally.refused.len() < LISTED {
            self.tally.refused.push(refused.clone());
        }
        self.held.push(refused);
        if self.tally.read > 0 && self.tally.refused_count > 1 {
            self.name_held();
        }
    }

    fn name_held(&mut self) {
        for refused in self.held.drain(..) {
            self.progress
                .suspend(|| output::notice(format_args!("refused {refused}")));
        }
    }

    /// The summary, and then whatever stands in the way of "done".
    fn finish(mut self, context: &Context, stop: Stop) -> Result<(), Failure> {
        match &stop {
            Stop::Broken(error) if self.tally.kept() == 0 => return Err(error.clone().into()),
            Stop::SourceEnded | Stop::Hopeless if self.tally.read == 0 => {
                return Err(self.nothing_read(&stop));
            }
            _ => {}
        }
        if self.tally.refused_count > 1 {
            self.name_held();
        }
        self.tally.interrupted = matches!(stop, Stop::Interrupted);
        let tally = &self.tally;
        context.out.answer(tally, |out| {
            pairs(
                out,
                &[
                    ("format", tally.format.to_owned()),
                    ("turns read", tally.read.to_string()),
                    ("added", tally.added.to_string()),
                    ("already there", tally.already_there.to_string()),
                    ("refused", tally.refused_count.to_string()),
                ],
            )
        })?;
        self.verdict(stop)
    }

    fn verdict(&self, stop: Stop) -> Result<(), Failure> {
        let (kept, refused) = (self.tally.kept(), self.tally.refused_count);
        match stop {
            Stop::Interrupted => {
                return Err(Failure::new(
                    ErrorKind::Interrupted,
                    format!(
                        "interrupted with {} in the store; run the same import again to add the rest",
                        output::count(kept, "turn", "turns")
                    ),
                ));
            }
            Stop::Broken(source) => return Err(counterfoil::Error::midway(kept, source).into()),
            Stop::SourceEnded | Stop::Hopeless => {}
        }
        match (refused, self.held.first()) {
            (0, _) => Ok(()),
            (1, Some(one)) => Err(Failure::input(
                format_args!("one turn was refused, {one}"),
                "all others are in the store; mend it and import again",
            )),
            _ => Err(Failure::input(
                format_args!("{refused} turns were refused, as listed"),
                "all others are in the store; mend them and import again",
            )),
        }
    }

    fn nothing_read(&self, stop: &Stop) -> Failure {
        let format = self.tally.format;
        match self.held.first() {
            None => Failure::input("the file holds no turns", "name a file with turns in it"),
            Some(first) if matches!(stop, Stop::Hopeless) => Failure::input(
                format_args!("the first {HOPELESS} lines are not {format} ({first})"),
                "say what the file is with --format",
            ),
            Some(first) => Failure::input(
                format_args!(
                    "nothing could be imported as {format} ({first}{})",
                    self.others()
                ),
                "mend the file, or say what it is with --format",
            ),
        }
    }

    /// The places of refused turns after the first: fewer than [`HOPELESS`].
    fn others(&self) -> String {
        let places: Vec<String> = self
            .held
            .iter()
            .skip(1)
            .map(|refused| refused.at().to_string())
            .collect();
        if places.is_empty() {
            String::new()
        } else {
            format!("; also {}", places.join(", "))
        }
    }
}

fn progress(context: &Context) -> ProgressBar {
    if !context.out.shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {pos} turns, {per_sec}") {
        bar.set_style(style);
    }
    bar
}
