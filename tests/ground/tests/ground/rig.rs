//! A log in a database, and its nodes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use counterfoil_ground_tests::{Server, server};
use counterfoil_life::Life as _;
use counterfoil_life_tests::support::id;
pub(crate) use counterfoil_life_tests::support::world;
use counterfoil_postgres::{GroundSettings, PostgresGround};
use counterfoil_sqlite::{Options, SqliteStore};
pub(crate) use counterfoil_store::conformance::block_on;
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{AppendReport, CapsuleLog as _, Draft, MemoryStore as _, StoreError};
use counterfoil_types::Sha256Hash;
use tempfile::TempDir;

/// A database, and the log in it that all nodes share.
pub(crate) struct Shared<'s> {
    server: Option<&'s Server>,
    pub(crate) settings: GroundSettings,
}

/// One node: a store in a folder of its own.
pub(crate) struct Node {
    pub(crate) store: SqliteStore,
    _folder: Option<TempDir>,
    pub(crate) name: &'static str,
}

pub(crate) fn signer() -> NoteSigner {
    NoteSigner::new("ground.example/log", SecretKey::from_seed([9; 32])).unwrap()
}

pub(crate) fn agent() -> Arc<dyn Signer> {
    Arc::new(AgentSigner::new(SecretKey::from_seed([3; 32])))
}

impl Shared<'static> {
    pub(crate) fn new() -> Option<Self> {
        Some(Self::of(server()?))
    }
}

impl Shared<'static> {
    /// A log in the database of another process.
    pub(crate) fn at(url: String) -> Self {
        Self {
            server: None,
            settings: GroundSettings::new(url),
        }
    }
}

impl<'s> Shared<'s> {
    pub(crate) fn of(server: &'s Server) -> Self {
        let settings = GroundSettings::new(server.database());
        PostgresGround::new(settings.clone())
            .unwrap()
            .migrate()
            .unwrap();
        Self {
            server: Some(server),
            settings,
        }
    }

    /// The same with a database of its own for the keys of content.
    pub(crate) fn with_keys_apart(server: &'s Server) -> Self {
        let mut shared = Self::of(server);
        shared.settings.keys_url = Some(server.database());
        PostgresGround::new(shared.settings.clone())
            .unwrap()
            .migrate()
            .unwrap();
        shared
    }

    /// The same log through another port.
    pub(crate) fn through(&self, port: u16) -> Self {
        let mut settings = self.settings.clone();
        let own = format!(":{}/", self.server().port());
        settings.url = settings.url.replace(&own, &format!(":{port}/"));
        Self {
            server: self.server,
            settings,
        }
    }

    /// Keeps the rows of the log as they are now, in tables of their own.
    pub(crate) fn copied(&self) -> Vec<String> {
        ["log", "commit", "entry", "beside"]
            .map(|table| {
                self.sql(&format!(
                    "CREATE TABLE kept_{table} AS SELECT * FROM counterfoil.{table}"
                ));
                table.to_owned()
            })
            .into()
    }

    /// Puts those rows back, as a standby that was promoted too early would.
    pub(crate) fn restored(&self, tables: &[String]) {
        for table in tables {
            self.sql(&format!(
                "SET session_replication_role = replica; DELETE FROM counterfoil.{table}; \
                 INSERT INTO counterfoil.{table} SELECT * FROM kept_{table}"
            ));
        }
    }

    pub(crate) fn server(&self) -> &'s Server {
        self.server.unwrap()
    }

    /// Name of the database.
    pub(crate) fn database(&self) -> &str {
        self.settings.url.rsplit('/').next().unwrap()
    }

    pub(crate) fn sql(&self, sql: &str) -> String {
        self.server().sql(self.database(), sql)
    }

    /// The same log on another server that holds it.
    pub(crate) fn on<'o>(&self, server: &'o Server) -> Shared<'o> {
        Shared {
            server: Some(server),
            settings: self.settings.clone(),
        }
    }

    /// The same with short limits, at which the server ends what a stopped node has begun.
    pub(crate) fn impatient(&self) -> Self {
        let mut settings = self.settings.clone();
        settings.statement = Duration::from_secs(2);
        Self {
            server: self.server,
            settings,
        }
    }

    /// A new node, with an empty disk.
    pub(crate) fn node(&self, name: &'static str) -> Node {
        let folder = tempfile::tempdir().unwrap();
        let store = self.store_in(folder.path(), name);
        Node {
            store,
            _folder: Some(folder),
            name,
        }
    }

    /// The node in a folder, which is made where there is none.
    pub(crate) fn node_in(&self, folder: &Path, name: &'static str) -> Node {
        Node {
            store: self.store_in(folder, name),
            _folder: None,
            name,
        }
    }

    fn store_in(&self, folder: &Path, name: &str) -> SqliteStore {
        let ground = Arc::new(PostgresGround::new(self.settings.clone()).unwrap());
        let options = options(folder, &ground, name);
        match folder.join("memory.db").exists() {
            true => SqliteStore::open(options).unwrap(),
            false => SqliteStore::create(options).unwrap(),
        }
    }
}

fn options(folder: &Path, ground: &Arc<PostgresGround>, name: &str) -> Options {
    let log = ground.log(&signer().verifier_key().to_string(), name);
    Options::writable(folder.join("memory.db"), signer(), folder.join("guard"))
        .with_patience(Duration::from_secs(60))
        .with_ground(Arc::new(log))
}

impl Node {
    /// The node as the next process finds it.
    pub(crate) fn reopened(self, shared: &Shared<'_>) -> Self {
        let folder = self.store.path().parent().unwrap().to_owned();
        drop(self.store);
        let store = shared.store_in(&folder, self.name);
        Self { store, ..self }
    }

    pub(crate) fn append(&self, id: &str, text: &str) -> Result<AppendReport, StoreError> {
        block_on(self.store.append_one(agent(), Draft::new(world(id, text))))
    }

    pub(crate) fn follow(&self) -> Result<u64, StoreError> {
        block_on(self.store.follow())
    }

    pub(crate) fn text(&self, world_id: &str) -> Option<String> {
        let found = block_on(self.store.get(&id(world_id))).unwrap();
        found.map(|world| world.to_value().to_string())
    }

    /// Tests whether a word is in a file of the node.
    pub(crate) fn holds(&self, word: &str) -> bool {
        let folder = self.store.path().parent().unwrap();
        let files = std::fs::read_dir(folder)
            .unwrap()
            .map(|it| std::fs::read(it.unwrap().path()).unwrap());
        let found = |bytes: &[u8]| {
            bytes
                .windows(word.len())
                .any(|part| part == word.as_bytes())
        };
        files.into_iter().any(|bytes| found(&bytes))
    }

    pub(crate) fn digest(&self) -> Sha256Hash {
        block_on(counterfoil_life::Backend::read(&self.store, |txn| {
            txn.index_digest()
        }))
        .unwrap()
    }

    /// Checks all of the node, and that its index is the one that follows from its log.
    pub(crate) fn is_clean(&self) {
        let report = block_on(self.store.audit_deep()).unwrap();
        assert_eq!(report.differences, []);
    }
}
