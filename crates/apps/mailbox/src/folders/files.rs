//! The four folders on a Unix system: every file relative to its folder's handle, no links followed, nothing waited for
//! (case 113).

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{self as unix, AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::{MAX_BYTES, MAX_NAMES, NOT_A_FILE, TOO_LARGE, UNREADABLE};
use crate::MailboxError;

/// Number of the next temporary file of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);
/// Most names of temporary files that are tried: a process of the same number may have left some.
const MAX_TEMPORARY: usize = 1_000;

/// The four folders.
#[derive(Debug)]
pub(crate) struct Folders {
    pub(crate) inbox: Folder,
    pub(crate) processing: Folder,
    pub(crate) outbox: Folder,
    pub(crate) done: Folder,
}

/// Folder by its handle, which renaming it or replacing it by a link does not affect.
#[derive(Debug)]
pub(crate) struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

/// State of a file: another content has another stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp {
    inode: u64,
    bytes: u64,
    modified: (i64, u64),
}

impl Folders {
    /// Opens the folders and creates missing ones.
    pub(crate) fn open(root: &Path) -> Result<Self, MailboxError> {
        let path = root.to_owned();
        let opened = unix::open(root, FOLDER, Mode::empty());
        let handle = opened.map_err(|error| MailboxError::Folder {
            path,
            source: error.into(),
        })?;
        let open = |name: &str| Folder::within(&handle, root, name);
        Ok(Self {
            inbox: open("inbox")?,
            processing: open("processing")?,
            outbox: open("outbox")?,
            done: open("done")?,
        })
    }
}

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

impl Folder {
    fn within(root: &OwnedFd, path: &Path, name: &str) -> Result<Self, MailboxError> {
        let path = path.join(name);
        let cannot = |error: Errno| MailboxError::Folder {
            path: path.clone(),
            source: error.into(),
        };
        let handle = match open_folder(root, name) {
            Err(Errno::NOENT) => {
                match unix::mkdirat(root, name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(cannot(error)),
                }
                open_folder(root, name).map_err(cannot)?
            }
            opened => opened.map_err(cannot)?,
        };
        Ok(Self { handle, path })
    }

    /// Moves a file to another folder without replacing one there; false if it does not exist any more.
    pub(crate) fn rename(&self, name: &str, to: &Self) -> Result<bool, MailboxError> {
        match rename_as(&self.handle, name, &to.handle, name) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(false),
            Err(Errno::EXIST) => {
                return Err(MailboxError::Taken {
                    path: to.path(name),
                });
            }
            Err(error) => return Err(to.unwritten(name, error)),
        }
        for folder in [self, to] {
            unix::fsync(&folder.handle).map_err(|error| folder.unwritten(name, error))?;
        }
        Ok(true)
    }

    /// Returns the wanted names among the first 200,000 entries, sorted.
    pub(crate) fn names(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, MailboxError> {
        let unread = |error: Errno| MailboxError::Read {
            path: self.path.clone(),
            source: error.into(),
        };
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle)
            .map_err(unread)?
            .take(MAX_NAMES)
        {
            let entry = entry.map_err(unread)?;
            let name = entry.file_name().to_string_lossy();
            if wanted(&name) {
                names.push(name.into_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the stamp of a file that may be read.
    pub(crate) fn look(&self, name: &str) -> Result<Stamp, &'static str> {
        let found = unix::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW);
        Stamp::of(&found.map_err(|_| UNREADABLE)?)
    }

    pub(crate) fn holds(&self, name: &str) -> bool {
        unix::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Reads a file through one handle, so that a file put in its place meanwhile is not read.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, &'static str> {
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let handle = match unix::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::LOOP | Errno::NXIO | Errno::ISDIR) => return Err(NOT_A_FILE),
            Err(_) => return Err(UNREADABLE),
        };
        Stamp::of(&unix::fstat(&handle).map_err(|_| UNREADABLE)?)?;
        let mut bytes = Vec::new();
        let limit = u64::try_from(MAX_BYTES)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        let read = File::from(handle).take(limit).read_to_end(&mut bytes);
        read.map_err(|_| UNREADABLE)?;
        if bytes.len() > MAX_BYTES {
            Err(TOO_LARGE)
        } else {
            Ok(bytes)
        }
    }

    /// Writes a file whole or not at all, without replacing another; false if another file has the name.
    pub(crate) fn publish(&self, name: &str, bytes: &[u8]) -> Result<bool, MailboxError> {
        let created = self.create(name);
        let (temporary, mut file) = created.map_err(|error| self.unwritten(name, error))?;
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| self.link(&temporary, name))
            .map_err(|error| self.unwritten(name, error));
        // After a rename it does not exist any more.
        let _ = unix::unlinkat(&self.handle, temporary.as_str(), AtFlags::empty());
        let is_new = written?;
        unix::fsync(&self.handle).map_err(|error| self.unwritten(name, error))?;
        Ok(is_new)
    }

    /// Creates a temporary file for `name`.
    fn create(&self, name: &str) -> Result<(String, File), Errno> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..MAX_TEMPORARY {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let temporary = format!(".{name}.{}.{number}.part", std::process::id());
            match unix::openat(
                &self.handle,
                temporary.as_str(),
                flags,
                Mode::from_raw_mode(0o644),
            ) {
                Err(Errno::EXIST) => {}
                opened => return Ok((temporary, File::from(opened?))),
            }
        }
        Err(Errno::EXIST)
    }

    /// Gives a file its name; false if another file has it.
    fn link(&self, temporary: &str, name: &str) -> io::Result<bool> {
        let linked = match unix::linkat(
            &self.handle,
            temporary,
            &self.handle,
            name,
            AtFlags::empty(),
        ) {
            // The file system has no links.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => {
                rename_as(&self.handle, temporary, &self.handle, name)
            }
            linked => linked,
        };
        match linked {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the time since a file was moved here, by the file system's clock; `None` if it is gone, or from the future.
    pub(crate) fn age(&self, name: &str) -> Option<Duration> {
        let found = unix::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let nanos = u32::try_from(found.st_ctime_nsec).ok()?;
        let moved = Duration::new(u64::try_from(found.st_ctime).ok()?, nanos);
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .ok()?
            .checked_sub(moved)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn unwritten(&self, name: &str, error: impl Into<io::Error>) -> MailboxError {
        MailboxError::Write {
            path: self.path(name),
            source: error.into(),
        }
    }
}

impl Stamp {
    fn of(found: &unix::Stat) -> Result<Self, &'static str> {
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(NOT_A_FILE);
        }
        let bytes = u64::try_from(found.st_size).map_err(|_| UNREADABLE)?;
        if bytes > u64::try_from(MAX_BYTES).unwrap_or(u64::MAX) {
            return Err(TOO_LARGE);
        }
        Ok(Self {
            inode: found.st_ino,
            bytes,
            modified: (found.st_mtime, found.st_mtime_nsec),
        })
    }
}

fn open_folder(root: &OwnedFd, name: &str) -> Result<OwnedFd, Errno> {
    unix::openat(root, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())
}

#[cfg(any(target_vendor = "apple", target_os = "linux", target_os = "android"))]
fn rename_as(from: &OwnedFd, old: &str, to: &OwnedFd, new: &str) -> Result<(), Errno> {
    match unix::renameat_with(from, old, to, new, unix::RenameFlags::NOREPLACE) {
        // The file system does not support it, as NFS.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => rename_if_free(from, old, to, new),
        done => done,
    }
}

#[cfg(not(any(target_vendor = "apple", target_os = "linux", target_os = "android")))]
fn rename_as(from: &OwnedFd, old: &str, to: &OwnedFd, new: &str) -> Result<(), Errno> {
    rename_if_free(from, old, to, new)
}

/// Tests the name before it renames; another process can take it in between.
fn rename_if_free(from: &OwnedFd, old: &str, to: &OwnedFd, new: &str) -> Result<(), Errno> {
    match unix::statat(to, new, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST),
        Err(Errno::NOENT) => unix::renameat(from, old, to, new),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A killed process that starts again under the same number, as in a container, finds its own temporary files.
    #[test]
    fn what_a_killed_process_has_left_is_passed_by() {
        let root = tempfile::tempdir().unwrap();
        let folders = Folders::open(root.path()).unwrap();
        let next = NEXT.load(Ordering::Relaxed);
        for number in next..next + 20 {
            let left = format!(".x.{}.{number}.part", std::process::id());
            fs::write(root.path().join("outbox").join(left), "half").unwrap();
        }
        assert!(folders.outbox.publish("x", b"whole").unwrap());
        assert_eq!(folders.outbox.read("x").unwrap(), b"whole");
        let names = folders.outbox.names(|_| true).unwrap();
        assert_eq!(names.len(), 20 + 1 + 2, "{names:?}");
    }
}
