//! Shared by the tests of the backend: a folder, keys, and an executor of ten lines.

use counterfoil_life::Life as _;
use std::future::Future;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Waker};
use std::time::Duration;

use counterfoil_capsule::{AgentSigner, SecretKey, Signer, World};
use counterfoil_life::sealing::ContentKeys;
use counterfoil_sqlite::{Options, SqliteStore, make_content_keys};
pub(crate) use counterfoil_store::conformance::block_on;
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{AppendReport, CapsuleLog, Draft, StoreError};
use counterfoil_types::{UnixMillis, WorldId};
use serde_json::json;
use tempfile::TempDir;

/// A folder with a database, and one beside it for what belongs with the keys.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    number: u8,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::numbered(7)
    }

    /// A place whose log has a name and a key of its own: in memory if there is such a folder, as no test here waits for a
    /// disk.
    pub(crate) fn numbered(number: u8) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.unwrap();
        Self { folder, number }
    }

    /// A place whose store is sealed.
    pub(crate) fn sealed() -> Self {
        let place = Self::new();
        drop(place.keys());
        place
    }

    /// Keys of a sealed store.
    pub(crate) fn keys(&self) -> Box<dyn ContentKeys> {
        keys_in(self.folder.path(), self.number)
    }

    /// A new place, with a store.
    pub(crate) fn created() -> (Self, SqliteStore) {
        let place = Self::new();
        let store = place.create();
        (place, store)
    }

    /// A new place in memory, with a copy of a store that is made once.
    pub(crate) fn copied() -> (Self, SqliteStore) {
        static EMPTY: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
        let empty = EMPTY.get_or_init(|| {
            let (place, store) = Self::created();
            drop(store);
            place.files().map(|path| std::fs::read(path).unwrap())
        });
        let place = Self::new();
        for (path, bytes) in place.files().iter().zip(empty) {
            std::fs::write(path, bytes).unwrap();
        }
        let store = place.open();
        (place, store)
    }

    fn files(&self) -> [PathBuf; 2] {
        [self.database(), self.guard()]
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join("memory.db")
    }

    pub(crate) fn guard(&self) -> PathBuf {
        self.folder.path().join("last-checkpoint")
    }

    pub(crate) fn options(&self) -> Options {
        Self::options_in(self.folder.path(), self.number)
    }

    /// Opens the store of another process's [`Place::new`].
    pub(crate) fn open_in(folder: &Path) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(Self::options_in(folder, 7))
    }

    fn options_in(folder: &Path, number: u8) -> Options {
        let guard = folder.join("last-checkpoint");
        // A busy machine may hold the lock of another process for long.
        let options = Options::writable(folder.join("memory.db"), signer_of(number), guard)
            .with_patience(Duration::from_secs(60));
        match folder.join("keys").exists() {
            true => options.sealed(keys_in(folder, number).into()),
            false => options,
        }
    }

    pub(crate) fn create(&self) -> SqliteStore {
        SqliteStore::create(self.options()).unwrap()
    }

    pub(crate) fn open(&self) -> SqliteStore {
        SqliteStore::open(self.options()).unwrap()
    }

    /// A plain connection to the file, without the settings of the store.
    pub(crate) fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.database()).unwrap()
    }

    pub(crate) fn count(&self, sql: &str) -> u64 {
        self.raw().query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

fn keys_in(folder: &Path, number: u8) -> Box<dyn ContentKeys> {
    let log = signer_of(number).verifier_key().to_string();
    make_content_keys(&folder.join("keys"), &log).unwrap()
}

/// The signer of [`Place::new`].
pub(crate) fn signer() -> NoteSigner {
    signer_of(7)
}

fn signer_of(number: u8) -> NoteSigner {
    let key = SecretKey::from_seed([number; 32]);
    NoteSigner::new(&format!("log{number}.example"), key).unwrap()
}

pub(crate) fn agent(number: u8) -> Arc<dyn Signer> {
    Arc::new(AgentSigner::new(SecretKey::from_seed([number; 32])))
}

pub(crate) fn world(id: &str, text: &str) -> World {
    let source =
        json!({ "format": "chat", "conversation": "c", "session": "s", "position": id.len() });
    let data = json!({ "kind": "turn", "speaker": "Ada", "text": text, "source": source });
    let created_at = UnixMillis::new(1_700_000_000_000).unwrap();
    counterfoil_capsule::remember(WorldId::new(id).unwrap(), created_at, data).unwrap()
}

pub(crate) fn drafts(prefix: &str, count: usize) -> Vec<Draft> {
    (0..count)
        .map(|number| {
            Draft::new(world(
                &format!("{prefix}-{number}"),
                &format!("text {number}"),
            ))
        })
        .collect()
}

pub(crate) fn append(
    store: &SqliteStore,
    drafts: Vec<Draft>,
) -> Result<Vec<AppendReport>, StoreError> {
    block_on(store.append(agent(1), drafts))
}

/// Appends of agents that wait together because another process holds the store, once that lets go.
pub(crate) fn together<const N: usize>(
    place: &Place,
    store: &SqliteStore,
    appends: [(u8, Vec<Draft>); N],
) -> [Result<Vec<AppendReport>, StoreError>; N] {
    let other = place.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut waiting = appends.map(|(by, drafts)| Box::pin(store.append(agent(by), drafts)));
    let mut context = Context::from_waker(Waker::noop());
    for append in &mut waiting {
        assert!(append.as_mut().poll(&mut context).is_pending());
    }
    other.execute_batch("ROLLBACK").unwrap();
    waiting.map(block_on)
}

/// The audit finds nothing.
#[track_caller]
pub(crate) fn is_clean(store: &SqliteStore) {
    let report = block_on(store.audit_deep()).unwrap();
    assert!(report.is_clean(), "{:#?}", report.differences);
}

/// Asserts that a result is the expected error.
macro_rules! assert_refused {
    ($refused:expr, $expected:pat) => {{
        let refused = $refused;
        assert!(matches!(refused, Err($expected)), "{refused:?}");
    }};
}
pub(crate) use assert_refused;

/// Set for child processes alone.
const FOLDER: &str = "COUNTERFOIL_TEST_FOLDER";
const NAME: &str = "COUNTERFOIL_TEST_NAME";

/// Returns the folder and the name with which this process was started, if it is a [`Child`].
pub(crate) fn given() -> Option<(PathBuf, String)> {
    let folder = std::env::var_os(FOLDER)?;
    Some((folder.into(), std::env::var(NAME).unwrap()))
}

/// Prints a line for the parent of a [`Child`].
pub(crate) fn say(what: &str) {
    let line = format!("say {what}\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

/// A test that is run again in a process of its own.
pub(crate) struct Child {
    process: std::process::Child,
    to: ChildStdin,
    from: Lines<BufReader<ChildStdout>>,
}

impl Child {
    pub(crate) fn start(test: &str, place: &Place, name: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(FOLDER, place.folder.path())
            .env(NAME, name)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            to: process.stdin.take().unwrap(),
            from: BufReader::new(process.stdout.take().unwrap()).lines(),
            process,
        }
    }

    pub(crate) fn tell(&mut self, what: &str) {
        writeln!(self.to, "{what}").unwrap();
    }

    /// What the child says, until it ends.
    pub(crate) fn heard(&mut self) -> impl Iterator<Item = String> {
        let lines = self.from.by_ref().map_while(Result::ok);
        lines.filter_map(|line| Some(line.split_once("say ")?.1.to_owned()))
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn ends_well(&mut self) -> bool {
        self.process.wait().unwrap().success()
    }

    /// Kills a child once it has said so many lines, and returns all that it said.
    pub(crate) fn killed_after(test: &str, place: &Place, name: &str, lines: usize) -> Vec<String> {
        let mut child = Self::start(test, place, name);
        let mut said: Vec<String> = child.heard().take(lines).collect();
        assert_eq!(said.len(), lines, "{name}: the child ended by itself");
        child.process.kill().unwrap();
        said.extend(child.heard());
        child.process.wait().unwrap();
        said
    }
}
