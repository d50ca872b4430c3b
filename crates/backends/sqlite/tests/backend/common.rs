//! Shared by the tests of the backend: a folder, keys, and an executor of ten lines.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use counterfoil_capsule::{AgentSigner, SecretKey, Signer, World};
use counterfoil_sqlite::{Depth, Options, SqliteStore};
pub(crate) use counterfoil_store::conformance::block_on;
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{AppendReport, CapsuleLog, Draft, StoreError};
use counterfoil_types::{UnixMillis, WorldId};
use serde_json::json;
use tempfile::TempDir;

/// A folder with a database, and one beside it for what belongs with the keys.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join("memory.db")
    }

    pub(crate) fn guard(&self) -> PathBuf {
        self.folder.path().join("last-checkpoint")
    }

    pub(crate) fn options(&self) -> Options {
        Self::options_in(self.folder.path())
    }

    pub(crate) fn options_in(folder: &Path) -> Options {
        Options::writable(
            folder.join("memory.db"),
            signer(),
            folder.join("last-checkpoint"),
        )
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
}

pub(crate) fn signer() -> NoteSigner {
    NoteSigner::new("tests.example/log", SecretKey::from_seed([7; 32])).unwrap()
}

pub(crate) fn agent(number: u8) -> Arc<dyn Signer> {
    Arc::new(AgentSigner::new(SecretKey::from_seed([number; 32])))
}

pub(crate) fn world(id: &str, text: &str) -> World {
    let source =
        json!({ "format": "chat", "conversation": "c", "session": "s", "position": id.len() });
    let data = json!({ "kind": "turn", "speaker": "Ada", "text": text, "source": source });
    let created_at = UnixMillis::new(1_700_000_000_000).unwrap();
    World::remember(WorldId::new(id).unwrap(), created_at, data).unwrap()
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

/// The audit finds nothing.
#[track_caller]
pub(crate) fn is_clean(store: &SqliteStore) {
    let report = block_on(store.audit(Depth::Deep)).unwrap();
    assert!(report.is_clean(), "{:#?}", report.differences);
}
