//! One memory: a folder with its keys, opened once.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use counterfoil_capsule::{Code, Signer};
use counterfoil_life::versions::LogAhead;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::Reranker;
use counterfoil_store::vectors::Embedder;
use counterfoil_types::{BoxError, Scope};

use crate::claims::logged::LoggedSettings;
use crate::create::{Making, make, make_missing};
use crate::error::{Error, ErrorKind};
use crate::heads;
use crate::home::Home;
use crate::keys::{Guarded, Passphrase, Prompt};
use crate::node::Reads;
use crate::recall_models::{OpenEndpoint, RecallModels};
use crate::report::Report;

/// Time between two looks for heads that lag.
const BEHIND: Duration = Duration::from_secs(1);

/// The memory of one agent: a store, the keys beside it, and its settings.
///
/// The database is opened by the first call that needs it and stays open. Clones share it. One that is bound to a
/// [scope](Self::scoped) reaches nothing outside of that.
#[derive(Clone)]
pub struct Memory {
    inner: Arc<Inner>,
    scope: Arc<Scope>,
}

struct Inner {
    home: Home,
    options: MemoryBuilder,
    stores: Mutex<Stores>,
    /// Size of the log that was last written to the heads that are written behind.
    written: Mutex<u64>,
    /// Settings of claims that the log decides, as they were read last.
    logged: Mutex<Option<LoggedSettings>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.write_heads();
    }
}

impl Inner {
    /// Writes the last checkpoint to the heads that lag, if this value has written to the log.
    fn write_heads(&self) {
        let stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = stores.writer.clone();
        drop(stores);
        let Some(store) = writer else {
            return;
        };
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(places) = self.home.head_places() else {
            return;
        };
        let guard = self.home.last_checkpoint();
        match heads::write_behind(&places, (&guard, &store), *written) {
            Ok(size) => *written = size,
            Err(error) => self.home.notices().add(error),
        }
    }
}

/// Open handles of the one database.
#[derive(Default)]
struct Stores {
    reader: Option<Arc<SqliteStore>>,
    writer: Option<Arc<SqliteStore>>,
    /// A reader whose receipts continue from this size of the log.
    floored: Option<(u64, Arc<SqliteStore>)>,
}

/// Folder of a memory and the source of its passphrase.
#[derive(Clone)]
pub struct MemoryBuilder {
    dir: PathBuf,
    passphrase_file: Option<PathBuf>,
    prompt: Option<Prompt>,
    read_only: bool,
    accepts_clock: bool,
    shows_withheld: bool,
    heads: Vec<String>,
    pub(crate) reads: Reads,
    program: String,
    interruption: Arc<AtomicBool>,
    progress: Option<Progress>,
    models: RecallModels,
    pub(crate) making: Making,
}

/// Takes the number of things that are done so far, and how much of how much they are, in any unit, where that is known.
pub(crate) type Progress = Arc<dyn Fn(u64, Option<(u64, u64)>) + Send + Sync>;

impl MemoryBuilder {
    /// Opens sealed keys with the first line of this file; by default with `$COUNTERFOIL_PASSPHRASE`.
    #[must_use]
    pub fn passphrase_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.passphrase_file = Some(path.into());
        self
    }

    /// Asks for the passphrase of sealed keys, when it is first needed and no file or variable has it.
    #[must_use]
    pub fn ask_passphrase(mut self, prompt: fn(&str) -> std::io::Result<String>) -> Self {
        self.prompt = Some(prompt);
        self
    }

    /// Refuses every write.
    #[must_use]
    pub const fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Accepts the clock although it leaps farther over the last entry of the log than `clock.toml` lets it, by default 365
    /// days. For a person who has looked at the clock: every later entry is dated after this one.
    #[must_use]
    pub const fn accept_clock(mut self) -> Self {
        self.accepts_clock = true;
        self
    }

    /// Hands out, marked, what does not match its hash, its signature or its place in the log. For a person who looks into what
    /// happened: it is on the list of [`Memory::withheld`] all the same.
    #[must_use]
    pub const fn dangerously_show_withheld(mut self) -> Self {
        self.shows_withheld = true;
        self
    }

    /// Keeps the last checkpoint of the log in another place too, outside of the store: a file, a program as `cmd:PROGRAM`, or a witness as `witness:URL`
    /// (`docs/format/directory.md`). The store is neither read nor written while it is behind what the place holds. The place is
    /// written behind a commit, within a second or when the last clone of the memory goes.
    #[must_use]
    pub fn head(mut self, place: impl Into<String>) -> Self {
        self.heads.push(place.into());
        self
    }

    /// Name of the program in the intents of its proposals; `counterfoil` by default.
    #[must_use]
    pub fn program(mut self, name: impl Into<String>) -> Self {
        self.program = name.into();
        self
    }

    /// Ends imports and exports between two steps once the flag is set.
    #[must_use]
    pub fn interruption(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interruption = flag;
        self
    }

    /// Calls `progress` during long work with the number of things that are done so far (turns of an import that are kept, vectors,
    /// entries that are checked, capsules that are exported), and where it is known with how much of how much is done: bytes of an
    /// import, and of all else such things.
    #[must_use]
    pub fn progress(
        mut self,
        progress: impl Fn(u64, Option<(u64, u64)>) + Send + Sync + 'static,
    ) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    /// Encodes texts for the search by meaning with `encoder`, in place of the one in the settings.
    #[must_use]
    pub fn encoder(self, encoder: Arc<dyn Embedder>) -> Self {
        self.models.encoder.keep(encoder);
        self
    }

    /// Folder of the sentence encoder, in place of the one in the settings (`docs/format/directory.md`).
    #[must_use]
    pub fn encoder_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.models.encoder.folder = Some(folder.into());
        self
    }

    /// Opens the folder of an encoder with `open`, which runs where blocking is allowed.
    #[must_use]
    pub fn open_encoders_with(
        mut self,
        open: fn(&Path) -> Result<Arc<dyn Embedder>, BoxError>,
    ) -> Self {
        self.models.encoder.open = Some(open);
        self
    }

    /// Opens the encoder behind an endpoint with `open`, which gets its key if it has one and runs where blocking is allowed.
    #[must_use]
    pub fn open_encoder_endpoints_with(mut self, open: OpenEndpoint) -> Self {
        self.models.open_endpoint = Some(open);
        self
    }

    /// Puts the best memories of a recall in the order of `reranker`, in place of the one in the settings.
    #[must_use]
    pub fn reranker(self, reranker: Arc<dyn Reranker>) -> Self {
        self.models.reranker.keep(reranker);
        self
    }

    /// Folder of the reranker, in place of the one in the settings (`docs/format/directory.md`).
    #[must_use]
    pub fn reranker_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.models.reranker.folder = Some(folder.into());
        self
    }

    /// Opens the folder of a reranker with `open`, which runs where blocking is allowed.
    #[must_use]
    pub fn open_rerankers_with(
        mut self,
        open: fn(&Path) -> Result<Arc<dyn Reranker>, BoxError>,
    ) -> Self {
        self.models.reranker.open = Some(open);
        self
    }

    /// Name of a new log: no spaces, no plus; a random one by default.
    #[must_use]
    pub fn log_name(mut self, name: impl Into<String>) -> Self {
        self.making.name = Some(name.into());
        self
    }

    /// Seals the keys of a new memory under the passphrase.
    #[must_use]
    pub const fn sealed(mut self) -> Self {
        self.making.guarded = Guarded::ByPassphrase;
        self
    }

    /// Seals the content of a new memory, each under a key of its own (`docs/format/database.md`, *Sealed stores*): an erasure
    /// then reaches every copy of the database.
    #[must_use]
    pub const fn seal_content(mut self) -> Self {
        self.making.seals_content = true;
        self
    }

    /// Folder for the keys that take over, on another medium at best; `recovery` in the memory's folder by default.
    #[must_use]
    pub fn recovery_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.making.recovery_dir = Some(dir.into());
        self
    }

    /// Makes folder, keys and database, and replaces nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] when there is a memory already or the log's name cannot be used.
    pub async fn create(self) -> Result<(Memory, Report), Error> {
        let making = self.making.clone();
        let memory = self.build();
        let made = make(memory.home(), making).await?;
        Ok((memory, made))
    }

    /// Opens the memory, and makes it where there is none yet; the report is that of the making. Keys are sealed where a passphrase is
    /// given by a file or the environment. Of two programs that begin at once, one makes it, and both open the same.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a folder that holds other files; [`ErrorKind::Place`] for keys whose database is missing.
    pub async fn open_or_create(self) -> Result<(Memory, Option<Report>), Error> {
        let making = self.making.clone();
        let memory = self.build();
        let made = make_missing(memory.home(), making).await?;
        memory.must_exist()?;
        Ok((memory, made))
    }

    /// Opens a memory that is there.
    ///
    /// # Errors
    /// [`ErrorKind::Place`] when the folder holds no store.
    pub fn open(self) -> Result<Memory, Error> {
        let memory = self.build();
        memory.must_exist()?;
        Ok(memory)
    }

    /// The memory, without a look at the folder: the first call that needs the store fails where there is none.
    pub fn build(self) -> Memory {
        let passphrase = Passphrase::new(self.passphrase_file.clone(), self.prompt);
        Memory {
            scope: Arc::default(),
            inner: Arc::new(Inner {
                home: Home::new(self.dir.clone(), passphrase)
                    .accepting_clock(self.accepts_clock)
                    .showing_withheld(self.shows_withheld)
                    .with_heads(self.heads.clone()),
                options: self,
                stores: Mutex::default(),
                written: Mutex::default(),
                logged: Mutex::default(),
            }),
        }
    }
}

impl Memory {
    /// Makes a new memory in `dir`: keys, database, and the agent's commitment to its next key.
    ///
    /// # Errors
    /// As [`MemoryBuilder::create`].
    pub async fn create(dir: impl Into<PathBuf>) -> Result<Self, Error> {
        Ok(Self::builder(dir).create().await?.0)
    }

    /// Opens the memory in `dir`.
    ///
    /// # Errors
    /// As [`MemoryBuilder::open`].
    pub fn open(dir: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::builder(dir).open()
    }

    /// Opens the memory in `dir` for reading alone; no secret key is needed.
    ///
    /// # Errors
    /// As [`MemoryBuilder::open`].
    pub fn open_read_only(dir: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::builder(dir).read_only().open()
    }

    /// A memory at another place, or with sealed keys.
    pub fn builder(dir: impl Into<PathBuf>) -> MemoryBuilder {
        MemoryBuilder {
            dir: dir.into(),
            passphrase_file: None,
            prompt: None,
            read_only: false,
            accepts_clock: false,
            shows_withheld: false,
            heads: Vec::new(),
            reads: Reads::Latest,
            program: "counterfoil".to_owned(),
            interruption: Arc::default(),
            progress: None,
            models: RecallModels::new(),
            making: Making::default(),
        }
    }

    /// The same memory, bound to another scope.
    pub(crate) fn bound_to(&self, scope: Scope) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            scope: Arc::new(scope),
        }
    }

    /// Folder of the memory.
    pub fn dir(&self) -> &Path {
        self.home().dir()
    }

    /// Name of the log, which its checkpoints and proofs carry.
    ///
    /// # Errors
    /// [`ErrorKind::Place`](crate::ErrorKind::Place) when there is no store, or its keys do not fit each other.
    pub fn log_name(&self) -> Result<String, Error> {
        Ok(self.home().log_public()?.name().to_owned())
    }

    /// Scope that this value is bound to; empty for a memory as it is opened.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Writes the last checkpoint to the heads that lag, after this value has written to the log. Those that cannot be reached
    /// are among the [notices](Self::take_notices).
    pub fn write_heads(&self) {
        self.inner.write_heads();
    }

    /// Takes the remarks that were made since the last call: keys that others may read or replace.
    pub fn take_notices(&self) -> Vec<String> {
        self.home().notices().take()
    }

    /// Ids of memories that reads through this value or its clones did not hand out, as they do not match their hash, their
    /// signature or their place in the log; each with the code that `check` gives it. `entry N` for a record; `index TABLE`
    /// where rows of the index are missing or too many, so that memories may not be found. None through a value that is bound to a
    /// scope: of such content nobody knows the scope.
    pub fn withheld(&self) -> Vec<(String, &'static str)> {
        // The scope is part of the content that does not match.
        if self.must_be_unbound().is_err() {
            return Vec::new();
        }
        let withheld = self.home().read_check().withheld();
        let named = withheld.into_iter().map(|(id, code)| (id, code.name()));
        named.collect()
    }

    /// Mark of a memory that is shown although it does not match; `None` for any other.
    pub(crate) fn mark(&self, id: &impl ToString) -> Option<String> {
        let (mut withheld, id) = (self.withheld().into_iter(), id.to_string());
        let code = withheld.find_map(|(withheld, code)| (withheld == id).then_some(code));
        code.map(|code| format!("UNSAFE: not what was sealed ({code})"))
    }

    /// Lead of the log over the clock when the memory was opened for writing, if it is more than 5 seconds; `None` before
    /// the first write.
    pub fn log_ahead(&self) -> Option<LogAhead> {
        self.stores().writer.as_ref()?.clock_lead()
    }

    /// Checks that the folder holds a store.
    ///
    /// # Errors
    /// [`ErrorKind::Place`] when it does not.
    pub fn must_exist(&self) -> Result<(), Error> {
        self.home().must_exist()
    }

    /// Settings of claims that the log decides, as they were read last.
    pub(crate) fn logged_settings(&self) -> MutexGuard<'_, Option<LoggedSettings>> {
        let logged = self.inner.logged.lock();
        logged.unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn home(&self) -> &Home {
        &self.inner.home
    }

    /// Protection of the keys that it makes.
    pub(crate) fn guarded(&self) -> Guarded {
        self.inner.options.making.guarded
    }

    pub(crate) fn program(&self) -> &str {
        &self.inner.options.program
    }

    pub(crate) fn interruption(&self) -> &AtomicBool {
        &self.inner.options.interruption
    }

    /// Tells how far long work is.
    pub(crate) fn report_progress(&self, done: u64, part: Option<(u64, u64)>) {
        if let Some(progress) = self.progress() {
            progress(done, part);
        }
    }

    pub(crate) fn progress(&self) -> Option<&Progress> {
        self.inner.options.progress.as_ref()
    }

    pub(crate) fn models(&self) -> &RecallModels {
        &self.inner.options.models
    }

    /// The agent with the key that signs now.
    pub(crate) fn signer(&self) -> Result<Arc<dyn Signer>, Error> {
        self.must_be_unbound()?;
        self.must_be_writable()?;
        self.home().agent()
    }

    /// The store, to read.
    pub(crate) fn reader(&self) -> Result<Arc<SqliteStore>, Error> {
        self.must_be_unbound()?;
        if self.home().is_node() && !self.inner.options.read_only {
            let node = self.writer()?;
            self.inner.options.reads.prepare(&node);
            return Ok(self.counted(&node));
        }
        let mut stores = self.stores();
        if let Some(open) = stores.writer.as_ref().or(stores.reader.as_ref()) {
            return Ok(self.counted(open));
        }
        let opened = Arc::new(self.home().reader()?);
        stores.reader = Some(Arc::clone(&opened));
        Ok(self.counted(&opened))
    }

    /// The store, to append to.
    pub(crate) fn writer(&self) -> Result<Arc<SqliteStore>, Error> {
        self.must_be_unbound()?;
        self.must_be_writable()?;
        let mut stores = self.stores();
        if let Some(open) = &stores.writer {
            return Ok(Arc::clone(open));
        }
        let opened = Arc::new(self.home().writer()?);
        if let Some(lead) = opened.clock_lead() {
            let cure = "new entries are dated after it; `counterfoil check` says what to do";
            self.home().notices().add(format_args!("{lead}: {cure}"));
        }
        stores.writer = Some(Arc::clone(&opened));
        self.write_heads_behind();
        Ok(opened)
    }

    /// Writes the heads that lag each second for as long as the memory is open.
    fn write_heads_behind(&self) {
        let places = self.home().head_places();
        if !places.is_some_and(|it| heads::are_written_behind(&it)) {
            return;
        }
        let memory = Arc::downgrade(&self.inner);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(BEHIND);
                match memory.upgrade() {
                    Some(memory) => memory.write_heads(),
                    None => return,
                }
            }
        });
    }

    /// The store, to read, with receipts that continue from `floor`.
    pub(crate) fn reader_from(&self, floor: Option<u64>) -> Result<Arc<SqliteStore>, Error> {
        let Some(floor) = floor else {
            return self.reader();
        };
        self.must_be_unbound()?;
        let mut stores = self.stores();
        match &stores.floored {
            Some((same, open)) if *same == floor => return Ok(self.counted(open)),
            _ => {}
        }
        let opened = Arc::new(self.home().reader_with(|it| it.with_floor(floor))?);
        stores.floored = Some((floor, Arc::clone(&opened)));
        Ok(self.counted(&opened))
    }

    /// The store, to read, and a remark where its index lacks rows.
    fn counted(&self, store: &Arc<SqliteStore>) -> Arc<SqliteStore> {
        if let Some(table) = store.miscounted() {
            let check = self.home().read_check();
            drop(check.withhold(format!("index {table}"), Code::Missing));
        }
        Arc::clone(store)
    }

    /// Any open handle, for reads on which the floor has no influence.
    pub(crate) fn any(&self) -> Result<Arc<SqliteStore>, Error> {
        self.must_be_unbound()?;
        let open = self
            .stores()
            .floored
            .as_ref()
            .map(|(_, open)| Arc::clone(open));
        open.map_or_else(|| self.reader(), Ok)
    }

    /// Returns false for a memory that was opened for reading alone, and for one that follows another.
    pub(crate) fn is_writable(&self) -> bool {
        !self.inner.options.read_only && !self.home().follows()
    }

    fn must_be_writable(&self) -> Result<(), Error> {
        match self.inner.options.read_only {
            true => Err(Error::new(
                ErrorKind::Input,
                "this memory was opened for reading alone; open it with `Memory::open`",
            )),
            false => Ok(()),
        }
    }

    fn stores(&self) -> MutexGuard<'_, Stores> {
        self.inner
            .stores
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
