//! A real store in a folder of its own, with keys, and a selector over it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use counterfoil_capsule::{AgentSigner, SecretKey, World};
use counterfoil_prover::{MemoryVerifier, MerkleProver};
use counterfoil_selector::TextSelector;
use counterfoil_sqlite::{Options, SqliteStore, System};
use counterfoil_store::log::NoteSigner;
use counterfoil_store::vectors::{Embedder, MAX_VECTORS, TextSide, VectorIndex};
use counterfoil_store::{CapsuleLog, Draft};
use counterfoil_types::{ActorKind, ActorRef, WorldId};
use counterfoil_verifier::{Anchors, LogAnchor, MerkleVerifier};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// How many Worlds go into one append.
const BATCH: usize = 1_024;

/// The parts, and the runtime that drives them.
pub struct Rig {
    /// The store, which is its own index.
    pub store: Arc<SqliteStore>,
    /// Proves by method `merkle`, and trusts the store's log.
    pub prover: Arc<dyn MemoryVerifier>,
    /// Selects from the store.
    pub selector: TextSelector,
    runtime: Runtime,
    folder: TempDir,
}

impl Rig {
    /// An empty store.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn new() -> Result<Self> {
        let folder = TempDir::new()?;
        let signer = NoteSigner::new("bench.example/log", SecretKey::from_seed([7; 32]))?;
        let log = LogAnchor::new(signer.verifier_key().clone());
        let anchors = Anchors::new(vec![log])?;
        let options = Options::writable(
            folder.path().join("memory.db"),
            signer,
            folder.path().join("last-checkpoint"),
        );
        let store = Arc::new(SqliteStore::create(options)?);
        let prover: Arc<dyn MemoryVerifier> =
            Arc::new(MerkleProver::new(MerkleVerifier::new(anchors)));
        let clock = Arc::new(System);
        let selector = TextSelector::new(store.clone(), store.clone(), prover.clone(), clock);
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        Ok(Self {
            store,
            prover,
            selector,
            runtime,
            folder,
        })
    }

    /// Appends Worlds in order, in large batches.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn fill(&self, worlds: impl IntoIterator<Item = World>) -> Result<()> {
        let signer = Arc::new(AgentSigner::new(SecretKey::from_seed([9; 32])));
        let mut worlds = worlds.into_iter().peekable();
        while worlds.peek().is_some() {
            let drafts: Vec<Draft> = worlds.by_ref().take(BATCH).map(Draft::new).collect();
            self.wait(self.store.append(signer.clone(), drafts))?;
        }
        Ok(())
    }

    /// Makes the vectors of all Worlds.
    ///
    /// # Errors
    /// When the encoder or the store fails.
    pub fn embed(&self, encoder: &dyn Embedder) -> Result<()> {
        loop {
            let page = self.wait(self.store.without_vector(0, MAX_VECTORS))?;
            let (indexes, texts): (Vec<u64>, Vec<String>) = page.into_iter().unzip();
            if texts.is_empty() {
                return Ok(());
            }
            let vectors = encoder.embed(&texts, TextSide::Memory);
            let vectors = vectors.map_err(anyhow::Error::from_boxed)?;
            let vectors = indexes.into_iter().zip(vectors).collect();
            self.wait(self.store.add_vectors(encoder.model(), vectors))?;
        }
    }

    /// The World that was appended last.
    ///
    /// # Errors
    /// When the store is empty or can't be read.
    pub fn latest(&self) -> Result<WorldId> {
        self.wait(self.store.latest_world())?
            .context("the store is empty")
    }

    /// Drives a future to its end.
    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// The database file.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.folder.path().join("memory.db")
    }
}

/// Who asks.
///
/// # Errors
/// None.
pub fn actor() -> Result<ActorRef> {
    Ok(ActorRef::new("bench", ActorKind::System)?)
}
