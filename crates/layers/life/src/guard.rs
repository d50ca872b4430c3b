//! Keeps the last signed checkpoint apart from the database, so that a restored backup does not
//! sign a second history (proof.md 5, capsules 4.5).
//!
//! Gain of an attacker who edits this file: set back, it hides that the database was set back; the
//! verifiers' floors and witnesses still notice. Set forward, it stops all writing.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use counterfoil_store::log::{self, NodeReader, NoteSigner};
use counterfoil_store::{StoreError, check_plain, open_plain};
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::dangerous::checkpoint_signed_by;
use counterfoil_verifier::note::VerifierKey;

use crate::files::{beside, io_error};
use crate::{Txn, journal};

/// A note and a name: nothing that is larger was written here.
const MAX_BYTES: u64 = 16 * 1024;
/// A disk writes so many bytes at the start of a file as a whole or not at all.
const SECTOR_BYTES: usize = 512;
const LOCKING: &str = "locking the last checkpoint";

/// Head of the log that a place outside of the store knows.
#[derive(Debug, Clone)]
pub enum KnownHead {
    /// A checkpoint that the log has signed.
    Signed {
        /// Name of the place.
        place: String,
        /// The checkpoint.
        checkpoint: Checkpoint,
        /// Its signed note.
        note: String,
    },
    /// A witness has contradicted the store.
    Contradicted {
        /// Name of the witness.
        place: String,
        /// Number of entries that it has cosigned.
        size: u64,
        /// Root of the store at that size, which the witness has refused; `None` where the store did not reach it.
        refused: Option<Sha256Hash>,
    },
}

impl KnownHead {
    fn place(&self) -> (&str, u64) {
        match self {
            Self::Signed {
                place, checkpoint, ..
            } => (place, checkpoint.size()),
            Self::Contradicted { place, size, .. } => (place, *size),
        }
    }

    /// Tests whether a log that reaches so far continues it.
    fn is_continued(&self, nodes: &dyn NodeReader) -> Result<bool, StoreError> {
        Ok(match self {
            Self::Signed { checkpoint, .. } => {
                log::root(nodes, checkpoint.size())? == checkpoint.root()
            }
            Self::Contradicted { size, refused, .. } => match refused {
                Some(refused) => log::root(nodes, *size)? != *refused,
                None => true,
            },
        })
    }
}

/// The file that holds the last signed checkpoint.
#[derive(Debug)]
pub struct Guard {
    path: PathBuf,
    signer: Arc<NoteSigner>,
    /// The same file outside of the store. A commit does not fail because it cannot be written.
    outside: Option<Box<Self>>,
    /// Checkpoints that other places hold.
    heads: Vec<KnownHead>,
    /// Last note of this process, which is recognised without verifying it.
    written: Option<(u64, String)>,
    /// The file and the one that is locked, kept open from one commit to the next.
    file: Option<KeptFile>,
    lock_file: Option<KeptFile>,
}

impl Guard {
    /// The file at `path`, which holds checkpoints of `signer` alone.
    pub const fn new(path: PathBuf, signer: Arc<NoteSigner>) -> Self {
        Self {
            path,
            signer,
            outside: None,
            heads: Vec::new(),
            written: None,
            file: None,
            lock_file: None,
        }
    }

    /// As [`new`](Self::new), with a second file at `outside`, apart from the store, that is written after this one, and with the
    /// checkpoints that other places hold. The log must continue each of them.
    #[must_use]
    pub fn with_outside(mut self, outside: Option<PathBuf>, heads: Vec<KnownHead>) -> Self {
        self.outside = outside.map(|path| Box::new(Self::new(path, Arc::clone(&self.signer))));
        self.heads = heads;
        self
    }

    /// Refuses unless the log in the database, whose size and checkpoint `head` states, continues the history that was signed last.
    /// A database that is ahead is fine: a process ended between its commit and this file.
    ///
    /// # Errors
    /// [`StoreError::GuardMismatch`] with the next step, [`StoreError::Behind`] for a head outside of the store; when file or
    /// nodes cannot be read.
    pub fn check(&self, nodes: &dyn NodeReader, head: (u64, &str)) -> Result<(), StoreError> {
        match self.check_first(nodes, head)? {
            true => Ok(()),
            false if head.0 == 0 => Ok(()),
            false => Err(self.mismatch(&format!(
                "is not there, but the database holds {} entries: put it back beside the keys, \
                 or, after comparing it with a checkpoint that others have, write the output of \
                 `counterfoil log checkpoint` into it",
                head.0
            ))),
        }
    }

    /// As [`Guard::check`], for a store that was made from another copy of its log just now: returns false where there is no
    /// file yet.
    ///
    /// # Errors
    /// As [`Guard::check`].
    pub fn check_first(
        &self,
        nodes: &dyn NodeReader,
        head: (u64, &str),
    ) -> Result<bool, StoreError> {
        let size = head.0;
        require_heads(nodes, head, &self.heads)?;
        if let Some(outside) = self.head_outside() {
            require_heads(nodes, head, &[outside])?;
        }
        let Some((checkpoint, _)) = self.held()? else {
            return Ok(false);
        };
        let signed = checkpoint.size();
        if signed > size {
            return Err(self.mismatch(&format!(
                "has signed {signed} entries, but the database holds only {size}: it looks like a \
                 restored backup, which may be read but not written. Put the later database back, \
                 or bring back what is missing with `counterfoil reconcile --from EXPORT`"
            )));
        }
        if log::root(nodes, signed)? != checkpoint.root() {
            return Err(self.mismatch(&format!(
                "has signed another history of {signed} entries than the database holds, which may \
                 be read but not written. Put the database back that belongs to these keys, or \
                 start a new store"
            )));
        }
        Ok(true)
    }

    /// Returns the last signed checkpoint that the file or a place outside of the store holds, and its note.
    ///
    /// # Errors
    /// [`StoreError::GuardMismatch`] when there is none, or one that this log has not signed; when it cannot be read.
    pub fn signed(&self) -> Result<(Checkpoint, String), StoreError> {
        let known = self.heads.iter().cloned().chain(self.head_outside());
        let known = known.filter_map(|known| match known {
            KnownHead::Signed {
                checkpoint, note, ..
            } => Some((checkpoint, note)),
            KnownHead::Contradicted { .. } => None,
        });
        let signed = self.held()?.into_iter().chain(known);
        let last = signed.max_by_key(|(checkpoint, _)| checkpoint.size());
        last.ok_or_else(|| self.unreadable())
    }

    /// The checkpoint in the file outside of the store. `None` where it cannot be read: a home that is closed or gone stops no
    /// writing.
    fn head_outside(&self) -> Option<KnownHead> {
        let outside = self.outside.as_ref()?;
        let (checkpoint, note) = outside.held().ok()??;
        Some(KnownHead::Signed {
            place: outside.path.display().to_string(),
            checkpoint,
            note,
        })
    }

    /// The checkpoint in the file, and its note; `None` when there is no file.
    fn held(&self) -> Result<Option<(Checkpoint, String)>, StoreError> {
        // It might be overwritten at this moment. A reader without the right to lock it goes on.
        let lock = self.lock();
        let held = self.read()?;
        drop(lock);
        let Some(held) = held else {
            return Ok(None);
        };
        let signed = self.recognise(&held)?;
        let note = String::from_utf8(held).map_err(|_| self.unreadable())?;
        Ok(Some((signed, note)))
    }

    /// The file beside this one that holds the last head of the journal, signed as a checkpoint: number of rows and last link
    /// in the place of size and root.
    ///
    /// # Errors
    /// As [`NoteSigner::new`].
    pub fn of_journal(&self) -> Result<Self, StoreError> {
        let signer = Arc::new(self.signer.of_journal()?);
        Ok(Self::new(beside(&self.path, ".journal"), signer))
    }

    /// Returns the note of the head of the journal, for [`Guard::advance`]. `None` while there is none, and where the head in
    /// the file is not on it: rows were removed or changed, and the file goes on saying so.
    ///
    /// # Errors
    /// When file or journal cannot be read.
    pub fn journal_note(&self, txn: &dyn Txn) -> Result<Option<(u64, String)>, StoreError> {
        let (rows, link) = journal::head(txn)?;
        if rows == 0 {
            return Ok(None);
        }
        let follows = match self.held() {
            Ok(Some((signed, _))) => {
                let link = journal::link_at(txn, signed.size())?;
                link.is_some_and(|link| link.as_bytes() == signed.root().as_bytes())
            }
            Ok(None) => true,
            Err(StoreError::GuardMismatch { .. }) => false,
            Err(other) => return Err(other),
        };
        if !follows {
            return Ok(None);
        }
        let root = Sha256Hash::from_bytes(*link.as_bytes());
        Ok(Some((rows, self.signer.checkpoint(rows, root)?)))
    }

    /// Removes the file: the journal as it is counts from now on.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn forget(&self) -> Result<(), StoreError> {
        match fs::remove_file(&self.path) {
            Err(error) if self.path.exists() => {
                Err(io_error("removing the last head", &self.path, &error))
            }
            _ => Ok(()),
        }
    }

    /// Replaces the checkpoint by a later one. Two processes may do so at once: the file never
    /// goes back.
    ///
    /// # Errors
    /// [`StoreError::GuardMismatch`] when the file is not a checkpoint of this log; when it cannot be written.
    pub fn advance(&mut self, size: u64, note: &str) -> Result<(), StoreError> {
        let path = self.lock_path();
        let locked = |error: std::io::Error| io_error(LOCKING, &path, &error);
        // After an error it is dropped, which releases it.
        let lock = KeptFile::at(&path, self.lock_file.take(), || Self::open_lock(&path));
        let lock = lock.map_err(locked)?;
        lock.file.lock().map_err(locked)?;
        self.advance_locked(size, note)?;
        lock.file.unlock().map_err(locked)?;
        self.lock_file = Some(lock);
        if let Some(outside) = &mut self.outside {
            // It lags then, which `check` shows.
            drop(outside.advance(size, note));
        }
        Ok(())
    }

    fn advance_locked(&mut self, size: u64, note: &str) -> Result<(), StoreError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        // Whoever may not write it may still find that it is late enough.
        let open = || check_plain(&self.path).and_then(|()| options.open(&self.path));
        let mut kept = KeptFile::at(&self.path, self.file.take(), open).ok();
        let held = match &mut kept {
            Some(kept) => self.read_open(|| kept.file.rewind().map(|()| &kept.file))?,
            None => self.read()?,
        };
        let signed = match (&held, &self.written) {
            (None, _) => None,
            (Some(held), Some((size, written))) if held == written.as_bytes() => Some(*size),
            (Some(held), _) => Some(self.recognise(held)?.size()),
        };
        if signed < Some(size) {
            let kept = kept.as_mut().map(|kept| &mut kept.file);
            self.write((kept, held.as_deref()), note)
                .map_err(|error| io_error("writing the last checkpoint", &self.path, &error))?;
            self.written = Some((size, note.to_owned()));
        }
        self.file = kept;
        Ok(())
    }

    /// The bytes of the file; `None` when there is no file.
    fn read(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.read_open(|| open_plain(&self.path))
    }

    fn read_open<F: Read>(
        &self,
        open: impl FnOnce() -> std::io::Result<F>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let mut bytes = Vec::with_capacity(SECTOR_BYTES);
        let read = open().and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
        match read {
            Ok(_) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io_error("reading the last checkpoint", &self.path, &error)),
        }
    }

    fn recognise(&self, held: &[u8]) -> Result<Checkpoint, StoreError> {
        std::str::from_utf8(held)
            .ok()
            .and_then(|note| self.signer.recognise(note))
            .ok_or_else(|| self.unreadable())
    }

    /// Held while the file is read; released when dropped.
    fn lock(&self) -> Result<File, StoreError> {
        let path = self.lock_path();
        let locked = Self::open_lock(&path).and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| io_error(LOCKING, &path, &error))
    }

    fn lock_path(&self) -> PathBuf {
        beside(&self.path, ".lock")
    }

    fn open_lock(path: &Path) -> std::io::Result<File> {
        check_plain(path)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).open(path)
    }

    /// The file is whole at any moment. It may lag behind a loss of power, since the database is
    /// on disk before and a database that is ahead is fine; so the ordinary case is one write in
    /// place, of as many bytes as there are, without a sync.
    fn write(
        &self,
        (file, held): (Option<&mut File>, Option<&[u8]>),
        note: &str,
    ) -> std::io::Result<()> {
        let same_length = held.is_some_and(|held| held.len() == note.len());
        if same_length && note.len() <= SECTOR_BYTES {
            let Some(file) = file else {
                let mut file = OpenOptions::new().write(true).open(&self.path)?;
                return file.write_all(note.as_bytes());
            };
            file.rewind()?;
            return file.write_all(note.as_bytes());
        }
        let part = beside(&self.path, ".part");
        check_plain(&part)?;
        let mut file = File::create(&part)?;
        file.write_all(note.as_bytes())?;
        file.sync_data()?;
        fs::rename(part, &self.path)
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

/// Returns the checkpoint in the file at `path`, if `key` has signed it, and its note; `None` when there is no file.
///
/// # Errors
/// [`StoreError::GuardMismatch`] for anything else that is in the file; when it cannot be read.
pub fn signed_in(
    path: &Path,
    key: &VerifierKey,
) -> Result<Option<(Checkpoint, String)>, StoreError> {
    // It might be overwritten at this moment. A reader without the right to lock it goes on.
    let lock = File::open(beside(path, ".lock")).and_then(|file| file.lock_shared().map(|()| file));
    let mut note = String::new();
    let read = open_plain(path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut note));
    drop(lock);
    match read {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("reading the last checkpoint", path, &error)),
    }
    match checkpoint_signed_by(key, &note) {
        Some(checkpoint) => Ok(Some((checkpoint, note))),
        None => Err(StoreError::GuardMismatch {
            detail: format!(
                "{} is not a checkpoint that this log has signed",
                path.display()
            ),
        }),
    }
}

/// Refuses a log that does not continue each of `heads`. `size` and `checkpoint` are the head that the database states; one that
/// is known outside by the very bytes is continued, whatever is found when the entries under it are read.
///
/// # Errors
/// [`StoreError::Behind`] with the place and the next step; when nodes cannot be read.
pub fn require_heads(
    nodes: &dyn NodeReader,
    (size, checkpoint): (u64, &str),
    heads: &[KnownHead],
) -> Result<(), StoreError> {
    let is_stated =
        |head: &&KnownHead| matches!(head, KnownHead::Signed { note, .. } if note == checkpoint);
    for head in heads.iter().filter(|head| !is_stated(head)) {
        let (place, known) = head.place();
        let what = match known > size {
            true => format!("{known} entries of this log, and the database holds only {size}"),
            false if !head.is_continued(nodes)? => {
                format!("another history of {known} entries than the database holds")
            }
            false => continue,
        };
        return Err(StoreError::Behind {
            detail: format!(
                "{place} knows {what}: it was put back to an earlier state, so nothing is read from it or written to it. Put the \
                 later database back, or run `counterfoil reconcile --from EXPORT`; `--unsafe` reads what is there"
            ),
        });
    }
    Ok(())
}

/// A file that stays open for as long as its path leads to it.
#[derive(Debug)]
struct KeptFile {
    file: File,
    identity: Option<Identity>,
}

/// Device and number of a file. No other file has the same while it is open.
type Identity = (u64, u64);

impl KeptFile {
    /// The file at `path`: `kept`, unless another has taken its place.
    fn at(
        path: &Path,
        kept: Option<Self>,
        open: impl FnOnce() -> std::io::Result<File>,
    ) -> std::io::Result<Self> {
        if let Some(kept) = kept
            && kept.identity.is_some()
            && kept.identity == identity(&fs::metadata(path)?)
        {
            return Ok(kept);
        }
        let file = open()?;
        let identity = identity(&file.metadata()?);
        Ok(Self { file, identity })
    }
}

#[cfg(unix)]
fn identity(found: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some((found.dev(), found.ino()))
}

/// Elsewhere files have no such name, and are opened each time.
#[cfg(not(unix))]
const fn identity(_found: &Metadata) -> Option<Identity> {
    None
}

#[cfg(test)]
mod tests {
    use counterfoil_capsule::SecretKey;
    use counterfoil_types::Sha256Hash;

    use super::*;

    fn note(signer: &NoteSigner, size: u64) -> String {
        let root = Sha256Hash::from_bytes([u8::try_from(size).unwrap(); 32]);
        signer.checkpoint(size, root).unwrap()
    }

    /// One process overwrites in place what another has replaced, and neither goes back.
    #[test]
    fn two_processes_keep_the_later_checkpoint_whole() {
        for name in ["guard.example", &"long".repeat(200)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("guard");
            let signer = NoteSigner::new(name, SecretKey::from_seed([4; 32])).unwrap();
            let signer = Arc::new(signer);
            let open = || Guard::new(path.clone(), Arc::clone(&signer));
            let (mut one, mut other) = (open(), open());
            let mut later = 0;
            for size in [1, 2, 9, 10, 8, 11, 99, 100, 100, 3, 101] {
                one.advance(size, &note(&signer, size)).unwrap();
                std::mem::swap(&mut one, &mut other);
                later = size.max(later);
                let held = fs::read_to_string(&path).unwrap();
                assert_eq!(held, note(&signer, later), "after {size}");
            }
            assert!(!beside(&path, ".part").exists());
        }
    }

    /// The files are known by their paths: one that another program has put in the place of an open one is read and locked.
    #[test]
    fn a_guard_that_was_replaced_is_the_one_that_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("guard");
        let signer =
            Arc::new(NoteSigner::new("guard.example", SecretKey::from_seed([4; 32])).unwrap());
        let mut guard = Guard::new(path.clone(), Arc::clone(&signer));
        guard.advance(4, &note(&signer, 4)).unwrap();
        guard.advance(5, &note(&signer, 5)).unwrap();
        let other = folder.path().join("other");
        fs::write(&other, note(&signer, 9)).unwrap();
        fs::rename(&other, &path).unwrap();
        guard.advance(6, &note(&signer, 6)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), note(&signer, 9));

        let lock = beside(&path, ".lock");
        fs::remove_file(&lock).unwrap();
        let taken = File::create(&lock).unwrap();
        taken.lock().unwrap();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| guard.advance(10, &note(&signer, 10)));
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert!(!waits.is_finished(), "another process holds the lock");
            taken.unlock().unwrap();
            waits.join().unwrap().unwrap();
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), note(&signer, 10));
    }

    /// The note that this process wrote last is known by its bytes; any other is examined.
    #[test]
    fn a_guard_that_was_edited_since_is_not_advanced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("guard");
        let signer =
            Arc::new(NoteSigner::new("guard.example", SecretKey::from_seed([4; 32])).unwrap());
        let mut guard = Guard::new(path.clone(), Arc::clone(&signer));
        guard.advance(4, &note(&signer, 4)).unwrap();
        let edited = fs::read_to_string(&path).unwrap().replace("\n4\n", "\n3\n");
        fs::write(&path, &edited).unwrap();
        let refused = guard.advance(5, &note(&signer, 5));
        assert!(matches!(refused, Err(StoreError::GuardMismatch { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), edited);
    }
}
