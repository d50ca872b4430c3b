//! The log as others read it, in the formats of C2SP. What is printed was checked before.

use counterfoil_life::Life as _;
use std::path::Path;

use base64::{Engine, engine::general_purpose::STANDARD};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, StoreError, StoreLocation};
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::dangerous::{root_from_inclusion_proof, verify_consistency};

use crate::error::Error;
use crate::floor::checkpoint_in;
use crate::memory::Memory;
use crate::report::{Report, object};

impl Memory {
    /// The signed checkpoint of the log (C2SP tlog-checkpoint).
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for an empty log.
    pub async fn checkpoint(&self) -> Result<Report, Error> {
        let note = self.reader()?.checkpoint().await?.ok_or_else(empty)?;
        let checkpoint = checkpoint_in(&note).ok_or_else(damaged)?;
        Report::new(
            &object()
                .with("origin", checkpoint.origin())
                .with("size", checkpoint.size())
                .with("root", base64(checkpoint.root()))
                .with("note", note),
        )
    }

    /// Proof that the log of one size begins with the log of another; checked before it is given.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for sizes that the log has not had.
    pub async fn consistency(&self, from: u64, to: Option<u64>) -> Result<Report, Error> {
        let store = self.reader()?;
        let size = store.size().await?;
        let to = to.unwrap_or(size);
        if from == 0 || from > to || to > size {
            return Err(Error::input(
                format_args!("there is no proof from {from} to {to} in a log of {size} entries"),
                "choose 1 <= --from <= --to within it",
            ));
        }
        let (old, new) = (root_at(&store, from).await?, root_at(&store, to).await?);
        let hashes = store.consistency(from, to).await?;
        verify_consistency((from, old), (to, new), &hashes)
            .map_err(|error| Error::refused(error, "run `counterfoil audit`"))?;
        if to == size {
            let note = store.checkpoint().await?.ok_or_else(empty)?;
            let signed = checkpoint_in(&note);
            let _ = signed
                .filter(|checkpoint| checkpoint.root() == new)
                .ok_or_else(damaged)?;
        }
        let tree = |size: u64, root| object().with("size", size).with("root", base64(root));
        let hashes: Vec<_> = hashes.into_iter().map(base64).collect();
        Report::new(
            &object()
                .with("from", tree(from, old))
                .with("to", tree(to, new))
                .with("hashes", hashes),
        )
    }

    /// Writes the log as static files (C2SP tlog-tiles) into a folder, which is made where it is not there.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for an empty log, and when the folder cannot be written.
    pub async fn export_tiles(&self, folder: &Path) -> Result<Report, Error> {
        let store = self.reader()?;
        if store.size().await? == 0 {
            return Err(empty());
        }
        std::fs::create_dir_all(folder).map_err(|error| {
            Error::input(
                format_args!("the folder {} cannot be made ({error})", folder.display()),
                "choose another one",
            )
        })?;
        let tree_size = store.export_tiles(folder).await?;
        Report::new(
            &object()
                .with("folder", folder.display().to_string())
                .with("treeSize", tree_size),
        )
    }
}

/// The root that the last entry of the log at `size` leads to.
pub(crate) async fn root_at(store: &SqliteStore, size: u64) -> Result<Sha256Hash, Error> {
    let last = size.saturating_sub(1);
    let capsule = store.capsule(last).await?.ok_or_else(|| {
        Error::from(StoreError::corrupt(
            StoreLocation::entry("capsule", last),
            "there is no capsule",
        ))
    })?;
    let path = store.inclusion(last, size).await?;
    root_from_inclusion_proof(last, size, &capsule.entry.leaf_hash(), &path)
        .map_err(|error| Error::refused(error, "run `counterfoil audit`"))
}

fn empty() -> Error {
    Error::input("the log is empty", "remember something first")
}

fn damaged() -> Error {
    Error::refused(
        "the signed checkpoint is not that of the log",
        "run `counterfoil audit`",
    )
}

fn base64(hash: Sha256Hash) -> String {
    STANDARD.encode(hash.as_bytes())
}
