//! Commits as files of a folder, and parts of a commit that belong together.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use counterfoil_store::{StoreError, open_plain};
use counterfoil_verifier::checkpoint::Checkpoint;

use super::lines::MAX_TEXT;
use super::{Change, Commit, CommitHead, refused};
use crate::files::{io_error, sync_folder, write_private};
use crate::sealing::ContentKeys;

const SUFFIX: &str = ".commit.zst";
/// Another part is begun above so many bytes or lines.
const PART_BYTES: usize = 16 << 20;
const PART_LINES: usize = 65_536;
/// Maximum bytes of a head line.
const MAX_HEAD: u64 = 64 << 10;
const LEVEL: i32 = 3;

/// Files that one call wrote, and the log that they end with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shipped {
    /// Number of the last file in the folder.
    pub number: u64,
    /// Number of files, 0 when nothing had changed.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Size of the log that was shipped before.
    pub from: u64,
    /// Size of the log that is shipped now.
    pub size: u64,
    /// Number of changes.
    pub changes: u64,
    /// Folder of the keys that seal the files; `None` for files that are not sealed.
    pub keys: Option<String>,
    /// Number of keys that were destroyed, as their content is gone.
    pub destroyed: u64,
}

/// Writes the parts of one commit into a folder.
pub(super) struct Parts<'f> {
    folder: &'f Path,
    keys: Option<&'f dyn ContentKeys>,
    head: CommitHead,
    text: String,
    lines: usize,
    pub(super) report: Shipped,
}

impl<'f> Parts<'f> {
    /// Begins a commit whose first part is `head`, sealed with `keys`.
    pub(super) fn new(
        folder: &'f Path,
        keys: Option<&'f dyn ContentKeys>,
        head: CommitHead,
        size: u64,
    ) -> Self {
        let report = Shipped {
            keys: None,
            destroyed: 0,
            number: head.number,
            files: 0,
            bytes: 0,
            from: head.from.0,
            size,
            changes: 0,
        };
        Self {
            folder,
            keys,
            head,
            text: String::new(),
            lines: 0,
            report,
        }
    }

    pub(super) fn add(&mut self, change: &Change) -> Result<(), StoreError> {
        if self.text.len() > PART_BYTES || self.lines >= PART_LINES {
            self.finish(false)?;
            self.head.number += 1;
            self.head.part += 1;
            self.text.clear();
            self.lines = 0;
        }
        self.text.push_str(&change.to_line(self.keys)?);
        self.text.push('\n');
        self.lines += 1;
        self.report.changes += 1;
        Ok(())
    }

    /// Writes the part: its name is there once its bytes are on disk.
    pub(super) fn finish(&mut self, last: bool) -> Result<(), StoreError> {
        self.head.last = last;
        if let Some(keys) = self.keys {
            keys.sync()?;
        }
        let text = format!("{}\n{}", self.head.to_line()?, self.text);
        let path = self.folder.join(name(self.head.number));
        let part = self.folder.join("next.part");
        let write = || -> std::io::Result<u64> {
            let packed = zstd::encode_all(text.as_bytes(), LEVEL)?;
            write_private(&part, &packed)?;
            File::open(&part)?.sync_all()?;
            fs::rename(&part, &path)?;
            Ok(u64::try_from(packed.len()).unwrap_or(u64::MAX))
        };
        self.report.bytes +=
            write().map_err(|error| io_error("writing a commit", &path, &error))?;
        self.report.files += 1;
        self.report.number = self.head.number;
        match last {
            true => sync_folder(self.folder),
            false => Ok(()),
        }
    }
}

fn name(number: u64) -> String {
    format!("{number:012}{SUFFIX}")
}

/// Returns the numbers of the files in a folder, in their order; none where there is no folder.
pub(super) fn numbers(folder: &Path) -> Result<Vec<u64>, StoreError> {
    let list = || -> std::io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(folder)? {
            let file = entry?.file_name();
            let number = file.to_str().and_then(|name| name.strip_suffix(SUFFIX));
            let number = number.and_then(|number| number.parse().ok());
            numbers.extend(number.filter(|number| name(*number).as_str() == file));
        }
        numbers.sort_unstable();
        Ok(numbers)
    };
    match list() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed.map_err(|error| io_error("reading the shipped folder", folder, &error)),
    }
}

/// Returns the head of the file `number` of a folder.
pub(super) fn head_in(folder: &Path, number: u64) -> Result<CommitHead, StoreError> {
    let head = head_at(&folder.join(name(number)))?;
    match head.number == number {
        true => Ok(head),
        false => Err(refused(format_args!(
            "{} holds number {}",
            name(number),
            head.number
        ))),
    }
}

fn head_at(path: &Path) -> Result<CommitHead, StoreError> {
    let mut line = Vec::new();
    let read = || -> std::io::Result<()> {
        let unpacked = zstd::Decoder::new(open_plain(path)?)?;
        BufReader::new(unpacked.take(MAX_HEAD))
            .read_until(b'\n', &mut line)
            .map(drop)
    };
    read_by(path, read)?;
    CommitHead::parse(line.strip_suffix(b"\n").unwrap_or_default()).map_err(|it| named(path, it))
}

fn part_at(path: &Path, keys: Option<&dyn ContentKeys>) -> Result<Commit, StoreError> {
    let mut text = Vec::new();
    let read = || -> std::io::Result<()> {
        let unpacked = zstd::Decoder::new(open_plain(path)?)?;
        unpacked.take(MAX_TEXT + 1).read_to_end(&mut text).map(drop)
    };
    read_by(path, read)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > MAX_TEXT {
        return Err(named(path, refused("it is larger than a part may be")));
    }
    Commit::parse(&text, keys).map_err(|error| named(path, error))
}

fn read_by(path: &Path, read: impl FnOnce() -> std::io::Result<()>) -> Result<(), StoreError> {
    read().map_err(|error| io_error("reading a commit", path, &error))
}

/// Adds the file to the error.
fn named(path: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Commit { detail } => {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            refused(format_args!("{file}: {detail}"))
        }
        other => other,
    }
}

/// The files of one commit, in their order.
#[derive(Debug)]
pub struct CommitFiles {
    /// Head of its last part.
    pub head: CommitHead,
    paths: Vec<PathBuf>,
}

impl CommitFiles {
    /// Returns the size of the log that the commit leads to, by its own word; 0 for a checkpoint that is none.
    pub fn size(&self) -> u64 {
        let checkpoint = Checkpoint::from_note(&self.head.checkpoint);
        checkpoint.map_or(0, |checkpoint| checkpoint.size())
    }

    /// Reads its parts, one after the other. Sealed ones are opened with `keys`.
    pub fn parts<'k>(
        &'k self,
        keys: Option<&'k dyn ContentKeys>,
    ) -> impl Iterator<Item = Result<Commit, StoreError>> + 'k {
        self.paths.iter().map(move |path| part_at(path, keys))
    }
}

/// Returns the commits of a folder, or the one in a file of its own, behind the file that a store applied last: a stream
/// and a number ([`followed`](super::followed)).
///
/// # Errors
/// [`StoreError::Commit`] when one is missing or damaged, or the stream is another one; when it cannot be read.
pub fn files(from: &Path, applied: Option<&(String, u64)>) -> Result<Vec<CommitFiles>, StoreError> {
    let after = applied.map_or(0, |(_, number)| *number);
    let numbers = match from.is_file() {
        true => Vec::new(),
        false => numbers(from)?,
    };
    let newest = match numbers.last() {
        _ if from.is_file() => head_at(from)?,
        Some(last) => head_in(from, *last)?,
        None => return Err(refused(format_args!("{} holds no commits", from.display()))),
    };
    if applied.is_some_and(|(stream, _)| *stream != newest.stream) {
        return Err(refused(
            "it is of another folder than the store follows: name that one",
        ));
    }
    if from.is_file() {
        let (number, is_whole) = (newest.number, newest.part == 0 && newest.last);
        let (head, paths) = (newest, vec![from.to_owned()]);
        return match is_whole {
            _ if number <= after => Ok(Vec::new()),
            true if number == after + 1 => Ok(vec![CommitFiles { head, paths }]),
            true => Err(gap(after + 1)),
            false => Err(refused(
                "the file is one part of a commit: name its folder instead",
            )),
        };
    }
    if newest.number < after {
        return Err(gap(after));
    }
    let (mut commits, mut paths) = (Vec::new(), Vec::new());
    let new = numbers.into_iter().filter(|number| *number > after);
    for (expected, number) in (after + 1..).zip(new) {
        if number != expected {
            return Err(gap(expected));
        }
        let head = head_in(from, number)?;
        // What a killed writer left behind is passed over.
        if head.part == 0 {
            paths.clear();
        } else if usize::try_from(head.part).ok() != Some(paths.len()) {
            return Err(gap(expected));
        }
        paths.push(from.join(name(number)));
        if head.last {
            let paths = std::mem::take(&mut paths);
            commits.push(CommitFiles { head, paths });
        }
    }
    Ok(commits)
}

fn gap(number: u64) -> StoreError {
    refused(format_args!("{} is missing", name(number)))
}
