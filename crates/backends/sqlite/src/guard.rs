//! Keeps the last signed checkpoint apart from the database, so that a restored backup does not
//! sign a second history (proof.md 5, capsules 4.5).
//!
//! What edits to this file gain: setting it back hides that the database was set back; the
//! verifiers' floors and witnesses still notice. Setting it forward stops all writing.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use counterfoil_store::StoreError;
use counterfoil_store::log::{self, NodeReader, NoteSigner};
use counterfoil_verifier::checkpoint::Checkpoint;

use crate::connection::io_error;

/// A note and a name: nothing that is larger was written here.
const MAX_BYTES: u64 = 16 * 1024;

/// The file that holds the last signed checkpoint.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    path: PathBuf,
    signer: Arc<NoteSigner>,
}

impl Guard {
    pub(crate) fn new(path: PathBuf, signer: Arc<NoteSigner>) -> Self {
        Self { path, signer }
    }

    /// Refuses unless the log in the database continues the history that was signed last.
    /// A database that is ahead is fine: a process ended between its commit and this file.
    pub(crate) fn check(&self, nodes: &dyn NodeReader, size: u64) -> Result<(), StoreError> {
        let Some(signed) = self.read()? else {
            return if size == 0 {
                Ok(())
            } else {
                Err(self.absent(size))
            };
        };
        if signed.size() > size {
            return Err(self.behind(signed.size(), size));
        }
        if log::root(nodes, signed.size())? != signed.root() {
            return Err(self.other_history(signed.size()));
        }
        Ok(())
    }

    /// Replaces the checkpoint by a later one. Two processes may do so at once: the file never
    /// goes back.
    pub(crate) fn advance(&self, size: u64, note: &str) -> Result<(), StoreError> {
        let lock = self.lock()?;
        if self.read()?.is_none_or(|signed| signed.size() < size) {
            self.replace(note)
                .map_err(|error| io_error("writing the last checkpoint", &self.path, &error))?;
        }
        drop(lock);
        Ok(())
    }

    /// The checkpoint in the file; `None` when there is no file.
    fn read(&self) -> Result<Option<Checkpoint>, StoreError> {
        let doing = "reading the last checkpoint";
        match fs::metadata(&self.path) {
            Ok(metadata) if metadata.len() > MAX_BYTES => return Err(self.unreadable()),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error(doing, &self.path, &error)),
        }
        let bytes = fs::read(&self.path).map_err(|error| io_error(doing, &self.path, &error))?;
        let note = String::from_utf8(bytes).map_err(|_| self.unreadable())?;
        self.signer
            .recognise(&note)
            .map(Some)
            .ok_or_else(|| self.unreadable())
    }

    /// Held while the file is replaced; released when dropped.
    fn lock(&self) -> Result<File, StoreError> {
        let path = beside(&self.path, ".lock");
        let doing = "locking the last checkpoint";
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| io_error(doing, &path, &error))?;
        file.lock()
            .map_err(|error| io_error(doing, &path, &error))?;
        Ok(file)
    }

    /// The new content is on disk before it has the name, so the file is always whole.
    fn replace(&self, note: &str) -> std::io::Result<()> {
        let part = beside(&self.path, ".part");
        let mut file = File::create(&part)?;
        file.write_all(note.as_bytes())?;
        file.sync_data()?;
        fs::rename(part, &self.path)
    }

    fn absent(&self, size: u64) -> StoreError {
        self.mismatch(&format!(
            "is not there, but the database holds {size} entries: put it back beside the keys, or, \
             after comparing it with a checkpoint that others have, write the output of \
             `counterfoil log checkpoint` into it"
        ))
    }

    fn behind(&self, signed: u64, size: u64) -> StoreError {
        self.mismatch(&format!(
            "has signed {signed} entries, but the database holds only {size}: it looks like a \
             restored backup, which may be read but not written. Put the later database back, or \
             start a new store and import from this one"
        ))
    }

    fn other_history(&self, signed: u64) -> StoreError {
        self.mismatch(&format!(
            "has signed another history of {signed} entries than the database holds, which may be \
             read but not written. Put the database back that belongs to these keys, or start a \
             new store"
        ))
    }

    fn unreadable(&self) -> StoreError {
        self.mismatch(
            "is not a checkpoint that this log has signed: put the right file back beside the keys",
        )
    }

    fn mismatch(&self, what: &str) -> StoreError {
        StoreError::GuardMismatch {
            detail: format!("{} {what}", self.path.display()),
        }
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
