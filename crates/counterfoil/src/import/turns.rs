//! Import: each turn of a record becomes one World. Batches are acknowledged one by one, so what
//! was kept stays when the rest is not reached, and a second import adds only what is missing.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use counterfoil_capsule::{Signer, World};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{AppendReport, CapsuleLog, Draft, StoreError};
use counterfoil_types::{Scope, WorldId};
use counterfoil_verifier::note::VerifierKey;
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::import::{ImportFormat, Meter, Refused, Source, id_key};
use crate::memory::Memory;
use crate::memory::Progress;
use crate::notices::Notices;
use crate::report::Report;
use crate::words::count;

/// Number of turns in one transaction and one checkpoint.
const BATCH: usize = 256;
/// Most refused lines the JSON summary lists; all are counted, and named on standard error.
const LISTED: usize = 1000;
/// A file whose first so many lines are all refused is another kind of file.
const HOPELESS: u64 = 20;
/// Longest delay before Ctrl-C is noticed while the source gives nothing.
const PATIENCE: Duration = Duration::from_millis(50);

/// Form and origin of a file that is imported.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// Kind of file; found from its content by default.
    pub format: Option<ImportFormat>,
    /// Of capsules: name of their origin in events; the file's by default.
    pub source: Option<String>,
    /// Of capsules: file with a signed checkpoint of the exported log, which shows that its end is not missing.
    pub checkpoint: Option<PathBuf>,
    /// Of capsules: verifier key of the exported log; this memory's by default.
    pub log_key: Option<VerifierKey>,
    /// Scope of the memories; of capsules none can be given, as theirs is sealed in them.
    pub scope: Scope,
    /// Channel that is kept with each memory, such as `model`; `None` for the user's own word. Capsules keep what is sealed in them.
    pub channel: Option<String>,
    /// Counts what would be added, and writes nothing; not for capsules.
    pub dry_run: bool,
}

/// Takes the report of an import so far, without its lists, and where it is known how many bytes of how many are read. Its break ends the
/// import, and what is kept stays.
pub(crate) type Watch<'a> = dyn FnMut(&Report, Option<(u64, u64)>) -> ControlFlow<()> + Send + 'a;

impl Memory {
    /// Remembers each turn of a record with its own time, or takes in capsules that were sealed elsewhere. Batches are
    /// acknowledged one by one: the same import again adds only missing turns.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] when the file cannot be read at all. [`Report::problem`] says when lines were refused.
    pub async fn import(&self, file: &Path, options: ImportOptions) -> Result<Report, Error> {
        self.must_exist()?;
        let own = self.home().dir();
        let own = own.canonicalize().unwrap_or_else(|_| own.to_owned());
        let source = Source::open(file, options.format, &own)?;
        if source.left_out > 0 {
            let files = u64::try_from(source.left_out).unwrap_or(u64::MAX);
            let files = count(files, "file is no note", "files are no notes");
            let notices = self.home().notices();
            notices.add(format_args!(
                "{files} and left out; hidden ones are not counted"
            ));
        }
        self.import_source((source, file), options, None).await
    }

    /// The same of an open file under this name. `watch` is called between batches, and at least 20 times a second while nothing can be
    /// read, with the report so far, without its lists, and the number of bytes that are read of all; its break ends the import.
    /// Refused lines are in the report alone, and not among the [notices](Self::take_notices).
    ///
    /// # Errors
    /// As [`Memory::import`].
    pub async fn import_file(
        &self,
        (file, name): (File, &str),
        options: ImportOptions,
        mut watch: impl FnMut(&Report, Option<(u64, u64)>) -> ControlFlow<()> + Send,
    ) -> Result<Report, Error> {
        self.must_exist()?;
        let name = Path::new(name);
        let source = Source::of_file(file, name, options.format)?;
        self.import_source((source, name), options, Some(&mut watch))
            .await
    }

    /// Refuses a record of which [`import`](Self::import) could remember nothing, whatever is in the store. Needs none. What can be read
    /// only once, and capsules, are left to the import.
    ///
    /// # Errors
    /// As [`Memory::import`].
    pub fn can_import(&self, file: &Path, format: Option<ImportFormat>) -> Result<(), Error> {
        if !(file.is_file() || file.is_dir()) {
            return Ok(());
        }
        let source = Source::open(file, format, self.home().dir())?;
        if source.format == ImportFormat::Capsules {
            return Ok(());
        }
        let (format, mut held, mut found) = (source.format.name(), Vec::new(), false);
        let is_hopeless = |held: &[Refused]| u64::try_from(held.len()) == Ok(HOPELESS);
        let read = source.read(&[0; 32], |item| {
            match item {
                Ok(_) => found = true,
                Err(refused) => held.push(refused),
            }
            match found || is_hopeless(&held) {
                true => Err(Error::new(ErrorKind::Interrupted, "enough is read")),
                false => Ok(()),
            }
        });
        match (found, is_hopeless(&held)) {
            (true, _) => Ok(()),
            (false, true) => Err(nothing_read(format, &held, true)),
            (false, false) => {
                read?;
                Err(nothing_read(format, &held, false))
            }
        }
    }

    /// The same from a reader, such as standard input; not for capsules. What has no time of its own is of now.
    ///
    /// # Errors
    /// As [`Memory::import`].
    pub async fn import_from(
        &self,
        reader: impl Read + Send + 'static,
        options: ImportOptions,
    ) -> Result<Report, Error> {
        self.must_exist()?;
        let source = Source::reading(reader, options.format)?;
        if source.format == ImportFormat::Capsules {
            return Err(Error::input(
                "capsules are imported from a file",
                "save them into one, and name it",
            ));
        }
        self.import_source((source, Path::new("-")), options, None)
            .await
    }

    /// Remembers each turn of a record in the format `jsonl`.
    ///
    /// # Errors
    /// As [`Memory::import`].
    pub async fn import_text(&self, record: &'static str) -> Result<Report, Error> {
        let source = (Source::bundled(record)?, Path::new("bundled"));
        self.import_source(source, ImportOptions::default(), None)
            .await
    }

    async fn import_source(
        &self,
        (source, path): (Source, &Path),
        options: ImportOptions,
        watch: Option<&mut Watch<'_>>,
    ) -> Result<Report, Error> {
        let scope = self.joined(&options.scope)?;
        if source.format != ImportFormat::Capsules {
            let source = source.said_in(scope, options.channel);
            let (import, stop) = import(&self.whole(), source, options.dry_run, watch).await?;
            return import.finish(stop);
        }
        self.must_be_unbound()?;
        if options.channel.is_some() {
            return Err(Error::refused(
                "capsules are signed as somebody's word, and are no word of this channel",
                "have the user import them",
            ));
        }
        if !scope.is_empty() {
            return Err(Error::input(
                "the scope of capsules is sealed in them",
                "import them without a scope",
            ));
        }
        if options.dry_run {
            return Err(Error::input(
                "capsules are not counted beforehand: each is checked against those before it",
                "import them into a store of their own with --dir",
            ));
        }
        self.import_capsules((source, path), options, watch).await
    }
}

/// Reads on a thread of its own, so that Ctrl-C is noticed while the source gives nothing.
async fn import<'w>(
    memory: &Memory,
    source: Source,
    dry_run: bool,
    watch: Option<&'w mut Watch<'_>>,
) -> Result<(Import<'w>, Stop), Error> {
    let home = memory.home();
    let key = id_key(&home.log_key()?.secret.expose_seed());
    let (store, agent) = match dry_run {
        true => (memory.reader()?, None),
        false => (memory.writer()?, Some(memory.signer()?)),
    };
    let tally = Tally {
        dry_run,
        format: source.format.name(),
        ..Tally::default()
    };
    let batch = Vec::with_capacity(BATCH);
    let mut import = Import {
        store,
        agent,
        counted: HashSet::new(),
        batch,
        tally,
        held: Vec::new(),
        progress: memory.progress().cloned(),
        meter: source.meter.clone(),
        // Somebody who watches reads the report, and nobody would take the notices.
        notices: watch.is_none().then(|| home.notices().clone()),
        watch: watch.map(|watch| {
            let watch: &mut Watch<'_> = watch;
            watch
        }),
        is_ended: false,
    };
    import.look();
    let (sender, receiver) = sync_channel(2 * BATCH);
    let no_more = |_| Error::new(ErrorKind::Interrupted, "the import takes no more");
    let reading =
        thread::spawn(move || source.read(&key, |item| sender.send(item).map_err(no_more)));
    let stop = import.take_all(&receiver, memory.interruption()).await;
    drop(receiver);
    let stop = stop.unwrap_or_else(Stop::Broken);
    if matches!(stop, Stop::SourceEnded) {
        match reading.join() {
            Ok(read) => read?,
            Err(_) => return Err(Error::bug("a reader panicked")),
        }
    }
    Ok((import, stop))
}

/// Reason to stop reading.
#[derive(Debug)]
enum Stop {
    SourceEnded,
    Interrupted,
    Hopeless,
    /// The store takes no more.
    Broken(StoreError),
}

struct Import<'w> {
    store: Arc<SqliteStore>,
    /// Agent that seals; none in a dry run.
    agent: Option<Arc<dyn Signer>>,
    /// Memories that a dry run has counted.
    counted: HashSet<WorldId>,
    batch: Vec<Draft>,
    tally: Tally,
    /// Refused lines that were not named yet: one alone, or those before any good line, are named
    /// in the closing line.
    held: Vec<Refused>,
    progress: Option<Progress>,
    meter: Option<Meter>,
    notices: Option<Notices>,
    watch: Option<&'w mut Watch<'w>>,
    /// Its watch has ended it.
    is_ended: bool,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tally {
    format: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    read: u64,
    added: u64,
    already_there: u64,
    refused_count: u64,
    refused: Vec<Refused>,
    interrupted: bool,
}

impl Tally {
    fn kept(&self) -> u64 {
        self.added + self.already_there
    }
}

impl Import<'_> {
    async fn take_all(
        &mut self,
        items: &Receiver<Result<World, Refused>>,
        interrupted: &AtomicBool,
    ) -> Result<Stop, StoreError> {
        loop {
            if interrupted.load(Ordering::Relaxed) || self.is_ended {
                self.flush().await?;
                return Ok(Stop::Interrupted);
            }
            match items.recv_timeout(PATIENCE) {
                Ok(Ok(world)) => {
                    self.tally.read += 1;
                    self.batch.push(Draft::new(world));
                    if self.batch.len() == BATCH {
                        self.flush().await?;
                    }
                }
                Ok(Err(refused)) => {
                    self.tally.refused_count += 1;
                    if self.tally.refused.len() < LISTED {
                        self.tally.refused.push(refused.clone());
                    }
                    self.held.push(refused);
                    if self.tally.read > 0 && self.tally.refused_count > 1 {
                        self.name_held();
                    }
                    if self.tally.read == 0 && self.tally.refused_count == HOPELESS {
                        return Ok(Stop::Hopeless);
                    }
                    if self.tally.refused_count.is_multiple_of(HOPELESS) {
                        self.look();
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.look(),
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
        match self.agent.clone() {
            Some(agent) => {
                for one in &self.append(agent, drafts).await? {
                    match one.is_new {
                        true => self.tally.added += 1,
                        false => self.tally.already_there += 1,
                    }
                }
            }
            None => self.count(&drafts).await?,
        }
        if let Some(progress) = &self.progress {
            let part = self.meter.as_ref().map(Meter::part);
            progress(self.tally.kept(), part);
        }
        self.look();
        Ok(())
    }

    /// Lets the watch look at what is done so far.
    fn look(&mut self) {
        let Some(watch) = &mut self.watch else {
            return;
        };
        let so_far = Report::new(&Tally {
            refused: Vec::new(),
            ..self.tally
        });
        let part = self.meter.as_ref().map(Meter::part);
        self.is_ended |= so_far.is_ok_and(|so_far| watch(&so_far, part).is_break());
    }

    /// Counts the turns that are not in the store yet.
    async fn count(&mut self, drafts: &[Draft]) -> Result<(), StoreError> {
        for world in drafts.iter().filter_map(Draft::world) {
            let id = world.world_id();
            match !self.counted.insert(id.clone()) || self.store.index_of(id).await?.is_some() {
                true => self.tally.already_there += 1,
                false => self.tally.added += 1,
            }
        }
        Ok(())
    }

    /// Appends the turns that are not in the store yet. A turn whose neighbours were mended between two imports has
    /// its id in the store with another position; the stored position is kept.
    async fn append(
        &mut self,
        agent: Arc<dyn Signer>,
        drafts: Vec<Draft>,
    ) -> Result<Vec<AppendReport>, StoreError> {
        match self.store.append(Arc::clone(&agent), drafts.clone()).await {
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
        self.store.append(agent, missing).await
    }

    fn name_held(&mut self) {
        for refused in self.held.drain(..) {
            if let Some(notices) = &self.notices {
                notices.add(format_args!("refused {refused}"));
            }
        }
    }

    /// Returns the summary, with the first problem that keeps the import from being complete.
    fn finish(mut self, stop: Stop) -> Result<Report, Error> {
        match &stop {
            Stop::Broken(error) if self.tally.kept() == 0 => return Err(error.clone().into()),
            Stop::SourceEnded | Stop::Hopeless if self.tally.read == 0 => {
                let is_hopeless = matches!(stop, Stop::Hopeless);
                return Err(nothing_read(self.tally.format, &self.held, is_hopeless));
            }
            _ => {}
        }
        if self.tally.refused_count > 1 {
            self.name_held();
        }
        self.tally.interrupted = matches!(stop, Stop::Interrupted);
        let kept = self.tally.kept();
        let problem = match (stop, self.tally.refused_count, self.held.first()) {
            (Stop::Interrupted, ..) => Some(Error::new(
                ErrorKind::Interrupted,
                format_args!(
                    "interrupted with {} in the store; run the same import again to add the rest",
                    count(kept, "turn", "turns")
                ),
            )),
            (Stop::Broken(source), ..) => Some(Error::midway(kept, source)),
            (_, 0, _) => None,
            (_, 1, Some(one)) => Some(Error::input(
                format_args!("one turn was refused, {one}"),
                match self.tally.dry_run {
                    true => "nothing was written; mend it before the import",
                    false => "all others are in the store; mend it and import again",
                },
            )),
            (_, refused, _) => Some(Error::input(
                format_args!("{refused} turns were refused, as listed"),
                match self.tally.dry_run {
                    true => "nothing was written; mend them before the import",
                    false => "all others are in the store; mend them and import again",
                },
            )),
        };
        Ok(Report::new(&self.tally)?.but(problem))
    }
}

/// The error of a record of which nothing can be remembered.
fn nothing_read(format: &str, held: &[Refused], is_hopeless: bool) -> Error {
    let Some((first, others)) = held.split_first() else {
        return Error::input("the file holds no turns", "name a file with turns in it");
    };
    if is_hopeless {
        return Error::input(
            format_args!("the first {HOPELESS} lines are not {format} ({first})"),
            "say what the file is with --format",
        );
    }
    let places: Vec<String> = others.iter().map(|other| other.at.to_string()).collect();
    let also = if places.is_empty() { "" } else { "; also " };
    Error::input(
        format_args!(
            "nothing could be imported as {format} ({first}{also}{})",
            places.join(", ")
        ),
        "mend the file, or say what it is with --format",
    )
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::*;
    use crate::Note;

    /// Of turns and of capsules: what ends an import is no failure of it, and the same file again is taken whole.
    #[tokio::test]
    async fn a_watch_ends_an_import_and_the_same_again_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::create(folder.path().join("memory")).await.unwrap();
        memory.remember(Note::from("Kit likes rye")).await.unwrap();
        let mut capsules = Vec::new();
        memory.export(None, None, &mut capsules).await.unwrap();
        let turn = br#"{"conversation":"c","time":"2025-03-01T10:15:00Z","text":"Bo likes tea"}"#;
        for (bytes, read) in [(&turn[..], 1), (&capsules, 2)] {
            for ends in [true, false] {
                let mut file = tempfile::tempfile().unwrap();
                file.write_all(bytes).unwrap();
                file.rewind().unwrap();
                let watch = |so_far: &Report, part: Option<(u64, u64)>| {
                    assert!(so_far.text("/format").is_some() && part.is_some());
                    match ends {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                };
                let options = ImportOptions::default();
                let report = memory.import_file((file, "file"), options, watch).await;
                let report = report.unwrap();
                let kind = report.problem().map(Error::kind);
                assert_eq!(kind == Some(ErrorKind::Interrupted), ends, "{report:?}");
                assert_eq!(report.value()["interrupted"] == true, ends);
                let expected = if ends { 0 } else { read };
                assert_eq!(report.number("/read"), Some(expected), "{report:?}");
            }
        }
    }
}
