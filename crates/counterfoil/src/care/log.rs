//! The log as others read it, in the formats of C2SP. What is printed was checked before.

use counterfoil_life::{Backend as _, Life as _, map};
use std::path::Path;

use base64::{Engine, engine::general_purpose::STANDARD};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, StoreError, StoreLocation};
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::dangerous::{
    checkpoint_signed_by, root_from_inclusion_proof, verify_consistency,
};

use crate::error::Error;
use crate::floor::checkpoint_in;
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::words::count;

/// Most archived entries that an error lists.
const MAX_LISTED: usize = 10;

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
            .map_err(|error| Error::refused(error, "run `counterfoil check`"))?;
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

    /// The root of the map that the newest checkpoint binds (docs/format/standing.md §7), as the log has signed it.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for an empty log, [`ErrorKind::Unproven`](crate::ErrorKind::Unproven) while its
    /// checkpoint binds no map.
    pub async fn log_map(&self) -> Result<Report, Error> {
        let note = self.reader()?.checkpoint().await?.ok_or_else(empty)?;
        let key = self.home().log_public()?;
        let signed = checkpoint_signed_by(&key, &note).ok_or_else(damaged)?;
        let bound = signed.map_root().ok_or_else(unbound)?;
        Report::new(
            &object()
                .with("size", signed.size())
                .with("mapRoot", base64(bound)),
        )
    }

    /// The same, after the map was computed again from entries, headers and records alone, and their log was compared with the
    /// checkpoint. What the store keeps of the map is not read.
    ///
    /// # Errors
    /// As [`Memory::log_map`]; [`ErrorKind::Unproven`](crate::ErrorKind::Unproven) also while headers lie in an archive,
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) when the entries make another log than the one that was signed.
    /// [`Report::problem`] says that they make another map.
    pub async fn check_log_map(&self) -> Result<Report, Error> {
        let key = self.home().log_public()?;
        // Entries and checkpoint of one moment.
        let read = move |txn: &dyn counterfoil_life::Txn| {
            let (size, note) = txn.head()?;
            let signed = checkpoint_signed_by(&key, &note).filter(|it| it.size() == size);
            let archived = map::archived(txn)?;
            let roots = match &signed {
                Some(signed) if archived.is_empty() && signed.map_root().is_some() => {
                    Some(map::recompute(txn, signed.origin(), size)?)
                }
                _ => None,
            };
            Ok((size, signed, archived, roots))
        };
        let (size, signed, archived, roots) = self.reader()?.read(read).await?;
        if size == 0 {
            return Err(empty());
        }
        let signed = signed.ok_or_else(damaged)?;
        let bound = signed.map_root().ok_or_else(unbound)?;
        let Some(roots) = roots else {
            return Err(not_here(&archived));
        };
        if roots.log != signed.root() {
            return Err(damaged());
        }
        let is_same = roots.map == bound;
        let problem = Error::unproven(
            "the map of the log is not the one that the signed checkpoint binds",
            "run `counterfoil check`, and don't rely on the standing of memories under this checkpoint",
        );
        let checked = object()
            .with("size", size)
            .with("mapRoot", base64(bound))
            .with("computed", base64(roots.map))
            .with("holds", is_same);
        Ok(Report::new(&checked)?.but((!is_same).then_some(problem)))
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
        .map_err(|error| Error::refused(error, "run `counterfoil check`"))
}

fn empty() -> Error {
    Error::input("the log is empty", "remember something first")
}

fn unbound() -> Error {
    Error::unproven(
        "the newest checkpoint binds no map",
        "the next entry's does: remember something first",
    )
}

fn not_here(archived: &[u64]) -> Error {
    let first: Vec<String> = archived
        .iter()
        .take(MAX_LISTED)
        .map(u64::to_string)
        .collect();
    let more = if archived.len() > first.len() {
        ", …"
    } else {
        ""
    };
    let number = u64::try_from(archived.len()).unwrap_or(u64::MAX);
    Error::unproven(
        format_args!(
            "the headers of {} lie in an archive ({}{more}), so the map cannot be computed",
            count(number, "entry", "entries"),
            first.join(", ")
        ),
        "bring them back with `counterfoil restore --all`",
    )
}

fn damaged() -> Error {
    Error::refused(
        "the signed checkpoint is not that of the log",
        "run `counterfoil check`",
    )
}

fn base64(hash: Sha256Hash) -> String {
    STANDARD.encode(hash.as_bytes())
}
