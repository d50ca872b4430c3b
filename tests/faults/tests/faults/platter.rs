//! What a disk holds after the power went: everything that was synced, and of the rest anything.
//!
//! The model is the one that POSIX allows and no kinder: a file's bytes and length are certain
//! after an fsync of the file, its name after an fsync of the folder; before, each sector of each
//! write is there or not, by itself. A sector (512 bytes) is written as a whole. After an fsync that
//! failed, what it was to write may be lost although a later one succeeds.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::random::Random;
use crate::watch::{Inode, Operation};

const SECTOR: u64 = 512;

/// What was not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Is all there: the process ended, the machine did not.
    Nothing,
    /// Is all gone.
    Everything,
    /// Is there but for the last write, of which only the first or the last sectors are.
    Torn(Half),
    /// Is there but for the last write, which is gone while its file is as long as with it.
    Zeros,
    /// Is there sector by sector with this chance in a hundred.
    Chance { percent: u64, seed: u64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    First,
    Last,
}

/// Contents of the files by name, and the folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    folders: Vec<String>,
}

impl Image {
    /// The files of a folder, but for SQLite's shared memory.
    pub(crate) fn read(folder: &Path) -> Self {
        let mut image = Self::default();
        image.read_below(folder, "");
        image
    }

    fn read_below(&mut self, folder: &Path, prefix: &str) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                self.read_below(&entry.path(), &format!("{name}/"));
                self.folders.push(name);
            } else if !name.ends_with("-shm") {
                self.files.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }

    /// Digest of a prefix and of the names and contents of all files.
    pub(crate) fn digest(&self, prefix: &str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(prefix.as_bytes());
        for (name, bytes) in &self.files {
            hasher.update(name.as_bytes());
            hasher.update(&bytes.len().to_be_bytes());
            hasher.update(bytes);
        }
        *hasher.finalize().as_bytes()
    }

    /// Whether any file holds the word.
    pub(crate) fn holds(&self, word: &str) -> bool {
        let word = word.as_bytes();
        let holds = |bytes: &Vec<u8>| bytes.windows(word.len()).any(|window| window == word);
        self.files.values().any(holds)
    }

    /// Makes `folder` hold this and nothing else.
    pub(crate) fn write(&self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                fs::remove_dir_all(entry.path()).unwrap();
            } else {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        for name in &self.folders {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        for (name, bytes) in &self.files {
            fs::write(folder.join(name), bytes).unwrap();
        }
    }
}

/// A disk while operations happen to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Platter {
    inodes: BTreeMap<Inode, File>,
    names: BTreeMap<String, Inode>,
    folders: Vec<String>,
    /// Changes of names that no fsync of their folder has made certain.
    renames: Vec<Operation>,
    /// Counts writes and resizes.
    clock: u64,
}

#[derive(Debug, Clone, Default)]
struct File {
    /// What is certain.
    bytes: Vec<u8>,
    later: Vec<Piece>,
}

/// A write or a resize.
#[derive(Debug, Clone)]
struct Piece {
    number: u64,
    offset: u64,
    /// `None` for a resize to `offset`.
    bytes: Option<Arc<[u8]>>,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// An fsync that follows makes it certain.
    Waiting,
    Certain,
    /// An fsync of it has failed.
    Doubtful,
}

impl Platter {
    /// A disk on which everything of `image` is certain.
    pub(crate) fn holding(image: &Image) -> Self {
        let mut platter = Self {
            folders: image.folders.clone(),
            ..Self::default()
        };
        for (inode, (name, bytes)) in image.files.iter().enumerate() {
            let (bytes, later) = (bytes.clone(), Vec::new());
            platter.inodes.insert(inode, File { bytes, later });
            platter.names.insert(name.clone(), inode);
        }
        platter
    }

    /// The numbers of the files as the running system sees them.
    pub(crate) fn inodes(&self) -> BTreeMap<String, Inode> {
        let mut names = self.names.clone();
        self.renames
            .iter()
            .for_each(|rename| apply(rename, &mut names, &mut Vec::new()));
        names
    }

    /// Whether what would be lost differs after `operation` from before, if all is lost.
    pub(crate) fn do_one(&mut self, operation: &Operation) {
        match operation {
            Operation::Write {
                inode,
                offset,
                bytes,
            } => self.push(*inode, *offset, Some(Arc::clone(bytes))),
            Operation::Resize { inode, length } => self.push(*inode, *length, None),
            Operation::Sync(inode) => self.file(*inode).synced(Fate::Certain),
            Operation::SyncFailed(inode) => self.file(*inode).synced(Fate::Doubtful),
            Operation::SyncFolder(folder) => self.sync_folder(folder),
            Operation::Mark(_) => {}
            Operation::Create { .. }
            | Operation::MakeFolder(_)
            | Operation::Rename { .. }
            | Operation::Remove(_) => self.renames.push(operation.clone()),
        }
    }

    fn file(&mut self, inode: Inode) -> &mut File {
        self.inodes.entry(inode).or_default()
    }

    fn push(&mut self, inode: Inode, offset: u64, bytes: Option<Arc<[u8]>>) {
        self.clock += 1;
        let piece = Piece {
            number: self.clock,
            offset,
            bytes,
            fate: Fate::Waiting,
        };
        self.file(inode).later.push(piece);
    }

    fn sync_folder(&mut self, folder: &str) {
        let renames = std::mem::take(&mut self.renames);
        for rename in renames {
            if folder_of(&rename) == folder {
                apply(&rename, &mut self.names, &mut self.folders);
            } else {
                self.renames.push(rename);
            }
        }
    }

    /// What is found when the machine starts again.
    pub(crate) fn after(&self, loss: Loss) -> Image {
        let mut random = Random::new(match loss {
            Loss::Chance { seed, .. } => seed,
            _ => 0,
        });
        let kept = match loss {
            Loss::Everything => 0,
            Loss::Chance { .. } => random.below(self.renames.len() + 1),
            _ => self.renames.len(),
        };
        let (mut names, mut folders) = (self.names.clone(), self.folders.clone());
        for rename in &self.renames[..kept] {
            apply(rename, &mut names, &mut folders);
        }
        let last = self.inodes.values().flat_map(|file| &file.later);
        let last = last.map(|piece| piece.number).max().unwrap_or(0);
        let mut image = Image {
            folders,
            ..Image::default()
        };
        let reached = |name: &str| {
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            folder.is_empty() || image.folders.iter().any(|one| one == folder)
        };
        let files = names.into_iter().filter(|(name, _)| reached(name));
        for (name, inode) in files.collect::<Vec<_>>() {
            let bytes = match self.inodes.get(&inode) {
                Some(file) => file.after(loss, last, &mut random),
                None => Vec::new(),
            };
            image.files.insert(name, bytes);
        }
        image
    }
}

impl File {
    fn synced(&mut self, fate: Fate) {
        for piece in &mut self.later {
            if piece.fate == Fate::Waiting {
                piece.fate = fate;
            }
        }
        if self.later.iter().all(|piece| piece.fate == Fate::Certain) {
            for piece in std::mem::take(&mut self.later) {
                piece.whole(&mut self.bytes);
            }
        }
    }

    fn after(&self, loss: Loss, last: u64, random: &mut Random) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for piece in &self.later {
            match loss {
                _ if piece.fate == Fate::Certain => piece.whole(&mut bytes),
                Loss::Everything => {}
                Loss::Torn(half) if piece.number == last => piece.torn(half, &mut bytes),
                Loss::Zeros if piece.number == last => piece.zeros(&mut bytes),
                Loss::Chance { percent, .. } => piece.by_chance(percent, random, &mut bytes),
                _ => piece.whole(&mut bytes),
            }
        }
        bytes
    }
}

impl Piece {
    fn whole(&self, file: &mut Vec<u8>) {
        match &self.bytes {
            Some(bytes) => put(file, self.offset, bytes),
            None => file.resize(size(self.offset), 0),
        }
    }

    fn torn(&self, half: Half, file: &mut Vec<u8>) {
        let sectors = self.sectors();
        let middle = sectors.len().div_ceil(2);
        let kept = match half {
            Half::First => &sectors[..middle.min(sectors.len().saturating_sub(1))],
            Half::Last => &sectors[middle..],
        };
        kept.iter()
            .for_each(|(offset, bytes)| put(file, *offset, bytes));
    }

    /// The length is there, the bytes are not.
    fn zeros(&self, file: &mut Vec<u8>) {
        let length = self.bytes.as_ref().map_or(0, |bytes| bytes.len());
        let end = size(self.offset) + length;
        if end > file.len() {
            file.resize(end, 0);
        }
    }

    fn by_chance(&self, percent: u64, random: &mut Random, file: &mut Vec<u8>) {
        if self.bytes.is_none() && random.percent(percent) {
            return self.whole(file);
        }
        for (offset, bytes) in self.sectors() {
            if random.percent(percent) {
                put(file, offset, bytes);
            }
        }
    }

    /// The bytes cut where the sectors of the file begin.
    fn sectors(&self) -> Vec<(u64, &[u8])> {
        let mut rest = self.bytes.as_deref().unwrap_or_default();
        let (mut offset, mut sectors) = (self.offset, Vec::new());
        while !rest.is_empty() {
            let until = size(SECTOR - offset % SECTOR).min(rest.len());
            let (now, later) = rest.split_at(until);
            sectors.push((offset, now));
            offset += u64::try_from(until).unwrap();
            rest = later;
        }
        sectors
    }
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

fn put(file: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let start = size(offset);
    let end = start + bytes.len();
    if end > file.len() {
        file.resize(end, 0);
    }
    file[start..end].copy_from_slice(bytes);
}

fn apply(rename: &Operation, names: &mut BTreeMap<String, Inode>, folders: &mut Vec<String>) {
    match rename {
        Operation::Create { name, inode } => {
            names.insert(name.clone(), *inode);
        }
        Operation::MakeFolder(name) => folders.push(name.clone()),
        Operation::Rename { from, to } => {
            if let Some(inode) = names.remove(from) {
                names.insert(to.clone(), inode);
            }
        }
        Operation::Remove(name) => {
            names.remove(name);
        }
        _ => {}
    }
}

fn folder_of(rename: &Operation) -> &str {
    let name = match rename {
        Operation::Create { name, .. } | Operation::MakeFolder(name) | Operation::Remove(name) => {
            name
        }
        Operation::Rename { to, .. } => to,
        _ => "",
    };
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: &[u8]) -> Platter {
        let image = Image {
            files: [("f".to_owned(), vec![b'o'; 1500])].into(),
            ..Image::default()
        };
        let mut platter = Platter::holding(&image);
        platter.do_one(&Operation::Write {
            inode: 0,
            offset: 0,
            bytes: bytes.into(),
        });
        platter
    }

    fn file(platter: &Platter, loss: Loss) -> Vec<u8> {
        platter.after(loss).files["f"].clone()
    }

    #[test]
    fn what_was_not_synced_is_lost_kept_or_torn_at_sectors() {
        let platter = written(&[b'n'; 1200]);
        let count = |loss| {
            let bytes = file(&platter, loss);
            (bytes.iter().filter(|byte| **byte == b'n').count(), bytes[0])
        };
        assert_eq!(count(Loss::Nothing), (1200, b'n'));
        assert_eq!(count(Loss::Everything), (0, b'o'));
        assert_eq!(count(Loss::Torn(Half::First)), (1024, b'n'));
        assert_eq!(count(Loss::Torn(Half::Last)), (1200 - 1024, b'o'));
        let by_chance: std::collections::BTreeSet<_> = (0..64)
            .map(|seed| count(Loss::Chance { percent: 50, seed }))
            .collect();
        assert_eq!(by_chance.len(), 8, "each of three sectors by itself");
    }

    #[test]
    fn what_was_synced_is_certain_and_what_failed_to_sync_never_is() {
        for (operation, lost) in [(Operation::Sync(0), b'n'), (Operation::SyncFailed(0), b'o')] {
            let mut platter = written(b"nnn");
            platter.do_one(&operation);
            platter.do_one(&Operation::Sync(0));
            assert_eq!(file(&platter, Loss::Everything)[0], lost);
            assert_eq!(file(&platter, Loss::Nothing)[0], b'n');
        }
    }

    #[test]
    fn a_name_is_certain_once_its_folder_is_synced() {
        let mut platter = written(b"");
        platter.folders.push("keys".to_owned());
        platter.do_one(&Operation::Rename {
            from: "f".to_owned(),
            to: "keys/g".to_owned(),
        });
        let names = |platter: &Platter| -> Vec<String> {
            platter.after(Loss::Everything).files.into_keys().collect()
        };
        platter.do_one(&Operation::SyncFolder(String::new()));
        assert_eq!(names(&platter), ["f"]);
        platter.do_one(&Operation::SyncFolder("keys".to_owned()));
        assert_eq!(names(&platter), ["keys/g"]);
        // Nor is anything reached in a folder whose own name is not certain.
        platter.folders.clear();
        assert_eq!(names(&platter), [""; 0]);
    }
}
