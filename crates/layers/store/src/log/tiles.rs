//! The log as static files (C2SP tlog-tiles), which any web server can offer.

use core::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;

use crate::StoreError;
use crate::log::NodeReader;

const TILE_HEIGHT: u32 = 8;
const TILE_WIDTH: u64 = 1 << TILE_HEIGHT;
/// The highest level of tiles.
const MAX_LEVEL: u32 = 63 / TILE_HEIGHT;
/// The most elements of the number of a tile: beyond them lies no log.
const MAX_ELEMENTS: usize = 6;

/// Reads the text of the entry at an index of the log.
pub type ReadEntry<'a> = &'a dyn Fn(u64) -> Result<String, StoreError>;

/// Writes a file of an export: its path and its bytes.
pub type Put<'a> = &'a mut dyn FnMut(&str, &[u8]) -> Result<(), StoreError>;

/// Coordinates of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// Level of hashes of complete subtrees of `256^level` leaves; `None` for the entries themselves.
    level: Option<u32>,
    number: u64,
    width: u64,
}

impl Tile {
    /// Reads the part of a path behind `tile/`: `<L>/<N>[.p/<W>]` or `entries/<N>[.p/<W>]`, in its one spelling.
    pub fn parse(path: &str) -> Option<Self> {
        let (level, rest) = path.split_once('/')?;
        let level = match level {
            "entries" => None,
            digits => Some(digits.parse().ok().filter(|level| *level <= MAX_LEVEL)?),
        };
        let (number, width) = match rest.split_once(".p/") {
            Some((number, width)) => {
                let width = width.parse().ok();
                (number, width.filter(|it| (1..TILE_WIDTH).contains(it))?)
            }
            None => (rest, TILE_WIDTH),
        };
        // `x001/x234/067` is 1234067.
        let mut elements = number.splitn(MAX_ELEMENTS + 1, '/').enumerate();
        let number = elements.try_fold(0_u64, |number, (at, element)| {
            let digits = element.strip_prefix('x').unwrap_or(element);
            let fits = at < MAX_ELEMENTS && digits.len() == 3;
            let digits: u64 = digits.parse().ok().filter(|_| fits)?;
            number.checked_mul(1000)?.checked_add(digits)
        })?;
        let tile = Self {
            level,
            number,
            width,
        };
        // Written again it has to be the same: no signs, no further zeros.
        (tile.to_string() == path).then_some(tile)
    }

    /// True for a tile of the entries themselves, which name Worlds and tell the length of each content.
    pub const fn is_of_entries(&self) -> bool {
        self.level.is_none()
    }

    /// Its bytes in a log of `size` entries; `None` where the log does not reach to its end.
    ///
    /// # Errors
    /// When an entry or a node cannot be read.
    pub fn read(
        &self,
        size: u64,
        nodes: &dyn NodeReader,
        entry: ReadEntry<'_>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let there = size >> self.level.map_or(0, |level| level * TILE_HEIGHT);
        let start = self.number.checked_mul(TILE_WIDTH);
        let end = start.and_then(|start| start.checked_add(self.width));
        let (Some(start), Some(end)) = (start, end.filter(|end| *end <= there)) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        for index in start..end {
            let Some(level) = self.level else {
                // A sequence of entries, each after its length as a big-endian `u16`.
                let entry = entry(index)?;
                let length = u16::try_from(entry.len()).map_err(|_| {
                    StoreError::Bug("an entry longer than an entry bundle can hold")
                })?;
                bytes.extend_from_slice(&length.to_be_bytes());
                bytes.extend_from_slice(entry.as_bytes());
                continue;
            };
            let hash = nodes.node(level * TILE_HEIGHT, index)?;
            bytes.extend_from_slice(hash.as_bytes());
        }
        Ok(Some(bytes))
    }
}

/// Writes the part of a path behind `tile/`.
impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            None => f.write_str("entries/")?,
            Some(level) => write!(f, "{level}/")?,
        }
        let mut number = format!("{:03}", self.number % 1000);
        let mut rest = self.number / 1000;
        while rest > 0 {
            number = format!("x{:03}/{number}", rest % 1000);
            rest /= 1000;
        }
        f.write_str(&number)?;
        match self.width {
            TILE_WIDTH => Ok(()),
            width => write!(f, ".p/{width}"),
        }
    }
}

/// Writes all resources of the log at `size`: `tile/<L>/<N>[.p/<W>]`, `tile/entries/<N>[.p/<W>]`
/// and, when all else is there, `checkpoint`. `note` is the signed checkpoint at `size`.
///
/// # Errors
/// When an entry or a node cannot be read, or `put` fails.
pub fn export(
    nodes: &dyn NodeReader,
    entry: ReadEntry<'_>,
    (size, note): (u64, &str),
    put: Put<'_>,
) -> Result<(), StoreError> {
    for level in core::iter::once(None).chain((0..=MAX_LEVEL).map(Some)) {
        let count = size >> level.map_or(0, |level| level * TILE_HEIGHT);
        for number in 0..count.div_ceil(TILE_WIDTH) {
            let tile = Tile {
                level,
                number,
                width: TILE_WIDTH.min(count - number * TILE_WIDTH),
            };
            let bytes = tile.read(size, nodes, entry)?;
            let bytes = bytes.ok_or(StoreError::Bug("a tile beyond its log"))?;
            put(&format!("tile/{tile}"), &bytes)?;
        }
    }
    put("checkpoint", note.as_bytes())
}

/// Writes a file of an export below `root`, whole or not at all: for [`export`].
///
/// # Errors
/// [`StoreError::Unavailable`] when it cannot be written.
pub fn write_below(root: &Path, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let write = || {
        let target = root.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut part = target.clone().into_os_string();
        part.push(".part");
        let mut file = fs::File::create(&part)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        fs::rename(part, target)
    };
    write().map_err(|error: std::io::Error| StoreError::Unavailable {
        doing: "writing the exported log",
        detail: format!("{path}: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use counterfoil_types::Sha256Hash;

    use super::*;

    /// A tree whose hashes only name their place.
    struct Fake;

    impl NodeReader for Fake {
        fn node(&self, level: u32, index: u64) -> Result<Sha256Hash, StoreError> {
            let mut bytes = [0; 32];
            bytes[0] = u8::try_from(level).unwrap();
            bytes[24..].copy_from_slice(&index.to_be_bytes());
            Ok(Sha256Hash::from_bytes(bytes))
        }
    }

    fn entry(index: u64) -> Result<String, StoreError> {
        Ok(format!("entry {index}\n"))
    }

    /// The files of an export at `size`, each written once, the checkpoint last.
    fn exported(size: u64) -> BTreeMap<String, Vec<u8>> {
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut put = |path: &str, bytes: &[u8]| {
            assert!(!files.contains_key("checkpoint"), "the checkpoint is last");
            let before = files.insert(path.to_owned(), bytes.to_vec());
            assert!(before.is_none(), "{path} twice");
            Ok(())
        };
        export(&Fake, &entry, (size, "note"), &mut put).unwrap();
        files
    }

    /// Whatever is exported is what is served under the same path.
    #[test]
    fn a_tile_is_what_the_export_writes_under_its_path() {
        for size in [1, 255, 256, 257, 70_000] {
            let files = exported(size);
            for (path, bytes) in files.iter().filter(|(path, _)| *path != "checkpoint") {
                let tile = Tile::parse(path.strip_prefix("tile/").unwrap()).unwrap();
                let read = tile.read(size, &Fake, &entry).unwrap();
                assert_eq!(read.as_ref(), Some(bytes), "{path} at {size}");
                assert_eq!(format!("tile/{tile}"), *path);
            }
        }
    }

    #[test]
    fn a_part_of_a_tile_stays_what_it_was_when_the_log_grows() {
        let part = Tile::parse("0/001.p/44").unwrap();
        let at = |size| part.read(size, &Fake, &entry).unwrap();
        assert!(at(300).is_some());
        assert_eq!(at(70_000), at(300));
        assert_eq!(at(299), None);
        let far = Tile::parse("0/x999/x999/x999/x999/x999/999").unwrap();
        assert_eq!(far.read(u64::MAX, &Fake, &entry).unwrap(), None);
    }

    #[test]
    fn a_path_has_one_spelling() {
        let refused = "|0|0/|/000|0/0|0/00|0/0000|0/x000|0/x000/000|0/000.p/0|0/000.p/256|0/000.p/01|00/000|+0/000|8/000|\
            entries/|entries/000.p/+1|0/000/|0/../000|0/001/000|0/x001/x002|x/000|0/000.p/|0/xxx/000|0/+01|\
            0/x001/x001/x001/x001/x001/x001/000";
        for path in refused.split('|') {
            assert_eq!(Tile::parse(path), None, "{path}");
        }
        for path in [
            "0/000",
            "7/999",
            "entries/x001/000",
            "1/x001/x234/067.p/255",
        ] {
            assert_eq!(Tile::parse(path).unwrap().to_string(), path);
        }
    }

    /// The example of the specification: 70,000 entries.
    #[test]
    fn seventy_thousand_entries_have_the_tiles_of_the_specification() {
        let files = exported(70_000);
        let count = |prefix: &str| files.keys().filter(|path| path.starts_with(prefix)).count();
        assert_eq!(count("tile/0/"), 274);
        assert_eq!(files["tile/0/273.p/112"].len(), 112 * 32);
        assert_eq!(count("tile/1/"), 2);
        assert_eq!(files["tile/1/000"].len(), 8192);
        assert_eq!(files["tile/1/001.p/17"].len(), 17 * 32);
        assert_eq!(files["tile/2/000.p/1"].len(), 32);
        assert_eq!(count("tile/entries/"), 274);
        assert_eq!(files["checkpoint"], b"note");
    }

    #[test]
    fn two_hundred_and_fifty_six_entries_are_one_full_tile_and_one_hash_above() {
        let files = exported(256);
        assert_eq!(files["tile/0/000"].len(), 8192);
        assert_eq!(files["tile/1/000.p/1"][0], 8, "the root of the tile below");
        assert!(!files.contains_key("tile/0/001.p/0"), "an empty tile");
    }

    #[test]
    fn an_empty_log_is_its_checkpoint() {
        assert_eq!(exported(0).len(), 1);
    }

    #[test]
    fn entry_bundles_are_length_prefixed() {
        let files = exported(2);
        let bundle = b"\x00\x08entry 0\n\x00\x08entry 1\n";
        assert_eq!(files["tile/entries/000.p/2"], bundle);
    }

    #[test]
    fn a_directory_holds_the_files_of_the_export() {
        let folder = std::env::temp_dir().join(format!("counterfoil-tiles-{}", std::process::id()));
        export(&Fake, &entry, (300, "note"), &mut |path, bytes| {
            write_below(folder.as_ref(), path, bytes)
        })
        .unwrap();
        let part = fs::read(folder.join("tile/0/001.p/44")).unwrap();
        assert_eq!(part.len(), 44 * 32);
        assert_eq!(fs::read(folder.join("checkpoint")).unwrap(), b"note");
        fs::remove_dir_all(folder).unwrap();
    }
}
