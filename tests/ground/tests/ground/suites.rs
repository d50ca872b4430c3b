//! The suites of every store, on nodes of a shared ground: each store has a database of its own, as all have the same log.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use counterfoil_ground_tests::Server;
use counterfoil_life::commit::BESIDE;
use counterfoil_life::port::{Select, Value};
use counterfoil_life::{Backend as _, Life as _};
use counterfoil_life_tests::{LifeRig, run_archives, run_erasure, run_forks, run_receiving};
use counterfoil_postgres::{GroundSettings, PostgresGround};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::StoreError;
use counterfoil_store::conformance::{Factory, Setup, block_on, run_all, run_claims, run_exchange};
use counterfoil_types::{DidKey, WorldId};
use tempfile::TempDir;

use crate::rig::Shared;

const DATABASE: &str = "memory.db";

/// Stores in folders that remain until the suite ends, each with its ground.
struct Nodes {
    server: &'static Server,
    folders: Mutex<Vec<TempDir>>,
    grounds: Mutex<HashMap<PathBuf, GroundSettings>>,
}

impl Nodes {
    fn new() -> Option<Self> {
        Some(Self {
            server: counterfoil_ground_tests::server()?,
            folders: Mutex::default(),
            grounds: Mutex::default(),
        })
    }

    fn options(&self, folder: &Path, setup: &Setup) -> Options {
        let mut grounds = self.grounds.lock().unwrap();
        let settings = grounds
            .entry(folder.to_owned())
            .or_insert_with(|| Shared::with_keys_apart(self.server).settings);
        node_of(settings, folder, setup, "writer")
    }

    /// A node that comes late has the same index as the one that has written, and both are whole.
    fn check_whole(self, setup: &Setup) {
        for (folder, ground) in self.grounds.into_inner().unwrap() {
            let store = SqliteStore::open(node_of(&ground, &folder, setup, "writer")).unwrap();
            let size = block_on(store.follow()).unwrap();
            let place = tempfile::tempdir().unwrap();
            let late = SqliteStore::create(node_of(&ground, place.path(), setup, "late")).unwrap();
            match block_on(late.follow()) {
                // One case appends a record that is none of its kind.
                Err(StoreError::Commit { detail }) if detail.contains("E_RECORD") => continue,
                followed => assert_eq!(followed.unwrap(), size),
            }
            let digest =
                |store: &SqliteStore| block_on(store.read(|txn| txn.index_digest())).unwrap();
            assert_eq!(digest(&store), digest(&late), "{}", folder.display());
            assert_eq!(beside(&store), beside(&late), "{}", folder.display());
            let mut differences = block_on(late.audit_deep()).unwrap().differences;
            // The cases of exchanges name memories that never were.
            differences.retain(|(place, _)| !place.to_string().contains("claim_heard"));
            assert_eq!(differences, []);
        }
    }
}

fn node_of(settings: &GroundSettings, folder: &Path, setup: &Setup, name: &str) -> Options {
    let signer = setup.note_signer().unwrap();
    let ground = Arc::new(PostgresGround::new(settings.clone()).unwrap());
    let log = ground.log(&signer.verifier_key().to_string(), name);
    let options = Options::writable(folder.join(DATABASE), signer, folder.join("guard"))
        .with_clock(setup.clock.clone())
        .with_entropy(setup.entropy.clone())
        .with_patience(Duration::from_millis(500))
        .with_ground(Arc::new(log));
    match setup.floor {
        Some(floor) => options.with_floor(floor),
        None => options,
    }
}

/// All rows beside the log.
fn beside(store: &SqliteStore) -> Vec<Vec<Value>> {
    let read = block_on(store.read(|txn| {
        let mut rows = Vec::new();
        for table in BESIDE {
            txn.select(&Select::all(table), &mut |row| {
                rows.push(row);
                Ok(true)
            })?;
        }
        Ok(rows)
    }));
    read.unwrap()
}

impl LifeRig for Nodes {
    type Store = SqliteStore;

    fn folder(&self) -> PathBuf {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.unwrap();
        let path = folder.path().to_owned();
        self.folders.lock().unwrap().push(folder);
        path
    }

    fn create(&self, folder: &Path, setup: &Setup) -> SqliteStore {
        SqliteStore::create(self.options(folder, setup)).unwrap()
    }

    fn open(&self, folder: &Path, setup: &Setup) -> SqliteStore {
        SqliteStore::open(self.options(folder, setup)).unwrap()
    }

    fn copy(&self, from: &Path, to: &Path) {
        fs::copy(from.join(DATABASE), to.join(DATABASE)).unwrap();
    }

    fn reconcile(
        &self,
        _folder: &Path,
        _setup: &Setup,
        _own: DidKey,
        _lines: Vec<Vec<u8>>,
    ) -> Result<(Range<u64>, u64), StoreError> {
        Err(StoreError::Bug("a node is brought forward by its ground"))
    }

    fn bytes(&self, file: &Path) -> Vec<u8> {
        fs::read(file).unwrap()
    }
}

impl Factory for Nodes {
    type Store = SqliteStore;

    fn open(&self, setup: &Setup) -> SqliteStore {
        let folder = self.folder();
        self.create(&folder, setup)
    }

    fn reopen(&self, setup: &Setup, store: SqliteStore) -> SqliteStore {
        let folder = store.path().parent().unwrap().to_owned();
        drop(store);
        LifeRig::open(self, &folder, setup)
    }

    fn erase(&self, setup: &Setup, store: &SqliteStore, claim: &WorldId) -> bool {
        let erased = block_on(store.erase(setup.agent(1), claim, "asked to"));
        erased.is_ok_and(|certificate| certificate.is_some())
    }

    /// A node whose file lost its tables.
    fn broken(&self, setup: &Setup) -> SqliteStore {
        let store = Factory::open(self, setup);
        let folder = store.path().parent().unwrap().to_owned();
        self.grounds.lock().unwrap().remove(&folder);
        let file = rusqlite::Connection::open(store.path()).unwrap();
        file.execute_batch(
            "DROP TABLE head; DROP TABLE world; DROP TABLE chain; DROP TABLE body; DROP TABLE agent; DROP TABLE claim_agent;
             DROP TABLE trust_record; DROP TABLE trust; DROP TABLE exchange_item; DROP TABLE exchange_answer;
             DROP TABLE exchange_transition; DROP TABLE exchange; DROP TABLE claim_heard; DROP TABLE request_seen;
             DROP TABLE exchange_secret;",
        )
        .unwrap();
        store
    }
}

/// RCH-3: nodes of a shared ground are stores as any other.
#[test]
fn a_node_conforms() {
    let Some(nodes) = Nodes::new() else { return };
    let failures = block_on(run_all(&nodes));
    assert_eq!(failures, []);
    nodes.check_whole(&Setup::new());
}

/// RCH-3: and in what they keep of exchanges.
#[test]
fn a_node_conforms_in_what_it_keeps_of_exchanges() {
    let Some(nodes) = Nodes::new() else { return };
    assert_eq!(block_on(run_exchange(&nodes)), []);
    nodes.check_whole(&Setup::new());
}

/// RCH-3: a memory's life is the same on a node: erased, forgotten, archived, restored and forked.
#[test]
fn a_node_lives_as_any_other_store() {
    let Some(nodes) = Nodes::new() else { return };
    assert_eq!(run_erasure(&nodes), []);
    assert_eq!(run_archives(&nodes), []);
    assert_eq!(run_forks(&nodes), []);
    nodes.check_whole(&Setup::new());
}

/// RCH-3: and in what they say of claims and receive, which takes minutes: `cargo xtask bench reach`.
#[test]
#[ignore = "minutes"]
fn a_node_that_believes_and_receives_loses_nothing() {
    let Some(nodes) = Nodes::new() else { return };
    assert_eq!(block_on(run_claims(&nodes)), []);
    assert_eq!(run_receiving(&nodes), []);
    nodes.check_whole(&Setup::new());
}
