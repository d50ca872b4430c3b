//! What is done to a store while its disk fails: scenarios are lists of steps.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp, World};
use counterfoil_claims::{Channels, FactValue, Identifier, Line, Settings, Submission};
use counterfoil_life::{Backend as _, Life as _, Txn, commit};
use counterfoil_sqlite::{Options, SqliteStore, Standby};
use counterfoil_store::conformance::block_on;
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{
    AppendReport, AsOf, CapsuleLog, ClaimRequest, ClaimStore, Clock, Draft, Entropy, StoreError,
};
use counterfoil_types::{Scope, UnixMillis, WorldId};
use rusqlite::Connection;
use serde_json::json;

use crate::asking;
use crate::judge::Bench;
use crate::platter::Image;
use crate::random::Random;

/// One call of a user.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// So many Worlds in one append, each with a text of so many bytes.
    Remember {
        name: &'static str,
        count: usize,
        bytes: usize,
    },
    /// A claim about where Ada lives, under the key `name`: all of a scenario contradict each other.
    Claim { name: &'static str },
    /// The next version of the first World of `name`.
    Update { name: &'static str, bytes: usize },
    /// Ends the process in order and starts it again.
    Reopen,
    /// Ends the process in order.
    Close,
    /// In another process, reads where Ada lives.
    Recall,
    /// Takes the content of the first World of `name` away.
    Erase { name: &'static str },
    /// Leaves the first World of `name` out of selections.
    Forget { name: &'static str },
    /// Moves all that is old enough, which is all but current versions, into segments.
    Archive,
    /// Brings it back.
    Restore,
    /// Begins an exchange, and keeps its answer.
    Ask { name: &'static str },
    /// Stores the memory that came with it.
    Keep { name: &'static str },
    /// Hears a request.
    Hear { name: &'static str },
    /// Writes all that is new as a commit.
    Ship,
    /// Brings a second store forward by the commits.
    Follow,
}

use Step::{
    Archive, Ask, Claim, Close, Erase, Follow, Forget, Hear, Keep, Recall, Remember, Reopen,
    Restore, Ship, Update,
};

const fn remember(name: &'static str, count: usize) -> Step {
    let bytes = 60;
    Remember { name, count, bytes }
}

const fn update(name: &'static str) -> Step {
    Update { name, bytes: 80 }
}

/// Appends of one, of several, of successors; the database closed and opened in between.
pub(crate) const APPENDS: &[Step] = &[
    remember("first", 1),
    remember("second", 3),
    update("first"),
    Reopen,
    update("first"),
    remember("third", 1),
];

/// So much that SQLite copies its write-ahead log into the database and begins it anew.
pub(crate) const MUCH: &[Step] = &[
    Remember {
        name: "wide",
        count: 8,
        bytes: 200_000,
    },
    Remember {
        name: "wider",
        count: 14,
        bytes: 200_000,
    },
    remember("small", 2),
    update("small"),
];

/// Content taken away: of a World of its own, of a first and of a middle version.
pub(crate) const ERASURE: &[Step] = &[
    remember("alone", 2),
    remember("first", 1),
    update("first"),
    Erase { name: "alone" },
    Erase { name: "first" },
    update("first"),
];

pub(crate) const FORGETTING: &[Step] = &[
    remember("first", 2),
    Forget { name: "first" },
    Reopen,
    Forget { name: "first" },
];

pub(crate) const ARCHIVE: &[Step] = &[
    remember("first", 2),
    update("first"),
    Archive,
    remember("second", 1),
    Archive,
    Restore,
];

/// Claims that contradict each other, between memories and recalls, in processes that follow each other.
pub(crate) const CLAIMS: &[Step] = &[
    Claim { name: "first" },
    Recall,
    Claim { name: "second" },
    remember("between", 1),
    Close,
    Recall,
    Recall,
    Claim { name: "third" },
    Claim { name: "first" },
];

/// Exchanges, one of them in processes that follow each other, and requests in between.
pub(crate) const EXCHANGES: &[Step] = &[
    Ask { name: "first" },
    Hear { name: "heard" },
    Keep { name: "first" },
    Ask { name: "second" },
    Reopen,
    Hear { name: "again" },
    Keep { name: "second" },
];

/// An archive in between does not bring back what was erased.
pub(crate) const ALL: &[Step] = &[
    remember("first", 2),
    update("first"),
    Forget { name: "first" },
    Archive,
    Restore,
    Erase { name: "first" },
];

/// A second store that follows.
pub(crate) const FOLLOWING: &[Step] = &[
    remember("first", 2),
    Ship,
    Follow,
    Claim { name: "claimed" },
    Forget { name: "first" },
    Ship,
    Reopen,
    Follow,
];

/// The shortest that has all kinds of a change.
pub(crate) const SHORT: &[Step] = &[
    remember("first", 2),
    update("first"),
    Reopen,
    update("first"),
];

/// Beyond the time of any scenario, in microseconds.
const MUCH_LATER: u64 = 1_800_000_000_000_000;

/// The files of a store below a folder, laid out as the command line does.
pub(crate) fn database(folder: &Path) -> PathBuf {
    folder.join("memory.db")
}

fn segments(folder: &Path) -> PathBuf {
    folder.join("archive")
}

fn shipped(folder: &Path) -> PathBuf {
    folder.join("shipped")
}

fn standby(folder: &Path) -> PathBuf {
    folder.join("standby.db")
}

fn guard(folder: &Path) -> PathBuf {
    folder.join("keys").join("last-checkpoint")
}

pub(crate) fn options(folder: &Path) -> Options {
    let signer = NoteSigner::new("faults.example/log", SecretKey::from_seed([7; 32])).unwrap();
    Options::writable(database(folder), signer, guard(folder)).with_clock(Arc::new(Ticks::new()))
}

/// Random numbers that are the same whenever a scenario runs, and others after each opening.
#[derive(Debug)]
struct Rolled(Mutex<Random>);

impl Entropy for Rolled {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError> {
        let mut random = self.0.lock().unwrap();
        for byte in bytes {
            *byte = u8::try_from(random.next() & 0xff).unwrap();
        }
        Ok(())
    }
}

/// The empty store that a scenario begins with.
pub(crate) fn founded() -> Image {
    let bench = Bench::new();
    std::fs::create_dir(bench.path().join("keys")).unwrap();
    drop(SqliteStore::create(options(bench.path())).unwrap());
    Image::read(bench.path())
}

/// A clock that each look moves, so that a scenario is the same whenever it runs.
#[derive(Debug)]
struct Ticks(AtomicU64);

impl Ticks {
    fn new() -> Self {
        Self(AtomicU64::new(1_790_000_000_000_000))
    }
}

impl Clock for Ticks {
    fn now_micros(&self) -> u64 {
        self.0.fetch_add(1_000, Ordering::Relaxed)
    }
}

fn agent() -> Arc<dyn Signer> {
    Arc::new(AgentSigner::new(SecretKey::from_seed([1; 32])))
}

/// Worlds that stand or fall together, by the step that wrote them.
pub(crate) type Unit = Vec<WorldId>;

/// The Worlds that each step writes.
pub(crate) fn units(steps: &[Step]) -> Vec<Unit> {
    let numbered = steps.iter().enumerate();
    numbered
        .map(|(number, step)| match *step {
            Remember { name, count, .. } => (0..count).map(|one| id(name, one)).collect(),
            Update { name, .. } => vec![version(name, number)],
            Keep { name } => vec![id(name, 0)],
            // The names of units are drawn when they are written: they are found by their keys.
            _ => Vec::new(),
        })
        .collect()
}

/// The claims of a scenario that a store has, by their keys.
pub(crate) fn claims(steps: &[Step], store: &SqliteStore) -> Result<Vec<WorldId>, StoreError> {
    let mut claims = Vec::new();
    for step in steps {
        let Claim { name } = step else { continue };
        let outcome = block_on(store.committed(agent().agent(), name, &Scope::new()))?;
        claims.extend(outcome.and_then(|outcome| outcome.written).map(|it| it.0));
    }
    Ok(claims)
}

fn id(name: &str, number: usize) -> WorldId {
    WorldId::new(format!("{name}-{number}")).unwrap()
}

fn named(text: &str) -> Identifier {
    Identifier::new("name", text).unwrap()
}

fn claim(name: &str) -> ClaimRequest {
    let user = Channels::of_host().user();
    let town = FactValue::new(&name.into()).unwrap();
    let said = Submission::new(&user, named("Ada"), named("lives in"), town);
    ClaimRequest::Submit(said.keyed(name).unwrap())
}

/// Reads as one command does: where Ada lives, and how long the log is.
pub(crate) fn recall(folder: &Path) -> Result<u64, StoreError> {
    let reads = Options::read_only_guarded(database(folder), guard(folder));
    let store = SqliteStore::open(reads.with_clock(Arc::new(Ticks::new())))?;
    let line = Line {
        agent: agent().agent(),
        subject: named("Ada"),
        predicate: named("lives in"),
        scope: Scope::new(),
    };
    let settings = Arc::new(Settings::default());
    block_on(store.believe(line, AsOf::default(), settings))?;
    block_on(store.size())
}

fn version(name: &str, step: usize) -> WorldId {
    WorldId::new(format!("{name}-at-step-{step}")).unwrap()
}

fn world(id: WorldId, bytes: usize) -> World {
    let text = format!("it is {} that was said", secret(&id));
    let data = json!({ "kind": "note", "text": text, "filler": "f".repeat(bytes) });
    counterfoil_capsule::remember(id, UnixMillis::new(1_790_000_000_000).unwrap(), data).unwrap()
}

/// A word that stands in the content of a World and nowhere else.
pub(crate) fn secret(world_id: &WorldId) -> String {
    let hash = blake3::hash(world_id.to_string().as_bytes()).to_hex();
    hash.chars().take(24).collect()
}

/// That of the first World of `name`.
pub(crate) fn secret_of(name: &str) -> String {
    secret(&id(name, 0))
}

/// What a step that went well has promised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Promise {
    Stands {
        world_id: WorldId,
        index: u64,
    },
    /// And none of its bytes are found in any file.
    Erased(WorldId),
    Forgotten(WorldId),
    /// So many rows of the exchange.
    Asked {
        name: &'static str,
        rows: usize,
    },
    /// That the request is known.
    Heard(&'static str),
    /// The commit up to this file can be read.
    Shipped(u64),
    /// The second store has it.
    Followed(u64),
}

pub(crate) type Answer = Vec<Promise>;

/// A user of the store in a folder.
pub(crate) struct User {
    folder: PathBuf,
    store: Option<SqliteStore>,
    openings: u64,
}

impl User {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            store: None,
            openings: 0,
        }
    }

    /// As another process than those with other numbers.
    pub(crate) fn with_number(mut self, number: u64) -> Self {
        self.openings = number * 1_000;
        self
    }

    /// The store, opened when it is not.
    pub(crate) fn store(&mut self) -> Result<&SqliteStore, StoreError> {
        let store = match self.store.take() {
            Some(store) => store,
            None => {
                self.openings += 1;
                let rolled = Rolled(Mutex::new(Random::new(self.openings)));
                SqliteStore::open(options(&self.folder).with_entropy(Arc::new(rolled)))?
            }
        };
        Ok(self.store.insert(store))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The store if it is open.
    pub(crate) const fn open(&self) -> Option<&SqliteStore> {
        self.store.as_ref()
    }

    pub(crate) fn close(&mut self) {
        self.store = None;
    }

    /// Does a step, for the first time or again.
    pub(crate) fn perform(&mut self, number: usize, step: Step) -> Result<Answer, StoreError> {
        match step {
            Remember { name, count, bytes } => {
                let drafts = (0..count).map(|one| Draft::new(world(id(name, one), bytes)));
                self.append(drafts.collect())
            }
            Update { name, bytes } => {
                let new = Draft::new(world(version(name, number), bytes));
                let first = block_on(self.store()?.index_of(&id(name, 0)))?;
                let Some(first) = first else {
                    return Ok(Vec::new());
                };
                let store = self.store()?;
                let chain = block_on(store.capsule(first))?.map(|it| it.header.chain().to_owned());
                let Some(chain) = chain else {
                    return Ok(Vec::new());
                };
                let head = block_on(store.head(&chain))?;
                let head = head.ok_or(StoreError::Bug("a chain without a head"))?;
                self.append(vec![new.following(chain, head.capsule)])
            }
            Claim { name } => {
                let settings = Arc::new(Settings::default());
                let submitted = self.store()?.submit(agent(), settings, vec![claim(name)]);
                let answers = block_on(submitted)?.into_iter().flatten();
                let written = answers.filter_map(|outcome| outcome.written);
                let stands = |(world_id, index, _)| Promise::Stands { world_id, index };
                Ok(written.map(stands).collect())
            }
            Reopen => {
                self.close();
                self.store().map(|_| Vec::new())
            }
            Close => {
                self.close();
                Ok(Vec::new())
            }
            Recall => recall(&self.folder).map(|_| Vec::new()),
            Erase { name } => self.erase(id(name, 0)),
            Forget { name } => self.forget(id(name, 0)),
            Archive => {
                let before = Timestamp::from_micros(MUCH_LATER).unwrap();
                let folder = segments(&self.folder);
                let archived = self.store()?.archive(agent(), before, Some(before), folder);
                block_on(archived).map(|_| Vec::new())
            }
            Restore => self.restore(),
            Ask { name } => {
                asking::ask(self.store()?, name)?;
                Ok(vec![Promise::Asked { name, rows: 2 }])
            }
            Keep { name } => self.keep(name),
            Hear { name } => {
                asking::hear(self.store()?, name)?;
                Ok(vec![Promise::Heard(name)])
            }
            Ship => {
                let folder = shipped(&self.folder);
                let shipped = block_on(commit::ship(self.store()?, &folder, None))?;
                Ok(vec![Promise::Shipped(shipped.number)])
            }
            Follow => {
                let (_, followed) = follow(&self.folder)?;
                Ok(vec![Promise::Followed(followed)])
            }
        }
    }

    /// Ships and follows to the end, and returns what differs between the two stores.
    pub(crate) fn followed(&mut self) -> Result<Option<String>, StoreError> {
        let folder = self.folder.clone();
        let number = block_on(commit::ship(self.store()?, &shipped(&folder), None))?.number;
        if number == 0 {
            return Ok(None);
        }
        let followed = follow(&folder)?.1;
        let standby = SqliteStore::open(Options::read_only(standby(&folder)))?;
        let ground = |txn: &dyn Txn| Ok((txn.entries(None, 10_000)?, txn.index_digest()?));
        let [live, behind] = [self.store()?, &standby].map(|it| block_on(it.read(ground)));
        let is_clean = block_on(standby.audit())?.is_clean();
        let is_same = number == followed && live? == behind? && is_clean;
        Ok((!is_same).then(|| format!("file {number} was shipped, {followed} is followed")))
    }

    fn keep(&mut self, name: &'static str) -> Result<Answer, StoreError> {
        let world_id = id(name, 0);
        asking::draw(self.store()?, name, &world_id)?;
        let mut promises = self.append(vec![Draft::new(world(world_id.clone(), 60))])?;
        asking::kept(self.store()?, name, &world_id)?;
        promises.push(Promise::Asked { name, rows: 4 });
        Ok(promises)
    }

    fn erase(&mut self, world_id: WorldId) -> Result<Answer, StoreError> {
        let (store, reason) = (self.store()?, "it was asked for");
        let certificate = block_on(store.erase(agent(), &world_id, reason))?;
        match certificate.map(|certificate| certificate.not_scrubbed) {
            Some(None) => Ok(vec![Promise::Erased(world_id)]),
            // As the certificate says, bytes are left.
            _ => Ok(Vec::new()),
        }
    }

    fn forget(&mut self, world_id: WorldId) -> Result<Answer, StoreError> {
        let forgotten =
            block_on(
                self.store()?
                    .forget(agent(), &world_id, None, "it was asked for"),
            )?;
        Ok(forgotten
            .map(|_| Promise::Forgotten(world_id))
            .into_iter()
            .collect())
    }

    /// Brings everything back that is in a segment alone.
    pub(crate) fn restore(&mut self) -> Result<Answer, StoreError> {
        let folder = segments(&self.folder);
        let store = self.store()?;
        let known = block_on(store.segments())?;
        let names = known.into_iter().filter(|segment| segment.archived > 0);
        let names = names.map(|segment| segment.name).collect();
        block_on(store.restore(folder, names)).map(|_| Vec::new())
    }

    fn append(&mut self, drafts: Vec<Draft>) -> Result<Answer, StoreError> {
        let appended = block_on(self.store()?.append(agent(), drafts))?;
        Ok(appended.into_iter().filter_map(place).collect())
    }
}

/// Names the folder of the commits anew, which a store knows by its path: a disk is laid out in another place.
pub(crate) fn moved(folder: &Path) -> Result<(), String> {
    let shipped = shipped(folder).canonicalize().unwrap_or_default();
    let raw = Connection::open(database(folder)).map_err(|error| error.to_string())?;
    let sql = "UPDATE ship SET destination = ?1";
    let moved = raw.execute(sql, [shipped.to_str()]);
    moved.map(drop).map_err(|error| error.to_string())
}

/// Returns the numbers of the last file that can be read, and of the last one that the second store had before it goes on;
/// 0 for none.
pub(crate) fn shipped_and_followed(folder: &Path) -> Result<(u64, u64), StoreError> {
    let from = shipped(folder);
    let files = from.read_dir().into_iter().flatten().flatten();
    let is_commit = |path: PathBuf| path.extension().is_some_and(|it| it == "zst");
    if !files.map(|file| file.path()).any(is_commit) {
        return Ok((0, 0));
    }
    let commits = commit::files(&from, None)?;
    for part in commits.iter().flat_map(|files| files.parts(None)) {
        part?;
    }
    let readable = commits.last().map_or(0, |files| files.head.number);
    Ok((readable, follow(folder)?.0))
}

/// Applies what is new, and returns the number of the last file that was applied: before, and now.
fn follow(folder: &Path) -> Result<(u64, u64), StoreError> {
    let (from, to) = (shipped(folder), standby(folder));
    let Some(first) = commit::files(&from, None)?.into_iter().next() else {
        return Ok((0, 0));
    };
    let mut standby = Standby::open(&to, || Ok(first.head.key))?;
    let applied = |standby: &Standby| standby.applied().map(|it| it.map_or(0, |it| it.1));
    let before = applied(&standby)?;
    for files in commit::files(&from, standby.applied()?.as_ref())? {
        standby.apply(files.parts(None))?;
    }
    Ok((before, applied(&standby)?))
}

fn place(appended: AppendReport) -> Option<Promise> {
    let (world_id, index) = (appended.world_id?, appended.index);
    Some(Promise::Stands { world_id, index })
}
