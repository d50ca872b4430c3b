//! Files of a folder: every plain text file in it, read and never written, links not followed.

use std::collections::BTreeMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use counterfoil_types::UnixMillis;
use serde::Serialize;

use crate::error::Error;
use crate::files::unreadable;

/// Largest file, in bytes.
pub(crate) const MAX_FILE_BYTES: usize = 512 << 10;
/// Most files of one folder.
const MAX_FILES: usize = 2_000;
/// Most entries that are looked at, folders and those left out included.
const MAX_ENTRIES: usize = 20_000;
/// Most folders below each other.
const MAX_DEPTH: usize = 16;
/// The first bytes of the list of accounts that are read.
const MAX_ACCOUNTS: u64 = 1 << 20;
/// Folder that is as uninteresting as a hidden one.
const MODULES: &str = "node_modules";

/// Files of a folder, by path.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) files: Vec<FoundFile>,
    pub(crate) left_out: Vec<LeftOut>,
    /// Number of hidden files and folders, which are not looked into.
    pub(crate) hidden: u64,
}

/// Content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileContent {
    pub(crate) text: String,
    /// Owner of the file, as far as the system names one.
    pub(crate) owner: Option<String>,
    /// Time of its last change, as the file system gives it.
    pub(crate) modified: Option<UnixMillis>,
}

/// A file that can be read.
#[derive(Debug)]
pub(crate) struct FoundFile {
    pub(crate) path: String,
    pub(crate) content: FileContent,
}

/// A file that is left out, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOut {
    pub(crate) path: String,
    pub(crate) why: String,
}

/// Plain files of a folder, before they are read.
#[derive(Debug, Default)]
struct Entries {
    files: Vec<(String, PathBuf, Metadata)>,
    left_out: Vec<LeftOut>,
    hidden: u64,
    count: usize,
}

/// Reads the files below `root`, but for those of the memory in `own`.
///
/// # Errors
/// [`ErrorKind::Input`](crate::ErrorKind::Input) when the folder cannot be read or has too many files.
pub(crate) fn read(root: &Path, own: &Path) -> Result<Walked, Error> {
    let entries = entries(root, own)?;
    let mut walked = Walked {
        left_out: entries.left_out,
        hidden: entries.hidden,
        ..Walked::default()
    };
    let mut accounts = None;
    for (path, full, metadata) in entries.files {
        match text_of(&full) {
            Ok(Some(text)) => walked.files.push(FoundFile {
                path,
                content: FileContent {
                    text,
                    owner: owner(&metadata, &mut accounts),
                    modified: modified(&metadata),
                },
            }),
            // It went away since the folder was listed.
            Ok(None) => {}
            Err(why) => walked.left_out.push(LeftOut { path, why }),
        }
    }
    let by_path = |one: &LeftOut, other: &LeftOut| one.path.cmp(&other.path);
    walked.left_out.sort_by(by_path);
    Ok(walked)
}

/// Digest of what the file system says of the files: names, sizes, and times of change. It is the same while nothing is written.
///
/// # Errors
/// As [`read`].
pub(crate) fn signature(root: &Path, own: &Path) -> Result<[u8; 32], Error> {
    let entries = entries(root, own)?;
    let mut hasher = blake3::Hasher::new();
    for (path, _, metadata) in &entries.files {
        hasher.update(path.as_bytes()).update(b"\0");
        for number in numbers(metadata) {
            hasher.update(&number.to_be_bytes());
        }
    }
    for LeftOut { path, why } in &entries.left_out {
        let why = why.as_bytes();
        { hasher.update(path.as_bytes()).update(b"\0") }.update(why);
    }
    Ok(*hasher.finalize().as_bytes())
}

fn entries(root: &Path, own: &Path) -> Result<Entries, Error> {
    let mut entries = Entries::default();
    let mut open = vec![(String::new(), root.to_owned(), 0)];
    while let Some((prefix, folder, depth)) = open.pop() {
        let listed = match std::fs::read_dir(&folder) {
            Ok(listed) => listed,
            Err(error) if prefix.is_empty() => return Err(unreadable(&folder, &error)),
            Err(error) => {
                entries.leave_out(prefix, format_args!("cannot be read ({error})"));
                continue;
            }
        };
        for entry in listed {
            entries.count += 1;
            if entries.count > MAX_ENTRIES || entries.files.len() > MAX_FILES {
                return Err(Error::input(
                    format_args!(
                        "the folder has more than {MAX_FILES} files or {MAX_ENTRIES} entries"
                    ),
                    "name a folder within it",
                ));
            }
            let entry = entry.map_err(|error| unreadable(&folder, &error))?;
            let name = entry.file_name();
            let path = match prefix.is_empty() {
                true => name.to_string_lossy().into_owned(),
                false => format!("{prefix}/{}", name.to_string_lossy()),
            };
            if name.to_string_lossy().starts_with('.') || name == MODULES {
                entries.hidden += 1;
            } else if name.to_str().is_none_or(|it| it.contains(char::is_control)) {
                entries.leave_out(path, "its name is no text");
            } else if let Some(below) = entries.add(path, entry.path(), own, depth) {
                open.push((below, entry.path(), depth + 1));
            }
        }
    }
    entries.files.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(entries)
}

impl Entries {
    fn leave_out(&mut self, path: String, why: impl std::fmt::Display) {
        let why = why.to_string();
        self.left_out.push(LeftOut { path, why });
    }

    /// Adds an entry. Returns the path of a folder that is looked into.
    fn add(&mut self, path: String, full: PathBuf, own: &Path, depth: usize) -> Option<String> {
        let metadata = match std::fs::symlink_metadata(&full) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                self.leave_out(path, format_args!("cannot be read ({error})"));
                return None;
            }
        };
        let size = metadata.len();
        if metadata.is_symlink() {
            self.leave_out(path, "a symbolic link, which is not followed");
        } else if full == own {
            self.leave_out(path, "the folder of the memory itself");
        } else if metadata.is_dir() {
            if depth < MAX_DEPTH {
                return Some(path);
            }
            self.leave_out(path, format_args!("below {MAX_DEPTH} folders"));
        } else if !metadata.is_file() {
            self.leave_out(path, "no plain file");
        } else if size > u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX) {
            self.leave_out(path, TOO_LARGE);
        } else {
            self.files.push((path, full, metadata));
        }
        None
    }
}

/// Reason to leave out a large file.
const TOO_LARGE: &str = "above 512 KiB";

/// Text of a plain file; `None` if it is gone.
fn text_of(path: &Path) -> Result<Option<String>, String> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
    let read = open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("cannot be read ({error})")),
        Ok(_) if bytes.len() > MAX_FILE_BYTES => return Err(TOO_LARGE.to_owned()),
        Ok(_) => {}
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(Some(text)),
        _ => Err("no text".to_owned()),
    }
}

/// Opens a file that was no link when it was listed, and may be one now.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}

fn modified(metadata: &Metadata) -> Option<UnixMillis> {
    let time = metadata.modified().ok()?;
    let millis = time.duration_since(UNIX_EPOCH).ok()?.as_millis();
    UnixMillis::new(u64::try_from(millis).ok()?).ok()
}

#[cfg(unix)]
fn numbers(metadata: &Metadata) -> [i64; 6] {
    use std::os::unix::fs::MetadataExt as _;

    [
        metadata.size().cast_signed(),
        metadata.ino().cast_signed(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ]
}

#[cfg(not(unix))]
fn numbers(metadata: &Metadata) -> [u64; 2] {
    [
        metadata.len(),
        modified(metadata).map_or(0, |time| time.value()),
    ]
}

/// Name of the account that owns a file, or its number where it has no name here. Nobody but the system says who wrote it, and it
/// does not.
#[cfg(unix)]
fn owner(metadata: &Metadata, accounts: &mut Option<BTreeMap<u32, String>>) -> Option<String> {
    let uid = std::os::unix::fs::MetadataExt::uid(metadata);
    let accounts = accounts.get_or_insert_with(self::accounts);
    let name = accounts.get(&uid).cloned();
    Some(name.unwrap_or_else(|| format!("uid {uid}")))
}

#[cfg(not(unix))]
const fn owner(_: &Metadata, _: &mut Option<BTreeMap<u32, String>>) -> Option<String> {
    None
}

/// Names of the accounts of this system by their numbers.
#[cfg(unix)]
fn accounts() -> BTreeMap<u32, String> {
    let mut text = String::new();
    let file = File::open("/etc/passwd");
    // Without the list, accounts have numbers.
    let _ = file.and_then(|file| file.take(MAX_ACCOUNTS).read_to_string(&mut text));
    let accounts = text.lines().filter_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?.to_owned();
        Some((fields.nth(1)?.parse().ok()?, name))
    });
    accounts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(walked: &Walked) -> Vec<&str> {
        walked.files.iter().map(|file| file.path.as_str()).collect()
    }

    /// GRD-3; mutant `a-link-is-followed`. What is left out is named, and nothing outside of the folder is reached.
    #[cfg(unix)]
    #[test]
    fn only_plain_text_within_the_folder_is_read() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.md"), "secret").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("days/may")).unwrap();
        std::fs::create_dir_all(root.join(".git")).unwrap();
        std::fs::create_dir_all(root.join("store")).unwrap();
        std::fs::write(root.join("store/key"), "key").unwrap();
        std::fs::write(root.join(".git/config"), "x").unwrap();
        std::fs::write(root.join("days/may/1.md"), "rain").unwrap();
        std::fs::write(root.join("CLAUDE.md"), "").unwrap();
        std::fs::write(root.join("a.png"), b"\x89PNG\0").unwrap();
        std::fs::write(root.join("big.md"), "x".repeat(MAX_FILE_BYTES + 1)).unwrap();
        let link = std::os::unix::fs::symlink::<PathBuf, PathBuf>;
        link(outside.path().join("secret.md"), root.join("link.md")).unwrap();
        link(outside.path().to_owned(), root.join("linked")).unwrap();
        let walked = read(root, &root.join("store")).unwrap();
        assert_eq!(paths(&walked), ["CLAUDE.md", "days/may/1.md"]);
        assert_eq!(walked.hidden, 1);
        let left_out = walked.left_out.iter();
        let left_out: Vec<_> = left_out
            .map(|it| (it.path.as_str(), it.why.as_str()))
            .collect();
        assert_eq!(
            left_out,
            [
                ("a.png", "no text"),
                ("big.md", TOO_LARGE),
                ("link.md", "a symbolic link, which is not followed"),
                ("linked", "a symbolic link, which is not followed"),
                ("store", "the folder of the memory itself"),
            ]
        );
        assert!(text_of(&root.join("link.md")).is_err());
    }

    #[test]
    fn the_signature_is_that_of_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let (root, own) = (folder.path(), Path::new("/none"));
        let empty = signature(root, own).unwrap();
        std::fs::write(root.join("a.md"), "one").unwrap();
        let one = signature(root, own).unwrap();
        assert_eq!(signature(root, own).unwrap(), one);
        std::fs::write(root.join("a.md"), "three").unwrap();
        let three = signature(root, own).unwrap();
        assert!(one != empty && three != one);
    }

    #[test]
    fn a_folder_of_too_many_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..=MAX_FILES + 1 {
            std::fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        let refused = read(folder.path(), Path::new("/none")).unwrap_err();
        assert!(refused.to_string().contains("2000 files"), "{refused}");
    }
}
